/* SPDX-License-Identifier: MIT */
/* Indexes: what a sketch is of and how far it has come, and the phrases of
 * one. */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/records.h"

/* ---- records ------------------------------------------------------------- */

void store_write_index(const store_index *v, uint8_t body[STORE_INDEX_SIZE])
{
    schema_write(&schemas[KVIE], v, body);
}

static kedge_status check_joined(const store_index *v, const char *what,
                                 kedge_error *err)
{
    return v->listed || !v->joined
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ECORRUPT,
                            "%s is damaged (phrases without a list)", what);
}

kedge_status store_read_index(const uint8_t *body, store_index *out,
                             const char *what, kedge_error *err)
{
    *out = (store_index){0};
    PASS(schema_read(&schemas[KVIE], body, out, what, err));
    return check_joined(out, what, err);
}

kedge_status store_put_index(store_txn *txn, uint32_t number,
                            const store_index *v, kedge_error *err)
{
    return record_put(txn, KV_KEY4(DB_INDEXES, number), &schemas[KVIE], v,
                      NO_TAIL, err);
}

/* A statistic and how its integers are scaled go together. */
static bool is_statistic(const store_index *v)
{
    return v->statistic == 0 ? v->weight_bits == 40 && v->value_bits == 0
                             : v->statistic <= 2 && v->weight_bits == 32 &&
                                   v->value_bits == 5;
}

/* What it says is what the store has, and what a writer makes. */
static kedge_status check_index(store_txn *txn, uint32_t number,
                               const store_index *v, kedge_error *err)
{
    const kv_key key = KV_KEY4(DB_INDEXES, number);
    uint64_t listed = v->words;
    char what[KV_NAME_MOST];
    store_limits limits;

    PASS(store_get_limits(txn, &limits, err));
    if (!is_statistic(v))
        return kedge_fail(err, KEDGE_EVERSION,
                          "%s has --tf number %u with %u and %u bits, from "
                          "another version of kedge",
                          kv_name(key, what), v->statistic, v->weight_bits,
                          v->value_bits);
    if (v->words > limits.words || v->blocks > limits.blocks ||
        v->removals > limits.removals || v->parts > limits.parts)
        return kv_damaged(key, err, "it counts more than the store has");
    if (v->listed) {
        array list = array_list(number);
        const kedge_status st = array_get_count(txn, &list, &listed, err);
        if (st == KEDGE_ENOTFOUND)
            return kv_damaged(key, err, "its list of words is gone");
        PASS(st);
    }
    return listed == v->words || (v->words == 0 && !store_index_has_rows(v))
               ? KEDGE_OK
               : kv_damaged(key, err,
                            "its list has %" PRIu64 " words, not %" PRIu64,
                            listed, v->words);
}

kedge_status store_get_index_record(store_txn *txn, uint32_t number,
                                   store_index *out, kedge_error *err)
{
    const kv_key key = KV_KEY4(DB_INDEXES, number);
    char what[KV_NAME_MOST];
    store_index v = {0}; /* `out` stays as it is where there is none */

    PASS(record_get(txn, key, &schemas[KVIE], &v, NULL, err));
    PASS(check_joined(&v, kv_name(key, what), err));
    PASS(check_index(txn, number, &v, err));
    *out = v;
    return KEDGE_OK;
}

kedge_status store_next_index(store_txn *txn, uint32_t from, uint32_t *number,
                             store_index *out, kedge_error *err)
{
    uint8_t found[KV_KEY_MAX];
    size_t size;

    PASS(kv_seek(txn, KV_KEY4(DB_INDEXES, from), found, &size, err));
    if (size != 4)
        return kedge_fail(err, KEDGE_ECORRUPT, "an index's number is damaged");
    *number = get_be32(found);
    return store_get_index_record(txn, *number, out, err);
}

kedge_status store_each_index(store_txn *txn,
                             kedge_status (*visit)(void *data, uint32_t number,
                                                   store_index *v,
                                                   kedge_error *err),
                             void *data, kedge_error *err)
{
    uint32_t number = 0;
    store_index v;

    for (uint64_t from = 0; from <= UINT32_MAX; from = (uint64_t)number + 1) {
        const kedge_status st =
            store_next_index(txn, (uint32_t)from, &number, &v, err);
        if (st != KEDGE_OK)
            return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
        PASS(visit(data, number, &v, err));
    }
    return KEDGE_OK;
}

