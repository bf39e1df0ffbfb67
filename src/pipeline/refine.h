/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_REFINE_H
#define PIPELINE_REFINE_H
/*
 * Refinement: power passes over the documents in the store, for eigenpairs
 * that are better than one pass can give. The passes make a block Krylov space
 * that serves every number of topics.
 */
#include <kedge/control.h>

#include "pipeline/lens.h"
#include "sketch/spectrum.h"
#include "store/store.h"

typedef struct refine refine;

typedef struct refine_input {
    store *s;
    const store_view *view;
    lens *lens;                  /* what the view sees */
    const uint32_t *order;       /* rank → number in its words */
    const spectrum *spectrum;    /* solved */
    const spectrum_rows *rows;
    const double *sums;          /* by rank: C·1 */
    size_t block;                /* columns of a pass */
    size_t passes;
    const kedge_control *control;
    pool *p;
} refine_input;

/* Makes all passes. */
kedge_status refine_create(const refine_input *in, refine **out,
                           kedge_error *err);
void refine_free(refine *r); /* accepts NULL */

/* The k leading eigenpairs: vectors rows x k in the order of ranks, values
 * falling. */
kedge_status refine_vectors(refine *r, size_t k, double *vectors,
                            double *values, kedge_error *err);

/* Columns of the narrowest block; bytes for a block of some size; and the
 * widest one that fits `budget`, 0 when not even the narrowest does. */
size_t refine_least(size_t rows, size_t width, size_t k);
uint64_t refine_memusage(size_t rows, size_t block, size_t k, size_t passes,
                         unsigned threads);
size_t refine_block(size_t rows, size_t width, size_t k, size_t passes,
                    unsigned threads, uint64_t budget);

#endif
