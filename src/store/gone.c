/* SPDX-License-Identifier: MIT */
/*
 * Which documents of a block are gone, and the log of their removals. A block
 * is not written again for that, so both have their own small records,
 * with rising indices as their tails.
 */
#include "base/mem.h"
#include "store/records.h"

void store_gone_free(store_gone *g)
{
    mem_free(g->index);
    *g = (store_gone){0};
}

static kedge_status put(store_txn *txn, kv_key key, const schema *s,
                        uint64_t block, const uint32_t *index, size_t count,
                        kedge_error *err)
{
    store_frame *const f = kv_scratch(txn);
    const uint8_t *end;

    for (size_t i = 1; i < count; i++)
        if (index[i] <= index[i - 1])
            return kedge_fail(err, KEDGE_EINVAL,
                              "indices of documents must rise (%u, %u)",
                              index[i - 1], index[i]);
    PASS(frame_room(f, RISING_MOST * count, err));
    end = rising_put(f->plain, index, count);
    return record_put(txn, key, s, &(gone_head){block, count},
                      span_of((const char *)f->plain, (size_t)(end - f->plain)),
                      err);
}

/* A block that is not there is its reader's to miss. */
static kedge_status get(store_txn *txn, kv_key key, const schema *s,
                        uint64_t *block, store_gone *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    gone_head head = {.block = *block};
    uint32_t documents;
    const uint8_t *p, *end;
    span tail;

    out->count = 0;
    TRY(record_get(txn, key, s, &head, &tail, err));
    if (head.count > tail.size) /* a byte each, at least */
        TRY(kv_damaged(key, err, "its count"));
    TRY_GROW(out->index, out->capacity, head.count);
    p = (const uint8_t *)tail.bytes;
    end = p + tail.size;
    if (!rising_get(&p, end, UINT64_MAX, out->index, head.count) || p != end)
        TRY(kv_damaged(key, err, "its indices"));
    *block = head.block;
    st = block_documents(txn, head.block, &documents, err);
    if (st == KEDGE_OK && out->index[head.count - 1] >= documents)
        TRY(kv_damaged(key, err, "document %u of %u",
                       out->index[head.count - 1], documents));
    if (st == KEDGE_OK || st == KEDGE_ENOTFOUND) {
        out->count = head.count;
        st = KEDGE_OK;
    }
out:
    return st;
}

kedge_status store_put_gone(store_txn *txn, uint64_t block,
                            const uint32_t *index, size_t count,
                            kedge_error *err)
{
    const kv_key key = KV_KEY8(DB_GONE, block);

    return count == 0 ? kv_drop(txn, key, err)
                      : put(txn, key, &schemas[KGON], 0, index, count, err);
}

kedge_status store_get_gone(store_txn *txn, uint64_t block, store_gone *out,
                            kedge_error *err)
{
    const kedge_status st = get(txn, KV_KEY8(DB_GONE, block), &schemas[KGON],
                                &block, out, err);

    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

kedge_status store_put_removal(store_txn *txn, uint64_t number, uint64_t block,
                               const uint32_t *index, size_t count,
                               kedge_error *err)
{
    if (count == 0)
        return kedge_fail(err, KEDGE_EINVAL, "a removal of no documents");
    PASS(ledger_raise(txn, &(store_limits){.removals = number + 1}, err));
    return put(txn, KV_KEY8(DB_REMOVALS, number), &schemas[KREM], block, index,
               count, err);
}

kedge_status store_get_removal(store_txn *txn, uint64_t number, uint64_t *block,
                               store_gone *out, kedge_error *err)
{
    *block = 0;
    return get(txn, KV_KEY8(DB_REMOVALS, number), &schemas[KREM], block, out,
               err);
}

kedge_status store_drop_removals(store_txn *txn, kedge_error *err)
{
    return kv_clear(txn, DB_REMOVALS, err);
}
