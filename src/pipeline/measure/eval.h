/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_MEASURE_EVAL_H
#define PIPELINE_MEASURE_EVAL_H
/* Measures, before there is a model. */
#include <kedge/eval.h>

#include "pipeline/models/model.h"
#include "store/store.h"

/* What kedge_eval would refuse of `count` models, whichever they are: of the
 * options, and of a file of classes. */
kedge_status eval_ready(store *s, const kedge_eval_opts *opts, size_t count,
                        kedge_error *err);

/* EBUDGET where a model like this one, by itself, will not find room. */
kedge_status eval_foresee(kedge_store *s, const kedge_model *coming,
                          const kedge_eval_opts *opts,
                          const kedge_control *control, kedge_error *err);

#endif
