/* SPDX-License-Identifier: MIT */
#ifndef STORE_STORED_MODEL_H
#define STORE_STORED_MODEL_H
/* What a walk over all arrays needs; the rest is in store.h. */
#include "store/kv.h"

/* The chunk of an array that is stored under this key, and that the ones before
 * and after it are there. `what` is its name, unless the key has none. */
kedge_status stored_array_check(store_txn *txn, const uint8_t *key, size_t size,
                                char what[128], kedge_error *err);

#endif
