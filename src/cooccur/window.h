/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_WINDOW_H
#define COOCCUR_WINDOW_H
/*
 * A window: the documents that the kernel adds to the sketch at a time, both by
 * document (to sum signs) and by word (to add to the word's row). Words are
 * numbered among those that occur in the window.
 *
 * Only here does the statistic (statistic.h; --tf) matter. For document m and
 * word i a window has the integer value x_im and the integer weight a_im. The
 * kernel adds a_im (s_m - x_im Ω_i) to row i, with s_m = Σ_i x_im Ω_i. For the
 * joint statistic (raw) x = h, a = round(2^40 h / (n (n - 1))), and the term
 * taken out is a_im Ω_i, as its diagonal is of h and not of h².
 *
 * A "document" of the kernel is, for the joint statistic, a document or a piece
 * of a long one. For the damped ones (log, sqrt) it is a part: a document whose
 * sum of x_im needs more than 16 bits is divided into parts, each with some of
 * its words and its own s. All words of the document are added with each part,
 * so the sum over parts is a_im s_m, as of the whole document.
 */
#include <kedge/status.h>

#include "base/docs.h"
#include "cooccur/statistic.h"

/* Entries and documents that fill a window: enough that a word's row is fetched
 * for many documents at once, few enough that the kernel's data of each
 * document stay in the cache; a little below the powers of two that arrays grow
 * to. */
#define WINDOW_ENTRIES ((3 << 19) - (1 << 14))
#define WINDOW_DOCUMENTS ((3 << 13) - 8)

/* Tokens that fill a window: splitting long documents can turn an entry of many
 * tokens into as many entries. */
#define WINDOW_TOKENS (2 * WINDOW_ENTRIES)

/* Longer documents are split into pieces of equal length: 2^40 / n² would be
 * rounded too coarsely, and words ten thousand apart hardly co-occur. */
#define WINDOW_SPLIT_TOKENS 10000

/* The largest sum of values of a part, so that s fits into 16 bits. A damped
 * document that would have more than WINDOW_PARTS parts gets fewer value bits
 * (also below 0), unless all its values are 1. */
#define WINDOW_PART_VALUES 32767
#define WINDOW_PARTS 4

struct degrees;

/* Two postings of a word. The weight of a posting is Σ_i limb[i] 2^(bits i),
 * the first's in the lower 16 bits of the limbs, the second's in the upper. A
 * limb is at most 2^bits, and only the last may be negative. Damped weights are
 * smaller than joint ones, but they are multiplied by larger numbers. */
#define WINDOW_LIMBS 3
#define WINDOW_LIMB_BITS 14
#define WINDOW_DAMPED_LIMB_BITS 9

typedef struct window_pair {
    uint32_t document[2];
    uint32_t limb[WINDOW_LIMBS];
} window_pair;

/* a_im of the pair's first (0) or second (1) posting, of limbs of `bits`. */
static inline int64_t window_weight(const window_pair *p, unsigned side,
                                    unsigned bits)
{
    int64_t a = 0;

    for (unsigned i = WINDOW_LIMBS; i-- > 0;)
        a = a * (INT64_C(1) << bits) + (int16_t)(p->limb[i] >> 16 * side);
    return a;
}

typedef struct window {
    /* by document, those counted */
    size_t documents;
    size_t *start;     /* documents + 1 */
    uint32_t *local;   /* entry: number of the word in this window */
    int16_t *value;    /* entry: x_im, or the share of it in this part */
    uint32_t *length;  /* document: Σ_i x_im, a bound of |s_m| */
    uint32_t *parts;   /* document: at the first part of a document the number
                          of its parts, else 0 */
    /* by word, those that occur */
    size_t words;
    uint32_t *id;      /* word: its id */
    size_t *first;     /* words + 1: pairs of postings */
    window_pair *pair; /* padded for prefetching; the second posting of a
                        * word's last pair may have weight 0 */
    int64_t *own;      /* word: Σ_m a_im x_im; joint: Σ_m a_im */
    int64_t *sum;      /* word: Σ_m a_im Σ_j x_jm less own: the increase of its
                          row sum */
    unsigned limb_bits;
    /* Set by the owner before window_fill, as the next four. NULL: joint. */
    const statistic *statistic;
    /* The place of each word (by id) in the order of all words' bytes, so that
     * documents are split in the same way whatever ids a store gives. NULL: ids
     * are in that order. */
    const uint32_t *rank;
    /* Subtracts the documents: weights are negative. */
    bool negative;
    /* More weights of documents (degree.h); NULL: none. */
    const struct degrees *degrees;
    /* Entries that fill it; 0: WINDOW_ENTRIES. */
    size_t most;
    /* The batch has more: it continues with this document and piece. */
    bool more;
    size_t next;
    uint64_t piece;
    /* counts */
    uint64_t skipped;  /* documents below min_tokens */
    uint64_t counted;  /* documents counted, pieces of split ones each */
    uint64_t tokens;   /* of the counted */
    /* scratch */
    uint32_t *count_of; /* by id, all zero between calls */
    size_t id_capacity, start_capacity, length_capacity, parts_capacity;
    size_t entry_capacity, value_capacity;
    size_t word_capacity, first_capacity, own_capacity, sum_capacity;
    size_t pair_capacity;
} window;

#define WINDOW_PADDING 8 /* pairs past the end that may be read */

/* The word of entry *k of a document whose parts end before `end`, and the sum
 * of its values over the parts, whose entries of a word are side by side. *k
 * becomes the entry of the next word. */
static inline int64_t window_word(const window *w, size_t *k, size_t end,
                                  uint32_t *word)
{
    int64_t x = 0;

    *word = w->local[*k];
    for (; *k < end && w->local[*k] == *word; ++*k)
        x += w->value[*k];
    return x;
}

/* Fills the window from a batch, in place of its old contents, with documents
 * and pieces of long ones until it is full: WINDOW_DOCUMENTS, or `most`
 * entries, which the last document may exceed. Word ids are below `vocabulary`.
 * Documents of fewer than `min_tokens` tokens, or 2, are skipped. If `more` is
 * set then, window_go_on fills the window again with the next documents of the
 * batch. */
kedge_status window_fill(window *w, const docs *d, size_t vocabulary,
                         uint64_t min_tokens, kedge_error *err);
kedge_status window_go_on(window *w, const docs *d, size_t vocabulary,
                          uint64_t min_tokens, kedge_error *err);
void window_free(window *w);

/* ---- its documents ------------------------------------------------------- */

/*
 * A document of a window as the statistic has it (statistic.h): values x = g(h)
 * and the document's weight w. It adds w (x x' - D) to C, before C is divided
 * by its total. Long documents of the joint statistic are several baskets; the
 * parts of a damped document are one.
 */
typedef struct basket {
    uint32_t *row; /* room for all rows */
    double *x;
    size_t count;
    double weight;
    double mass;   /* w (|x|_1^2 - tr D): the increase of C's total */
    bool damped;   /* D is diag x²; else diag x */
} basket;

kedge_status basket_create(size_t rows, basket *out, kedge_error *err);
void basket_free(basket *b);

/* Reads the document that begins at document m of the window; returns where the
 * next one begins. */
size_t basket_read(basket *b, const window *w, size_t m);

/* The diagonal entry D of entry `at`. */
static inline double basket_own(const basket *b, size_t at)
{
    return b->damped ? b->x[at] * b->x[at] : b->x[at];
}

#endif
