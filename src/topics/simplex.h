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

/* The same for a way that solves a row at a time: `solve` makes y (k) of the
 * products v (k) and gives the steps it took, 0 when they were not enough;
 * `scratch` has `doubles`. */
typedef struct simplex_way {
    size_t (*solve)(const void *problem, const double *v, double *y,
                    double *scratch);
    const void *problem;
    size_t doubles;
} simplex_way;

kedge_status simplex_by_rows(pool *p, size_t rows, size_t k,
                             const simplex_way *way, double *products,
                             simplex_result *out, kedge_error *err);

/* The nearest point of the simplex, in place. `*level` is where the search for
 * the amount to take off begins, and what it was in the end. */
void simplex_project(double *y, size_t k, double *level);

#endif
