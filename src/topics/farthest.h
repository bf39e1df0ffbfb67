/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_FARTHEST_H
#define TOPICS_FARTHEST_H
/* What FastAnchorWords has beyond pivoted QR. */
#include "topics/anchors.h"

/*
 * The clean-up phase: each of the k anchors, in their order, gives its place to
 * the candidate that is farthest from the span of all others, if that is
 * farther. residual[] becomes that distance, in the end.
 * ENUMERIC when the anchors do not span k dimensions.
 */
kedge_status farthest_clean(pool *p, const anchors_input *in, uint64_t *anchor,
                            double *residual, kedge_error *err);

/*
 * gram (k x k) = Y'PP'Y / columns, where y is rows x k and P is a matrix of
 * random signs, rows x columns, a function of `seed` and place. With
 * gram = R'R, rows of diag(d)^-1 Y R' have the distances of projected rows.
 */
kedge_status farthest_project(pool *p, size_t rows, const double *y, size_t k,
                              size_t columns, uint64_t seed, double *gram,
                              kedge_error *err);

#endif
