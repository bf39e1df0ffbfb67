/* SPDX-License-Identifier: MIT */
#include "store/schema.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"

/* ---- the tables ---------------------------------------------------------- */

typedef struct format_record {
    uint64_t format;
} format_record;

static const field format_fields[] = {
    FIELD(format_record, format),
    SPARE(8),
};

static const field totals_fields[] = {
    FIELD(store_totals, documents),
    FIELD(store_totals, tokens),
    FIELD(store_totals, nonzeros),
    FIELD(store_totals, words),
    FIELD(store_totals, blocks),
    FIELD(store_totals, sources),
    FIELD(store_totals, models),
    FIELD(store_totals, digest[0]),
    FIELD(store_totals, digest[1]),
    FIELD(store_totals, removals),
    FIELD(store_totals, removed),
    FIELD(store_totals, parts),
    FIELD(store_totals, word_bytes),
    SPARE(24),
};

static const field settings_fields[] = {
    FIELD(store_settings, texts),
    FIELD(store_settings, no_first_index),
    FIELD(store_settings, digits),
    FIELD(store_settings, shortest),
    FIELD(store_settings, longest),
    FIELD(store_settings, stop_count),
    SPARE(80),
    FIELD(store_settings, stemmer),
    FIELD(store_settings, stopwords),
    FIELD(store_settings, text_field),
    FIELD(store_settings, id_field),
    FIELD(store_settings, label_field),
    FIELD(store_settings, encoding),
};

static const field source_fields[] = {
    FIELD(store_source, name),
    FIELD(store_source, batch),
    FIELD(store_source, words),
    FIELD(store_source, position),
    FIELD(store_source, documents),
    FIELD(store_source, tokens),
    FIELD(store_source, nonzeros),
    FIELD(store_source, bad),
    FIELD(store_source, empty),
    FIELD(store_source, digest),
    FIELD(store_source, complete),
    FIELD(store_source, when),
    FIELD(store_source, head),
    FIELD(store_source, removed),
    FIELD(store_source, removed_documents),
    FIELD(store_source, removed_tokens),
    FIELD(store_source, removed_nonzeros),
    FIELD(store_source, bytes),
    FIELD(store_source, modified),
    FIELD(store_source, asked),
    SPARE(48),
};

static const field part_fields[] = {
    FIELD(store_part, name),
    FIELD(store_part, digest[0]),
    FIELD(store_part, digest[1]),
    FIELD(store_part, documents),
    FIELD(store_part, tokens),
    FIELD(store_part, nonzeros),
    FIELD(store_part, when),
    SPARE(80),
};

static const field index_fields[] = {
    FIELD(store_index, statistic),
    FIELD(store_index, weight_bits),
    FIELD(store_index, value_bits),
    FIELD_IN(store_index, width, 1, STORE_WIDTH_MOST),
    FIELD(store_index, seed),
    FIELD_IN(store_index, min_tokens, 1, STORE_MIN_TOKENS_MOST),
    FIELD(store_index, words),
    FIELD(store_index, blocks),
    FIELD(store_index, documents),
    FIELD(store_index, skipped),
    FIELD(store_index, tokens),
    FIELD(store_index, rows),
    FIELD(store_index, removals),
    FIELD(store_index, parts),
    FIELD(store_index, asked),
    FIELD(store_index, listed),
    FIELD(store_index, joined),
    FIELD(store_index, frozen),
    AMOUNT(store_index, total),
    FIELD(store_index, rule),
    SPARE(72),
};

static const field gone_fields[] = {
    FIELD_IN(gone_head, count, 1, UINT32_MAX),
};

static const field removal_fields[] = {
    FIELD(gone_head, block),
    FIELD_IN(gone_head, count, 1, UINT32_MAX),
};

static const field saved_fields[] = {
    FIELD(store_kept, serial),
    FIELD_IN(store_kept, topics, 1, UINT32_MAX),
    FIELD_IN(store_kept, turn, 0, 1),
    FIELD(store_kept, documents),
    FIELD(store_kept, blocks),
    FIELD(store_kept, portions),
    FIELD(store_kept, bytes),
    FIELD(store_kept, shares),
    AMOUNT(store_kept, moved),
    SPARE(24),
    FIELD(store_kept, method),
    FIELD(store_kept, options),
};

