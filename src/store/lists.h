/* SPDX-License-Identifier: MIT */
#ifndef STORE_LISTS_H
#define STORE_LISTS_H
/* What a walk over all lists needs; the rest is in store.h. */
#include "store/kv.h"

/* One chunk of a list, appended to `out`; *whole is the list's length. */
kedge_status lists_get_chunk(store_txn *txn, uint32_t view, uint32_t chunk,
                             store_list *out, uint64_t *whole,
                             kedge_error *err);

/* Of a whole list, by the head of its first chunk. ENOTFOUND. */
kedge_status lists_count(store_txn *txn, uint32_t view, uint64_t *whole,
                         kedge_error *err);

/* Chunks of a list of `count` ids, and how many ids one of them has. */
uint64_t lists_chunks(uint64_t count);
uint64_t lists_chunk_ids(uint64_t count, uint64_t chunk);

#endif
