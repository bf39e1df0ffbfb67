/* SPDX-License-Identifier: MIT */
#ifndef REPORT_SERIATION_H
#define REPORT_SERIATION_H
/*
 * Things put into a row so that those that are alike stand together, and cut
 * into groups of such.
 */
#include <stddef.h>

#include <kedge/status.h>

/*
 * `distance` (n x n) is symmetric and finite. order[i] is the thing at place i;
 * group[t] the group of thing t: there are `groups` of them, n where that is
 * fewer, numbered from 0 as they stand in the row, of which each is a stretch.
 * ENOMEM.
 */
kedge_status seriation_find(const double *distance, size_t n, size_t groups,
                            size_t *order, size_t *group, kedge_error *err);

#endif
