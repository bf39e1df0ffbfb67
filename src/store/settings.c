/* SPDX-License-Identifier: MIT */
/*
 * What holds for all that comes into a store: one small record, whose body ends
 * with the stop words, a zero behind each.
 */
#include "store/store.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/kv.h"
#include "store/record.h"

#define SETTINGS_TAG "KSET"

/* Fields, bytes for what is to come, two names, and the words. */
enum {
    SETTINGS_FIELDS = 7,
    STEMMER_AT = 128,
    STEMMER_SIZE = 32,
    STOPWORDS_AT = STEMMER_AT + STEMMER_SIZE,
    STOPWORDS_SIZE = 96,
    TEXT_FIELD_AT = STOPWORDS_AT + STOPWORDS_SIZE,
    ID_FIELD_AT = TEXT_FIELD_AT + 256,
    LABEL_FIELD_AT = ID_FIELD_AT + 128,
    ENCODING_AT = LABEL_FIELD_AT + 128,
    SETTINGS_BODY = ENCODING_AT + 64,
};

#define NAME_OF(at, member)                                                    \
    {                                                                          \
        at, offsetof(store_settings, member),                                  \
            sizeof((store_settings *)0)->member                                \
    }

static const struct {
    size_t at, member, size; /* in the body, in the struct */
} names[] = {
    NAME_OF(STEMMER_AT, stemmer),         NAME_OF(STOPWORDS_AT, stopwords),
    NAME_OF(TEXT_FIELD_AT, text_field),   NAME_OF(ID_FIELD_AT, id_field),
    NAME_OF(LABEL_FIELD_AT, label_field), NAME_OF(ENCODING_AT, encoding),
};
#define NAMES (sizeof names / sizeof *names)

static_assert(sizeof((store_settings *)0)->stemmer == STEMMER_SIZE, "a room");
static_assert(sizeof((store_settings *)0)->stopwords == STOPWORDS_SIZE,
              "a room");
static_assert(8 * SETTINGS_FIELDS <= STEMMER_AT, "fields fit");

static const uint8_t settings_key = META_SETTINGS;
static const char *const what = "record of the settings";

kedge_status store_put_settings(store_txn *txn, const store_settings *t,
                                const words *stop, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kv_key key = {DB_META, &settings_key, 1};
    const size_t count = stop == NULL ? 0 : stop->count;
    const size_t bytes = count == 0 ? 0 : stop->offset[count];
    const size_t size = RECORD_SIZE(SETTINGS_BODY + bytes);
    const uint64_t fields[SETTINGS_FIELDS] = {
        t->texts, t->no_first_view, t->digits, t->shortest,
        t->longest, count, bytes,
    };
    uint8_t *record = NULL, *body;

    TRY_MEM(record = mem_new(size, 1));
    body = record + RECORD_HEAD;
    record_put_fields(body, fields, SETTINGS_FIELDS);
    for (size_t i = 0; i < NAMES; i++) {
        const char *const name = (const char *)t + names[i].member;
        memcpy(body + names[i].at, name, strnlen(name, names[i].size - 1));
    }
    if (bytes > 0)
        memcpy(body + SETTINGS_BODY, stop->bytes, bytes);
    TRY(record_put(txn, key, SETTINGS_TAG, record, size, err));
out:
    mem_free(record);
    return st;
}

static kedge_status damaged(const char *of, kedge_error *err)
{
    return kedge_fail(err, KEDGE_ECORRUPT, "the %s is damaged (its %s)", what,
                      of);
}

/* The words between zeros; `out` NULL: they are only looked at. */
static kedge_status read_words(const char *at, size_t bytes, uint64_t count,
                               words *out, kedge_error *err)
{
    const char *const end = at + bytes;

    for (; at < end; count--) {
        const char *const zero = memchr(at, '\0', (size_t)(end - at));
        if (zero == NULL || zero == at || count == 0)
            return damaged("words", err);
        if (out != NULL && !words_add(out, at, (size_t)(zero - at)))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
        at = zero + 1;
    }
    return count == 0 ? KEDGE_OK : damaged("words", err);
}

static kedge_status read_settings(const uint8_t *body, size_t size,
                                  store_settings *out, words *stop,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t f[SETTINGS_FIELDS];

    record_get_fields(body, f, SETTINGS_FIELDS);
    if (f[0] > 1 || f[1] > 1 || f[2] > 1 || f[6] != size - SETTINGS_BODY)
        return damaged("fields", err);
    *out = (store_settings){.texts = f[0] == 1, .no_first_view = f[1] == 1,
                            .digits = f[2] == 1, .shortest = f[3],
                            .longest = f[4], .stop_count = f[5]};
    for (size_t i = 0; i < NAMES; i++) {
        const char *const name = (const char *)body + names[i].at;
        if (strnlen(name, names[i].size) == names[i].size)
            return damaged("fields", err);
        memcpy((char *)out + names[i].member, name, names[i].size);
    }
    TRY(record_zeros(body + 8 * SETTINGS_FIELDS,
                     STEMMER_AT - 8 * SETTINGS_FIELDS, what, err));
    TRY(read_words((const char *)body + SETTINGS_BODY, (size_t)f[6], f[5],
                   stop, err));
out:
    return st;
}

kedge_status store_get_settings(store_txn *txn, store_settings *out,
                                words *stop, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kv_key key = {DB_META, &settings_key, 1};
    record_found r;

    *out = (store_settings){0};
    st = record_get(txn, key, SIZE_MAX, SETTINGS_TAG, what, &r, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    if (r.size < SETTINGS_BODY)
        TRY(damaged("size", err));
    TRY(read_settings(r.body, r.size, out, stop, err));
out:
    return st;
}
