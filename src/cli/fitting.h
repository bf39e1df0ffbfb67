/* SPDX-License-Identifier: MIT */
#ifndef CLI_FITTING_H
#define CLI_FITTING_H
/* How topics are found, and of which words: options of fit and sweep. */
#include <kedge/fit.h>

#include "options.h"

typedef struct fitting {
    kedge_fit_opts opts;
    const char *anchors; /* a way, or a file */
} fitting;

extern const option word_options[], way_options[]; /* of such a struct */

void fitting_begin(fitting *f);

/* Other defaults. */
void fitting_preset(fitting *f, kedge_preset preset);

/* What was typed becomes what is asked of the library. */
void fitting_take(fitting *f);

/* Labels that the model replaced by this one had, and no topic has any more. */
void warn_labels(const kedge_fit_result *r);

#endif
