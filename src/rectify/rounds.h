/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_ROUNDS_H
#define RECTIFY_ROUNDS_H
/* Rounds until little changes: what every rectification does. */
#include "base/run.h"
#include "rectify/rectify.h"

/* Where they are. */
typedef struct rounds {
    stage told;
    unsigned long before; /* rounds */
} rounds;

/* A share of this round is done; ECANCELED when it is to stop. */
kedge_status rounds_within(const rounds *r, double share, kedge_error *err);

/* One round; out->rounds is how many there were before, and out->change is to
 * be what it changed. */
typedef kedge_status rounds_step(void *data, const rounds *at,
                                 rectify_result *out, kedge_error *err);

/* As many as `opts` says, fewer where one changes less than its tolerance.
 * Clears *out. ECANCELED when it is to stop, between two rounds. */
kedge_status rounds_run(rounds_step *step, void *data,
                        const rectify_opts *opts,
                        const kedge_control *control, rectify_result *out,
                        kedge_error *err);

#endif
