/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ops/parts/parts.h"
#include "cooccur/statistic.h"

#define FACTS_TAG "KPAR"
#define CUT_TAG   "KSET"
#define PARTS_TAG "KPRT"
#define VIEWS_TAG "KVIE"
#define WORDS_TAG "KWRD"
#define LIST_TAG  "KLST"

/* Words and places in a record. */
#define WORDS_CHUNK ((size_t)4096)
#define LIST_CHUNK  ((size_t)65536)

/* Of all words of a part: more is damage, and sums with it would overflow. */
#define WORD_BYTES_MOST (UINT64_C(1) << 40)

/* ---- records are tables of fields ---------------------------------------- */

/* Numbers are 64 bits in the record, whatever they are here; a text has so many
 * bytes in both, the last of them zero. */
typedef enum kind { U64, U32, SIZE, FLAG, TEXT } kind;

typedef struct field {
    kind kind;
    size_t at;     /* in the struct */
    uint64_t most; /* of a number; bytes of a text */
} field;

#define FACT(kind, name, most) {kind, offsetof(part_facts, name), most}
#define CUT(kind, name, most)  {kind, offsetof(store_settings, name), most}
#define PART(kind, name, most) {kind, offsetof(store_part, name), most}
#define VIEW(kind, name, most) {kind, offsetof(part_view, name), most}

static const field facts_fields[] = {
    FACT(U64, documents, UINT64_MAX), FACT(U64, tokens, UINT64_MAX),
    FACT(U64, nonzeros, UINT64_MAX),  FACT(U64, digest[0], UINT64_MAX),
    FACT(U64, digest[1], UINT64_MAX), FACT(U64, words, UINT32_MAX - 1),
    FACT(U64, word_bytes, WORD_BYTES_MOST),
    FACT(SIZE, parts, PART_STORES_MOST), FACT(SIZE, views, PART_VIEWS_MOST)};

static const field cut_fields[] = {
    CUT(FLAG, texts, 1),            CUT(FLAG, digits, 1),
    CUT(U64, shortest, UINT64_MAX), CUT(U64, longest, UINT64_MAX),
    CUT(U64, stop_count, UINT64_MAX),
    CUT(TEXT, stemmer, 32),         CUT(TEXT, stopwords, 96)};

static const field part_fields[] = {
    PART(TEXT, name, 64),             PART(U64, digest[0], UINT64_MAX),
    PART(U64, digest[1], UINT64_MAX), PART(U64, documents, UINT64_MAX),
    PART(U64, tokens, UINT64_MAX),    PART(U64, nonzeros, UINT64_MAX)};

static const field view_fields[] = {
    VIEW(U32, number, UINT32_MAX / 2 - 1),
    VIEW(U32, view.statistic, UINT32_MAX),
    VIEW(U32, view.weight_bits, UINT32_MAX),
    VIEW(U32, view.value_bits, UINT32_MAX),
    VIEW(U64, view.width, 8192),
    VIEW(U64, view.seed, UINT64_MAX),
    VIEW(U64, view.min_tokens, UINT64_MAX),
    VIEW(U64, view.words, UINT64_MAX),
    VIEW(U64, view.documents, UINT64_MAX),
    VIEW(U64, view.skipped, UINT64_MAX),
    VIEW(U64, view.tokens, UINT64_MAX),
    VIEW(FLAG, view.listed, 1),
    VIEW(TEXT, view.rule, 160)};

typedef struct table {
    const field *field;
    size_t count, size; /* of a record's bytes */
} table;

#define TABLE(fields, size) {fields, sizeof(fields) / sizeof *(fields), size}

static const table facts_table = TABLE(facts_fields, 72);
static const table cut_table = TABLE(cut_fields, 168);
static const table part_table = TABLE(part_fields, 104);
static const table view_table = TABLE(view_fields, 256);

