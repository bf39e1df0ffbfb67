/* SPDX-License-Identifier: MIT */
/*
 * Where each document with an id is: its block and its position. There are as
 * many of these as documents, so a value is two numbers and a checksum, without
 * the envelope of other records; the checksum begins with the place, so that a
 * value under another id is found.
 */
#include "store/records.h"

#include "base/bytes.h"
#include "base/compare.h"
#include "base/hash.h"

enum { AT_BLOCK = 0, AT_POSITION = 8, AT_SUM = 16, ID_VALUE = 24 };

int store_place_compare(const void *left, const void *right)
{
    const store_place *a = left, *b = right;

    return a->block != b->block ? compare_numbers(a->block, b->block)
                                : compare_numbers(a->position, b->position);
}

static kv_key id_key(span id)
{
    return (kv_key){DB_IDS, (const uint8_t *)id.bytes, id.size};
}

static bool is_id(span id)
{
    return id.size > 0 && id.size <= STORE_ID_MAX;
}

kedge_status store_put_id(store_txn *txn, span id, store_place p,
                          kedge_error *err)
{
    uint8_t value[ID_VALUE];

    if (!is_id(id))
        return kedge_fail(err, KEDGE_EINVAL,
                          "an id needs 1 to %d bytes, not %zu", STORE_ID_MAX,
                          id.size);
    put_u64(value + AT_BLOCK, p.block);
    put_u64(value + AT_POSITION, p.position);
    put_u64(value + AT_SUM, hash_bytes(kv_place(id_key(id)), value, AT_SUM));
    return kv_put(txn, id_key(id), value, sizeof value, err);
}

void ids_show(span id, char to[IDS_SHOWN])
{
    const size_t size = id.size < IDS_SHOWN ? id.size : IDS_SHOWN - 1;

    for (size_t i = 0; i < size; i++)
        to[i] = (char)(id.bytes[i] >= ' ' && id.bytes[i] <= '~' ? id.bytes[i]
                                                                : '.');
    to[size] = 0;
}

kedge_status ids_read(span id, const uint8_t *value, size_t size,
                      store_place *out, kedge_error *err)
{
    char text[IDS_SHOWN];

    if (!is_id(id) || size != ID_VALUE ||
        hash_bytes(kv_place(id_key(id)), value, AT_SUM) !=
            get_u64(value + AT_SUM)) {
        ids_show(id, text);
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "id \"%s\" is damaged (checksum, %zu bytes)", text,
                          size);
    }
    *out = (store_place){
        .block = get_u64(value + AT_BLOCK),
        .position = get_u64(value + AT_POSITION),
    };
    return KEDGE_OK;
}

kedge_status store_get_id(store_txn *txn, span id, store_place *out,
                          kedge_error *err)
{
    const uint8_t *value;
    size_t size;

    if (!is_id(id))
        return kedge_fail(err, KEDGE_ENOTFOUND, "no id has %zu bytes", id.size);
    PASS(kv_get(txn, id_key(id), &value, &size, err));
    return ids_read(id, value, size, out, err);
}

kedge_status store_drop_id(store_txn *txn, span id, kedge_error *err)
{
    const kedge_status st = kv_need(txn, true, err);

    return st != KEDGE_OK || !is_id(id) ? st : kv_drop(txn, id_key(id), err);
}

kedge_status store_count_ids(store_txn *txn, uint64_t *out, kedge_error *err)
{
    return kv_count(txn, DB_IDS, out, err);
}

kedge_status store_drop_ids(store_txn *txn, kedge_error *err)
{
    return kv_clear(txn, DB_IDS, err);
}
