/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_WINDOW_H
#define COOCCUR_WINDOW_H
/*
 * A window: as many documents as are accumulated at a time, turned round. The
 * kernel needs them twice, by document (to add up signs) and by word (to add
 * to the word's row), with words numbered among those that occur.
 *
 * The statistic (statistic.h) comes in here and nowhere later: a window holds,
 * for document m and word i, the integer value x_im and the integer weight
 * a_im; all that follows adds a_im (s_m - x_im Ω_i) to row i, where s_m =
 * Σ_i x_im Ω_i. For the joint statistic x = h and a = round(2^40 h / (n (n -
 * 1))), and the diagonal that is taken out is that of h, not of h²: the term is
 * a_im Ω_i.
 *
 * What the kernel sees as a document is, in the joint statistic, a document or
 * a piece of a long one. In the damped ones it is a part: of a document whose
 * x_im add up to more than 16 bits hold, each part has some of the words, with
 * s of its own, and all words of the document are weighed by each of its parts:
 * the sum over them is a_im s_m, as if it were one.
 */
#include <kedge/status.h>

#include "base/docs.h"
#include "cooccur/statistic.h"

/* Entries and documents that close a window. Wide enough that a word's row is
 * fetched for many documents at once, narrow enough that what the kernel keeps
 * of each document stays in the cache; a little below the powers of two that
 * arrays grow to. */
#define WINDOW_ENTRIES ((3 << 19) - (1 << 14))
#define WINDOW_DOCUMENTS ((3 << 13) - 8)

/* Tokens that close one: splitting long documents turns entries of many tokens
 * into several entries, up to one for each token. */
#define WINDOW_TOKENS (2 * WINDOW_ENTRIES)

/* Longer documents count as several of equal length: their 2^40 / n² would
 * round too coarsely, and words ten thousand apart hardly co-occur. */
#define WINDOW_SPLIT_TOKENS 10000

/* Values of a part: no s leaves 16 bits. A damped document that would have more
 * parts than these has so many value bits less, below none, as it takes, unless
 * all its values are 1. */
#define WINDOW_PART_VALUES 32767
#define WINDOW_PARTS 4

struct degrees;

/* Two of a word's postings: what each weighs is Σ_i limb[i] 2^(bits i), the
 * first's in the lower 16 bits of the limbs, the second's in the upper. No limb
 * is above 2^bits, and only the last one may be negative. Damped weights are
 * smaller than joint ones, and what they are multiplied with is larger. */
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
    /* by document: the counted ones */
    size_t documents;
    size_t *start;     /* documents + 1 */
    uint32_t *local;   /* entry: number of the word in this window */
    int16_t *value;    /* entry: x_im, or what of it is in this part */
    uint32_t *length;  /* document: Σ_i x_im, bounds |s_m| */
    uint32_t *parts;   /* document: parts of the one that begins with it, else
                          0 */
    /* by word: the ones that occur */
    size_t words;
    uint32_t *id;      /* word: its id */
    size_t *first;     /* words + 1: pairs of postings */
    window_pair *pair; /* padded for prefetching; the second posting of a
                        * word's last pair may weigh nothing */
    int64_t *own;      /* word: Σ_m a_im x_im; joint: Σ_m a_im */
    int64_t *sum;      /* word: Σ_m a_im Σ_j x_jm less own, what its row's sum
                          gains */
    unsigned limb_bits;
    /* NULL: joint. Set by the owner before window_fill, as are the next two. */
    const statistic *statistic;
    /* The place of each word (by id) in the order of all words' bytes, for
     * splitting documents alike whatever ids a store gives. NULL: ids are
     * in that order. */
    const uint32_t *rank;
    /* The documents are to be taken out again: their weights are negative. */
    bool negative;
    /* What documents are also weighed by (degree.h), set before too; NULL: by
     * nothing. */
    const struct degrees *degrees;
    /* Entries with which it is full, also set before; 0: WINDOW_ENTRIES. */
    size_t most;
    /* What of the batch did not go in begins with this document, and piece. */
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

#define WINDOW_PADDING 8 /* pairs past the end that may be looked at */

/* The word of the entry at *k of a document, all of whose parts end before
 * `end`, and what it has of the word: parts that share a word have entries side
 * by side. *k becomes the entry of the next word. */
static inline int64_t window_word(const window *w, size_t *k, size_t end,
                                  uint32_t *word)
{
    int64_t x = 0;

    *word = w->local[*k];
    for (; *k < end && w->local[*k] == *word; ++*k)
        x += w->value[*k];
    return x;
}

/* Fills the window from a batch, replacing what it held. Word ids are below
 * `vocabulary`. Documents of fewer than two tokens are skipped whatever
 * `min_tokens` is.
 *
 * It takes documents, and pieces of long ones, until it is full: of WINDOW_
 * DOCUMENTS, or of entries, which the last document may overshoot, but by no
 * more than there may be. Where there is `more`, window_go_on fills it again
 * with what comes next in the same batch. */
kedge_status window_fill(window *w, const docs *d, size_t vocabulary,
                         uint64_t min_tokens, kedge_error *err);
kedge_status window_go_on(window *w, const docs *d, size_t vocabulary,
                          uint64_t min_tokens, kedge_error *err);
void window_free(window *w);

/* ---- documents of it ----------------------------------------------------- */

/*
 * Documents of a window as the statistics see them (statistic.h): values
 * x = g(h) and the weight w of the document, such that it adds
 * w (x x' - D) to C, before that is divided by its total. Long documents of the
 * joint statistic are several, parts of damped ones are together again.
 */
typedef struct basket {
    uint32_t *row; /* room for all rows */
    double *x;
    size_t count;
    double weight;
    double mass;   /* w (|x|_1^2 - tr D): what C's total gains */
    bool damped;   /* D is diag x²; else diag x */
} basket;

kedge_status basket_create(size_t rows, basket *out, kedge_error *err);
void basket_free(basket *b);

/* The document that begins with document m of the window; gives where the next
 * one begins. */
size_t basket_read(basket *b, const window *w, size_t m);

/* What document `at` of the basket takes from the diagonal: D's entry. */
static inline double basket_own(const basket *b, size_t at)
{
    return b->damped ? b->x[at] * b->x[at] : b->x[at];
}

#endif
