/* SPDX-License-Identifier: MIT */
#ifndef CLI_WAYS_H
#define CLI_WAYS_H
/* The ways to topics, as options of kedge fit and kedge sweep and in what is
 * told of models. */
#include <kedge/fit.h>

#include "jsonout.h"
#include "options.h"

/* What is typed. */
typedef struct ways {
    const char *anchors; /* a way, or a file */
    unsigned weight, rectify, cooccurrence, solver, recover, correlations;
} ways;

#define WAYS_OPTIONS 16

/* The defaults are those of `o`. */
void ways_init(ways *w, const kedge_fit_opts *o);

/* Adds options; how many, up to WAYS_OPTIONS. */
size_t ways_options(ways *w, kedge_fit_opts *o, option *out);

/* What was typed becomes what is asked of the library. */
void ways_take(const ways *w, kedge_fit_opts *o);

/* As they are typed. */
const char *ways_weight(kedge_weight weight);
const char *ways_rectify(kedge_rectify rectify);
const char *ways_cooccurrence(kedge_cooccurrence cooccurrence);

void ways_tell(const kedge_fit_result *r);
void ways_tell_steps(const kedge_fit_result *r);
void ways_tell_dirichlet(const kedge_fit_result *r);
void ways_json(jsonout *j, const kedge_fit_result *r);

#endif
