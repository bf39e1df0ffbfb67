/* SPDX-License-Identifier: MIT */
/*
 * Compositions that are kept with a model: a small record under the model's
 * name tells of the set, big ones under name, zero, turn and number hold them.
 * Before compression, as like numbers side by side compress best:
 *
 *   varints  the first position, then steps to the next, less one
 *   varints  tokens
 *   bytes    flags
 *   varints  shares of each document
 *   varints  of each document the first topic, then steps to the next, less one
 *   bytes    units less one: all low bytes, then all high ones
 */
#include "store/portions.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/record.h"

#define KEPT_TAG    "KKEP"
#define PORTION_TAG "KCOM"

enum { NAME_MAX_ = 63, FLAG_MOST = 4, DOCUMENT_MAX = 3 * VARINT_MAX + 1,
       SHARE_MAX = 5 + 2 };

/* Fields, `moved`, bytes for what is to come, and two texts. */
enum { KEPT_FIELDS = 8, MOVED_AT = 8 * KEPT_FIELDS, SPARE_AT = MOVED_AT + 8,
       METHOD_AT = 96, METHOD_SIZE = 32, OPTIONS_AT = METHOD_AT + METHOD_SIZE,
       OPTIONS_SIZE = 128, KEPT_BODY = OPTIONS_AT + OPTIONS_SIZE };

static_assert(sizeof((store_kept *)0)->method == METHOD_SIZE &&
                  sizeof((store_kept *)0)->options == OPTIONS_SIZE,
              "room for texts");

/* ---- keys ---------------------------------------------------------------- */

typedef struct kept_key {
    uint8_t bytes[KV_KEY_MAX];
    size_t name; /* with its zero */
    char what[128];
} kept_key;

static kedge_status name_key(kept_key *key, const char *model,
                             kedge_error *err)
{
    const size_t size = strlen(model);

    if (size == 0 || size > NAME_MAX_)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a model's name \"%.70s\" needs 1 to %d bytes",
                          model, NAME_MAX_);
    memcpy(key->bytes, model, size + 1);
    key->name = size + 1;
    snprintf(key->what, sizeof key->what, "set of compositions of model \"%s\"",
             model);
    return KEDGE_OK;
}

static kv_key set_key(const kept_key *key)
{
    return (kv_key){DB_KEPT, key->bytes, key->name - 1};
}

static kv_key portion_key(kept_key *key, uint32_t turn, uint64_t number)
{
    put_be32(key->bytes + key->name, turn);
    put_be64(key->bytes + key->name + 4, number);
    return (kv_key){DB_KEPT, key->bytes, key->name + 12};
}

/* ---- the set ------------------------------------------------------------- */

kedge_status store_put_kept(store_txn *txn, const char *model,
                            const store_kept *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t fields[KEPT_FIELDS] = {
        k->serial, k->topics,   k->turn,  k->documents,
        k->blocks, k->portions, k->bytes, k->shares,
    };
    uint8_t record[RECORD_SIZE(KEPT_BODY)] = {0};
    uint8_t *const body = record + RECORD_HEAD;
    kept_key key;

    TRY(name_key(&key, model, err));
    assert(k->turn <= 1);
    if (strnlen(k->method, METHOD_SIZE) == METHOD_SIZE ||
        strnlen(k->options, OPTIONS_SIZE) == OPTIONS_SIZE)
        TRY(kedge_fail(err, KEDGE_EINVAL, "%s: method or options are too long",
                       key.what));
    record_put_fields(body, fields, KEPT_FIELDS);
    put_f64(body + MOVED_AT, k->moved);
    memcpy(body + METHOD_AT, k->method, strlen(k->method));
    memcpy(body + OPTIONS_AT, k->options, strlen(k->options));
    TRY(record_put(txn, set_key(&key), KEPT_TAG, record, sizeof record, err));
out:
    return st;
}

/* A text and the zeros after it. */
static kedge_status read_text(const uint8_t *from, size_t room, char *out,
                              const char *what, kedge_error *err)
{
    const size_t size = strnlen((const char *)from, room);

    if (size == room)
        return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (a text)",
                          what);
    memcpy(out, from, size);
    return record_zeros(from + size, room - size, what, err);
}

static kedge_status read_kept(const uint8_t *body, store_kept *out,
                              const char *what, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t f[KEPT_FIELDS];

    record_get_fields(body, f, KEPT_FIELDS);
    *out = (store_kept){
        .serial = f[0], .topics = f[1], .turn = (uint32_t)f[2],
        .documents = f[3], .blocks = f[4], .portions = f[5], .bytes = f[6],
        .shares = f[7], .moved = get_f64(body + MOVED_AT),
    };
    if (f[1] == 0 || f[1] > UINT32_MAX || f[2] > 1 ||
        !(out->moved >= 0 && out->moved < INFINITY))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (fields)", what));
    TRY(record_zeros(body + SPARE_AT, METHOD_AT - SPARE_AT, what, err));
    TRY(read_text(body + METHOD_AT, METHOD_SIZE, out->method, what, err));
    TRY(read_text(body + OPTIONS_AT, OPTIONS_SIZE, out->options, what, err));
out:
    return st;
}

