/* SPDX-License-Identifier: MIT */
#ifndef CLI_RANKINGEST_H
#define CLI_RANKINGEST_H
/*
 * Reading by several ranks, each into a store of its own: a source goes to the
 * rank that has begun it, and else to the first that has nothing to do.
 */
#include <kedge/ingest.h>

#include "ranks.h"

typedef struct rankingest {
    const team *t;
    const char *const *sources;
    size_t count;
    const kedge_ingest_opts *opts;
    kedge_ingest_result result; /* of this rank */
} rankingest;

/* Before any store is touched: GO_ON, or the exit code of all. */
int rankingest_check(const rankingest *r, const char *store);

/* The work of this rank, as task_run takes it. */
kedge_status rankingest_read(void *data, kedge_store *store,
                             const kedge_control *control, kedge_error *err);

/* All: the results of all, added up. */
void rankingest_sum(rankingest *r);

#endif
