/* SPDX-License-Identifier: MIT */
#ifndef CLI_BATCHES_H
#define CLI_BATCHES_H
/* The sources of a store by the batches that they came in. */
#include <stdbool.h>

#include <kedge/store.h>

#include "jsonout.h"

kedge_status batches_print(kedge_store *store, bool json, kedge_error *err);

/* A table of the sources; of many only the newest are named, below the sums by
 * batch, unless all are wanted. */
kedge_status sources_print(kedge_store *store, bool all, kedge_error *err);

/* A source, as JSON has it wherever it stands. */
void json_source(jsonout *j, const kedge_source_info *s);

#endif