static const field spectrum_fields[] = {
    FIELD(store_spectrum, blocks),
    FIELD(store_spectrum, removals),
    FIELD(store_spectrum, documents),
    FIELD(store_spectrum, statistic),
    FIELD(store_spectrum, weight_bits),
    FIELD(store_spectrum, value_bits),
    FIELD_IN(store_spectrum, width, 1, STORE_WIDTH_MOST),
    FIELD(store_spectrum, seed),
    FIELD(store_spectrum, min_tokens),
    FIELD(store_spectrum, rows),
    FIELD(store_spectrum, digest),
    FIELD(store_spectrum, weights),
    FIELD_IN(store_spectrum, used, 0, STORE_WIDTH_MOST),
    FIELD_IN(store_spectrum, count, 0, STORE_WIDTH_MOST),
    SPARE(48),
    FIELD(store_spectrum, arithmetic),
};

static const field joins_fields[] = {
    FIELD(store_joins, blocks),
    FIELD(store_joins, removals),
    FIELD(store_joins, words),
    FIELD(store_joins, documents),
    FIELD(store_joins, score),
};

#define SCHEMA(tag, fields) \
    [tag] = {#tag, fields, sizeof fields / sizeof *fields}

const schema schemas[SCHEMAS] = {
    SCHEMA(KEDG, format_fields), SCHEMA(KTOT, totals_fields),
    SCHEMA(KSET, settings_fields), SCHEMA(KSRC, source_fields),
    SCHEMA(KPRT, part_fields), SCHEMA(KVIE, index_fields),
    SCHEMA(KGON, gone_fields), SCHEMA(KREM, removal_fields),
    [KMOD] = {"KMOD", NULL, 0}, /* a model's header is all tail */
    SCHEMA(KKEP, saved_fields), SCHEMA(KSPE, spectrum_fields),
    SCHEMA(KJOI, joins_fields),
};

/* ---- fields -------------------------------------------------------------- */

size_t schema_size(const schema *s)
{
    size_t size = 0;

    for (size_t i = 0; i < s->count; i++)
        size += s->fields[i].size;
    return size;
}

void schema_write(const schema *s, const void *record, uint8_t *to)
{
    for (const field *f = s->fields; f < s->fields + s->count; f++) {
        const void *const from = (const char *)record + f->member;
        memset(to, 0, f->size);
        switch (f->type) {
        case FIELD_U64:
            put_u64(to, *(const uint64_t *)from);
            break;
        case FIELD_U32:
            put_u64(to, *(const uint32_t *)from);
            break;
        case FIELD_BOOL:
            put_u64(to, *(const bool *)from);
            break;
        case FIELD_F64:
        case FIELD_AMOUNT:
            put_f64(to, *(const double *)from);
            break;
        case FIELD_TEXT:
            memcpy(to, from, strnlen(from, f->size - 1));
            break;
        case FIELD_BYTES:
            memcpy(to, from, f->size);
            break;
        case FIELD_SPARE:
            break;
        }
        to += f->size;
    }
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

/* False where the bytes are not such a field. */
static bool field_read(const field *f, const uint8_t *from, void *to)
{
    const uint64_t v = f->type < FIELD_TEXT ? get_u64(from) : 0;
    const double amount = f->type == FIELD_AMOUNT ? get_f64(from) : 0;

    switch (f->type) {
    case FIELD_U64:
        memcpy(to, &v, sizeof v);
        return v >= f->least && v <= f->most;
    case FIELD_U32:
        *(uint32_t *)to = (uint32_t)v;
        return v >= f->least && v <= f->most && v <= UINT32_MAX;
    case FIELD_BOOL:
        *(bool *)to = v == 1;
        return v <= 1;
    case FIELD_F64:
    case FIELD_AMOUNT:
        memcpy(to, &v, sizeof v);
        return amount >= 0 && amount < INFINITY;
    case FIELD_TEXT:
        memcpy(to, from, f->size);
        return from[f->size - 1] == 0 &&
               all_zero(from + strlen((const char *)from),
                        f->size - strlen((const char *)from));
    case FIELD_BYTES:
        memcpy(to, from, f->size);
        return true;
    case FIELD_SPARE:
        break;
    }
    return all_zero(from, f->size);
}

kedge_status schema_read(const schema *s, const uint8_t *from, void *record,
                         const char *what, kedge_error *err)
{
    for (const field *f = s->fields; f < s->fields + s->count; f++) {
        if (!field_read(f, from, (char *)record + f->member))
            return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (%s%s)",
                              what, f->name != NULL ? "its " : "",
                              f->name != NULL ? f->name
                                              : "reserved bytes in use");
        from += f->size;
    }
    return KEDGE_OK;
}

/* ---- small records ------------------------------------------------------- */

static_assert(RECORD_HEAD == 4 + 1 + 3 + 8, "tag, version, reserved, place");

void record_seal(uint8_t *record, size_t size, const char *tag, uint64_t place)
{
    assert(size >= RECORD_SIZE(0) && strlen(tag) == 4);
    memcpy(record, tag, 4);
    record[4] = RECORD_VERSION;
    memset(record + 5, 0, 3);
    put_u64(record + 8, place);
    put_u64(record + size - RECORD_SUM,
            hash_bytes(RECORD_SEED, record, size - RECORD_SUM));
}

kedge_status record_zeros(const uint8_t *bytes, size_t size, const char *what,
                          kedge_error *err)
{
    return all_zero(bytes, size)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ECORRUPT,
                            "%s is damaged (reserved bytes in use)", what);
}

