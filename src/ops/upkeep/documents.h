/* SPDX-License-Identifier: MIT */
#ifndef OPS_UPKEEP_DOCUMENTS_H
#define OPS_UPKEEP_DOCUMENTS_H
/* What the library itself asks of kedge/documents.h. */
#include <kedge/documents.h>

#include "base/run.h"
#include "ops/index/filter.h"
#include "store/store.h"

/* The place of the document that was given last. */
store_place documents_place(const kedge_documents *d);

/* The source of a block, and the positions of its first and last document that
 * was not removed; first > last where it has none. */
typedef struct block_extent {
    uint64_t block;
    uint32_t source;
    uint64_t first, last;
} block_extent;

/* All blocks below `end` that are there; the caller frees *list, which is NULL
 * after a failure. The filter, of all words, and the batch are scratch. */
kedge_status block_list(filter *f, docs *batch, store_txn *txn, uint64_t end,
                        const stage *progress, block_extent **list,
                        size_t *count, kedge_error *err);

#endif