kedge_status store_get_kept(store_txn *txn, const char *model, store_kept *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    record_found r;
    kept_key key;

    TRY(name_key(&key, model, err));
    TRY(record_get(txn, set_key(&key), KEPT_BODY, KEPT_TAG, key.what, &r, err));
    TRY(read_kept(r.body, out, key.what, err));
out:
    return st;
}

kedge_status store_drop_portions(store_txn *txn, const char *model,
                                 uint32_t turn, uint64_t most, bool *more,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t found[KV_KEY_MAX];
    kv_key from;
    kept_key key;
    size_t size;

    *more = false;
    TRY(name_key(&key, model, err));
    from = portion_key(&key, turn, 0);
    for (uint64_t i = 0; i <= most; i++) {
        st = kv_seek(txn, from, found, &size, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        if (size < key.name + 4 ||
            memcmp(found, key.bytes, key.name + 4) != 0)
            return KEDGE_OK;
        *more = i == most;
        if (!*more)
            TRY(kv_drop(txn, (kv_key){DB_KEPT, found, size}, err));
    }
out:
    return st;
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

kedge_status store_drop_kept(store_txn *txn, const char *model,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kept_key key;

    TRY(name_key(&key, model, err));
    TRY(kv_drop(txn, set_key(&key), err));
out:
    return st;
}

kedge_status store_get_kept_name(store_txn *txn, uint64_t i, char out[64],
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t from[KV_KEY_MAX + 1] = {0}, found[KV_KEY_MAX];
    size_t size = 1, name;

    do {
        TRY(kv_seek(txn, (kv_key){DB_KEPT, from, size}, found, &size, err));
        name = strnlen((const char *)found, size);
        if (name == 0 || name > NAME_MAX_)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "a name of kept compositions is damaged"));
        memcpy(from, found, name);
        from[name] = 1; /* after all that is under name and zero */
        size = name + 1;
    } while (i-- > 0);
    memcpy(out, found, name);
    out[name] = '\0';
out:
    return st;
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
static bool grow(void **array, size_t capacity, size_t count, size_t size)
{
    return mem_grow(array, &capacity, count, size);
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

/* ---- portions as they are stored ----------------------------------------- */

static uint8_t *encode_topics(uint8_t *to, const store_portion *p)
{
    for (size_t m = 0; m < p->count; m++) {
        uint32_t next = 0;
        for (size_t e = p->start[m]; e < p->start[m + 1]; e++) {
            assert(p->topic[e] >= next);
            to = put_varint(to, p->topic[e] - next);
            next = p->topic[e] + 1;
        }
    }
    return to;
}

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
    to = encode_topics(to, p);
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
    kedge_status st = KEDGE_OK;
    const size_t shares = store_portion_shares(p);
    store_frame *const f = kv_scratch(txn);
    frame_head head = {.extra = p->block, .x = (uint32_t)p->count,
                       .y = (uint32_t)shares};
    kept_key key;

    TRY(name_key(&key, model, err));
    if (p->count > 2 * STORE_PORTION_DOCUMENTS ||
        shares > 4 * STORE_PORTION_SHARES)
        TRY(kedge_fail(err, KEDGE_EINVAL, "%s: %zu in one portion", key.what,
                       p->count));
    TRY(frame_room(f, DOCUMENT_MAX * p->count + SHARE_MAX * shares, err));
    head.plain = (uint32_t)(encode(f->plain, p) - f->plain);
    TRY(frame_close(f, PORTION_TAG, &head, FRAME_LEVEL, err));
    TRY(kv_put_frame(txn, portion_key(&key, turn, number), f, NULL, err));
    *bytes = f->size;
out:
    return st;
}

/* Positions rise, from 1; where bytes are no numbers or too few, false. */
static bool decode_documents(const uint8_t **at, const uint8_t *end,
                             store_portion *p)
{
    uint64_t next = 0, v = 0;

    for (size_t m = 0; m < p->count; m++) {
        if (!get_varint(at, end, &v) || v > UINT64_MAX - 1 - next)
            return false;
        p->position[m] = next + v;
        next += v + 1;
    }
    for (size_t m = 0; m < p->count; m++)
        if (!get_varint(at, end, &p->tokens[m]))
            return false;
    if ((size_t)(end - *at) < p->count)
        return false;
    memcpy(p->flag, *at, p->count);
    *at += p->count;
    for (size_t m = 0; m < p->count; m++)
        if (p->flag[m] > FLAG_MOST)
            return false;
    return true;
}

static bool decode_counts(const uint8_t **at, const uint8_t *end,
                          store_portion *p, size_t shares)
{
    uint64_t v = 0;

    p->start[0] = 0;
    for (size_t m = 0; m < p->count; m++) {
        if (!get_varint(at, end, &v) || v == 0 || v > shares - p->start[m])
            return false;
        p->start[m + 1] = p->start[m] + (size_t)v;
    }
    return p->start[p->count] == shares;
}

static bool decode_topics(const uint8_t **at, const uint8_t *end,
                          store_portion *p, uint64_t topics)
{
    uint64_t v = 0;

    for (size_t m = 0; m < p->count; m++) {
        uint64_t next = 0;
        for (size_t e = p->start[m]; e < p->start[m + 1]; e++) {
            if (!get_varint(at, end, &v) || next >= topics ||
                v >= topics - next)
                return false;
            p->topic[e] = (uint32_t)(next + v);
            next += v + 1;
        }
    }
    return true;
}

/* All that is left; each document's shares add up to one. */
static bool decode_units(const uint8_t *at, const uint8_t *end,
                         store_portion *p)
{
    const size_t shares = store_portion_shares(p);

    if ((size_t)(end - at) != 2 * shares)
        return false;
    for (size_t e = 0; e < shares; e++)
        p->units[e] = (at[e] | (uint32_t)at[shares + e] << 8) + 1;
    for (size_t m = 0; m < p->count; m++) {
        uint64_t sum = 0;
        for (size_t e = p->start[m]; e < p->start[m + 1]; e++)
            sum += p->units[e];
        if (sum != STORE_UNITS)
            return false;
    }
    return true;
}

static kedge_status decode(const uint8_t *at, const frame_head *head,
                           uint64_t topics, store_portion *out,
                           const char *what, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *const end = at + head->plain;

    store_portion_clear(out);
    if (head->z != 0 || head->x > head->plain / 4 ||
        head->y > head->plain / 3)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (sizes)", what));
    TRY_MEM(store_portion_grow(out, head->x, head->y) ? out : NULL);
    out->block = head->extra;
    out->count = head->x;
    if (!decode_documents(&at, end, out) ||
        !decode_counts(&at, end, out, head->y) ||
        !decode_topics(&at, end, out, topics) || !decode_units(at, end, out)) {
        store_portion_clear(out);
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (numbers)", what));
    }
out:
    return st;
}

static kedge_status get(store_txn *txn, kept_key *key, uint32_t turn,
                        uint64_t number, uint64_t topics, store_portion *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    const size_t used = strlen(key->what);
    kv_frame found;
    frame_head head;

    snprintf(key->what + used, sizeof key->what - used, ", portion %" PRIu64,
             number);
    TRY(kv_get_frame(txn, portion_key(key, turn, number), PORTION_TAG,
                     key->what, &found, err));
    TRY(frame_open(f, found.bytes, found.size, PORTION_TAG, key->what, &head,
                   err));
    out->bytes = found.size;
    TRY(decode(f->plain, &head, topics, out, key->what, err));
out:
    return st;
}

kedge_status store_get_portion(store_txn *txn, const char *model,
                               const store_kept *kept, uint64_t number,
                               store_portion *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kept_key key;

    store_portion_clear(out);
    TRY(name_key(&key, model, err));
    st = get(txn, &key, kept->turn, number, kept->topics, out, err);
    if (st == KEDGE_ENOTFOUND)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (gone)",
                       key.what));
    TRY(st);
    if (out->count > 0 && out->block >= kept->blocks)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "%s is damaged (block %" PRIu64 ")", key.what,
                       out->block));
