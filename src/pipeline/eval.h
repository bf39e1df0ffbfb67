/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_EVAL_H
#define PIPELINE_EVAL_H
/* Measures, before there is a model. */
#include <kedge/eval.h>

#include "store/store.h"

/* What kedge_eval would refuse of `count` models, whichever they are: of the
 * options, and of a file of classes. */
kedge_status eval_ready(store *s, const kedge_eval_opts *opts, size_t count,
                        kedge_error *err);

#endif
