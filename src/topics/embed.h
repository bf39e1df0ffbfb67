/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_EMBED_H
#define TOPICS_EMBED_H
/*
 * Words as points: rows of X = diag(d)^-1 Y R' with C C' = Y R'R Y', between
 * which distances and angles are those between the normalised rows of C. Of
 * C = YY' that is R'R = Y'Y.
 */
#include "base/pool.h"

/* d = Y (Y'e), the row sums of YY'; `scratch` has k. */
void embed_sums(pool *p, size_t rows, size_t k, const double *y,
                double *scratch, double *d);

typedef struct embed_input {
    size_t rows, k;
    const double *y;    /* rows x k */
    const double *d;    /* rows: what each is divided by; where that is not
                           positive, */
    const double *sums; /* rows: this is, and a row without either is zero */
} embed_input;

/* R' in place of R'R (k x k); an empty column of Y stays empty. */
kedge_status embed_root(double *gram, size_t k, kedge_error *err);

/* x (rows x k) by R' (k x k) in `root`. */
void embed_rows(pool *p, const embed_input *in, const double *root,
                double *x);

#endif
