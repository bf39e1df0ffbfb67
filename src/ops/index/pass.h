/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_PASS_H
#define OPS_INDEX_PASS_H
/*
 * One pass over the documents in the store, as an index sees and weighs them, a
 * window at a time.
 */
#include <kedge/control.h>

#include "ops/index/filter.h"
#include "cooccur/degree.h"
#include "cooccur/window.h"
#include "store/store.h"

typedef struct pass_input {
    store_txn *txn;
    const store_view *view;
    filter *filter;            /* what the index sees */
    const uint32_t *order;     /* rank → number in its words */
    const degrees *degrees;    /* of documents, or NULL */
    const kedge_control *control;
    const char *stage;         /* for progress, */
    uint64_t number, passes;   /* likewise: this one, and all of them */
    double start;              /* of the first */
} pass_input;

typedef kedge_status pass_take(void *data, const window *w, kedge_error *err);

/* Calls `take` for each window, in the order of documents. ECANCELED when it is
 * to stop. */
kedge_status pass_run(const pass_input *in, pass_take *take, void *data,
                      kedge_error *err);

/* Those before `number` were all, though more were expected: reports so. */
kedge_status pass_finish(const pass_input *in, kedge_error *err);

#endif
