/* SPDX-License-Identifier: MIT */
/*
 * Big numeric things, in chunks. Before compression a chunk has
 *
 *   words    varints of all sizes, then all bytes
 *   counts   varints: term frequency, document frequency, word by word
 *   lists    the first id, then steps, less one, as varints
 *   doubles  their bytes plane by plane (all first bytes, all second ones,
 *            ...), since signs and exponents are alike where fractions are not
 *
 * Words and counts grow: a chunk has no number that grows with them, so that
 * those which do not change are not written again. The other things have one
 * empty chunk where they are empty, so that they are there.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/records.h"

/* ---- steps --------------------------------------------------------------- */

uint8_t *rising_put(uint8_t *to, const uint32_t *number, size_t count)
{
    uint32_t next = 0; /* the least that may come */

    for (size_t i = 0; i < count; next = number[i++] + 1)
        to = put_varint(to, number[i] - next);
    return to;
}

bool rising_get(const uint8_t **from, const uint8_t *end, uint64_t limit,
                uint32_t *number, size_t count)
{
    uint64_t next = 0, step;

    if (limit > (uint64_t)UINT32_MAX + 1)
        limit = (uint64_t)UINT32_MAX + 1;
    for (size_t i = 0; i < count; i++) {
        if (!get_varint(from, end, &step) || next >= limit ||
            step >= limit - next)
            return false;
        number[i] = (uint32_t)(next + step);
        next += step + 1;
    }
    return true;
}

/* ---- words --------------------------------------------------------------- */

static size_t words_room(const void *from, size_t first, size_t count)
{
    const words *const w = ((const array_word *)from)->words;

    return count * VARINT_MAX + w->offset[first + count] - w->offset[first];
}

static uint8_t *words_encode(uint8_t *to, const void *from, size_t first,
                             size_t count)
{
    const words *const w = ((const array_word *)from)->words;

    for (size_t i = first; i < first + count; i++)
        to = put_varint(to, words_size(w, i));
    for (size_t i = first; i < first + count; i++) {
        memcpy(to, words_get(w, i), words_size(w, i));
        to += words_size(w, i);
    }
    return to;
}

static kedge_status words_decode(const array *a, const uint8_t *p,
                                 const uint8_t *end, void *to, size_t first,
                                 size_t count)
{
    const array_word *const out = to;
    const uint8_t *size = p;
    uint64_t n;

    (void)a, (void)first;
    for (size_t i = 0; i < count; i++)
        if (!get_varint(&p, end, &n))
            return KEDGE_ECORRUPT;
    for (size_t i = 0; i < count; i++) {
        if (!get_varint(&size, end, &n) || n > (uint64_t)(end - p))
            return KEDGE_ECORRUPT;
        if (out != NULL && !words_add(out->words, (const char *)p, n))
            return KEDGE_ENOMEM;
        p += n;
    }
    return p == end && (out == NULL || words_bytes(out->words) <= out->most)
               ? KEDGE_OK
               : KEDGE_ECORRUPT;
}

/* ---- counts -------------------------------------------------------------- */

static uint8_t *counts_encode(uint8_t *to, const void *from, size_t first,
                              size_t count)
{
    const array_count *const c = from;

    for (size_t i = first; i < first + count; i++) {
        to = put_varint(to, c->tf[i]);
        to = put_varint(to, c->df[i]);
    }
    return to;
}

static kedge_status counts_decode(const array *a, const uint8_t *p,
                                  const uint8_t *end, void *to, size_t first,
                                  size_t count)
{
    const array_count *const out = to;
    uint64_t tf, df;

    (void)a;
    for (size_t i = first; i < first + count; i++) {
        if (!get_varint(&p, end, &tf) || !get_varint(&p, end, &df))
            return KEDGE_ECORRUPT;
        if (out != NULL && i < out->count) {
            out->tf[i] = tf;
            out->df[i] = df;
        }
    }
    return p == end ? KEDGE_OK : KEDGE_ECORRUPT;
}

/* ---- lists --------------------------------------------------------------- */

