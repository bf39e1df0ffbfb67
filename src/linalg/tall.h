/* SPDX-License-Identifier: MIT */
#ifndef LINALG_TALL_H
#define LINALG_TALL_H
/*
 * Tall matrices, a row per word: products along and across their rows by a
 * pool of threads, with results that do not depend on the number of threads.
 * Rows are cut into TALL_GROUPS pieces, whatever the pool; a piece is one BLAS
 * call on one thread, and sums over pieces are taken in their order.
 */
#include "base/pool.h"

#define TALL_GROUPS 16

/* First row of a group; tall_group(rows, TALL_GROUPS) is `rows`. Cuts are
 * multiples of 8 rows so that pieces stay aligned. */
static inline size_t tall_group(size_t rows, size_t group)
{
    return group == TALL_GROUPS ? rows
                                : rows / 8 * group / TALL_GROUPS * 8;
}

/* out (k x l) = a' b, where a is rows x k and b rows x l. */
kedge_status tall_cross(pool *p, size_t rows, const double *a, size_t k,
                        const double *b, size_t l, double *out,
                        kedge_error *err);

/* c (rows x l) = beta c + a t, where a is rows x k and t is k x l. c is not a,
 * unless beta is 0 and the caller knows that no tile of a is needed twice. */
void tall_multiply(pool *p, size_t rows, const double *a, size_t k,
                   const double *t, size_t l, double beta, double *c);

/* x (rows x k) = x m + y n, in place, with k x k matrices m and n; y may be
 * NULL. */
kedge_status tall_combine(pool *p, size_t rows, double *x, size_t k,
                          const double *m, const double *y, const double *n,
                          kedge_error *err);

/* x (rows x k) = x R^-1, in place, with upper triangular R (k x k). */
void tall_solve(pool *p, size_t rows, double *x, size_t k, const double *r);

#endif
