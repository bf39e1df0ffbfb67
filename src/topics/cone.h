/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_CONE_H
#define TOPICS_CONE_H
/*
 * Linear programs over one cone: of all x with Gx >= 0 and g'x = 1 the one
 * that goes farthest in some direction. g is the sum of G's rows, so that there
 * is a farthest one where these span all directions.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

typedef struct cone cone;

/* G is rows x k, with rows of about unit length; it stays the caller's. */
kedge_status cone_create(pool *p, const double *g, size_t rows, size_t k,
                         cone **out, kedge_error *err);
void cone_free(cone *c); /* accepts NULL */

/* The x (k) where a'x is largest. *found is false where there is none, as no x
 * but 0 has Gx >= 0, or none was come near. The BLAS is to be
 * single-threaded. */
kedge_status cone_farthest(cone *c, const double *a, double *x, bool *found,
                           kedge_error *err);

/* Bytes beside G. */
uint64_t cone_memusage(size_t rows, size_t k);

#endif
