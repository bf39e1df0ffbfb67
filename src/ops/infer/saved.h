/* SPDX-License-Identifier: MIT */
#ifndef OPS_INFER_SAVED_H
#define OPS_INFER_SAVED_H
/* What the library itself asks of kedge/saved.h: compositions on their way into
 * the store, and sets of them with those documents alone that are still
 * there. */
#include <kedge/saved.h>
#include <kedge/model.h>

#include "store/store.h"

/* ---- a set --------------------------------------------------------------- */

/* A set, and what came of its documents. */
typedef struct saved_set {
    kedge_saved_info info;
    store_kept record;
    store_totals totals;
} saved_set;

/* Of the model fitted last where `model` is NULL. ENOTFOUND: it has none. */
kedge_status saved_find(store_txn *txn, const char *model, saved_set *out,
                       kedge_error *err);

/* The same of this very model, and of all documents that there are now: EINVAL
 * where it is not, and the text says what makes it. */
kedge_status saved_find_whole(store_txn *txn, const kedge_model *m,
                             saved_set *out, kedge_error *err);

/* A walk over the portions; {.txn = ..., .set = ...} at the beginning. */
typedef struct saved_walk {
    store_txn *txn;
    const saved_set *set;
    bool documents;  /* are read, whether it needs them or not */
    uint64_t next;   /* portion */
    uint64_t given;  /* documents */
    uint64_t left, left_shares; /* what is gone of this portion */
    store_portion portion;
    size_t at;       /* of the portion, for saved_walk_to */
    size_t *place;   /* in the batch, of each of the portion's documents */
    bool *there;
    uint64_t block;  /* that is in the batch, plus 1; 0: none */
    uint32_t source; /* of it */
    store_block scratch;
    store_gone gone;
    docs batch;
    size_t place_capacity, there_capacity;
} saved_walk;

void saved_walk_close(saved_walk *w);

/* The next portion that is not empty; *more is false
 * after the last. ECORRUPT when the set is not of these documents. */
kedge_status saved_walk_next(saved_walk *w, bool *more, kedge_error *err);

/* The shares of the document at this place, of those of a set of all documents,
 * in their order; and after the last of them, that there are no more. */
kedge_status saved_walk_to(saved_walk *w, uint64_t block, uint64_t position,
                          double *shares, kedge_error *err);
kedge_status saved_walk_end(saved_walk *w, kedge_error *err);

/* ---- compositions that are to be kept ------------------------------------ */

/*
 * They come in the order of the store while its documents are read, all in
 * write transactions of this module's, of which one is open from
 * saved_writer_open to saved_writer_finish; whoever reads the store in between,
 * reads in it. Until the end the set that was there stays.
 */
typedef struct saved_writer saved_writer;

/* `about` tells of model, topics, blocks, method and options. */
kedge_status saved_writer_open(store *s, const char *model,
                              const store_kept *about, saved_writer **out,
                              kedge_error *err);

/* Accepts NULL. What was not finished is known as such. */
void saved_writer_free(saved_writer *k);

store_txn *saved_writer_txn(saved_writer *k);

/* A document of the store as it was composed; `flag` of kedge_doc_flag. */
kedge_status saved_writer_add(saved_writer *k, uint64_t block,
                              uint64_t position, uint64_t tokens, unsigned flag,
                              const double *shares, kedge_error *err);

/* Puts the set in the place of the one before. `out`: the set. */
kedge_status saved_writer_finish(saved_writer *k, store_kept *out,
                                kedge_error *err);

/* ---- what is not to stay ------------------------------------------------- */

/* What a set of this model had, which went with it; what cannot be dropped
 * stays for a sweep. */
void saved_drop(store *s, const char *model);

/* Takes documents that are gone out of all sets, in transactions of its own, so
 * that nothing of them is on the disk when it is compacted. */
kedge_status saved_prune(store *s, kedge_error *err);

/* Takes off the disk what is of no set, or of a set whose model is gone or is
 * another by now, in transactions of its own: what interruptions and older
 * kedges left. */
kedge_status saved_sweep(store *s, kedge_error *err);

#endif
