/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SHARES_KEPT_H
#define PIPELINE_SHARES_KEPT_H
/* What the library itself asks of kedge/kept.h: a set, and its portions with
 * those documents alone that are still there. */
#include <kedge/kept.h>

#include "store/store.h"

/* A set, and what came of its documents. */
typedef struct kept_look {
    kedge_kept_info info;
    store_kept set;
    store_totals totals;
} kept_look;

/* Of the model fitted last where `model` is NULL. ENOTFOUND when it has none. */
kedge_status kept_find(store_txn *txn, const char *model, kept_look *out,
                       kedge_error *err);

/* Of the model that an open set is of. */
uint64_t kept_serial(const kedge_kept *k);

/* A walk over the portions; {.txn = ..., .look = ...} at the beginning. */
typedef struct kept_walk {
    store_txn *txn;
    const kept_look *look;
    bool documents;  /* are read beside, whether it needs them or not */
    uint64_t next;   /* portion */
    uint64_t given;  /* documents */
    uint64_t left, left_shares; /* what is gone of this portion */
    store_portion portion;
    size_t *place;   /* in the batch, of each of the portion's documents */
    bool *there;
    uint64_t block;  /* that is in the batch, plus 1; 0: none */
    uint32_t source; /* of it */
    store_block scratch;
    store_gone gone;
    docs batch;
    size_t place_capacity, there_capacity;
} kept_walk;

void kept_walk_close(kept_walk *w);

/* The next portion, of which nothing may be left; there is one. */
kedge_status kept_walk_step(kept_walk *w, kedge_error *err);

/* The next portion that is not empty; *more is false
 * after the last. ECORRUPT when the set is not of these documents. */
kedge_status kept_walk_next(kept_walk *w, bool *more, kedge_error *err);

#endif
