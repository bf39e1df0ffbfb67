/* SPDX-License-Identifier: MIT */
/*
 * The order of words in a block's documents. Before compression:
 *
 *   varints  symbols of each document, 0: it has no order
 *   varints  the symbols: 0 for a break, else a word's place in the document,
 *            from 1
 *
 * It lies beside the block, not in it: most readers count words and have no use
 * for it. Common words have low ids, so most symbols are small.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/block.h"
#include "store/codec.h"
#include "store/kv.h"

#define ORDER_TAG "KORD"

enum { SYMBOL_MAX = 5 }; /* bytes of a varint */

void store_order_free(store_order *o)
{
    frame_free(o);
}

kedge_status store_order_encode(store_order *o, const docs *d, size_t from,
                                size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = d->order_at[from], end = d->order_at[from + count];
    frame_head head = {.x = (uint32_t)count, .y = (uint32_t)(end - first)};
    uint8_t *to;

    o->size = 0;
    if (first == end)
        return KEDGE_OK;
    TRY(frame_room(o, (count + end - first) * SYMBOL_MAX, err));
    to = o->plain;
    for (size_t m = from; m < from + count; m++)
        to = put_varint(to, docs_order_size(d, m));
    for (size_t i = first; i < end; i++)
        to = put_varint(to, d->order[i]);
    if (to - o->plain > FRAME_PLAIN_MAX)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "documents %" PRIu64 " to %" PRIu64 " are too long for "
                       "one record", d->position[from],
                       d->position[from + count - 1]));
    head.plain = (uint32_t)(to - o->plain);
    TRY(frame_close(o, ORDER_TAG, &head, FRAME_LEVEL, err));
out:
    return st;
}

static kv_key order_key(uint8_t bytes[8], uint64_t block)
{
    put_be64(bytes, block);
    return (kv_key){DB_ORDERS, bytes, 8};
}

kedge_status store_put_order(store_txn *txn, uint64_t block,
                             const store_order *o, kedge_error *err)
{
    uint8_t key[8];

    return kv_put_frame(txn, order_key(key, block), o, NULL, err);
}

/* Where each document's symbols are to lie; false when they are not as many as
 * the head says. */
static bool read_sizes(const uint8_t **p, const uint8_t *end, uint64_t symbols,
                       docs *d, size_t first)
{
    uint64_t at = d->order_at[first], n;

    symbols += at;
    for (size_t m = first; m < d->count; m++) {
        if (!get_varint(p, end, &n) || n > symbols - at || n > DOCS_ORDER_MOST)
            return false;
        d->order_at[m + 1] = at += n;
    }
    return at == symbols;
}

static bool read_symbols(const uint8_t *p, const uint8_t *end, docs *d,
                         size_t first)
{
    uint64_t v;

    for (size_t m = first; m < d->count; m++) {
        const size_t entries = d->start[m + 1] - d->start[m];
        for (size_t i = d->order_at[m]; i < d->order_at[m + 1]; i++) {
            if (!get_varint(&p, end, &v) || v > entries)
                return false;
            d->order[i] = (uint32_t)v;
        }
    }
    return p == end;
}

static bool read_order(const uint8_t *p, const frame_head *head, docs *d,
                       size_t first)
{
    const uint8_t *const end = p + head->plain;

    return read_sizes(&p, end, head->y, d, first) &&
           read_symbols(p, end, d, first);
}

static void order_name(uint64_t block, char what[64])
{
    snprintf(what, 64, "the order of words of block %" PRIu64, block);
}

kedge_status store_get_order(store_txn *txn, uint64_t block, span *record,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kv_frame found;
    uint8_t key[8];
    char what[64];

    *record = span_of(NULL, 0);
    order_name(block, what);
    st = kv_get_frame(txn, order_key(key, block), ORDER_TAG, what, &found, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    *record = span_of((const char *)found.bytes, found.size);
out:
    return st;
}

kedge_status store_order_decode(store_order *scratch,
                                const store_block *decoded, uint64_t block,
                                span record, docs *d, size_t first,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *const bytes = (const uint8_t *)record.bytes;
    frame_head head;
    char what[64];

    order_name(block, what);
    if (block_has_order(decoded) != (bytes != NULL))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is %s", what,
                       bytes == NULL ? "lost" : "of another block"));
    if (bytes == NULL)
        return KEDGE_OK;
    TRY(frame_peek(bytes, record.size, ORDER_TAG, what, &head, err));
    if (head.extra != 0 || head.z != 0 || head.x != d->count - first ||
        head.y > head.plain || head.y > STORE_BLOCK_SYMBOLS + DOCS_ORDER_MOST)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its size)", what));
    TRY(frame_open(scratch, bytes, record.size, ORDER_TAG, what, &head, err));
    TRY_MEM(mem_grow((void **)&d->order, &d->order_capacity,
                     d->order_at[first] + head.y, sizeof *d->order) ? d : NULL);
    if (!read_order(scratch->plain, &head, d, first)) {
        for (size_t m = first; m < d->count; m++)
            d->order_at[m + 1] = d->order_at[first];
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its words)", what));
    }
out:
    return st;
}

kedge_status store_read_block(store_txn *txn, uint64_t number,
                              store_block *scratch, store_order *order,
                              uint32_t *source, docs *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;
    const uint8_t *bytes;
    store_limits limits;
    size_t size;
    span record;

    TRY(store_get_limits(txn, &limits, err));
    TRY(store_get_block(txn, number, &bytes, &size, err));
    TRY(store_block_decode(scratch, number, bytes, size, &limits, source, out,
                           err));
    if (order == NULL)
        return KEDGE_OK;
    TRY(store_get_order(txn, number, &record, err));
    TRY(store_order_decode(order, scratch, number, record, out, first, err));
out:
    return st;
}
