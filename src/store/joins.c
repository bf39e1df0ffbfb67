/* SPDX-License-Identifier: MIT */
/*
 * Phrases of a view, in one record. Before compression:
 *
 *   u64 x 4  blocks and removals of the store that they were found in; words
 *            and documents that were asked for
 *   f64      the score that was asked for
 *   of each  varints: left, as a step from that of the one before; right;
 *            whole; round
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/codec.h"
#include "store/kv.h"

#define JOINS_TAG "KJOI"

enum { JOINS_FRONT = 40, JOIN_MAX = 20 };

void store_joins_free(store_joins *j)
{
    mem_free(j->join);
    *j = (store_joins){0};
}

static kv_key joins_key(uint8_t bytes[4], uint32_t view)
{
    put_be32(bytes, view);
    return (kv_key){DB_JOINS, bytes, 4};
}

static bool is_before(const store_join *a, const store_join *b)
{
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static uint8_t *encode(uint8_t *to, const store_joins *j)
{
    uint32_t left = 0;

    put_u64(to, j->blocks);
    put_u64(to + 8, j->removals);
    put_u64(to + 16, j->words);
    put_u64(to + 24, j->documents);
    put_f64(to + 32, j->score);
    to += JOINS_FRONT;
    for (size_t i = 0; i < j->count; i++) {
        const store_join *const one = &j->join[i];
        to = put_varint(to, one->left - left);
        to = put_varint(to, one->right);
        to = put_varint(to, one->whole);
        to = put_varint(to, one->round);
        left = one->left;
    }
    return to;
}

kedge_status store_put_joins(store_txn *txn, uint32_t view,
                             const store_joins *j, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    frame_head head = {.x = (uint32_t)j->count};
    uint8_t key[4];

    for (size_t i = 1; i < j->count; i++)
        if (!is_before(&j->join[i - 1], &j->join[i]))
            TRY(kedge_fail(err, KEDGE_EINVAL, "phrases must be in order"));
    TRY(frame_room(f, JOINS_FRONT + JOIN_MAX * j->count, err));
    head.plain = (uint32_t)(encode(f->plain, j) - f->plain);
    if (head.plain > FRAME_PLAIN_MAX)
        TRY(kedge_fail(err, KEDGE_EINVAL, "%zu phrases are too many",
                       j->count));
    TRY(frame_close(f, JOINS_TAG, &head, FRAME_LEVEL, err));
    TRY(kv_put_frame(txn, joins_key(key, view), f, NULL, err));
out:
    return st;
}

static bool decode_join(const uint8_t **p, const uint8_t *end, uint64_t limit,
                        uint32_t left, store_join *out)
{
    uint64_t v[4];

    for (size_t i = 0; i < 4; i++)
        if (!get_varint(p, end, &v[i]) || v[i] > UINT32_MAX)
            return false;
    if (v[0] > UINT32_MAX - left || v[3] < 1 || v[3] > STORE_JOIN_ROUNDS)
        return false;
    *out = (store_join){left + (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2],
                        (uint32_t)v[3]};
    return out->left < limit && out->right < limit && out->whole < limit;
}

/* False for bytes that no encoder writes. */
static bool decode(const uint8_t *p, const frame_head *head, uint64_t limit,
                   store_joins *out)
{
    const uint8_t *const end = p + head->plain;
    uint32_t left = 0;

    out->blocks = get_u64(p);
    out->removals = get_u64(p + 8);
    out->words = get_u64(p + 16);
    out->documents = get_u64(p + 24);
    out->score = get_f64(p + 32);
    p += JOINS_FRONT;
    for (uint32_t i = 0; i < head->x; i++) {
        if (!decode_join(&p, end, limit, left, &out->join[i]) ||
            (i > 0 && !is_before(&out->join[i - 1], &out->join[i])))
            return false;
        left = out->join[i].left;
    }
    return p == end;
}

kedge_status store_get_joins(store_txn *txn, uint32_t view, store_joins *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    store_limits limits;
    kv_frame found;
    frame_head head;
    uint8_t key[4];
    char what[64];

    out->count = 0;
    snprintf(what, sizeof what, "phrases of view %u", view);
    TRY(kv_get_frame(txn, joins_key(key, view), JOINS_TAG, what, &found, err));
    TRY(frame_open(f, found.bytes, found.size, JOINS_TAG, what, &head, err));
    if (head.extra != 0 || head.y != 0 || head.z != 0 ||
        head.plain < JOINS_FRONT || head.x > (head.plain - JOINS_FRONT) / 4)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s are damaged (size)", what));
    TRY_MEM(mem_grow((void **)&out->join, &out->capacity, head.x + 1,
                     sizeof *out->join) ? out : NULL);
    TRY(store_get_limits(txn, &limits, err));
    if (!decode(f->plain, &head, limits.words, out))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s are damaged (words)", what));
    out->count = head.x;
out:
    return st;
}

kedge_status store_drop_joins(store_txn *txn, uint32_t view, kedge_error *err)
{
    uint8_t key[4];

    return kv_drop(txn, joins_key(key, view), err);
}
