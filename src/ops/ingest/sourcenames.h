/* SPDX-License-Identifier: MIT */
#ifndef OPS_INGEST_SOURCENAMES_H
#define OPS_INGEST_SOURCENAMES_H
/*
 * The sources' names made different, by which documents without ids of their
 * own are known: "SOURCE:POSITION". Of several sources of one name the second
 * is "SOURCE#2".
 */
#include "base/wordmap.h"
#include "store/store.h"

typedef struct sourcenames {
    words list; /* by ledger number */
    wordmap map;
} sourcenames;

/* Of the ledger's first `count` sources, in the open transaction; of none, for
 * sources that are not the store's. */
kedge_status sourcenames_open(sourcenames *n, store_txn *txn, uint64_t count,
                              kedge_error *err);
void sourcenames_close(sourcenames *n);

/* The next source: one of the same name has to be another one. */
kedge_status sourcenames_add(sourcenames *n, const char *source,
                             kedge_error *err);

/* Its number, or WORDMAP_NONE. */
uint32_t sourcenames_find(const sourcenames *n, span name);

/* The id of a document that has none; gives its size. */
size_t sourcenames_id(const sourcenames *n, uint32_t source, uint64_t position,
                      char out[STORE_ID_MAX + 1]);

#endif
