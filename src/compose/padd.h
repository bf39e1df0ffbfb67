/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_PADD_H
#define COMPOSE_PADD_H
/*
 * PADD, prior-aware dual decomposition: a penalty Λ on pairs of topics, the
 * same for all documents, grows until pairs are as frequent as A says.
 */
#include "compose/piece.h"
#include "compose/whole.h"

typedef struct padd padd;

kedge_status padd_create(const whole_input *in, padd **out, kedge_error *err);
void padd_free(padd *p); /* accepts NULL */

/* Before a round: Λ follows `mean` (k x k), Σ ww' / M of the last round, or
 * stays where that is NULL, before the first. `documents`: M. */
kedge_status padd_begin(padd *p, const double *mean, uint64_t documents,
                        kedge_error *err);

/* The shares of a piece's documents, given Λ. */
void padd_run(const padd *p, const piece *d);

#endif
