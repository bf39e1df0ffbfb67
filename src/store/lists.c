/* SPDX-License-Identifier: MIT */
/*
 * Curated vocabularies: the rising ids of a view's words, in chunks of
 * LIST_CHUNK, as a first id and steps, less one. An empty list has one empty
 * chunk, so that it is there.
 */
#include "store/lists.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/mem.h"

#define LIST_TAG   "KLST"
#define LIST_CHUNK 65536

enum { ID_MAX = 5 }; /* bytes of a varint */

void store_list_free(store_list *l)
{
    mem_free(l->ids);
    *l = (store_list){0};
}

uint64_t lists_chunks(uint64_t count)
{
    return count == 0 ? 1 : (count - 1) / LIST_CHUNK + 1;
}

uint64_t lists_chunk_ids(uint64_t count, uint64_t chunk)
{
    const uint64_t left = count - chunk * LIST_CHUNK;

    return left < LIST_CHUNK ? left : LIST_CHUNK;
}

static kv_key list_key(uint8_t bytes[8], uint32_t view, uint32_t chunk)
{
    put_be32(bytes, view);
    put_be32(bytes + 4, chunk);
    return (kv_key){DB_LISTS, bytes, 8};
}

static kedge_status put_chunk(store_txn *txn, uint32_t view,
                              const uint32_t *ids, size_t count, uint32_t chunk,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    const uint64_t first = (uint64_t)chunk * LIST_CHUNK;
    const uint64_t n = lists_chunk_ids(count, chunk);
    frame_head head = {.extra = count, .x = (uint32_t)n};
    uint32_t next = 0; /* the least id that may come */
    uint8_t key[8], *to;

    TRY(frame_room(f, ID_MAX * n, err));
    to = f->plain;
    for (uint64_t i = first; i < first + n; next = ids[i++] + 1)
        to = put_varint(to, ids[i] - next);
    head.plain = (uint32_t)(to - f->plain);
    TRY(frame_close(f, LIST_TAG, &head, FRAME_LEVEL, err));
    TRY(kv_put_frame(txn, list_key(key, view, chunk), f, NULL, err));
out:
    return st;
}

kedge_status store_put_list(store_txn *txn, uint32_t view, const uint32_t *ids,
                            size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t chunks = lists_chunks(count);
    uint8_t key[8];

    for (size_t i = 1; i < count; i++)
        if (ids[i] <= ids[i - 1])
            return kedge_fail(err, KEDGE_EINVAL,
                              "ids of a list must rise (%u, %u)", ids[i - 1],
                              ids[i]);
    for (uint32_t c = 0; c < chunks; c++)
        TRY(put_chunk(txn, view, ids, count, c, err));
    TRY(kv_drop_from(txn, list_key(key, view, (uint32_t)chunks), 4, err));
out:
    return st;
}

/* False for bytes that no encoder writes. `least`: what the first id may be at
 * least; all are below `limit`. */
static bool decode_chunk(const uint8_t *p, const frame_head *head,
                         uint64_t least, uint64_t limit, uint32_t *to)
{
    const uint8_t *const end = p + head->plain;
    uint64_t next = 0, step;

    for (uint32_t i = 0; i < head->x; i++) {
        if (!get_varint(&p, end, &step) || step > UINT32_MAX ||
            next + step > UINT32_MAX || next + step < least ||
            next + step >= limit)
            return false;
        to[i] = (uint32_t)(next + step);
        next += step + 1;
    }
    return p == end;
}

kedge_status lists_get_chunk(store_txn *txn, uint32_t view, uint32_t chunk,
                             store_list *out, uint64_t *whole, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    const uint64_t least =
        out->count == 0 ? 0 : (uint64_t)out->ids[out->count - 1] + 1;
    store_limits limits;
    kv_frame found;
    frame_head head;
    uint8_t key[8];
    char what[64];

    snprintf(what, sizeof what, "chunk %u of the list of view %u", chunk, view);
    TRY(kv_get_frame(txn, list_key(key, view, chunk), LIST_TAG, what, &found,
                     err));
    TRY(frame_open(f, found.bytes, found.size, LIST_TAG, what, &head, err));
    if (head.extra > UINT64_C(1) << 32 || chunk >= lists_chunks(head.extra) ||
        head.x != lists_chunk_ids(head.extra, chunk) || head.y != 0 ||
        head.z != 0 || head.plain < head.x)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its size)", what));
    TRY_MEM(mem_grow((void **)&out->ids, &out->capacity, out->count + head.x,
                     sizeof *out->ids) ? out : NULL);
    TRY(store_get_limits(txn, &limits, err));
    if (!decode_chunk(f->plain, &head, least, limits.words,
                      out->ids + out->count))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its ids)", what));
    out->count += head.x;
    *whole = head.extra;
out:
    return st;
}

kedge_status store_get_list(store_txn *txn, uint32_t view, store_list *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t whole, count = 0;

    out->count = 0;
    TRY(lists_get_chunk(txn, view, 0, out, &whole, err));
    for (uint32_t c = 1; c < lists_chunks(whole); c++) {
        st = lists_get_chunk(txn, view, c, out, &count, err);
        if (st == KEDGE_ENOTFOUND || (st == KEDGE_OK && count != whole))
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the list of view %u is damaged (chunk %u)", view,
                           c));
        TRY(st);
    }
out:
    if (st != KEDGE_OK)
        out->count = 0;
    return st;
}

kedge_status lists_count(store_txn *txn, uint32_t view, uint64_t *whole,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kv_frame found;
    uint8_t key[8];
    char what[64];

    snprintf(what, sizeof what, "list of view %u", view);
    TRY(kv_get_frame(txn, list_key(key, view, 0), LIST_TAG, what, &found, err));
    *whole = found.head.extra;
out:
    return st;
}

kedge_status store_drop_list(store_txn *txn, uint32_t view, kedge_error *err)
{
    uint8_t key[8];

    return kv_drop_from(txn, list_key(key, view, 0), 4, err);
}
