/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_RENUMBER_H
#define PIPELINE_FIT_RENUMBER_H
/*
 * Topics keep their numbers and names from one model to the next: those of a
 * new model that are topics of an earlier one (topics/match.h) get the number
 * and the name that they had there.
 */
#include "base/pool.h"
#include "pipeline/models/model.h"
#include "topics/law.h"

/* The earlier model's header, or one without topics where there is none.
 * `like` is asked for and has to be there; `own`, the model that is about to be
 * replaced, need not even be readable. In the open transaction. */
kedge_status renumber_look(store_txn *txn, const char *like, const char *own,
                           kedge_model *out, kedge_error *err);

typedef struct renumber_input {
    store *s;
    const char *like; /* the earlier model: it has topics */
    bool needed;      /* or do without it when it is damaged */
    const words *vocabulary;
    const uint32_t *order; /* rank → id, of the `rows` words */
    size_t rows, k;
    const kedge_control *control;
    pool *p;
} renumber_input;

/* Numbers the topics in `t` anew, puts names into `names` (k of them, or NULL
 * where no topic has one; the caller's) and says into `r` what was found. No
 * transaction may be open. */
kedge_status renumber(const renumber_input *in, law_output *t,
                      topic_name **names, kedge_fit_result *r,
                      kedge_error *err);

#endif