kedge_status store_drop_index(store_txn *txn, uint32_t number, kedge_error *err)
{
    PASS(kv_drop(txn, KV_KEY4(DB_INDEXES, number), err));
    PASS(store_drop_list(txn, number, err));
    PASS(store_drop_joins(txn, number, err));
    return store_drop_spectra(txn, number, err);
}

/* ---- phrases ------------------------------------------------------------- */

/* In one record: its fields, then of each phrase varints: left, as a step from
 * that of the one before; right; whole; round. */

enum { JOIN_MAX = 20 };

void store_joins_free(store_joins *j)
{
    mem_free(j->join);
    *j = (store_joins){0};
}

static bool is_before(const store_join *a, const store_join *b)
{
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

kedge_status store_put_joins(store_txn *txn, uint32_t index,
                             const store_joins *j, kedge_error *err)
{
    const size_t front = schema_size(&schemas[KJOI]);
    store_frame *const f = kv_scratch(txn);
    uint32_t left = 0;
    uint8_t *to;

    for (size_t i = 1; i < j->count; i++)
        if (!is_before(&j->join[i - 1], &j->join[i]))
            return kedge_fail(err, KEDGE_EINVAL, "phrases must be in order");
    PASS(frame_room(f, front + JOIN_MAX * j->count, err));
    schema_write(&schemas[KJOI], j, f->plain);
    to = f->plain + front;
    for (size_t i = 0; i < j->count; left = j->join[i++].left) {
        to = put_varint(to, j->join[i].left - left);
        to = put_varint(to, j->join[i].right);
        to = put_varint(to, j->join[i].whole);
        to = put_varint(to, j->join[i].round);
    }
    if (to - f->plain > FRAME_PLAIN_MAX)
        return kedge_fail(err, KEDGE_EINVAL, "%zu phrases are too many",
                          j->count);
    PASS(frame_close(f, "KJOI",
                     &(frame_head){.x = (uint32_t)j->count,
                                   .plain = (uint32_t)(to - f->plain)},
                     FRAME_LEVEL, err));
    return kv_put_frame(txn, KV_KEY4(DB_JOINS, index), f, NULL, err);
}

/* False for bytes that no encoder writes. */
static bool decode_joins(const uint8_t *p, const uint8_t *end, uint32_t count,
                         uint64_t limit, store_joins *out)
{
    uint64_t left = 0, v[4];

    for (uint32_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 4; k++)
            if (!get_varint(&p, end, &v[k]) || v[k] > UINT32_MAX)
                return false;
        left += v[0];
        if (left >= limit || left > UINT32_MAX || v[1] >= limit ||
            v[2] >= limit || v[3] < 1 || v[3] > STORE_JOIN_ROUNDS)
            return false;
        out->join[i] = (store_join){(uint32_t)left, (uint32_t)v[1],
                                    (uint32_t)v[2], (uint32_t)v[3]};
        if (i > 0 && !is_before(&out->join[i - 1], &out->join[i]))
            return false;
    }
    return p == end;
}

kedge_status store_get_joins(store_txn *txn, uint32_t index, store_joins *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t front = schema_size(&schemas[KJOI]);
    store_frame *const f = kv_scratch(txn);
    store_limits limits;
    const kv_key key = KV_KEY4(DB_JOINS, index);
    frame_head head;
    char what[KV_NAME_MOST];

    out->count = 0;
    TRY(kv_open_frame(txn, key, "KJOI", &head, err));
    kv_name(key, what);
    if (head.extra != 0 || head.y != 0 || head.z != 0 || head.plain < front ||
        head.x > (head.plain - front) / 4)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s are damaged (size)", what));
    TRY_GROW(out->join, out->capacity, head.x + 1);
    TRY(store_get_limits(txn, &limits, err));
    TRY(schema_read(&schemas[KJOI], f->plain, out, what, err));
    if (!decode_joins(f->plain + front, f->plain + head.plain, head.x,
                      limits.words, out))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s are damaged (words)", what));
    out->count = head.x;
out:
    return st;
}

kedge_status store_drop_joins(store_txn *txn, uint32_t index, kedge_error *err)
{
    return kv_drop(txn, KV_KEY4(DB_JOINS, index), err);
}
