/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_KERNEL_H
#define COOCCUR_KERNEL_H
/*
 * The two inner loops of the sketch, for one tile of 64 columns, in as many
 * versions as there are widths of vector. All give the same integers.
 *
 * s_m, the sum of a document's signs, is kept in 16 bits; a weight is made of
 * limbs of some bits, so that products of limb and s_m add up in 32 bits for a
 * while ("chunk") before they go to the row's 64. That is twice as fast
 * as sums in doubles, and it reads half as much: a frequent word's row walks
 * through all s_m, which fit in no first-level cache.
 *
 * A kernel may keep the 64 columns of s_m in an order that suits its
 * instructions; `order` takes a word's signs there. Rows are in plain order.
 */
#include "cooccur/sign.h"
#include "cooccur/window.h"

#define KERNEL_COLUMNS 64

/* What a row gains: `count` pairs of postings, `chunk` of them at a time, of
 * limbs of so many bits, and its own term, by its signs. */
typedef struct kernel_row {
    const window_pair *pair;
    size_t count, chunk;
    unsigned limb_bits;
    int64_t own;
    uint64_t signs;
} kernel_row;

typedef struct kernel {
    const char *name;
    uint64_t (*order)(uint64_t signs);
    /* s[m][0..63] = Σ_k value[k] Ω[word k of m]; `signs` by the window's words,
     * in order. Returns the largest |s|. */
    int (*dots)(int16_t *restrict s, const window *w, const uint64_t *signs);
    /* z[0..63] += Σ_k weight_k s[document_k] - own Ω. */
    void (*row)(int64_t *restrict z, const int16_t *restrict s,
                const kernel_row *r);
} kernel;

#define KERNELS 4 /* at most */

/* Those that this machine can run, the widest first. */
size_t kernel_list(kernel list[KERNELS]);

/* Pairs of postings that may be added up at a time when no |s| is larger and
 * limbs have so many bits. */
size_t kernel_chunk(int largest, unsigned limb_bits);

/* ---- a window into a tile ------------------------------------------------ */

/* By the widest kernel that this machine has. Scratch of one thread: */
typedef struct accumulate_scratch {
    kernel run;
    size_t chunk;    /* pairs of postings that may be added up at a time */
    uint64_t *signs; /* word of the window: the tile's signs, in run.order */
    int16_t *dot;    /* documents of the window x 64: s_m */
    size_t signs_capacity, dot_capacity;
} accumulate_scratch;

/* Makes room for the window; everything after it cannot fail. */
kedge_status accumulate_reserve(accumulate_scratch *a, const window *w,
                                kedge_error *err);
void accumulate_free(accumulate_scratch *a);

/* Adds up s_m for every document. `key` is by word id. */
void accumulate_dots(accumulate_scratch *a, const window *w,
                     const uint64_t *key, size_t tile);

/* Adds word number `local` of the window to its 64 accumulators. */
void accumulate_row(const accumulate_scratch *a, const window *w, size_t local,
                    uint64_t signs, int64_t *row);

#endif
