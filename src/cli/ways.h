/* SPDX-License-Identifier: MIT */
#ifndef CLI_WAYS_H
#define CLI_WAYS_H
/* The ways to topics, as options of kedge fit and in what it tells. */
#include <kedge/fit.h>

#include "jsonout.h"
#include "options.h"

/* What is typed; zeros are the defaults. */
typedef struct ways {
    const char *anchors; /* a way, or a file */
    unsigned solver, recover, correlations;
} ways;

/* Adds options; how many. */
size_t ways_options(ways *w, kedge_fit_opts *o, option *out);

/* What was typed becomes what is asked of the library. */
void ways_take(const ways *w, kedge_fit_opts *o);

void ways_tell(const kedge_fit_result *r);
void ways_tell_steps(const kedge_fit_result *r);
void ways_tell_dirichlet(const kedge_fit_result *r);
void ways_json(jsonout *j, const kedge_fit_result *r);

#endif
