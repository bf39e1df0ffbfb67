/* SPDX-License-Identifier: MIT */
/* Records of views: what a sketch is of, and how far it has come. */
#include "store/store.h"

#include <assert.h>
#include <stdio.h>

#include "base/bytes.h"
#include "store/env.h"
#include "store/record.h"

#define VIEW_TAG "KVIE"

/* What is left over is for curated vocabularies and further statistics. */
enum { VIEW_FIELDS = 12, VIEW_BODY = 192 };

static_assert(VIEW_FIELDS * 8 <= VIEW_BODY, "fields fit");

kedge_status store_put_view(store *s, uint32_t number, const store_view *v,
                            kedge_error *err)
{
    const uint64_t fields[VIEW_FIELDS] = {
        v->statistic, v->weight_bits, v->value_bits, v->width,
        v->seed,      v->min_tokens,  v->words,      v->blocks,
        v->documents, v->skipped,     v->tokens,     v->rows,
    };
    uint8_t record[RECORD_SIZE(VIEW_BODY)] = {0};
    uint8_t bytes[4];
    const env_key key = {DB_VIEWS, bytes, sizeof bytes};

    put_be32(bytes, number);
    record_put_fields(record + RECORD_HEAD, fields, VIEW_FIELDS);
    record_seal(record, sizeof record, VIEW_TAG, env_place(key));
    return env_put(s, key, record, sizeof record, err);
}

static kedge_status read_view(const uint8_t *body, store_view *out,
                              const char *what, kedge_error *err)
{
    uint64_t f[VIEW_FIELDS];

    record_get_fields(body, f, VIEW_FIELDS);
    if (f[0] > UINT32_MAX || f[1] > UINT32_MAX || f[2] > UINT32_MAX ||
        f[11] > UINT32_MAX)
        return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its fields)",
                          what);
    *out = (store_view){
        .statistic = (uint32_t)f[0], .weight_bits = (uint32_t)f[1],
        .value_bits = (uint32_t)f[2], .width = f[3], .seed = f[4],
        .min_tokens = f[5], .words = f[6], .blocks = f[7],
        .documents = f[8], .skipped = f[9], .tokens = f[10],
        .rows = (uint32_t)f[11],
    };
    return record_zeros(body + 8 * VIEW_FIELDS, VIEW_BODY - 8 * VIEW_FIELDS,
                        what, err);
}

kedge_status store_get_view_record(store *s, uint32_t number, store_view *out,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[4];
    const env_key key = {DB_VIEWS, bytes, sizeof bytes};
    const uint8_t *record;
    size_t size;
    char what[48];

    put_be32(bytes, number);
    snprintf(what, sizeof what, "view %u", number);
    TRY(env_get(s, key, what, &record, &size, err));
    TRY(record_check(record, size, VIEW_BODY, VIEW_TAG, env_place(key), what,
                     err));
    TRY(read_view(record + RECORD_HEAD, out, what, err));
out:
    return st;
}