kedge_status record_body(store_txn *txn, kv_key key, const char *tag,
                         span *body, kedge_error *err)
{
    const uint8_t *record = NULL;
    char what[KV_NAME_MOST];
    size_t size = 0;

    PASS(kv_get(txn, key, &record, &size, err));
    kv_name(key, what);
    if (size < RECORD_SIZE(0) ||
        hash_bytes(RECORD_SEED, record, size - RECORD_SUM) !=
            get_u64(record + size - RECORD_SUM))
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (checksum, %zu bytes)", what, size);
    if (memcmp(record, tag, 4) != 0 || get_u64(record + 8) != kv_place(key))
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (another record in its place)", what);
    if (record[4] != RECORD_VERSION)
        return kedge_fail(err, KEDGE_EVERSION,
                          "%s has version %u, this program reads %d; a newer "
                          "kedge wrote it", what, record[4], RECORD_VERSION);
    PASS(record_zeros(record + 5, 3, what, err));
    *body = span_of((const char *)record + RECORD_HEAD, size - RECORD_SIZE(0));
    return KEDGE_OK;
}

kedge_status record_put(store_txn *txn, kv_key key, const schema *s,
                        const void *record, span tail, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    const size_t front = RECORD_HEAD + schema_size(s);
    const size_t size = front + tail.size + RECORD_SUM;

    TRY(kv_need(txn, true, err));
    TRY_GROW(f->bytes, f->capacity, size);
    schema_write(s, record, f->bytes + RECORD_HEAD);
    if (tail.size > 0)
        memcpy(f->bytes + front, tail.bytes, tail.size);
    record_seal(f->bytes, size, s->tag, kv_place(key));
    TRY(kv_put(txn, key, f->bytes, size, err));
out:
    return st;
}

kedge_status record_get(store_txn *txn, kv_key key, const schema *s,
                        void *record, span *tail, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t front = schema_size(s);
    char what[KV_NAME_MOST];
    span body;

    TRY(record_body(txn, key, s->tag, &body, err));
    kv_name(key, what);
    if (tail == NULL ? body.size != front : body.size < front)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "%s is damaged (%zu bytes, not %zu)", what, body.size,
                       front));
    TRY(schema_read(s, (const uint8_t *)body.bytes, record, what, err));
    if (tail != NULL)
        *tail = span_of(body.bytes + front, body.size - front);
out:
    return st;
}
