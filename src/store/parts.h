/* SPDX-License-Identifier: MIT */
#ifndef STORE_PARTS_H
#define STORE_PARTS_H
/* What a walk over all records of parts needs; the rest is in store.h. */
#include "store/kv.h"

/* The record that is stored under this key, where the totals know of so many
 * parts. `what` is its name, unless the key has none. */
kedge_status parts_check(store_txn *txn, const uint8_t *key, size_t size,
                         uint64_t parts, char what[128], kedge_error *err);

#endif
