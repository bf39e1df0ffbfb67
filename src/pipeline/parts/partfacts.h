/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PARTS_PARTFACTS_H
#define PIPELINE_PARTS_PARTFACTS_H
/* What a store tells of itself, as a part of a whole. */
#include "pipeline/parts/partfile.h"

/* Totals, parts, and how texts are cut, in a read transaction: its own
 * documents are a part called `name`, or NULL: as the store's folder. Words and
 * views are left to the caller. `out` is empty. */
kedge_status partfacts_of(store_txn *txn, const store_totals *t,
                          const char *name, partfile_facts *out,
                          kedge_error *err);

#endif
