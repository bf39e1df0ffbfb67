/* SPDX-License-Identifier: MIT */
#ifndef OPS_RANKS_RANKS_H
#define OPS_RANKS_RANKS_H
/*
 * Ranks with a store each. What all stores have together (documents, how texts
 * are cut, indexes of all words, words with their counts) travels in parcels,
 * as it does in files, to rank 0, which puts it into a store of its own; rows
 * of sketches go to the ranks whose rows they are.
 */
#include "base/comm.h"
#include "cooccur/sketch.h"
#include "cooccur/statistic.h"
#include "ops/parts/parts.h"

/* ---- parts (gather.c) ---------------------------------------------------- */

/* What this rank's store has, whose totals and words these are, is joined to
 * that of all ranks at rank 0: a part for each store with documents, in the
 * order of ranks. The other ranks have none. `all` NULL: facts alone. EINVAL
 * where two do not agree; EBUDGET before words are received that would not
 * fit. */
kedge_status gather_parts(communicator *comm, store *own,
                          const store_totals *totals, const words *all,
                          const kedge_control *control, part *out,
                          kedge_error *err);

/* Rank 0's words become everybody's: so many. */
kedge_status gather_bcast_words(communicator *comm, size_t count, part_words *p,
                                kedge_error *err);

/* Puts the words of all ranks with their counts, and a part for each, into a
 * store whose indexes have no rows, which are added up whenever a model is
 * fitted. All but its models follows from the others' stores, and is replaced
 * when these have changed, in one transaction. EINVAL where the store has
 * documents of its own. */
kedge_status gather_put(store *sum, const part *p, kedge_error *err);

/* ---- rows (rowsum.c) ----------------------------------------------------- */

#define ROWSUM_NONE UINT32_MAX

/* Sketches of all ranks. */
typedef struct rowsum_input {
    communicator *comm;
    unsigned holders;       /* ranks that have rows, the first of them */
    store *own;             /* this rank's store, */
    const store_index *index; /* its index, */
    const uint32_t *place;  /* and by row of all: the index's row, rising, or
                               ROWSUM_NONE */
    size_t rows;            /* of all */
    const words *list;      /* their words are list[order[row]] */
    const uint32_t *order;
    const char *spill;      /* a folder for the sums; NULL: in memory */
    const kedge_control *control;
} rowsum_input;

/* The rows of all ranks added up, each by the rank whose row it is
 * (linalg/tall.h): integers, so that it does not matter who had what. *out has
 * this rank's rows, numbered from the first of them on; *total is of all rows.
 * Outside of any transaction. ENUMERIC where a sum outgrows 64 bits. */
kedge_status rowsum_make(const rowsum_input *in, sketch **out,
                         statistic_sum *total, kedge_error *err);

#endif
