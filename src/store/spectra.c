/* SPDX-License-Identifier: MIT */
/*
 * Spectra of sketches: a small record under view and kind of weights tells what
 * one is of, big ones under view, kind and chunk hold its four arrays as one
 * run of doubles. Two of them are symmetric matrices, of which the upper
 * triangles are stored, row by row. A chunk tells by a hash which record it
 * belongs to.
 */
#include "store/spectra.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/planes.h"
#include "store/record.h"

#define SPECTRUM_TAG "KSPE"
#define CHUNK_TAG    "KSPC"
#define CHUNK_VALUES ((size_t)131072)
#define WIDTH_MAX    8192

/* Fields, bytes for what is to come, and a text. */
enum { FIELDS = 14, SPARE_AT = 8 * FIELDS, ARITHMETIC_AT = 160,
       ARITHMETIC_SIZE = 96, BODY = ARITHMETIC_AT + ARITHMETIC_SIZE };

static_assert(sizeof(store_spectrum) == 8 * FIELDS + ARITHMETIC_SIZE,
              "all of it is stored");

/* ---- keys ---------------------------------------------------------------- */

typedef struct spectrum_key {
    uint8_t bytes[12];
    char what[64];
} spectrum_key;

static void name_key(spectrum_key *key, uint32_t view, uint32_t weight)
{
    put_be32(key->bytes, view);
    put_be32(key->bytes + 4, weight);
    snprintf(key->what, sizeof key->what, "spectrum of view %u, weights %u",
             view, weight);
}

static kv_key record_key(const spectrum_key *key)
{
    return (kv_key){DB_SPECTRA, key->bytes, 8};
}

static kv_key chunk_key(spectrum_key *key, size_t chunk)
{
    put_be32(key->bytes + 8, (uint32_t)chunk);
    return (kv_key){DB_SPECTRA, key->bytes, 12};
}

/* ---- what it is of ------------------------------------------------------- */

static void encode(uint8_t *body, const store_spectrum *of)
{
    const uint64_t fields[FIELDS] = {
        of->blocks,      of->removals,   of->documents, of->statistic,
        of->weight_bits, of->value_bits, of->width,     of->seed,
        of->min_tokens,  of->rows,       of->digest,    of->weights,
        of->used,        of->count,
    };

    record_put_fields(body, fields, FIELDS);
    memcpy(body + ARITHMETIC_AT, of->arithmetic,
           strnlen(of->arithmetic, ARITHMETIC_SIZE - 1));
}

static bool is_possible(const store_spectrum *of)
{
    return of->width > 0 && of->width <= WIDTH_MAX && of->used <= of->width &&
           of->count <= of->used;
}

static kedge_status decode(const uint8_t *body, store_spectrum *out,
                           const char *what, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *const text = (const char *)body + ARITHMETIC_AT;
    const size_t size = strnlen(text, ARITHMETIC_SIZE);
    uint64_t f[FIELDS];

    record_get_fields(body, f, FIELDS);
    *out = (store_spectrum){
        .blocks = f[0], .removals = f[1], .documents = f[2],
        .statistic = f[3], .weight_bits = f[4], .value_bits = f[5],
        .width = f[6], .seed = f[7], .min_tokens = f[8], .rows = f[9],
        .digest = f[10], .weights = f[11], .used = f[12], .count = f[13],
    };
    if (!is_possible(out) || size == ARITHMETIC_SIZE)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (fields)", what));
    memcpy(out->arithmetic, text, size);
    TRY(record_zeros(body + SPARE_AT, ARITHMETIC_AT - SPARE_AT, what, err));
    TRY(record_zeros(body + ARITHMETIC_AT + size, ARITHMETIC_SIZE - size, what,
                     err));
out:
    return st;
}

/* By which chunks know what they belong to. */
static uint64_t hash_of(const store_spectrum *of)
{
    uint8_t body[BODY] = {0};

    encode(body, of);
    return hash_bytes(0, body, sizeof body);
}

kedge_status store_get_spectrum(store_txn *txn, uint32_t view, uint32_t weight,
                                store_spectrum *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    record_found r;
    spectrum_key key;

    name_key(&key, view, weight);
    TRY(record_get(txn, record_key(&key), BODY, SPECTRUM_TAG, key.what, &r,
                   err));
    TRY(decode(r.body, out, key.what, err));
out:
    return st;
}

/* ---- four arrays as one run ---------------------------------------------- */

