/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_ROUNDS_H
#define RECTIFY_ROUNDS_H
/* Rounds until little changes: what every rectification does. */
#include <kedge/control.h>

#include "rectify/rectify.h"

/* One round; out->rounds is how many there were before, and out->change is to
 * be what it changed. */
typedef kedge_status rounds_step(void *data, rectify_result *out,
                                 kedge_error *err);

/* As many as `opts` says, fewer where one changes less than its tolerance.
 * Clears *out. ECANCELED when it is to stop, between two rounds. */
kedge_status rounds_run(rounds_step *step, void *data,
                        const rectify_opts *opts,
                        const kedge_control *control, rectify_result *out,
                        kedge_error *err);

#endif
