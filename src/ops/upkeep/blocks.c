/* SPDX-License-Identifier: MIT */
#include "ops/upkeep/blocks.h"

#include "base/fail.h"
#include "base/mem.h"

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

/* Orders are not looked at. */
kedge_status block_list(block_reader *r, store_txn *txn, uint64_t end,
                        const stage *told, block_extent **list, size_t *count,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *const d = &r->batch;
    uint64_t there;

    *list = NULL;
    *count = 0;
    TRY(store_count_blocks(txn, &there, err));
    TRY_MEM(*list = mem_new(there, sizeof **list));
    for (uint64_t b = 0; *count < there; b++) {
        TRY(store_next_block(txn, b, end, &b, err));
        if (b == end)
            break;
        docs_clear(&r->batch);
        TRY(store_read_block(txn, b, &r->scratch, NULL, &r->source, &r->batch,
                             err));
        (*list)[(*count)++] = (block_extent){b, r->source, d->position[0],
                                             d->position[d->count - 1]};
        TRY(stage_reach(told, b + 1, err));
    }
out:
    if (st != KEDGE_OK) {
        mem_free(*list);
        *list = NULL;
    }
    return st;
}