static void put_record(const table *t, const void *from, uint8_t *to)
{
    for (const field *f = t->field; f < t->field + t->count; f++) {
        const char *const value = (const char *)from + f->at;
        uint64_t number = 0;
        switch (f->kind) {
        case U64: number = *(const uint64_t *)(const void *)value; break;
        case U32: number = *(const uint32_t *)(const void *)value; break;
        case SIZE: number = *(const size_t *)(const void *)value; break;
        case FLAG: number = *(const bool *)value; break;
        case TEXT:
            memset(to, 0, f->most);
            memcpy(to, value, strnlen(value, f->most - 1));
            to += f->most;
            continue;
        }
        put_u64(to, number);
        to += 8;
    }
}

/* Fields of the struct that are in the table; false where one is too large. */
static bool get_record(const table *t, const uint8_t *from, void *to)
{
    for (const field *f = t->field; f < t->field + t->count; f++) {
        char *const value = (char *)to + f->at;
        if (f->kind == TEXT) {
            memcpy(value, from, f->most);
            from += f->most;
            if (value[f->most - 1] != '\0')
                return false;
            continue;
        }
        const uint64_t number = get_u64(from);
        from += 8;
        if (number > f->most)
            return false;
        switch (f->kind) {
        case U64: *(uint64_t *)(void *)value = number; break;
        case U32: *(uint32_t *)(void *)value = (uint32_t)number; break;
        case SIZE: *(size_t *)(void *)value = (size_t)number; break;
        case FLAG: *(bool *)value = number == 1; break;
        case TEXT: break;
        }
    }
    return true;
}

static kedge_status damaged(const char *what, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EFORMAT, "it is damaged (%s)", what);
}

/* So many structs of `stride` bytes, a record each. */
static kedge_status put_records(parcel_out *to, const char *tag,
                                const table *t, const void *from, size_t count,
                                size_t stride, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t *plain;

    TRY(parcel_room(to, count * t->size, &plain, err));
    for (size_t i = 0; i < count; i++)
        put_record(t, (const char *)from + i * stride, plain + i * t->size);
    TRY(parcel_put(to, tag, (uint32_t)count, count * t->size, err));
out:
    return st;
}

static kedge_status get_records(parcel_in *from, const char *tag,
                                const table *t, void *to, size_t count,
                                size_t stride, const char *what,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    TRY(parcel_next(from, tag, &things, &plain, &size, err));
    if (things != count || size != count * t->size)
        TRY(damaged(what, err));
    for (size_t i = 0; i < count; i++)
        if (!get_record(t, plain + i * t->size, (char *)to + i * stride))
            TRY(damaged(what, err));
out:
    return st;
}

/* ---- facts --------------------------------------------------------------- */

/* With stop words behind, a zero behind each. */
static kedge_status put_settings(parcel_out *to, const text_settings *c,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t bytes = words_bytes(&c->stop);
    store_settings settings = c->settings;
    uint8_t *plain;

    settings.stop_count = c->stop.count;
    TRY(parcel_room(to, cut_table.size + bytes, &plain, err));
    put_record(&cut_table, &settings, plain);
    if (bytes > 0)
        memcpy(plain + cut_table.size, c->stop.bytes, bytes);
    TRY(parcel_put(to, CUT_TAG, 1, cut_table.size + bytes, err));
out:
    return st;
}

static kedge_status get_settings(parcel_in *from, text_settings *c,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *at, *end;
    uint32_t things;
    size_t size;

    TRY(parcel_next(from, CUT_TAG, &things, &at, &size, err));
    if (size < cut_table.size || !get_record(&cut_table, at, &c->settings))
        TRY(damaged("its settings", err));
    end = at + size;
    at += cut_table.size;
    while (at < end) {
        const uint8_t *const zero = memchr(at, 0, (size_t)(end - at));
        if (zero == NULL || zero == at ||
            c->stop.count == c->settings.stop_count)
            TRY(damaged("its stop words", err));
        TRY_MEM(words_add(&c->stop, (const char *)at, (size_t)(zero - at)));
        at = zero + 1;
    }
    if (c->stop.count != c->settings.stop_count)
        TRY(damaged("its stop words", err));
out:
    return st;
}