static uint8_t *list_encode(uint8_t *to, const void *from, size_t first,
                            size_t count)
{
    return rising_put(to, (const uint32_t *)from + first, count);
}

static kedge_status list_decode(const array *a, const uint8_t *p,
                                const uint8_t *end, void *to, size_t first,
                                size_t count)
{
    store_list only = {0}, *const out = to != NULL ? to : &only;
    const size_t before = out->count;
    kedge_status st = KEDGE_OK;

    (void)first;
    if (count > (size_t)(end - p)) /* a byte each, at least */
        return KEDGE_ECORRUPT;
    if (!mem_grow((void **)&out->ids, &out->capacity, before + count,
                  sizeof *out->ids))
        return KEDGE_ENOMEM;
    if (!rising_get(&p, end, a->limit, out->ids + before, count) || p != end ||
        (before > 0 && count > 0 && out->ids[before] <= out->ids[before - 1]))
        st = KEDGE_ECORRUPT;
    else
        out->count += count;
    store_list_free(&only);
    return st;
}

/* ---- doubles ------------------------------------------------------------- */

/* The next values that stand side by side, `most` of them at most. The first
 * two of a spectrum are square; the upper triangles of these are taken, row by
 * row. */
static double *next_doubles(array_double *d, size_t most, size_t *count)
{
    const store_spectrum *const of = d->of;
    const bool square = of != NULL && d->which < 2;
    const size_t rows = square ? of->width : 1;
    const size_t end = of == NULL      ? SIZE_MAX
                       : square        ? of->width
                       : d->which == 2 ? of->used * of->count
                                       : of->count;
    double *const at = d->at[d->which] + d->column +
                       (square ? d->row * of->width : 0);

    *count = end - d->column < most ? end - d->column : most;
    d->column += *count;
    if (d->column == end)
        d->column = ++d->row;
    if (d->row == rows) {
        d->which++;
        d->row = d->column = 0;
    }
    return at;
}

static uint8_t *doubles_encode(uint8_t *to, const void *from, size_t first,
                               size_t count)
{
    array_double *const d = (array_double *)(uintptr_t)from;
    uint8_t bytes[8];

    (void)first;
    for (size_t i = 0, n; i < count; i += n) {
        const double *const value = next_doubles(d, count - i, &n);
        for (size_t k = 0; k < n; k++) {
            put_f64(bytes, value[k]);
            for (size_t b = 0; b < 8; b++)
                to[b * count + i + k] = bytes[b];
        }
    }
    return to + 8 * count;
}

static kedge_status doubles_decode(const array *a, const uint8_t *p,
                                   const uint8_t *end, void *to, size_t first,
                                   size_t count)
{
    uint8_t bytes[8];

    (void)a, (void)first;
    if ((size_t)(end - p) != 8 * count)
        return KEDGE_ECORRUPT;
    for (size_t i = 0, n; to != NULL && i < count; i += n) {
        double *const value = next_doubles(to, count - i, &n);
        for (size_t k = 0; k < n; k++) {
            for (size_t b = 0; b < 8; b++)
                bytes[b] = p[b * count + i + k];
            value[k] = get_f64(bytes);
        }
    }
    return KEDGE_OK;
}

/* ---- kinds --------------------------------------------------------------- */

static const struct array_kind {
    const char *tag;
    kv_db db;
    uint32_t per;  /* items of a chunk */
    size_t item;   /* bytes of one at most; 0: see words_room */
    uint64_t most; /* items of all; 0: it grows, and its length is elsewhere */
    bool counted;  /* its length is the mark of its chunks */
    uint8_t *(*encode)(uint8_t *to, const void *from, size_t first,
                       size_t count);
    kedge_status (*decode)(const array *a, const uint8_t *p, const uint8_t *end,
                           void *to, size_t first, size_t count);
} kinds[] = {
    {"KWRD", DB_WORDS, STORE_WORDS_CHUNK, 0, 0, false, words_encode,
     words_decode},
    {"KCNT", DB_COUNTS, STORE_WORDS_CHUNK, 2 * VARINT_MAX, 0, false,
     counts_encode, counts_decode},
    {"KPCT", DB_PART_COUNTS, STORE_WORDS_CHUNK, 2 * VARINT_MAX, 0, false,
     counts_encode, counts_decode},
    {"KLST", DB_LISTS, 65536, RISING_MOST, UINT64_C(1) << 32, true,
     list_encode, list_decode},
    {"KARR", DB_ARRAYS, 131072, 8, SIZE_MAX / 8, true, doubles_encode,
     doubles_decode},
    {"KSPC", DB_SPECTRUM, 131072, 8, SIZE_MAX / 8, false, doubles_encode,
     doubles_decode},
};

