/* SPDX-License-Identifier: MIT */
#ifndef OPS_RANKS_GATHER_H
#define OPS_RANKS_GATHER_H
/*
 * Parts that travel between ranks: what all stores have together (documents,
 * how texts are cut, views of all words, words with their counts) comes to
 * rank 0, where it has to agree, and goes into a store of its own.
 */
#include "base/comm.h"
#include "ops/parts/parts.h"

/* Of this rank's store, whose totals and words these are: a part for each store
 * with documents is rank 0's then, in the order of ranks, and the others have
 * none. EINVAL where two do not agree; EBUDGET before words are taken that
 * would not fit. */
kedge_status gather_parts(communicator *comm, store *own,
                          const store_totals *totals,
                          const words *all, const kedge_control *control,
                          part *out, kedge_error *err);

/* The facts alone, which all ranks have then. `out` is empty. */
kedge_status gather_facts(communicator *comm, store *own,
                          const store_totals *totals, part_facts *out,
                          kedge_error *err);

/* Rank 0's words become everybody's: so many. */
kedge_status gather_bcast_words(communicator *comm, size_t count, part_words *p,
                                kedge_error *err);

/* Puts the words of all ranks with their counts, and a part for each, into a
 * store whose views have no rows, which are added up whenever a model is
 * fitted. All but its models follows from the others' stores, and is replaced
 * when these have changed, in one transaction. EINVAL where the store has
 * documents of its own. */
kedge_status gather_put(store *sum, const part *p, kedge_error *err);

#endif
