/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_LEGAL_H
#define TOPICS_LEGAL_H
/* Correlations that are probabilities. */
#include <stddef.h>

/* `a` (k x k) becomes the nearest matrix, by the sum of squares, that is
 * symmetric, has no negative entry and sums to one. */
void legal_project(double *a, size_t k);

#endif
