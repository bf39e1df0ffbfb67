/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_CLOSENESS_H
#define MEASURE_CLOSENESS_H
/*
 * How near a model is to the statistics of the documents themselves: how far
 * B A B' is from the co-occurrence C, and how well anchors' rows of C make up
 * the rows of all other words. The documents come by once, in windows.
 */
#include "sketch/probe.h"

typedef struct closeness closeness;

typedef struct closeness_input {
    size_t rows, k;
    const double *b;        /* rows x k, columns sum to one */
    const double *a;        /* k x k */
    const double *share;    /* k: p(topic) */
    const uint64_t *anchor; /* k rows */
    pool *p;
} closeness_input;

typedef struct closeness_found {
    double norm;          /* |C|, Frobenius like all of them */
    double error;         /* |C - B A B'| */
    double spread;        /* standard error of `error`, for it is estimated */
    double off_norm, off_error; /* the same without the diagonals */
    double recovery;      /* mean of |row i of C - Σ_k p(k | i) row s_k of C|,
                             rows divided by their sums */
    double rows_norm;     /* |C| of such rows */
} closeness_found;

kedge_status closeness_create(const closeness_input *in, closeness **out,
                              kedge_error *err);
void closeness_free(closeness *c); /* accepts NULL */

/* Words of documents are rows. */
void closeness_add(closeness *c, const window *w);

/* `z` has seen the same windows. All are NAN where no document had two words.
 * ENOMEM. */
kedge_status closeness_finish(closeness *c, const probe *z,
                              closeness_found *out, kedge_error *err);

#endif