static size_t value_count(const store_spectrum *of)
{
    return (size_t)(of->width * (of->width + 1) + of->count * (of->used + 1));
}

static size_t chunk_count(const store_spectrum *of)
{
    return (value_count(of) - 1) / CHUNK_VALUES + 1;
}

static size_t chunk_values(const store_spectrum *of, size_t chunk)
{
    const size_t left = value_count(of) - chunk * CHUNK_VALUES;

    return left < CHUNK_VALUES ? left : CHUNK_VALUES;
}

/* How far a walk over all values has come: which array, and of the matrices
 * which row. */
typedef struct walk {
    const store_spectrum *of;
    double *array[4];
    size_t which, row, column;
} walk;

static walk walk_begin(const store_spectrum *of,
                       const store_spectrum_arrays *a)
{
    return (walk){.of = of, .array = {a->zz, a->zo, a->turn, a->values}};
}

/* The next values that stand side by side, `most` of them at most. */
static double *walk_next(walk *w, size_t most, size_t *count)
{
    const store_spectrum *const of = w->of;
    const bool square = w->which < 2;
    const size_t rows = square ? of->width : 1;
    const size_t end = square         ? of->width
                       : w->which == 2 ? of->used * of->count
                                       : of->count;
    double *const at = w->array[w->which] + w->row * of->width + w->column;

    *count = end - w->column < most ? end - w->column : most;
    w->column += *count;
    if (w->column == end)
        w->column = ++w->row;
    if (w->row == rows) {
        w->which++;
        w->row = w->column = 0;
    }
    return at;
}

/* ---- chunks -------------------------------------------------------------- */

static kedge_status put_chunk(store_txn *txn, spectrum_key *key,
                              const double *values, const frame_head *head,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);

    TRY(frame_room(f, head->plain, err));
    planes_split(f->plain, values, head->y);
    TRY(frame_close(f, CHUNK_TAG, head, FRAME_LEVEL, err));
    TRY(kv_put_frame(txn, chunk_key(key, head->x), f, NULL, err));
out:
    return st;
}

kedge_status store_put_spectrum(store_txn *txn, uint32_t view, uint32_t weight,
                                const store_spectrum *of,
                                const store_spectrum_arrays *from,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t record[RECORD_SIZE(BODY)] = {0};
    frame_head head = {.extra = hash_of(of)};
    walk w = walk_begin(of, from);
    double *values = NULL;
    spectrum_key key;

    assert(is_possible(of));
    name_key(&key, view, weight);
    TRY(kv_drop_from(txn, record_key(&key), 8, err));
    TRY_MEM(values = mem_new(chunk_values(of, 0), sizeof *values));
    for (; head.x < chunk_count(of); head.x++) {
        head.y = (uint32_t)chunk_values(of, head.x);
        head.plain = 8 * head.y;
        for (size_t i = 0, n; i < head.y; i += n) {
            const double *const next = walk_next(&w, head.y - i, &n);
            memcpy(values + i, next, n * sizeof *next);
        }
        TRY(put_chunk(txn, &key, values, &head, err));
    }
    encode(record + RECORD_HEAD, of);
    TRY(record_put(txn, record_key(&key), SPECTRUM_TAG, record, sizeof record,
                   err));
out:
    mem_free(values);
    return st;
}

/* A whole chunk, decompressed into the store's scratch. */
static kedge_status open_chunk(store_txn *txn, spectrum_key *key, size_t chunk,
                               frame_head *head, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kv_frame found;

    st = kv_get_frame(txn, chunk_key(key, chunk), CHUNK_TAG, key->what, &found,
                      err);
    if (st == KEDGE_ENOTFOUND)
        st = kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %zu is "
                        "gone)", key->what, chunk);
    TRY(st);
    TRY(frame_open(kv_scratch(txn), found.bytes, found.size, CHUNK_TAG,
                   key->what, head, err));
    if (head->x != chunk || head->y > CHUNK_VALUES ||
        head->plain != 8 * head->y || head->z != 0)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %zu)",
                       key->what, chunk));
out:
    return st;
}

/* That it belongs to this record. */
static kedge_status check_chunk(const store_spectrum *of,
                                const frame_head *head, const char *what,
                                kedge_error *err)
{
    return head->x < chunk_count(of) && head->extra == hash_of(of) &&
                   head->y == chunk_values(of, head->x)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ECORRUPT,
                            "%s is damaged (chunk %u is another's)", what,
                            head->x);
}

