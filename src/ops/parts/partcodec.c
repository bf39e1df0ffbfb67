/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/statistic.h"
#include "ops/parts/parts.h"
#include "store/schema.h"

#define WORDS_TAG "KWRD"
#define LIST_TAG  "KLST"

/* Words and places in a record. */
#define WORDS_CHUNK ((size_t)4096)
#define LIST_CHUNK  ((size_t)65536)

/* Of all words of a part: more is damage, and sums with it would overflow. */
#define WORD_BYTES_MOST (UINT64_C(1) << 40)

/* ---- records are tables of fields (store/schema.h) ----------------------- */

static const field facts_fields[] = {
    FIELD(part_facts, documents),
    FIELD(part_facts, tokens),
    FIELD(part_facts, nonzeros),
    FIELD(part_facts, digest[0]),
    FIELD(part_facts, digest[1]),
    FIELD_IN(part_facts, words, 0, UINT32_MAX - 1),
    FIELD_IN(part_facts, word_bytes, 0, WORD_BYTES_MOST),
    FIELD_IN(part_facts, parts, 0, PART_STORES_MOST),
    FIELD_IN(part_facts, indexes, 0, PART_INDEXES_MOST),
};

static const field settings_fields[] = {
    FIELD(store_settings, texts),
    FIELD(store_settings, digits),
    FIELD(store_settings, shortest),
    FIELD(store_settings, longest),
    FIELD(store_settings, stop_count),
    FIELD(store_settings, stemmer),
    FIELD(store_settings, stopwords),
};

static const field part_fields[] = {
    FIELD(store_part, name),
    FIELD(store_part, digest[0]),
    FIELD(store_part, digest[1]),
    FIELD(store_part, documents),
    FIELD(store_part, tokens),
    FIELD(store_part, nonzeros),
};

static const field index_fields[] = {
    FIELD_IN(part_index, number, 0, UINT32_MAX / 2 - 1),
    FIELD(part_index, index.statistic),
    FIELD(part_index, index.weight_bits),
    FIELD(part_index, index.value_bits),
    FIELD_IN(part_index, index.width, 1, STORE_WIDTH_MOST),
    FIELD(part_index, index.seed),
    FIELD(part_index, index.min_tokens),
    FIELD(part_index, index.words),
    FIELD(part_index, index.documents),
    FIELD(part_index, index.skipped),
    FIELD(part_index, index.tokens),
    FIELD(part_index, index.listed),
    FIELD(part_index, index.rule),
};

#define SCHEMA(tag, fields) {tag, fields, sizeof fields / sizeof *fields}

static const schema facts_schema = SCHEMA("KPAR", facts_fields);
static const schema settings_schema = SCHEMA("KSET", settings_fields);
static const schema part_schema = SCHEMA("KPRT", part_fields);
static const schema index_schema = SCHEMA("KVIE", index_fields);

static kedge_status damaged(const char *what, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EFORMAT, "it is damaged (%s)", what);
}

/* An array of structs of `stride` bytes, all in one record of the parcel. */
static kedge_status put_records(parcel_out *to, const schema *s,
                                const void *from, size_t count, size_t stride,
                                kedge_error *err)
{
    const size_t size = schema_size(s);
    uint8_t *plain;

    PASS(parcel_room(to, count * size, &plain, err));
    for (size_t i = 0; i < count; i++)
        schema_write(s, (const char *)from + i * stride, plain + i * size);
    return parcel_put(to, s->tag, (uint32_t)count, count * size, err);
}

static kedge_status get_records(parcel_in *from, const schema *s, void *to,
                                size_t count, size_t stride, const char *what,
                                kedge_error *err)
{
    const size_t each = schema_size(s);
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    PASS(parcel_next(from, s->tag, &things, &plain, &size, err));
    if (things != count || size != count * each)
        return damaged(what, err);
    for (size_t i = 0; i < count; i++)
        if (schema_read(s, plain + i * each, (char *)to + i * stride, what,
                        NULL) != KEDGE_OK)
            return damaged(what, err);
    return KEDGE_OK;
}

/* ---- facts --------------------------------------------------------------- */

/* The fields, then the stop words, each closed by a zero. */
static kedge_status put_settings(parcel_out *to, const text_settings *c,
                                 kedge_error *err)
{
    const size_t front = schema_size(&settings_schema);
    const size_t bytes = words_bytes(&c->stop);
    store_settings settings = c->settings;
    uint8_t *plain;

    settings.stop_count = c->stop.count;
    PASS(parcel_room(to, front + bytes, &plain, err));
    schema_write(&settings_schema, &settings, plain);
    if (bytes > 0)
        memcpy(plain + front, c->stop.bytes, bytes);
    return parcel_put(to, settings_schema.tag, 1, front + bytes, err);
}

static kedge_status get_settings(parcel_in *from, text_settings *c,
                                 kedge_error *err)
{
    const size_t front = schema_size(&settings_schema);
    const uint8_t *at, *end;
    uint32_t things;
    size_t size;

    PASS(parcel_next(from, settings_schema.tag, &things, &at, &size, err));
    if (size < front ||
        schema_read(&settings_schema, at, &c->settings, "", NULL) != KEDGE_OK)
        return damaged("its settings", err);
    end = at + size;
    at += front;
    while (at < end) {
        const uint8_t *const zero = memchr(at, 0, (size_t)(end - at));
        if (zero == NULL || zero == at ||
            c->stop.count == c->settings.stop_count)
            return damaged("its stop words", err);
        if (!words_add(&c->stop, (const char *)at, (size_t)(zero - at)))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (stop words)");
        at = zero + 1;
    }
    return c->stop.count == c->settings.stop_count
               ? KEDGE_OK
               : damaged("its stop words", err);
}

