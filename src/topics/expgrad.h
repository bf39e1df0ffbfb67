/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_EXPGRAD_H
#define TOPICS_EXPGRAD_H
/* The same least squares as simplex.h by exponentiated gradients. */
#include "topics/simplex.h"

/*
 * As simplex_solve, which see. A row is settled when its objective
 * y'UU'y / 2 - v'y is within `tolerance` times the mean square of u's rows of
 * the least that there is.
 */
kedge_status expgrad_solve(pool *p, size_t rows, size_t k, const double *gram,
                           double *products, size_t steps, double tolerance,
                           simplex_result *out, kedge_error *err);

#endif
