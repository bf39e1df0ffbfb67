/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_FITWORDS_H
#define PIPELINE_FIT_FITWORDS_H
/*
 * The words that models of a view have, in the order of their bytes, which is
 * that of the models' rows. They are those of the view's list; of a view of all
 * words, those that a document holds: a vocabulary that documents came with may
 * have any, and documents that left may have brought some, of which nothing is
 * to be seen.
 */
#include <kedge/control.h>

#include "pipeline/index/filter.h"

typedef struct fitwords {
    size_t rows;
    size_t stored;       /* rows that the view's sketch has */
    uint32_t *order;     /* by row: its number among the view's words, */
    uint32_t *ids;       /* its id in the store, */
    uint32_t *place;     /* which row of the sketch it is, rising, */
    uint64_t *tf, *df;   /* and its counts, of words as the view joins them */
} fitwords;

/* `all`: the store's words. */
kedge_status fitwords_create(fitwords *w, store_txn *txn, const words *all,
                             filter *l, const store_view *view,
                             const kedge_control *control, kedge_error *err);
void fitwords_free(fitwords *w);

#endif
