/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SHARES_KEEPING_H
#define PIPELINE_SHARES_KEEPING_H
/*
 * Compositions of the stored documents on their way into the store. They come
 * in the order of the store while its documents are read, all in write
 * transactions of this module's, of which one is open from keeping_create to
 * keeping_finish; whoever reads the store in between, reads in it. Until the
 * end the set that was there stays.
 */
#include "compose/rounding.h"
#include "store/store.h"

typedef struct keeping keeping;

/* One document, as it was composed. */
typedef struct keeping_document {
    uint64_t block, position, tokens;
    unsigned flag; /* kedge_composed */
    const double *shares;
} keeping_document;

/* `about` tells of model, topics, blocks, method and options. From here until
 * it is finished a transaction is open, in which documents can be read. */
kedge_status keeping_create(store *s, const char *model,
                            const store_kept *about, keeping **out,
                            kedge_error *err);

store_txn *keeping_txn(keeping *k);

/* Accepts NULL. What was not finished is known as such. */
void keeping_free(keeping *k);

kedge_status keeping_add(keeping *k, const keeping_document *d,
                         kedge_error *err);

/* Puts the set in the place of the one before. `out`: the set. */
kedge_status keeping_finish(keeping *k, store_kept *out, kedge_error *err);

/* What a set of this model had, which went with it; what cannot be dropped
 * stays for a sweep. */
void keeping_forget(store *s, const char *model);

/* Takes documents that are gone out of all sets, in transactions of its own, so
 * that nothing of them is on the disk when it is compacted. */
kedge_status keeping_prune(store *s, kedge_error *err);

/* Takes off the disk what is of no set, or of a set whose model is gone or is
 * another by now, in transactions of its own: what interruptions and older
 * kedges left. */
kedge_status keeping_sweep(store *s, kedge_error *err);

#endif
