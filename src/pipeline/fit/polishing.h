/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_POLISHING_H
#define PIPELINE_FIT_POLISHING_H
/*
 * Polishing: passes of expectation and maximisation over the documents in the
 * store, block by block, from topics that were found in the statistics. The
 * order of documents, blocks and threads leave no trace.
 */
#include <kedge/control.h>

#include "pipeline/index/filter.h"
#include "store/store.h"
#include "topics/law.h"

typedef struct polishing_input {
    store *s;
    const store_view *view;
    filter *filter;            /* what the view sees */
    const uint32_t *order; /* rank → number in its words */
    const law_input *law;  /* what the topics were found in */
    size_t passes;
    const kedge_control *control;
    pool *p;
} polishing_input;

/* Moves the topics of `out`; without passes nothing is done. Anchors and
 * characteristic words stay as they are; correlations follow (law_correlate),
 * and the order of topics with them. likelihood[n] is that of a token after n
 * passes, ln p on average, for n from 0 to `passes`: the last one is measured
 * in one more pass over the documents. A failure leaves `out` half moved. */
kedge_status polishing_run(const polishing_input *in, law_output *out,
                           double *likelihood, kedge_error *err);

#endif
