/* SPDX-License-Identifier: MIT */
#ifndef LINALG_WARM_H
#define LINALG_WARM_H
/*
 * Leading eigenpairs of a symmetric operator on tall blocks, from a guess that
 * is close already: what changes little from one round to the next is not
 * decomposed again.
 */
#include "base/pool.h"

typedef struct warm_operator {
    size_t rows;
    double noise; /* of A x, for orthonormal x: its length, where that is more
                     than rounding in double precision; or 0 */
    void *data;
    /* out = A x, both rows x k */
    kedge_status (*apply)(void *data, const double *x, size_t k, double *out,
                          kedge_error *err);
    /* After each application: about the share of the way to the tolerance that
     * has been gone; a failure ends the search. Or NULL. */
    kedge_status (*progress)(const void *data, double share,
                             kedge_error *err);
    const void *progress_data;
} warm_operator;

typedef struct warm_work {
    double *ax, *r, *ar; /* rows x k each */
} warm_work;

kedge_status warm_work_create(size_t rows, size_t k, warm_work *out,
                              kedge_error *err);
void warm_work_free(warm_work *w);

/*
 * The k largest eigenvalues of the operator, falling, and their vectors in x
 * (rows x k), which comes in as the guess: any basis of about the right space.
 * Stops when the residuals are below tolerance times the smallest of the k in
 * size, or after `steps` applications beyond the first; *applied is how many
 * there were.
 */
kedge_status warm_eigen(pool *p, const warm_operator *a, size_t k, double *x,
                        double *values, double tolerance, unsigned steps,
                        warm_work *work, unsigned *applied, kedge_error *err);

#endif
