/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_TEAM_MUSTER_H
#define PIPELINE_TEAM_MUSTER_H
/*
 * What all processes have together: documents, parts, how texts are cut, which
 * views of all words there are, and the words with their counts. It comes to
 * rank 0, where it has to agree.
 */
#include "pipeline/parts/partfile.h"
#include "pipeline/team/tallies.h"

typedef struct muster {
    partfile_facts facts; /* of all: a part for each store with documents */
    tallies words;
} muster;

/* Of this process's store, whose totals and words these are. The others' and
 * its own are in `out` then, on rank 0; those of others are empty. EINVAL where
 * two do not agree; EBUDGET. */
kedge_status muster_call(team *t, store *own, const store_totals *totals,
                         const words *all, const kedge_control *control,
                         muster *out, kedge_error *err);
void muster_free(muster *m);

/* The facts alone, which all have then. `out` is empty. */
kedge_status muster_facts(team *t, store *own, const store_totals *totals,
                          partfile_facts *out, kedge_error *err);

#endif
