/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_ACTIVE_H
#define TOPICS_ACTIVE_H
/*
 * The same least squares as simplex.h, and two that are wider, solved exactly
 * up to rounding, a row at a time.
 */
#include <stdint.h>

#include "topics/simplex.h"

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

/* As simplex_solve, which see. */
kedge_status active_solve(pool *p, size_t rows, size_t k, const double *gram,
                          double *products, simplex_result *out,
                          kedge_error *err);

#endif
