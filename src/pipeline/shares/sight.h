/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SHARES_SIGHT_H
#define PIPELINE_SHARES_SIGHT_H
/*
 * What a model sees of a document: rows of its words, after phrases were joined
 * where it has any, and how many tokens are none of these.
 */
#include "pipeline/models/model.h"
#include "pipeline/index/filter.h"

typedef struct sight {
    filter filter;
    uint32_t *row; /* by number of the filter */
} sight;

/* An id of a model from elsewhere: of a word that the store has not. */
#define SIGHT_UNKNOWN (-1.0)

/* Of a model with its ids, for a store of `all` words, in the open
 * transaction. Phrases are those of the view that it was fitted of; where that
 * is gone and had any, which is logged, words are seen one by one. */
kedge_status sight_open(sight *g, store_txn *txn, const kedge_model *m,
                        size_t all, const kedge_control *control,
                        kedge_error *err);
void sight_close(sight *g);

/* A stored block's documents, or those of a batch with the store's ids, into
 * `out`, which is cleared: words are rows, rising. */
kedge_status sight_read(sight *g, store_txn *txn, uint64_t block, docs *out,
                        kedge_error *err);
kedge_status sight_show(sight *g, const docs *batch, docs *out,
                        kedge_error *err);

/* Tokens of a document of these that are not in it any more. */
static inline uint64_t sight_outside(const sight *g, const docs *seen, size_t m)
{
    return g->filter.lengths[m] - seen->length[m];
}

#endif
