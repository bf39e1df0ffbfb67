/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_ACCUMULATE_H
#define SKETCH_ACCUMULATE_H
/*
 * One window of documents into one tile of 64 columns, by the widest kernel
 * that this machine has.
 */
#include "sketch/kernel.h"
#include "sketch/sign.h"

/* Scratch of one thread. */
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

/* Which kernel this machine runs. */
const char *accumulate_kernel(void);

#endif