array array_make(kv_db db, const void *prefix, size_t size)
{
    array a = {.kind = kinds, .prefix = size};

    while (a.kind->db != db)
        a.kind++;
    if (a.kind->most > 0)
        a.mark = a.count = ARRAY_ANY;
    if (size > 0)
        memcpy(a.key, prefix, size);
    return a;
}

array array_list(uint32_t index)
{
    return array_make(DB_LISTS, KV_KEY4(DB_LISTS, index).bytes, 4);
}

array array_spectrum(uint32_t index, uint32_t weight)
{
    return array_make(DB_SPECTRUM, KV_KEY44(DB_SPECTRUM, index, weight).bytes,
                      8);
}

kedge_status array_values(array *a, const char *model, const char *name,
                          kedge_error *err)
{
    const size_t first = strlen(model) + 1, second = strlen(name) + 1;

    *a = array_make(DB_ARRAYS, NULL, 0);
    PASS(model_check_name(model, NAME_MOST, "a model's name", err));
    PASS(model_check_name(name, ARRAY_NAME_MOST, "an array's name", err));
    memcpy(a->key, model, first);
    memcpy(a->key + first, name, second);
    a->prefix = first + second;
    return KEDGE_OK;
}

kedge_status array_of_key(kv_key key, array *out, uint32_t *chunk,
                          kedge_error *err)
{
    kv_part part[KV_PARTS];
    const size_t parts = kv_split(key, part);

    if (parts == 0 ||
        (key.db == DB_ARRAYS &&
         array_values(out, part[0].text, part[1].text, NULL) != KEDGE_OK))
        return kedge_fail(err, KEDGE_ECORRUPT, "its key is damaged");
    *out = array_make(key.db, key.bytes, key.size - 4);
    *chunk = (uint32_t)part[parts - 1].number;
    return KEDGE_OK;
}

/* ---- chunks -------------------------------------------------------------- */

static uint64_t chunk_count(const array *a)
{
    return a->count == 0 ? a->kind->most > 0
                         : (a->count - 1) / a->kind->per + 1;
}

static size_t chunk_items(const array *a, uint64_t chunk)
{
    const uint64_t left = a->count - chunk * a->kind->per;

    return left < a->kind->per ? (size_t)left : a->kind->per;
}

static kv_key chunk_key(array *a, uint64_t chunk)
{
    put_be32(a->key + a->prefix, (uint32_t)chunk);
    return (kv_key){a->kind->db, a->key, a->prefix + 4};
}

kedge_status array_put(store_txn *txn, array *a, const void *from, size_t first,
                       size_t count, kedge_error *err)
{
    const struct array_kind *const k = a->kind;
    store_frame *const f = kv_scratch(txn);
    char what[KV_NAME_MOST];

    a->count = count;
    if (k->counted)
        a->mark = count;
    for (uint64_t chunk = first / k->per; chunk < chunk_count(a); chunk++) {
        const size_t at = chunk * k->per, n = chunk_items(a, chunk);
        const kv_key key = chunk_key(a, chunk);
        PASS(frame_room(f, k->item > 0 ? n * k->item : words_room(from, at, n),
                        err));
        const size_t size =
            (size_t)(k->encode(f->plain, from, at, n) - f->plain);
        if (size > FRAME_PLAIN_MAX)
            return kedge_fail(err, KEDGE_EINVAL, "%s is too long",
                              kv_name(key, what));
        PASS(frame_close(f, k->tag,
                         &(frame_head){.extra = a->mark, .x = (uint32_t)n,
                                       .plain = (uint32_t)size},
                         FRAME_LEVEL, err));
        frame_stamp(f->bytes, kv_place(key), NULL);
        PASS(kv_put(txn, key, f->bytes, f->size, err));
    }
    return kv_drop_from(txn, chunk_key(a, chunk_count(a)), a->prefix, err);
}

