/* SPDX-License-Identifier: MIT */
#ifndef INFER_SQUARES_H
#define INFER_SQUARES_H
/*
 * Least squares on the simplex: the w of non-negative weights that add up to
 * one with the smallest w'Gw - 2 q'w, where G is a Gram matrix and small. The
 * answer is exact but for rounding, however badly conditioned G is.
 */
#include <kedge/status.h>

#include <stddef.h>
#include <stdint.h>

/* Scratch memory for one problem at a time, of k weights at most. */
typedef struct squares squares;

kedge_status squares_create(size_t k, squares **out, kedge_error *err);
void squares_free(squares *s); /* accepts NULL */

/*
 * `w` (k) comes in with weights to begin from, and goes out as the answer:
 * those that are far from it cost time and nothing else. All zeros: begins
 * where it sees fit. Gives the number of weights that came in and went out,
 * and 0 where that has no end within `most`: the w so far is feasible.
 */
size_t squares_solve(squares *s, size_t k, const double *g, const double *q,
                     size_t most, double *w);

#endif
