/* SPDX-License-Identifier: MIT */
#ifndef OPS_EVAL_EVAL_H
#define OPS_EVAL_EVAL_H
/* Measures of models, and what is known of them before there is a model. */
#include <kedge/eval.h>
#include <kedge/sweep.h>

#include "base/span.h"
#include "base/wordmap.h"
#include "metrics/measure.h"
#include "ops/models/model.h"
#include "store/store.h"

/* What kedge_eval would refuse of `count` models, whichever they are: of the
 * options, and of a file of classes. */
kedge_status eval_ready(store *s, const kedge_eval_opts *opts, size_t count,
                        kedge_error *err);

/* EBUDGET where a model like this one, by itself, will not find room. */
kedge_status eval_foresee(kedge_store *s, const kedge_model *coming,
                          const kedge_eval_opts *opts,
                          const kedge_control *control, kedge_error *err);

/* ---- a model that is measured -------------------------------------------- */

/*
 * A model that is being measured: it is shown the documents of the store a
 * block at a time, as a batch and as a window, and then tells what they came
 * to.
 */

typedef struct evaluand evaluand;

/* `clustered`: some documents have classes. */
kedge_status evaluand_create(const kedge_model *m, const kedge_eval_opts *opts,
                             bool clustered, pool *p, evaluand **out,
                             kedge_error *err);
void evaluand_free(evaluand *e); /* accepts NULL */

/* Documents as the model sees them, and windows made of the same.
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

/* ---- words that are predicted -------------------------------------------- */

/* Document completion by one model. */
typedef struct predictor {
    struct compose *linear; /* topic proportions from the first halves */
    completion *completion; /* likelihood of the second */
} predictor;

/* The caller closes it, after a failure as well; an empty one is {0}. The model
 * outlives it. */
kedge_status predictor_open(predictor *d, const kedge_model *m, pool *p,
                            kedge_error *err);
void predictor_close(predictor *d);

kedge_status predictor_add(predictor *d, const halves *h, kedge_error *err);

/* ---- documents that are held out ----------------------------------------- */

/*
 * Fits each number of topics to the index `number` without a share of the
 * documents, and measures the model by these documents. Sets
 * held_out_log_likelihood and held_out_perplexity of the steps, as far as it
 * gets.
 */
typedef struct heldout_wish {
    const kedge_fit_opts *opts;
    const uint64_t *topics;
    size_t count;
    double share;
    uint64_t seed;
    uint32_t number;
} heldout_wish;

/* Whether the store has enough documents for that; else logs why not. */
kedge_status heldout_able(store *s, const kedge_control *control, bool *able,
                          kedge_error *err);

kedge_status heldout_measure(store *s, const heldout_wish *wish,
                             const kedge_control *control,
                             kedge_sweep_result *out, kedge_error *err);

/* ---- classes ------------------------------------------------------------- */

/*
 * The classes of documents, numbered as they are met: those that documents came
 * with, or those of a file that has a class a line for the documents in the
 * store's order, or an id, a tab and a class.
 */

#define LABELS_NONE UINT32_MAX

typedef struct labels {
    words classes;
    wordmap found; /* of these */
    bool filed;    /* there is a file: */
    bool by_id;
    words ids;     /* by id: of each line, */
    wordmap named; /* of these, */
    uint32_t *class; /* and of each line its class */
    size_t count;  /* lines */
    size_t next;   /* document, in the order of the store */
    bool *met;     /* by id: of each line, whether some document has it */
    size_t unmet;  /* lines that none has, so far */
} labels;

/* `path` NULL: those that documents came with. EFORMAT where a file is of lines
 * and these are not as many as the `documents` of the store, or where an id has
 * two lines. */
kedge_status labels_open(labels *l, const char *path, uint64_t documents,
                         kedge_error *err);
void labels_close(labels *l);

/* Of each of the store's documents in its order, by its id and the label that
 * it came with: its class, or LABELS_NONE. */
kedge_status labels_next(labels *l, span id, span label, uint32_t *class,
                         kedge_error *err);

/* What they hold, with the tables that find them. */
uint64_t labels_bytes(const labels *l);

#endif
