/* SPDX-License-Identifier: MIT */
/*
 * Which documents of a block are gone, and the log of their removals. A block
 * is not written again for that, so both are noted beside it: rising indices as
 * a first one and steps, less one, in small records.
 */
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/block.h"
#include "store/kv.h"
#include "store/ledger.h"
#include "store/record.h"

#define GONE_TAG    "KGON"
#define REMOVAL_TAG "KREM"

/* Before the indices: the block of a removal, and their count. */
enum { GONE_FRONT = 4, REMOVAL_FRONT = 12, INDEX_MAX = 5 };

void store_gone_free(store_gone *g)
{
    mem_free(g->index);
    *g = (store_gone){0};
}

static kedge_status check_rising(const uint32_t *index, size_t count,
                                 kedge_error *err)
{
    for (size_t i = 1; i < count; i++)
        if (index[i] <= index[i - 1])
            return kedge_fail(err, KEDGE_EINVAL,
                              "indices of documents must rise (%u, %u)",
                              index[i - 1], index[i]);
    return KEDGE_OK;
}

/* Room for a record of `front` bytes and indices in the store's scratch, with
 * the indices in it already; *size is that of the record. */
static kedge_status encode(store_txn *txn, size_t front, const uint32_t *index,
                           size_t count, size_t *size, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    uint32_t next = 0; /* the least index that may come */
    uint8_t *to;

    TRY(check_rising(index, count, err));
    TRY(frame_room(f, RECORD_SIZE(front + INDEX_MAX * count), err));
    to = f->plain + RECORD_HEAD + front;
    put_u32(to - 4, (uint32_t)count);
    for (size_t i = 0; i < count; next = index[i++] + 1)
        to = put_varint(to, index[i] - next);
    *size = (size_t)(to - f->plain) + RECORD_SUM;
out:
    return st;
}

/* The same back: the count ends the front. */
static kedge_status decode(const uint8_t *body, size_t size, size_t front,
                           store_gone *out, const char *what, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *p = body + front, *const end = body + size;
    const uint32_t count = size < front ? 0 : get_u32(p - 4);
    uint64_t next = 0, step = 0;

    out->count = 0;
    if (count == 0 || count > size - front) /* a byte each, at least */
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its count)", what));
    TRY_MEM(mem_grow((void **)&out->index, &out->capacity, count,
                     sizeof *out->index) ? out : NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (!get_varint(&p, end, &step) || step > UINT32_MAX ||
            next + step > UINT32_MAX)
            TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its indices)",
                           what));
        out->index[i] = (uint32_t)(next + step);
        next += step + 1;
    }
    if (p != end)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its end)", what));
    out->count = count;
out:
    return st;
}

/* That the block has what is named. One that is not there is its reader's to
 * miss. */
static kedge_status check_below(store_txn *txn, uint64_t block,
                                const store_gone *g, const char *what,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t documents = 0;

    st = block_documents(txn, block, &documents, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    if (g->index[g->count - 1] >= documents)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (document %u of %u)",
                       what, g->index[g->count - 1], documents));
out:
    return st;
}

/* ---- of a block ---------------------------------------------------------- */

kedge_status store_put_gone(store_txn *txn, uint64_t block,
                            const uint32_t *index, size_t count,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[8], *record;
    const kv_key key = {DB_GONE, bytes, sizeof bytes};
    size_t size;

    put_be64(bytes, block);
    if (count == 0)
        return kv_drop(txn, key, err);
    TRY(encode(txn, GONE_FRONT, index, count, &size, err));
    record = kv_scratch(txn)->plain;
    TRY(record_put(txn, key, GONE_TAG, record, size, err));
out:
    return st;
}

kedge_status store_get_gone(store_txn *txn, uint64_t block, store_gone *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[8];
    const kv_key key = {DB_GONE, bytes, sizeof bytes};
    record_found r;
    char what[64];

    out->count = 0;
    put_be64(bytes, block);
    snprintf(what, sizeof what, "list of what is gone from block %" PRIu64,
             block);
    st = record_get(txn, key, SIZE_MAX, GONE_TAG, what, &r, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    TRY(decode(r.body, r.size, GONE_FRONT, out, what, err));
    TRY(check_below(txn, block, out, what, err));
out:
    if (st != KEDGE_OK)
        out->count = 0;
    return st;
}

/* ---- the log ------------------------------------------------------------- */

kedge_status store_put_removal(store_txn *txn, uint64_t number, uint64_t block,
                               const uint32_t *index, size_t count,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[8], *record;
    const kv_key key = {DB_REMOVALS, bytes, sizeof bytes};
    size_t size;

    if (count == 0)
        return kedge_fail(err, KEDGE_EINVAL, "a removal of no documents");
    put_be64(bytes, number);
    TRY(encode(txn, REMOVAL_FRONT, index, count, &size, err));
    record = kv_scratch(txn)->plain;
    put_u64(record + RECORD_HEAD, block);
    TRY(ledger_raise(txn, &(store_limits){.removals = number + 1}, err));
    TRY(record_put(txn, key, REMOVAL_TAG, record, size, err));
out:
    return st;
}

kedge_status store_get_removal(store_txn *txn, uint64_t number, uint64_t *block,
                               store_gone *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[8];
    const kv_key key = {DB_REMOVALS, bytes, sizeof bytes};
    record_found r;
    char what[48];

    out->count = 0;
    put_be64(bytes, number);
    snprintf(what, sizeof what, "removal %" PRIu64, number);
    TRY(record_get(txn, key, SIZE_MAX, REMOVAL_TAG, what, &r, err));
    TRY(decode(r.body, r.size, REMOVAL_FRONT, out, what, err));
    *block = get_u64(r.body);
    TRY(check_below(txn, *block, out, what, err));
out:
    if (st != KEDGE_OK)
        out->count = 0;
    return st;
}

kedge_status store_drop_removals(store_txn *txn, kedge_error *err)
{
    return kv_clear(txn, DB_REMOVALS, err);
}
