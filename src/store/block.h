/* SPDX-License-Identifier: MIT */
#ifndef STORE_BLOCK_H
#define STORE_BLOCK_H
/* What a record beside a block needs of it; the rest is in store.h. */
#include "store/store.h"

/* Of the block that was decoded last with this scratch. */
bool block_has_order(const store_block *decoded);

/* Documents of a block, gone or not, without decoding it. ENOTFOUND. */
kedge_status block_documents(store_txn *txn, uint64_t number, uint32_t *count,
                             kedge_error *err);

#endif
