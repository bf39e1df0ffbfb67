/* SPDX-License-Identifier: MIT */
#ifndef LINALG_SMALL_H
#define LINALG_SMALL_H
/* Systems so small that a call of LAPACK costs more than the work. */
#include <stdbool.h>
#include <stddef.h>

/* Solves the n x n system a x = b by Cholesky: x lands in b, and `a`, of which
 * the upper half is read, is overwritten. false when `a` is not definite. */
bool small_solve_definite(double *a, double *b, size_t n);

/* w = a^-1 (n x n) by Gauss and Jordan, with pivots by columns; `a` is
 * destroyed. false when it has no inverse. */
bool small_invert(double *a, double *w, size_t n);

#endif
