/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_TEAM_TALLIES_H
#define PIPELINE_TEAM_TALLIES_H
/*
 * Words with their counts, in the order of their bytes, as they travel between
 * processes. Those of several processes come together in pairs, so that none
 * hears of more words than there are, a few times over.
 */
#include "base/team.h"
#include "base/words.h"
#include "store/store.h"

typedef struct tallies {
    words w;
    uint64_t *tf, *df;
} tallies;

void tallies_free(tallies *t);

/* Of the store's words, those that a document holds; in a read transaction.
 * `out` is empty, in all of these. */
kedge_status tallies_of(store_txn *txn, const words *all, tallies *out,
                        kedge_error *err);

/* Words of either, with the counts of both. */
kedge_status tallies_merge(const tallies *a, const tallies *b, tallies *out,
                           kedge_error *err);

/* Everybody's, merged, become rank 0's; the others have none then. EBUDGET
 * before what comes is taken, where both together would not fit. */
kedge_status tallies_join(team *t, tallies *own, const kedge_control *control,
                          kedge_error *err);

/* Rank 0's become everybody's. */
kedge_status tallies_spread(team *t, tallies *x, kedge_error *err);

#endif
