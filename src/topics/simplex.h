/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_SIMPLEX_H
#define TOPICS_SIMPLEX_H
/*
 * Simplex-constrained least squares for many rows at once:
 *
 *   minimise |U'y_i - v_i|²  over  y_i >= 0, sum(y_i) = 1
 *
 * given by the Gram matrix U U' (k x k) and the products V U' (rows x k).
 */
#include "base/pool.h"

typedef struct simplex_result {
    size_t steps;     /* of the row that took most */
    size_t unsettled; /* rows that ran out of steps */
} simplex_result;

/* `products` (rows x k) is overwritten by the solutions. */
kedge_status simplex_solve(pool *p, size_t rows, size_t k, const double *gram,
                           double *products, size_t steps, double tolerance,
                           simplex_result *out, kedge_error *err);

/* The nearest point of the simplex, in place. `*level` is where the search for
 * the amount to take off begins, and what it was in the end. */
void simplex_project(double *y, size_t k, double *level);

#endif