out:
    return st;
}

/* ---- one key ------------------------------------------------------------- */

kedge_status portions_check(store_txn *txn, const uint8_t *bytes, size_t size,
                            store_portion *scratch, char what[128],
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t name = strnlen((const char *)bytes, size);
    char model[NAME_MAX_ + 1] = "";
    store_kept kept;
    kept_key key;

    if (name == 0 || name > NAME_MAX_ || (name != size && name + 13 != size))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "its key is damaged"));
    memcpy(model, bytes, name);
    TRY(name_key(&key, model, err));
    memcpy(what, key.what, sizeof key.what);
    if (name == size)
        return store_get_kept(txn, model, &kept, err);
    st = get(txn, &key, get_be32(bytes + name + 1), get_be64(bytes + name + 5),
             UINT32_MAX, scratch, err);
    memcpy(what, key.what, sizeof key.what);
out:
    return st;
}

kedge_status portions_check_set(store_txn *txn, const char *model,
                                store_portion *scratch, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t documents = 0, shares = 0;
    store_kept kept;

    TRY(store_get_kept(txn, model, &kept, err));
    for (uint64_t i = 0; i < kept.portions; i++) {
        TRY(store_get_portion(txn, model, &kept, i, scratch, err));
        documents += scratch->count;
        shares += store_portion_shares(scratch);
    }
    if (documents != kept.documents || shares != kept.shares)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "set of compositions of model \"%s\" is damaged (%"
                       PRIu64 " documents, %" PRIu64 " shares)", model,
                       documents, shares));
out:
    return st;
}
