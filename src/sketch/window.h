/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_WINDOW_H
#define SKETCH_WINDOW_H
/*
 * A window: as many documents as are accumulated at a time, turned round. The
 * kernel needs them twice, by document (to add up signs) and by word (to add
 * to the word's row), with words numbered among those that occur.
 *
 * The statistic lives here and nowhere else: a window holds, for document m and
 * word i, the integer value x_im and the integer weight a_im; all that follows
 * adds a_im (s_m - x_im Ω_i) to row i, where s_m = Σ_i x_im Ω_i. For the joint
 * statistic x = h and a = round(2^40 h / (n (n - 1))), and the diagonal that is
 * taken out is that of h, not of h²: the term is a_im Ω_i ("own" below is 1).
 */
#include <kedge/status.h>

#include "base/docs.h"

#define WINDOW_WEIGHT_BITS 40 /* S: document weights are scaled by 2^S */
#define WINDOW_WEIGHT_UNIT 0x1p40

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

/* Two of a word's postings: what each weighs is Σ_i limb[i] 2^(14 i), the
 * first's in the lower 16 bits of the limbs, the second's in the upper. All
 * limbs are below 2^14, but the last one may be negative. */
#define WINDOW_LIMBS 3
#define WINDOW_LIMB_BITS 14

typedef struct window_pair {
    uint32_t document[2];
    uint32_t limb[WINDOW_LIMBS];
} window_pair;

/* a_im of the pair's first (0) or second (1) posting. */
static inline int64_t window_weight(const window_pair *p, unsigned side)
{
    int64_t a = 0;

    for (unsigned i = WINDOW_LIMBS; i-- > 0;)
        a = a * (1 << WINDOW_LIMB_BITS) + (int16_t)(p->limb[i] >> 16 * side);
    return a;
}

typedef struct window {
    /* by document: the counted ones */
    size_t documents;
    size_t *start;     /* documents + 1 */
    uint32_t *local;   /* entry: number of the word in this window */
    int16_t *value;    /* entry: x_im */
    uint32_t *length;  /* document: Σ_i x_im, bounds |s_m| */
    /* by word: the ones that occur */
    size_t words;
    uint32_t *id;      /* word: its id */
    size_t *first;     /* words + 1: pairs of postings */
    window_pair *pair; /* padded for prefetching; the second posting of a
                        * word's last pair may weigh nothing */
    int64_t *own;      /* word: Σ_m a_im */
    int64_t *sum;      /* word: Σ_m a_im (n_m - 1), what its row's sum gains */
    /* The place of each word (by id) in the order of all words' bytes, for
     * splitting documents alike whatever ids a store gives. NULL: ids are
     * in that order. Set by the owner before window_fill. */
    const uint32_t *rank;
    /* The documents are to be taken out again: their weights are negative. Set
     * by the owner, too. */
    bool negative;
    /* counts */
    uint64_t skipped;  /* documents below min_tokens */
    uint64_t counted;  /* documents counted, pieces of split ones each */
    uint64_t tokens;   /* of the counted */
    /* scratch */
    uint32_t *count_of; /* by id, all zero between calls */
    size_t id_capacity, doc_capacity, entry_capacity, word_capacity;
    size_t pair_capacity;
} window;

#define WINDOW_PADDING 8 /* pairs past the end that may be looked at */

/* Fills the window from a batch, replacing what it held. Word ids are below
 * `vocabulary`. */
kedge_status window_fill(window *w, const docs *d, size_t vocabulary,
                         uint64_t min_tokens, kedge_error *err);
void window_free(window *w);

/* Bytes that a window takes at most for batches of so many entries, counted as
 * they are once long documents are split, and of documents as above. */
uint64_t window_memusage(uint64_t vocabulary, uint64_t entries);

#endif
