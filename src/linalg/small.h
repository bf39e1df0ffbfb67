/* SPDX-License-Identifier: MIT */
#ifndef LINALG_SMALL_H
#define LINALG_SMALL_H
/* Systems so small that a call of LAPACK costs more than the work. */
#include <stdbool.h>
#include <stddef.h>

/* Solves the n x n system a x = b by Cholesky: x lands in b, and `a`, of which
 * the lower half is read, is overwritten. false when `a` is not definite. */
bool small_solve_definite(double *a, double *b, size_t n);

#endif
