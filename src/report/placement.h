/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PLACEMENT_H
#define REPORT_PLACEMENT_H
/* Things of given sizes placed on a plane, those that are alike near. */
#include <stddef.h>

#include <kedge/status.h>

typedef struct placed {
    double x, y, r; /* of a circle */
} placed;

/*
 * `distance` (n x n) is symmetric and finite; `order` puts alike things side by
 * side (report/seriation.h), and is where placing begins from; areas are
 * proportional to `share`, which adds up to about one and is not negative.
 * Circles do not overlap, lie within 0 to 1 across, which they fill, and take
 * what they need from 0 down; *height is that. The same for the same numbers.
 * ENOMEM.
 */
kedge_status placement_find(const double *distance, const size_t *order,
                            const double *share, size_t n, placed *out,
                            double *height, kedge_error *err);

#endif
