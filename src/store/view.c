/* SPDX-License-Identifier: MIT */
/* Records of views: what a sketch is of, and how far it has come. */
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "store/kv.h"
#include "store/lists.h"
#include "store/record.h"

#define VIEW_TAG "KVIE"

/* Fields, the rule's text, the total, parts, how words follow the rule, and
 * bytes for what is to come. */
enum { VIEW_FIELDS = 14, RULE_AT = 8 * VIEW_FIELDS, RULE_SIZE = 160,
       TOTAL_AT = RULE_AT + RULE_SIZE, PARTS_AT = TOTAL_AT + 8,
       ASKED_AT = PARTS_AT + 8, FROZEN_AT = ASKED_AT + 8,
       VIEW_END = FROZEN_AT + 8,
       VIEW_BODY = STORE_VIEW_SIZE };

static_assert(sizeof((store_view *)0)->rule == RULE_SIZE, "a rule's room");
static_assert(VIEW_END <= VIEW_BODY, "fields fit");

void store_write_view(const store_view *v, uint8_t body[STORE_VIEW_SIZE])
{
    const uint64_t fields[VIEW_FIELDS] = {
        v->statistic, v->weight_bits, v->value_bits, v->width,
        v->seed,      v->min_tokens,  v->words,      v->blocks,
        v->documents, v->skipped,     v->tokens,     v->rows,
        v->removals,  v->listed + (uint64_t)v->joined,
    };

    assert(v->listed || !v->joined);
    memset(body, 0, VIEW_BODY);
    record_put_fields(body, fields, VIEW_FIELDS);
    memcpy(body + RULE_AT, v->rule, strnlen(v->rule, RULE_SIZE - 1));
    put_f64(body + TOTAL_AT, v->total);
    put_u64(body + PARTS_AT, v->parts);
    put_u64(body + ASKED_AT, v->asked);
    put_u64(body + FROZEN_AT, v->frozen);
}

kedge_status store_put_view(store_txn *txn, uint32_t number,
                            const store_view *v, kedge_error *err)
{
    uint8_t record[RECORD_SIZE(VIEW_BODY)] = {0};
    uint8_t bytes[4];
    const kv_key key = {DB_VIEWS, bytes, sizeof bytes};

    put_be32(bytes, number);
    store_write_view(v, record + RECORD_HEAD);
    return record_put(txn, key, VIEW_TAG, record, sizeof record, err);
}

kedge_status store_read_view(const uint8_t *body, store_view *out,
                             const char *what, kedge_error *err)
{
    const size_t rule = strnlen((const char *)body + RULE_AT, RULE_SIZE);
    uint64_t f[VIEW_FIELDS];
    const double total = get_f64(body + TOTAL_AT);

    record_get_fields(body, f, VIEW_FIELDS);
    if (f[0] > UINT32_MAX || f[1] > UINT32_MAX || f[2] > UINT32_MAX ||
        f[11] > UINT32_MAX || f[13] > 2 || rule == RULE_SIZE ||
        get_u64(body + FROZEN_AT) > 1 ||
        !(total >= 0 && total < INFINITY))
        return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its fields)",
                          what);
    *out = (store_view){
        .statistic = (uint32_t)f[0], .weight_bits = (uint32_t)f[1],
        .value_bits = (uint32_t)f[2], .width = f[3], .seed = f[4],
        .min_tokens = f[5], .words = f[6], .blocks = f[7],
        .documents = f[8], .skipped = f[9], .tokens = f[10],
        .rows = (uint32_t)f[11], .removals = f[12], .listed = f[13] > 0,
        .joined = f[13] == 2, .total = total,
        .parts = get_u64(body + PARTS_AT),
        .asked = get_u64(body + ASKED_AT),
        .frozen = get_u64(body + FROZEN_AT) == 1,
    };
    memcpy(out->rule, body + RULE_AT, rule);
    return record_zeros(body + VIEW_END, VIEW_BODY - VIEW_END, what, err);
}

/* A statistic and how its integers are scaled go together. */
static bool is_statistic(const store_view *v)
{
    return v->statistic == 0 ? v->weight_bits == 40 && v->value_bits == 0
                             : v->statistic <= 2 && v->weight_bits == 32 &&
                                   v->value_bits == 5;
}

/* What it says is what the store has, and what a writer makes. */
static kedge_status check_view(store_txn *txn, uint32_t number,
                               const store_view *v, const char *what,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_limits limits;
    uint64_t listed = v->words;

    TRY(store_get_limits(txn, &limits, err));
    if (!is_statistic(v))
        TRY(kedge_fail(err, KEDGE_EVERSION,
                       "%s is a sketch of statistic %u with %u and %u bits, "
                       "which was made by another kedge",
                       what, v->statistic, v->weight_bits, v->value_bits));
    if (v->width == 0 || v->width > STORE_WIDTH_MOST || v->min_tokens == 0 ||
        v->min_tokens > STORE_MIN_TOKENS_MOST)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its fields)",
                       what));
    if (v->words > limits.words || v->blocks > limits.blocks ||
        v->removals > limits.removals || v->parts > limits.parts)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "%s is damaged (it is of more than there is)", what));
    if (v->listed) {
        st = lists_count(txn, number, &listed, err);
        if (st == KEDGE_ENOTFOUND)
            st = kedge_fail(err, KEDGE_ECORRUPT,
                            "%s is damaged (its list of words is gone)", what);
        TRY(st);
    }
    if (listed != v->words && (v->words > 0 || store_view_has_rows(v)))
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "%s is damaged (its list has %" PRIu64
                       " words, not %" PRIu64 ")",
                       what, listed, v->words));
out:
    return st;
}

kedge_status store_get_view_record(store_txn *txn, uint32_t number,
                                   store_view *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[4];
    const kv_key key = {DB_VIEWS, bytes, sizeof bytes};
    record_found r;
    char what[48];

    put_be32(bytes, number);
    snprintf(what, sizeof what, "view %u", number);
    TRY(record_get(txn, key, VIEW_BODY, VIEW_TAG, what, &r, err));
    TRY(store_read_view(r.body, out, what, err));
    TRY(check_view(txn, number, out, what, err));
out:
    return st;
}

kedge_status store_next_view(store_txn *txn, uint32_t from, uint32_t *number,
                             store_view *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[4], found[KV_KEY_MAX];
    size_t size;

    put_be32(bytes, from);
    TRY(kv_seek(txn, (kv_key){DB_VIEWS, bytes, sizeof bytes}, found, &size,
                err));
    if (size != sizeof bytes)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "a view's number is damaged"));
    *number = get_be32(found);
    TRY(store_get_view_record(txn, *number, out, err));
out:
    return st;
}

kedge_status store_each_view(store_txn *txn,
                             kedge_status (*visit)(void *data, uint32_t number,
                                                   store_view *v,
                                                   kedge_error *err),
                             void *data, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t number = 0;
    store_view v;

    for (uint64_t from = 0; from <= UINT32_MAX; from = (uint64_t)number + 1) {
        st = store_next_view(txn, (uint32_t)from, &number, &v, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        TRY(visit(data, number, &v, err));
    }
out:
    return st;
}

kedge_status store_drop_view(store_txn *txn, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[4];

    put_be32(bytes, number);
    TRY(kv_drop(txn, (kv_key){DB_VIEWS, bytes, sizeof bytes}, err));
    TRY(store_drop_list(txn, number, err));
    TRY(store_drop_joins(txn, number, err));
    TRY(store_drop_spectra(txn, number, err));
out:
    return st;
}
