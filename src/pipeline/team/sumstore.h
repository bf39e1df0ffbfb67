/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_TEAM_SUMSTORE_H
#define PIPELINE_TEAM_SUMSTORE_H
/*
 * The store that has the words of all processes with their counts, and a part
 * for each; its views have no rows, which are dealt out whenever a model is
 * fitted. All but its models follows from the others' stores, and is put anew
 * when these have changed, in one transaction.
 */
#include "pipeline/team/muster.h"

/* EINVAL where the store has documents of its own. */
kedge_status sumstore_put(store *sum, const muster *m, kedge_error *err);

#endif
