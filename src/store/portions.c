/* SPDX-License-Identifier: MIT */
/*
 * Compositions that are kept with a model: a small record under the model's
 * name describes the set, big ones under name, zero, turn and number hold it.
 * Before compression, as like numbers side by side compress best:
 *
 *   varints  the first position, then steps to the next, less one
 *   varints  tokens
 *   bytes    flags
 *   varints  shares of each document
 *   varints  of each document the first topic, then steps to the next, less one
 *   bytes    units less one: all low bytes, then all high ones
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/records.h"

#define PORTION_TAG "KCOM"

enum { FLAG_MOST = 4, DOCUMENT_MAX = 3 * VARINT_MAX + 1,
       SHARE_MAX = 5 + 2 };

/* ---- keys ---------------------------------------------------------------- */

/* The key of a portion; its first `name` bytes are the set's. */
typedef struct saved_key {
    uint8_t bytes[KV_KEY_MAX];
    size_t name;
} saved_key;

static kedge_status make_key(saved_key *key, const char *model, uint32_t turn,
                             uint64_t number, kedge_error *err)
{
    PASS(model_check_name(model, NAME_MOST, "a model's name", err));
    key->name = strlen(model);
    memcpy(key->bytes, model, key->name + 1);
    put_be32(key->bytes + key->name + 1, turn);
    put_be64(key->bytes + key->name + 5, number);
    return KEDGE_OK;
}

static kv_key set_key(const saved_key *key)
{
    return (kv_key){DB_KEPT, key->bytes, key->name};
}

static kv_key portion_key(const saved_key *key)
{
    return (kv_key){DB_KEPT, key->bytes, key->name + 13};
}

/* ---- the set ------------------------------------------------------------- */

kedge_status store_put_kept(store_txn *txn, const char *model,
                            const store_kept *k, kedge_error *err)
{
    saved_key key;

    PASS(make_key(&key, model, 0, 0, err));
    assert(k->turn <= 1);
    if (memchr(k->method, 0, sizeof k->method) == NULL ||
        memchr(k->options, 0, sizeof k->options) == NULL)
        PASS(kedge_fail(err, KEDGE_EINVAL,
                        "model \"%s\": method or options are too long", model));
    return record_put(txn, set_key(&key), &schemas[KKEP], k, NO_TAIL, err);
}

kedge_status store_get_kept(store_txn *txn, const char *model, store_kept *out,
                            kedge_error *err)
{
    saved_key key;

    PASS(make_key(&key, model, 0, 0, err));
    return record_get(txn, set_key(&key), &schemas[KKEP], out, NULL, err);
}

kedge_status store_drop_portions(store_txn *txn, const char *model,
                                 uint32_t turn, uint64_t most, bool *more,
                                 kedge_error *err)
{
    saved_key key;

    PASS(make_key(&key, model, turn, 0, err));
    return kv_drop_some(txn, portion_key(&key), key.name + 5, most, more, err);
}

kedge_status store_drop_kept(store_txn *txn, const char *model,
                             kedge_error *err)
{
    saved_key key;

    PASS(make_key(&key, model, 0, 0, err));
    return kv_drop(txn, set_key(&key), err);
}

/* ---- portions in memory -------------------------------------------------- */

void store_portion_free(store_portion *p)
{
    mem_free(p->position);
    mem_free(p->tokens);
    mem_free(p->flag);
    mem_free(p->start);
    mem_free(p->topic);
    mem_free(p->units);
    *p = (store_portion){0};
}

void store_portion_clear(store_portion *p)
{
    p->count = 0;
}

/* Arrays that grow alike; their capacity is that of the last. */
static bool grow(void **ptr, size_t capacity, size_t count, size_t size)
{
    return mem_grow(ptr, &capacity, count, size);
}

