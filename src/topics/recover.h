/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_RECOVER_H
#define TOPICS_RECOVER_H
/* Recover, the first of its kind: topics by a matrix inverse. */
#include <stdint.h>

#include "base/pool.h"

/*
 * b (rows x k): topics of the statistics YY' with anchors in these k rows,
 * columns not negative and summing to one. The correlations that go with them
 * are diag(z) Y_S Y_S' diag(z), with z (k). ENUMERIC when the anchors' rows
 * depend on each other, or a topic has no mass.
 */
kedge_status recover_topics(pool *p, size_t rows, size_t k, const double *y,
                            const uint64_t *anchor, double *b, double *z,
                            kedge_error *err);

#endif
