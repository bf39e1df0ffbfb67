/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_ANCHORS_H
#define TOPICS_ANCHORS_H
/* Anchor words: the rows that span the others best. */
#include <stdint.h>

#include "base/pool.h"

/*
 * Pivoted QR on the given rows of x (each k long): `count` times the row whose
 * part outside the span of those chosen before is longest, ties to the first.
 * chosen[] holds places in `candidate`; residual[] that part's length.
 * ENUMERIC when the candidates span less than `count` dimensions.
 */
kedge_status anchors_pivot(pool *p, const double *x, size_t k,
                           const uint64_t *candidate, size_t candidates,
                           size_t count, uint64_t *chosen, double *residual,
                           kedge_error *err);

#endif
