/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_PRODUCT_H
#define PIPELINE_FIT_PRODUCT_H
/*
 * C times a tall matrix by one pass over the documents in the store, or D C D
 * where words have weights; by integers (sketch/power.h), so that neither the
 * order of documents nor threads matter.
 */
#include "base/pool.h"
#include "pipeline/index/pass.h"

typedef struct product_input {
    pass_input pass;
    const double *weight; /* by rank: d, or NULL */
    const double *sums;   /* by rank: C·1 */
    double scale;         /* from the sketch's integers to C */
    pool *p;
} product_input;

/*
 * out = C q, both rows x columns in the order of ranks. Without weights q's
 * entries are within -1 .. 1, and become what the product is exact for, rounded
 * to 30 bits; with them q may be anything and stays, and the product is as near
 * as 30 bits of a column's largest entry are. `sums`, with weights: the row
 * sums of D C D; NULL: not wanted.
 */
kedge_status product_run(const product_input *in, double *q, size_t columns,
                         double *out, double *sums, kedge_error *err);

/* The same of any q, with weights or without: a column is divided by its
 * largest entry on its way in, and q stays. */
kedge_status product_scaled(const product_input *in, const double *q,
                            size_t columns, double *out, kedge_error *err);

#endif
