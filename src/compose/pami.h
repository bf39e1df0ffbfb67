/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_PAMI_H
#define COMPOSE_PAMI_H
/*
 * PAMI, prior-aware manifold iteration: compositions whose second moments are
 * A exactly, and others that are on the simplex, are brought together.
 */
#include "compose/piece.h"
#include "compose/whole.h"

typedef struct pami pami;

kedge_status pami_create(const whole_input *in, pami **out, kedge_error *err);
void pami_free(pami *p); /* accepts NULL */

/* Before a round: `mean` (k x k) is Σ sum / M of the pieces of the last round,
 * or before the first Σ qq' / M. */
kedge_status pami_begin(pami *p, const double *mean, kedge_error *err);

/* A round of a piece's documents. */
void pami_run(const pami *p, const piece *d);

#endif
