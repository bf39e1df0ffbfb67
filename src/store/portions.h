/* SPDX-License-Identifier: MIT */
#ifndef STORE_PORTIONS_H
#define STORE_PORTIONS_H
/* What a walk over all kept compositions needs; the rest is in store.h. */
#include "store/kv.h"

/* The record that is stored under this key, by itself. `what` is its name,
 * unless the key has none. */
kedge_status portions_check(store_txn *txn, const uint8_t *key, size_t size,
                            store_portion *scratch, char what[128],
                            kedge_error *err);

/* That all of a model's set is there and adds up. */
kedge_status portions_check_set(store_txn *txn, const char *model,
                                store_portion *scratch, kedge_error *err);

#endif