kedge_status part_put_facts(parcel_out *to, const part_facts *f,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(put_records(to, FACTS_TAG, &facts_table, f, 1, sizeof *f, err));
    TRY(put_settings(to, &f->tokenizing, err));
    TRY(put_records(to, PARTS_TAG, &part_table, f->part, f->parts,
                    sizeof *f->part, err));
    TRY(put_records(to, VIEWS_TAG, &view_table, f->view, f->views,
                    sizeof *f->view, err));
out:
    return st;
}

/* What is the store's own is what parts leave of its totals. */
static kedge_status check_parts(const part_facts *f, kedge_error *err)
{
    store_part sum = {.documents = 0};

    for (size_t i = 0; i < f->parts; i++) {
        const store_part *const p = &f->part[i];
        if (p->name[0] == '\0')
            return damaged("the name of a part", err);
        sum.documents += p->documents;
        sum.tokens += p->tokens;
        sum.nonzeros += p->nonzeros;
        sum.digest[0] += p->digest[0];
        sum.digest[1] += p->digest[1];
    }
    return sum.documents == f->documents && sum.tokens == f->tokens &&
                   sum.nonzeros == f->nonzeros &&
                   sum.digest[0] == f->digest[0] &&
                   sum.digest[1] == f->digest[1]
               ? KEDGE_OK
               : damaged("the sums of its parts", err);
}

/* A view without a list has a row for each word. */
static kedge_status check_views(const part_facts *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < f->views; i++) {
        const store_view *const v = &f->view[i].view;
        if (v->width < 1 || v->words > f->words ||
            (!v->listed && v->words != f->words))
            TRY(damaged("a view", err));
        TRY(statistic_check(v->statistic, v->weight_bits, v->value_bits, err));
    }
out:
    return st;
}

kedge_status part_get_facts(parcel_in *from, part_facts *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    part_facts told = {0};

    TRY(get_records(from, FACTS_TAG, &facts_table, &told, 1, sizeof told,
                    "its totals", err));
    if ((told.documents == 0) != (told.parts == 0) ||
        (told.documents == 0 && (told.tokens | told.nonzeros | told.words |
                                 told.word_bytes | told.views) != 0))
        TRY(damaged("its totals", err));
    *out = told;
    TRY(get_settings(from, &out->tokenizing, err));
    TRY_MEM(out->part = mem_new(out->parts, sizeof *out->part));
    TRY(get_records(from, PARTS_TAG, &part_table, out->part, out->parts,
                    sizeof *out->part, "its parts", err));
    TRY(check_parts(out, err));
    TRY_MEM(out->view = mem_new(out->views, sizeof *out->view));
    TRY(get_records(from, VIEWS_TAG, &view_table, out->view, out->views,
                    sizeof *out->view, "its views", err));
    TRY(check_views(out, err));
out:
    return st;
}

/* ---- words --------------------------------------------------------------- */

static size_t chunk_of(size_t all, size_t from, size_t most)
{
    return all - from < most ? all - from : most;
}

kedge_status part_put_words(parcel_out *to, const part_words *p,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *const w = &p->w;
    uint8_t *plain, *at;

    for (size_t from = 0; from < w->count; from += WORDS_CHUNK) {
        const size_t n = chunk_of(w->count, from, WORDS_CHUNK);
        const size_t text = w->offset[from + n] - w->offset[from];
        TRY(parcel_room(to, 3 * VARINT_MAX * n + text, &plain, err));
        at = plain;
        for (size_t i = from; i < from + n; i++) {
            at = put_varint(at, words_size(w, i));
            at = put_varint(at, p->tf[i]);
            at = put_varint(at, p->df[i]);
        }
        for (size_t i = from; i < from + n; i++) {
            memcpy(at, words_get(w, i), words_size(w, i));
            at += words_size(w, i);
        }
        TRY(parcel_put(to, WORDS_TAG, (uint32_t)n, (size_t)(at - plain),
                       err));
    }
out:
    return st;
}

