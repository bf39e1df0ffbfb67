/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_RECOUNT_H
#define OPS_INDEX_RECOUNT_H
/*
 * What the store keeps count of, counted again from its documents.
 */
#include <kedge/control.h>

#include "base/words.h"
#include "ops/index/filter.h"
#include "store/store.h"

typedef struct recount_sums {
    uint64_t documents, tokens, nonzeros;
} recount_sums;

typedef struct recount {
    uint64_t *tf, *df; /* by id */
    recount_sums all;
    recount_sums *of;  /* by source */
    uint64_t digest[2];
} recount;

/* Adds all documents of a batch. */
void recount_add(recount_sums *sums, const docs *d);

/* Whether the ledger has so many of the source's documents: what was kept, less
 * what left. */
bool recount_is_told(const recount_sums *sums, const store_source *r);

/* Of all blocks and sources of the totals, in the open transaction; the caller
 * frees it, after a failure as well. */
kedge_status recount_documents(recount *r, store_txn *txn, const words *all,
                               const store_totals *totals,
                               const kedge_control *control, kedge_error *err);
void recount_free(recount *r);

/* What an index with phrases sees, whose words are counted nowhere else: into
 * tf and df by id, of the words that it has; and the number of documents, unless
 * that is NULL. */
kedge_status recount_seen(filter *f, store_txn *txn, uint64_t blocks,
                          const kedge_control *control, uint64_t *tf,
                          uint64_t *df, uint64_t *documents, kedge_error *err);

/* Sum over the words in any document: of bytes, tf and df. */
uint64_t recount_vocabulary_digest(const recount *r, const words *all);

#endif
