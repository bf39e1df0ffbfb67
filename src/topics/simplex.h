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
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

typedef struct simplex_result {
    size_t steps;     /* of the row that took most */
    size_t unsettled; /* rows that ran out of steps */
} simplex_result;

/*
 * `products` (rows x k) is overwritten by the solutions. simplex_solve is ADMM,
 * of as many steps at most, until they change less than `tolerance`;
 * active_solve is exact up to rounding, and looks at neither; expgrad_solve
 * goes by exponentiated gradients: a row is settled when its objective
 * y'UU'y / 2 - v'y is within `tolerance` times the mean square of u's rows of
 * the least that there is.
 */
typedef kedge_status simplex_solver(pool *p, size_t rows, size_t k,
                                    const double *gram, double *products,
                                    size_t steps, double tolerance,
                                    simplex_result *out, kedge_error *err);
simplex_solver simplex_solve, active_solve, expgrad_solve;

/* Rows that are solved one at a time: `solve` makes y (k) of the products v (k)
 * and gives the steps it took, 0 when they were not enough; `scratch` has
 * `doubles`. */
typedef struct simplex_rows {
    size_t (*solve)(const void *problem, const double *v, double *y,
                    double *scratch);
    const void *problem;
    size_t doubles, k;
    double *products; /* rows x k */
} simplex_rows;

kedge_status simplex_by_rows(pool *p, size_t rows, const simplex_rows *r,
                             simplex_result *out, kedge_error *err);

/* The nearest point of the simplex, in place. `*level` is where the search for
 * the amount to take off begins, and what it was in the end. */
void simplex_project(double *y, size_t k, double *level);

/* ---- a row at a time, exactly ------------------------------------------- */

typedef enum active_sum {
    ACTIVE_ONE,      /* y >= 0, sum(y) = 1 */
    ACTIVE_MOST_ONE, /* y >= 0, sum(y) <= 1 */
    ACTIVE_ANY,      /* y >= 0 */
} active_sum;

typedef struct active_problem {
    active_sum sum;
    size_t k, stride;
    const double *gram; /* UU': k rows, `stride` from one to the next */
} active_problem;

/*
 * y (k) becomes what minimises y'UU'y / 2 - v'y; v (k) is Uv. y comes in as
 * where to begin: any that obeys the bounds, and for ACTIVE_ONE also zeros.
 * `scratch` has active_doubles(k). How many steps it took; 0: it ran out of
 * them.
 */
size_t active_row(const active_problem *p, const double *v, double *y,
                  double *scratch);
size_t active_doubles(size_t k);

/* The same with the sum of one, for where `y` is near its end: supports of more
 * than `most` are left alone, and so is y where 0 is given. `scratch` has
 * active_few_doubles(k, most). */
size_t active_few(const active_problem *p, size_t most, const double *v,
                  double *y, double *scratch);
size_t active_few_doubles(size_t k, size_t most);

/* ---- programs over a cone ----------------------------------------------- */

/*
 * Linear programs over one cone: of all x with Gx >= 0 and g'x = 1 the one
 * that goes farthest in some direction. g is the sum of G's rows, so that there
 * is a farthest one where these span all directions. It is a corner, where
 * k - 1 rows are zero; corners that are known already are where the next
 * program may begin.
 */
typedef struct cone cone;

/* G is rows x k, with rows of length one; it stays the caller's. `inside` (k)
 * is some x with Gx > 0. */
kedge_status cone_create(const double *g, size_t rows, size_t k,
                         const double *inside, cone **out, kedge_error *err);
void cone_free(cone *c); /* accepts NULL */

/* Some corner: its rows (k - 1). False where there is none, as rows leave a
 * direction open. */
bool cone_corner(cone *c, uint32_t *corner);

/* The x (k) where a'x is largest, from a corner to the one that x is. *found is
 * false where there is none, or rounding leaves it out of reach; then the
 * corner is as it was. */
kedge_status cone_farthest(cone *c, const double *a, uint32_t *corner,
                           double *x, bool *found, kedge_error *err);

#endif
