/* SPDX-License-Identifier: MIT */
/*
 * The symmetric part of A is the nearest symmetric matrix, and what A differs
 * from it by is orthogonal to all of these. The nearest point of the simplex of
 * k² entries takes the same amount off all and cuts at zero, so it treats a_ij
 * and a_ji alike: the projection of the symmetric part is symmetric, and the
 * nearest of all that are. It need not be positive semidefinite, even where A
 * was.
 */
#include "topics/legal.h"

#include "topics/simplex.h"

void legal_project(double *a, size_t k)
{
    double level = 0;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            a[i * k + j] = a[j * k + i] =
                0.5 * (a[i * k + j] + a[j * k + i]);
    simplex_project(a, k * k, &level);
}