kedge_status part_put_facts(parcel_out *to, const part_facts *f,
                            kedge_error *err)
{
    PASS(put_records(to, &facts_schema, f, 1, sizeof *f, err));
    PASS(put_settings(to, &f->tokenizing, err));
    PASS(put_records(to, &part_schema, f->part, f->parts, sizeof *f->part,
                     err));
    return put_records(to, &index_schema, f->index, f->indexes,
                       sizeof *f->index, err);
}

/* The store's own documents are one of the parts, so all of them add up to the
 * totals. */
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

/* An index without a list has a row for each word. */
static kedge_status check_indexes(const part_facts *f, kedge_error *err)
{
    for (size_t i = 0; i < f->indexes; i++) {
        const store_index *const v = &f->index[i].index;
        if (v->words > f->words || (!v->listed && v->words != f->words))
            return damaged("an index", err);
        PASS(statistic_check(v->statistic, v->weight_bits, v->value_bits, err));
    }
    return KEDGE_OK;
}

kedge_status part_get_facts(parcel_in *from, part_facts *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    part_facts f = {0};

    TRY(get_records(from, &facts_schema, &f, 1, sizeof f, "its totals", err));
    if ((f.documents == 0) != (f.parts == 0) ||
        (f.documents == 0 &&
         (f.tokens | f.nonzeros | f.words | f.word_bytes | f.indexes) != 0))
        return damaged("its totals", err);
    *out = f; /* the caller frees it, after a failure as well */
    TRY(get_settings(from, &out->tokenizing, err));
    TRY_MEM(out->part = mem_new(f.parts, sizeof *out->part));
    TRY(get_records(from, &part_schema, out->part, f.parts, sizeof *out->part,
                    "its parts", err));
    TRY(check_parts(out, err));
    TRY_MEM(out->index = mem_new(f.indexes, sizeof *out->index));
    TRY(get_records(from, &index_schema, out->index, f.indexes,
                    sizeof *out->index, "its indexes", err));
    TRY(check_indexes(out, err));
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
    const words *const w = &p->w;
    uint8_t *plain, *at;

    for (size_t from = 0; from < w->count; from += WORDS_CHUNK) {
        const size_t n = chunk_of(w->count, from, WORDS_CHUNK);
        const size_t text = w->offset[from + n] - w->offset[from];
        PASS(parcel_room(to, 3 * VARINT_MAX * n + text, &plain, err));
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
        PASS(parcel_put(to, WORDS_TAG, (uint32_t)n, (size_t)(at - plain),
                        err));
    }
    return KEDGE_OK;
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
        PASS(add_word(&out->w, text, length, err));
        text += length;
    }
    return text == end ? KEDGE_OK : damaged("its words", err);
}

kedge_status part_get_words(parcel_in *from, size_t count, uint64_t bytes,
                            part_words *out, kedge_error *err)
{
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    PASS(part_words_room(out, count, err));
    while (out->w.count < count) {
        const size_t n = chunk_of(count, out->w.count, WORDS_CHUNK);
        PASS(parcel_next(from, WORDS_TAG, &things, &plain, &size, err));
        if (things != n)
            return damaged("its words", err);
        PASS(get_chunk(plain, size, n, out, err));
        if (words_bytes(&out->w) > bytes)
            return damaged("the size of its words", err);
    }
    return KEDGE_OK;
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
    uint32_t next = 0; /* the least place that may come */
    uint8_t *plain, *at;

    for (size_t from = 0; from < count; from += LIST_CHUNK) {
        const size_t n = chunk_of(count, from, LIST_CHUNK);
        PASS(parcel_room(to, VARINT_MAX * n, &plain, err));
        at = plain;
        for (size_t i = from; i < from + n; next = place[i++] + 1)
            at = put_varint(at, place[i] - next);
        PASS(parcel_put(to, LIST_TAG, (uint32_t)n, (size_t)(at - plain), err));
    }
    return KEDGE_OK;
}

kedge_status part_get_list(parcel_in *from, uint64_t known, uint32_t *place,
                           size_t count, kedge_error *err)
{
    uint64_t next = 0, step = 0;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    for (size_t at = 0; at < count; at += LIST_CHUNK) {
        const size_t n = chunk_of(count, at, LIST_CHUNK);
        PASS(parcel_next(from, LIST_TAG, &things, &plain, &size, err));
        const uint8_t *const end = plain + size;
        if (things != n)
            return damaged("a list of words", err);
        for (size_t i = at; i < at + n; i++) {
            if (!get_varint(&plain, end, &step) || step >= known ||
                next + step >= known)
                return damaged("a list of words", err);
            place[i] = (uint32_t)(next + step);
            next += step + 1;
        }
        if (plain != end)
            return damaged("a list of words", err);
    }
    return KEDGE_OK;
}
