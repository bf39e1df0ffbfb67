/* SPDX-License-Identifier: MIT */
#ifndef CLI_RANKFIT_H
#define CLI_RANKFIT_H
/*
 * Fitting by several ranks, each with the store that it read its documents
 * into; the models are in STORE, which is on rank 0's machine.
 */
#include <kedge/fit.h>

#include "jsonout.h"
#include "options.h"
#include "ranks.h"

typedef struct rankfit {
    const team *t;
    const uint64_t *topics;
    size_t count;
    const kedge_fit_opts *opts;
    kedge_fit_result *results;
    const char *store;
    kedge_team_traffic *traffic; /* by rank, on rank 0; or NULL */
} rankfit;

/* GO_ON where it is done, and rank 0 has more to tell; or the exit code. All
 * ranks leave by ranks_leave. */
int rankfit_run(rankfit *r, common *c);

/* What came to the ranks. */
void rankfit_tell(const rankfit *r);
void rankfit_json(jsonout *j, const rankfit *r);

void rankfit_free(rankfit *r);

#endif