bool store_portion_grow(store_portion *p, size_t documents, size_t shares)
{
    const size_t d = p->count + documents + 1;
    const size_t e = store_portion_shares(p) + shares;
    const bool done =
        grow((void **)&p->position, p->capacity, d, sizeof *p->position) &&
        grow((void **)&p->tokens, p->capacity, d, sizeof *p->tokens) &&
        grow((void **)&p->flag, p->capacity, d, sizeof *p->flag) &&
        mem_grow((void **)&p->start, &p->capacity, d, sizeof *p->start) &&
        grow((void **)&p->topic, p->share_capacity, e, sizeof *p->topic) &&
        mem_grow((void **)&p->units, &p->share_capacity, e, sizeof *p->units);

    if (done && p->count == 0)
        p->start[0] = 0;
    return done;
}

void store_portion_keep(store_portion *p, const bool *there)
{
    size_t count = 0, at = 0;

    for (size_t m = 0; m < p->count; m++) {
        const size_t from = p->start[m], end = p->start[m + 1];
        if (!there[m])
            continue;
        p->position[count] = p->position[m];
        p->tokens[count] = p->tokens[m];
        p->flag[count] = p->flag[m];
        p->start[count++] = at;
        for (size_t e = from; e < end; e++, at++) {
            p->topic[at] = p->topic[e];
            p->units[at] = p->units[e];
        }
    }
    p->count = count;
    p->start[count] = at;
}

/* ---- portions as they are stored ----------------------------------------- */

static uint8_t *encode(uint8_t *to, const store_portion *p)
{
    const size_t shares = store_portion_shares(p);
    uint64_t next = 0;

    for (size_t m = 0; m < p->count; next = p->position[m++] + 1)
        to = put_varint(to, p->position[m] - next);
    for (size_t m = 0; m < p->count; m++)
        to = put_varint(to, p->tokens[m]);
    for (size_t m = 0; m < p->count; m++)
        *to++ = p->flag[m];
    for (size_t m = 0; m < p->count; m++)
        to = put_varint(to, p->start[m + 1] - p->start[m]);
    for (size_t m = 0; m < p->count; m++)
        to = rising_put(to, p->topic + p->start[m],
                        p->start[m + 1] - p->start[m]);
    for (size_t e = 0; e < shares; e++)
        *to++ = (uint8_t)(p->units[e] - 1);
    for (size_t e = 0; e < shares; e++)
        *to++ = (uint8_t)((p->units[e] - 1) >> 8);
    return to;
}

kedge_status store_put_portion(store_txn *txn, const char *model, uint32_t turn,
                               uint64_t number, const store_portion *p,
                               uint64_t *bytes, kedge_error *err)
{
    const size_t shares = store_portion_shares(p);
    store_frame *const f = kv_scratch(txn);
    frame_head head = {.extra = p->block, .x = (uint32_t)p->count,
                       .y = (uint32_t)shares};
    saved_key key;

    PASS(make_key(&key, model, turn, number, err));
    if (p->count > 2 * STORE_PORTION_DOCUMENTS ||
        shares > 4 * STORE_PORTION_SHARES)
        return kedge_fail(err, KEDGE_EINVAL, "model \"%s\": %zu in one portion",
                          model, p->count);
    PASS(frame_room(f, DOCUMENT_MAX * p->count + SHARE_MAX * shares, err));
    head.plain = (uint32_t)(encode(f->plain, p) - f->plain);
    PASS(frame_close(f, PORTION_TAG, &head, FRAME_LEVEL, err));
    PASS(kv_put_frame(txn, portion_key(&key), f, NULL, err));
    *bytes = f->size;
    return KEDGE_OK;
}

