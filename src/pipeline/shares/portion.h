/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SHARES_PORTION_H
#define PIPELINE_SHARES_PORTION_H
/*
 * Documents as a model sees them: those of a stored block or of a batch, each
 * with what the model does not see of it.
 */
#include "pipeline/shares/sight.h"

typedef struct portion {
    docs seen;         /* rows of the model's words, rising */
    uint64_t *outside; /* of each: tokens that are none of these */
    size_t capacity;
    uint64_t block;    /* of stored documents */
    uint32_t source;
} portion;

void portion_free(portion *p);

/* The first block from *next on that has documents, with *next after it; none
 * after the last of `blocks`. */
kedge_status portion_read(portion *p, sight *g, store_txn *txn, uint64_t blocks,
                          uint64_t *next, kedge_error *err);

/* A batch of a source, with the store's ids. */
kedge_status portion_show(portion *p, sight *g, const docs *batch,
                          uint32_t source, kedge_error *err);

#endif
