/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_ACCUMULATE_H
#define SKETCH_ACCUMULATE_H
/*
 * The kernel: one window of documents into one tile of 64 columns.
 */
#include "sketch/sign.h"
#include "sketch/window.h"

/* Scratch of one thread. */
typedef struct accumulate_scratch {
    int8_t *sign; /* words of the window x 64: ±1 */
    int32_t *dot; /* documents of the window x 64: s_m */
    size_t sign_capacity, dot_capacity;
} accumulate_scratch;

/* Makes room for the window; everything after it cannot fail. */
kedge_status accumulate_reserve(accumulate_scratch *a, const window *w,
                                kedge_error *err);
void accumulate_free(accumulate_scratch *a);

/* Bytes for one thread at most. */
uint64_t accumulate_memusage(uint64_t vocabulary);

/* Expands the tile's signs and adds up s_m for every document. `key` is by
 * word id. */
void accumulate_dots(accumulate_scratch *a, const window *w,
                     const uint64_t *key, size_t tile);

/* Adds word number `local` of the window to its 64 accumulators. */
void accumulate_row(const accumulate_scratch *a, const window *w, size_t local,
                    uint64_t bits, int64_t *row);

/* "avx512", "avx2" or "baseline": which of the loops this machine runs. */
const char *accumulate_kernel(void);

#endif