kedge_status store_get_spectrum_arrays(store_txn *txn, uint32_t view,
                                       uint32_t weight,
                                       const store_spectrum *of,
                                       const store_spectrum_arrays *to,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    walk w = walk_begin(of, to);
    double *values = NULL;
    frame_head head;
    spectrum_key key;

    name_key(&key, view, weight);
    TRY_MEM(values = mem_new(chunk_values(of, 0), sizeof *values));
    for (size_t chunk = 0; chunk < chunk_count(of); chunk++) {
        TRY(open_chunk(txn, &key, chunk, &head, err));
        TRY(check_chunk(of, &head, key.what, err));
        planes_join(kv_scratch(txn)->plain, values, head.y);
        for (size_t i = 0, n; i < head.y; i += n) {
            double *const next = walk_next(&w, head.y - i, &n);
            memcpy(next, values + i, n * sizeof *next);
        }
    }
out:
    mem_free(values);
    return st;
}

/* ---- counting and dropping ----------------------------------------------- */

/* A record and its chunks stand together; a key with a zero byte behind it is
 * the least that comes after. */
kedge_status store_count_spectra(store_txn *txn, uint32_t view, uint64_t *count,
                                 uint64_t *bytes, kedge_error *err)
{
    uint8_t at[KV_KEY_MAX + 1] = {0};
    kedge_status st = KEDGE_OK;
    size_t size = 4, length;
    const uint8_t *value;
    spectrum_key first;

    *count = *bytes = 0;
    name_key(&first, view, 0);
    memcpy(at, first.bytes, size);
    for (;;) {
        st = kv_seek(txn, (kv_key){DB_SPECTRA, at, size}, at, &size, err);
        if (st == KEDGE_ENOTFOUND ||
            (st == KEDGE_OK && memcmp(at, first.bytes, 4) != 0))
            return KEDGE_OK;
        TRY(st);
        TRY(kv_get(txn, (kv_key){DB_SPECTRA, at, size}, first.what, &value,
                   &length, err));
        *count += size == 8;
        *bytes += length;
        at[size++] = 0;
    }
out:
    return st;
}

kedge_status store_drop_spectra(store_txn *txn, uint32_t view, kedge_error *err)
{
    spectrum_key key;

    name_key(&key, view, 0);
    return kv_drop_from(txn, record_key(&key), 4, err);
}

kedge_status store_clear_spectra(store_txn *txn, kedge_error *err)
{
    return kv_clear(txn, DB_SPECTRA, err);
}

/* ---- one record ---------------------------------------------------------- */

/* That its chunks are there; what is in them is looked at under their own
 * keys. */
static kedge_status check_record(store_txn *txn, spectrum_key *key,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_spectrum of;

    TRY(store_get_spectrum(txn, get_be32(key->bytes), get_be32(key->bytes + 4),
                           &of, err));
    for (size_t chunk = 0; chunk < chunk_count(&of); chunk++) {
        const uint8_t *bytes;
        size_t size;
        st = kv_get(txn, chunk_key(key, chunk), key->what, &bytes, &size, err);
        if (st == KEDGE_ENOTFOUND)
            st = kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %zu is "
                            "gone)", key->what, chunk);
        TRY(st);
    }
out:
    return st;
}

/* Damage of its record is told under that one's key. */
static kedge_status check_one_chunk(store_txn *txn, spectrum_key *key,
                                    size_t chunk, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_spectrum of;
    frame_head head;

    TRY(open_chunk(txn, key, chunk, &head, err));
    st = store_get_spectrum(txn, get_be32(key->bytes), get_be32(key->bytes + 4),
                            &of, err);
    if (st == KEDGE_ECORRUPT || st == KEDGE_EVERSION)
        return KEDGE_OK;
    if (st == KEDGE_ENOTFOUND)
        st = kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its record is "
                        "gone)", key->what);
    TRY(st);
    TRY(check_chunk(&of, &head, key->what, err));
out:
    return st;
}

kedge_status spectra_check(store_txn *txn, const uint8_t *bytes, size_t size,
                           char what[128], kedge_error *err)
{
    spectrum_key key;

    if (size != 8 && size != 12)
        return kedge_fail(err, KEDGE_ECORRUPT, "its key has %zu bytes", size);
    name_key(&key, get_be32(bytes), get_be32(bytes + 4));
    memcpy(what, key.what, sizeof key.what);
    return size == 8 ? check_record(txn, &key, err)
                     : check_one_chunk(txn, &key, get_be32(bytes + 8), err);
}
