/* SPDX-License-Identifier: MIT */
#include "pipeline/upkeep/blocks.h"

#include "base/fail.h"

kedge_status block_read(block_reader *r, store_txn *txn, uint64_t number,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(&r->batch);
    st = store_read_block(txn, number, &r->scratch, &r->order, &r->source,
                          &r->batch, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    TRY(store_get_gone(txn, number, &r->gone, err));
    docs_drop(&r->batch, 0, r->gone.index, r->gone.count);
out:
    return st;
}

void block_reader_free(block_reader *r)
{
    store_block_free(&r->scratch);
    store_order_free(&r->order);
    store_gone_free(&r->gone);
    docs_free(&r->batch);
}