/* Whether a chunk's head is that of one of its array. */
static bool head_fits(array *a, uint64_t chunk, const frame_head *head)
{
    const struct array_kind *const k = a->kind;

    if (a->mark == ARRAY_ANY) {
        a->mark = head->extra;
        if (k->counted && (a->count = head->extra) > k->most)
            return false;
    }
    if (head->extra != a->mark || head->y != 0 || head->z != 0)
        return false;
    if (k->most == 0 || a->count == ARRAY_ANY)
        return head->x > 0 && head->x <= k->per;
    return chunk < chunk_count(a) && head->x == chunk_items(a, chunk);
}

kedge_status array_damaged(array *a, uint64_t chunk, const char *how,
                           kedge_error *err)
{
    return kv_damaged(chunk_key(a, chunk), err, "chunk %u %s", (uint32_t)chunk,
                      how);
}

kedge_status array_get_chunk(store_txn *txn, array *a, uint32_t chunk, void *to,
                             uint32_t *items, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kv_key key = chunk_key(a, chunk);
    const uint8_t *plain;
    frame_head head;

    TRY(kv_open_frame(txn, key, a->kind->tag, &head, err));
    if (!head_fits(a, chunk, &head))
        TRY(array_damaged(a, chunk, "has another size", err));
    plain = kv_scratch(txn)->plain;
    st = a->kind->decode(a, plain, plain + head.plain, to,
                         (size_t)chunk * a->kind->per, head.x);
    TRY_MEM(st == KEDGE_ENOMEM ? NULL : a);
    if (st != KEDGE_OK)
        TRY(array_damaged(a, chunk, "has impossible values", err));
    *items = head.x;
out:
    return st;
}

kedge_status array_get(store_txn *txn, array *a, void *to, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool grows = a->kind->most == 0;
    uint32_t items = 0;

    if (grows && a->count == 0)
        return kv_need(txn, false, err);
    for (uint32_t chunk = 0; chunk == 0 || chunk < chunk_count(a); chunk++) {
        st = array_get_chunk(txn, a, chunk, to, &items, err);
        if (st == KEDGE_ENOTFOUND && chunk > 0 && !grows)
            TRY(array_damaged(a, chunk, "is gone", err));
        TRY(st);
        if (grows && a->kind->db != DB_PART_COUNTS &&
            items < chunk_items(a, chunk))
            TRY(array_damaged(a, chunk, "has another size", err));
    }
out:
    return st;
}

kedge_status array_get_count(store_txn *txn, array *a, uint64_t *count,
                             kedge_error *err)
{
    kv_frame found;

    PASS(kv_get_frame(txn, chunk_key(a, 0), a->kind->tag, &found, err));
    *count = found.head.extra;
    return KEDGE_OK;
}

kedge_status array_check(store_txn *txn, array *a, uint32_t chunk,
                         uint32_t *items, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *bytes;
    size_t size;

    TRY(array_get_chunk(txn, a, chunk, NULL, items, err));
    if (a->kind->most == 0 || a->count == ARRAY_ANY)
        return KEDGE_OK;
    for (uint64_t near = chunk - (chunk > 0);
         near <= (uint64_t)chunk + 1 && near < chunk_count(a); near++) {
        st = kv_get(txn, chunk_key(a, near), &bytes, &size, err);
        if (st == KEDGE_ENOTFOUND)
            TRY(array_damaged(a, near, "is gone", err));
        TRY(st);
    }
out:
    return st;
}

kedge_status array_drop(store_txn *txn, array *a, kedge_error *err)
{
    return kv_drop_from(txn, chunk_key(a, 0), a->prefix, err);
}
