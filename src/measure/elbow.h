/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_ELBOW_H
#define MEASURE_ELBOW_H
/* Where a curve stands out. Values that are NAN are passed over; each gives
 * ELBOW_NONE where there is nothing to tell. */
#include <stddef.h>
#include <stdint.h>

#define ELBOW_NONE SIZE_MAX

/* The largest value; the first of equal ones. */
size_t elbow_largest(const double *y, size_t count);

/*
 * Of a curve that falls, where it bends most: the point that is farthest below
 * the straight line from the first to the last, both scaled to one. None where
 * no point is below it by more than `least`.
 */
size_t elbow_bend(const uint64_t *x, const double *y, size_t count,
                  double least);

/* Of a curve that rises, the first point that has come `share` of the way from
 * the first value to the largest. None where the first is the largest. */
size_t elbow_plateau(const double *y, size_t count, double share);

#endif
