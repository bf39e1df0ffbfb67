/* SPDX-License-Identifier: MIT */
#ifndef OPS_INGEST_REMOVAL_H
#define OPS_INGEST_REMOVAL_H
/*
 * Documents that leave the store, within a write transaction of the caller's:
 * the block keeps them, but they are marked as gone; counts, totals and digests
 * lose what they had of them, as does the ledger, their ids are free again, and
 * the log of removals tells the sketches what to subtract.
 */
#include "store/digest.h"
#include "store/store.h"

typedef struct removal {
    store_txn *txn;
    const digests *digests; /* of all words */
    uint64_t *tf, *df;    /* by id */
    store_totals *totals;
    uint64_t documents, tokens, nonzeros; /* taken out so far */
    store_block scratch;
    store_gone before, now; /* of the block at hand */
    docs batch;
} removal;

/* Takes the documents of block `block` that `leaves` says yes to; those that
 * are gone already are not asked about. The caller puts counts and totals. */
kedge_status removal_take(removal *r, uint64_t block,
                          bool (*leaves)(void *data, const docs *d, size_t m,
                                         uint32_t source),
                          void *data, kedge_error *err);

void removal_free(removal *r);

#endif
