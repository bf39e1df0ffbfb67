/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_REFINE_H
#define PIPELINE_FIT_REFINE_H
/*
 * Refinement: power passes over the documents in the store, for eigenpairs
 * that are better than one pass can give. The passes make a block Krylov space
 * that serves every number of topics. Where the rows have weights, all of it is
 * of D C D.
 */
#include <kedge/control.h>

#include "pipeline/index/filter.h"
#include "sketch/degree.h"
#include "sketch/spectrum.h"
#include "store/store.h"

typedef struct refine refine;

typedef struct refine_input {
    store_txn *txn;
    const store_view *view;
    filter *filter;                  /* what the view sees */
    const uint32_t *order;       /* rank → number in its words */
    const spectrum *spectrum;    /* solved */
    const spectrum_rows *rows;
    const double *sums;          /* by rank: C·1 */
    double scale;                /* from the sketch's integers to C */
    const degrees *degrees;      /* of documents, or NULL */
    size_t block;                /* columns of a pass */
    size_t passes;
    const kedge_control *control;
    pool *p;
} refine_input;

/* Makes all passes. */
kedge_status refine_create(const refine_input *in, refine **out,
                           kedge_error *err);
void refine_free(refine *r); /* accepts NULL */

/* How many eigenpairs it has. */
size_t refine_dimensions(const refine *r);

/* The k leading eigenpairs: vectors rows x k in the order of ranks, values
 * falling. */
kedge_status refine_vectors(refine *r, size_t k, double *vectors,
                            double *values, kedge_error *err);

/* By rank: the row sums of D C D, exactly, from the first pass; NULL where rows
 * have no weights. They live as long as r. */
const double *refine_sums(const refine *r);

#endif
