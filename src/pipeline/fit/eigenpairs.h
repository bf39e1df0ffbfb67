/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_EIGENPAIRS_H
#define PIPELINE_FIT_EIGENPAIRS_H
/* The leading eigenpairs of C, or D C D, from whatever is known best of it. All
 * of it is in an open transaction, by which rows are read. */
#include "pipeline/fit/exact.h"
#include "pipeline/fit/refine.h"
#include "sketch/spectrum.h"

typedef struct eigenpairs_source {
    const spectrum *spectrum; /* solved, */
    const spectrum_rows *rows;
    refine *refined; /* where there is one, */
    exact *exact;    /* or there is this; both NULL: the sketch's own */
    pool *p;
} eigenpairs_source;

/* The first k: vectors rows x k, values falling, and what the held-out columns
 * say about them. */
kedge_status eigenpairs_find(const eigenpairs_source *s, size_t k,
                             double *vectors, double *values,
                             spectrum_error *out, kedge_error *err);

/* The first k values alone, NAN where there are fewer; but for the last digits
 * they are those that come with fewer vectors. */
kedge_status eigenpairs_values(const eigenpairs_source *s, size_t k,
                               double *values, kedge_error *err);

#endif
