/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_MEASURE_EVALUAND_H
#define PIPELINE_MEASURE_EVALUAND_H
/*
 * A model that is being measured: it is shown the documents of the store a
 * block at a time, as a batch and as a window, and then tells what they came
 * to.
 */
#include <kedge/eval.h>

#include "base/pool.h"
#include "measure/completion.h"
#include "pipeline/models/model.h"
#include "sketch/probe.h"

typedef struct evaluand evaluand;

typedef struct evaluand_input {
    const kedge_model *m;
    const kedge_eval_opts *opts;
    bool clustered; /* some documents have classes */
    pool *p;
} evaluand_input;

kedge_status evaluand_create(const evaluand_input *in, evaluand **out,
                             kedge_error *err);
void evaluand_free(evaluand *e); /* accepts NULL */

/* Documents as the model sees them, and, beside that, windows made of the same.
 * `halves` are of those that words are held out of. */
kedge_status evaluand_add(evaluand *e, const docs *d, const halves *h,
                          kedge_error *err);
void evaluand_weigh(evaluand *e, const window *w);

/* Documents of classes, class[m] each. */
kedge_status evaluand_cluster(evaluand *e, const docs *d,
                              const uint32_t *class, kedge_error *err);

/* After the last document; `z` has seen the same windows. */
kedge_status evaluand_finish(evaluand *e, const probe *z, uint64_t documents,
                             size_t classes, kedge_eval_result *out,
                             kedge_error *err);

#endif
