/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_CONE_H
#define TOPICS_CONE_H
/*
 * Linear programs over one cone: of all x with Gx >= 0 and g'x = 1 the one
 * that goes farthest in some direction. g is the sum of G's rows, so that there
 * is a farthest one where these span all directions. It is a corner, where
 * k - 1 rows are zero; corners that are known already are where the next
 * program may begin.
 */
#include <stdbool.h>
#include <stdint.h>

#include <kedge/status.h>

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