/* False where the bytes are no numbers, too few or too many. */
static bool decode_numbers(const uint8_t *at, const uint8_t *end,
                           store_portion *p, size_t shares, uint64_t topics)
{
    uint64_t next = 0, v = 0;

    for (size_t m = 0; m < p->count; m++) {
        if (!get_varint(&at, end, &v) || v > UINT64_MAX - 1 - next)
            return false;
        p->position[m] = next + v;
        next += v + 1;
    }
    for (size_t m = 0; m < p->count; m++)
        if (!get_varint(&at, end, &p->tokens[m]))
            return false;
    if ((size_t)(end - at) < p->count)
        return false;
    for (size_t m = 0; m < p->count; m++)
        if ((p->flag[m] = *at++) > FLAG_MOST)
            return false;
    p->start[0] = 0;
    for (size_t m = 0; m < p->count; m++) {
        if (!get_varint(&at, end, &v) || v == 0 || v > shares - p->start[m])
            return false;
        p->start[m + 1] = p->start[m] + (size_t)v;
    }
    if (p->start[p->count] != shares)
        return false;
    for (size_t m = 0; m < p->count; m++)
        if (!rising_get(&at, end, topics, p->topic + p->start[m],
                        p->start[m + 1] - p->start[m]))
            return false;
    if ((size_t)(end - at) != 2 * shares)
        return false;
    for (size_t m = 0; m < p->count; m++) { /* shares add up to one */
        uint64_t sum = 0;
        for (size_t e = p->start[m]; e < p->start[m + 1]; e++)
            sum += p->units[e] =
                (at[e] | (uint32_t)at[shares + e] << 8) + 1;
        if (sum != STORE_UNITS)
            return false;
    }
    return true;
}

static kedge_status get(store_txn *txn, kv_key key, uint64_t topics,
                        store_portion *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *plain;
    kv_frame found;
    frame_head head;

    store_portion_clear(out);
    TRY(kv_get_frame(txn, key, PORTION_TAG, &found, err));
    TRY(kv_open_frame(txn, key, PORTION_TAG, &head, err));
    if (head.z != 0 || head.x > head.plain / 4 || head.y > head.plain / 3)
        TRY(kv_damaged(key, err, "sizes"));
    TRY_MEM(store_portion_grow(out, head.x, head.y));
    out->bytes = found.size;
    out->block = head.extra;
    out->count = head.x;
    plain = kv_scratch(txn)->plain;
    if (!decode_numbers(plain, plain + head.plain, out, head.y, topics)) {
        store_portion_clear(out);
        TRY(kv_damaged(key, err, "numbers"));
    }
out:
    return st;
}

kedge_status store_get_portion(store_txn *txn, const char *model,
                               const store_kept *kept, uint64_t number,
                               store_portion *out, kedge_error *err)
{
    kedge_status st;
    saved_key name;
    kv_key key;

    store_portion_clear(out);
    PASS(make_key(&name, model, kept->turn, number, err));
    key = portion_key(&name);
    st = get(txn, key, kept->topics, out, err);
    if (st == KEDGE_ENOTFOUND)
        return kv_damaged(key, err, "gone");
    if (st == KEDGE_OK && out->count > 0 && out->block >= kept->blocks)
        return kv_damaged(key, err, "its block");
    return st;
}

/* ---- the check of a key -------------------------------------------------- */

kedge_status portions_check(store_txn *txn, kv_key key, store_portion *scratch,
                            kedge_error *err)
{
    uint64_t documents = 0, shares = 0;
    char model[NAME_MOST + 1] = "";
    kv_part part[KV_PARTS];
    const size_t parts = kv_split(key, part);
    store_kept kept;

    if (parts == 0 || part->size == 0 || part->size > NAME_MOST)
        return kedge_fail(err, KEDGE_ECORRUPT, "its key is damaged");
    if (parts > 1)
        return get(txn, key, UINT32_MAX, scratch, err);
    memcpy(model, part->text, part->size);
    PASS(store_get_kept(txn, model, &kept, err));
    for (uint64_t i = 0; i < kept.portions; i++) {
        PASS(store_get_portion(txn, model, &kept, i, scratch, err));
        documents += scratch->count;
        shares += store_portion_shares(scratch);
    }
    return documents == kept.documents && shares == kept.shares
               ? KEDGE_OK
               : kv_damaged(key, err,
                            "%" PRIu64 " documents, %" PRIu64 " shares",
                            documents, shares);
}