/* Words rise, so that none comes twice. */
static kedge_status add_word(words *out, const uint8_t *word, uint64_t size,
                             kedge_error *err)
{
    const size_t last = out->count;

    if (last > 0 &&
        compare_bytes(words_get(out, last - 1), words_size(out, last - 1),
                      (const char *)word, size) >= 0)
        return damaged("the order of its words", err);
    if (!words_add(out, (const char *)word, size))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    return KEDGE_OK;
}

/* A record's words, after their sizes and counts. */
static kedge_status get_chunk(const uint8_t *plain, size_t size, size_t n,
                              part_words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *at = plain, *text, *const end = plain + size;
    const size_t first = out->w.count;
    uint64_t length, skip;

    for (size_t i = first; i < first + n; i++)
        if (!get_varint(&at, end, &length) ||
            !get_varint(&at, end, &out->tf[i]) ||
            !get_varint(&at, end, &out->df[i]))
            return damaged("counts of words", err);
    text = at;
    at = plain;
    for (size_t i = 0; i < n; i++) {
        if (!get_varint(&at, end, &length) || !get_varint(&at, end, &skip) ||
            !get_varint(&at, end, &skip) || length > (uint64_t)(end - text))
            return damaged("its words", err);
        TRY(add_word(&out->w, text, length, err));
        text += length;
    }
    if (text != end)
        TRY(damaged("its words", err));
out:
    return st;
}

kedge_status part_get_words(parcel_in *from, size_t count, uint64_t bytes,
                            part_words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    TRY(part_words_room(out, count, err));
    while (out->w.count < count) {
        const size_t n = chunk_of(count, out->w.count, WORDS_CHUNK);
        TRY(parcel_next(from, WORDS_TAG, &things, &plain, &size, err));
        if (things != n)
            TRY(damaged("its words", err));
        TRY(get_chunk(plain, size, n, out, err));
        if (words_bytes(&out->w) > bytes)
            TRY(damaged("the size of its words", err));
    }
out:
    return st;
}

kedge_status part_check_words(const part_facts *f, const part_words *p,
                              kedge_error *err)
{
    uint64_t tokens = 0, nonzeros = 0;

    for (size_t i = 0; i < p->w.count; i++) {
        if (p->df[i] == 0 || p->tf[i] < p->df[i])
            return damaged("counts of words", err);
        tokens += p->tf[i];
        nonzeros += p->df[i];
    }
    return tokens == f->tokens && nonzeros == f->nonzeros
               ? KEDGE_OK
               : damaged("the sums of its counts", err);
}

/* ---- lists --------------------------------------------------------------- */

kedge_status part_put_list(parcel_out *to, const uint32_t *place,
                           size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t next = 0; /* the least place that may come */
    uint8_t *plain, *at;

    for (size_t from = 0; from < count; from += LIST_CHUNK) {
        const size_t n = chunk_of(count, from, LIST_CHUNK);
        TRY(parcel_room(to, VARINT_MAX * n, &plain, err));
        at = plain;
        for (size_t i = from; i < from + n; next = place[i++] + 1)
            at = put_varint(at, place[i] - next);
        TRY(parcel_put(to, LIST_TAG, (uint32_t)n, (size_t)(at - plain), err));
    }
out:
    return st;
}

kedge_status part_get_list(parcel_in *from, uint64_t known, uint32_t *place,
                           size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t next = 0, step = 0;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    for (size_t at = 0; at < count; at += LIST_CHUNK) {
        const size_t n = chunk_of(count, at, LIST_CHUNK);
        TRY(parcel_next(from, LIST_TAG, &things, &plain, &size, err));
        const uint8_t *const end = plain + size;
        if (things != n)
            TRY(damaged("a list of words", err));
        for (size_t i = at; i < at + n; i++) {
            if (!get_varint(&plain, end, &step) || step >= known ||
                next + step >= known)
                TRY(damaged("a list of words", err));
            place[i] = (uint32_t)(next + step);
            next += step + 1;
        }
        if (plain != end)
            TRY(damaged("a list of words", err));
    }
out:
    return st;
}
