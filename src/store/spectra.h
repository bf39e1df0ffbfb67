/* SPDX-License-Identifier: MIT */
#ifndef STORE_SPECTRA_H
#define STORE_SPECTRA_H
/* What a walk over all spectra needs; the rest is in store.h. */
#include "store/kv.h"

/* The record that is stored under this key, and what belongs to it. `what` is
 * its name, unless the key has none. */
kedge_status spectra_check(store_txn *txn, const uint8_t *key, size_t size,
                           char what[128], kedge_error *err);

#endif
