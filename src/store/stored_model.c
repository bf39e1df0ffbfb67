/* SPDX-License-Identifier: MIT */
/*
 * Models: a header of bytes under the name, and arrays of doubles in chunks
 * under name, zero, array, zero, chunk.
 */
#include "store/stored_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "store/planes.h"
#include "store/record.h"

#define MODEL_TAG   "KMOD"
#define ARRAY_TAG   "KARR"
#define NAME_MAX_   63
#define ARRAY_MAX   31
#define ARRAY_CHUNK 131072

static kedge_status check_name(const char *name, size_t most, const char *what,
                               kedge_error *err)
{
    const size_t size = strlen(name);

    if (size == 0 || size > most)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s \"%.70s\" needs 1 to %zu bytes", what, name,
                          most);
    return KEDGE_OK;
}

static kv_key model_key(const char *name)
{
    return (kv_key){DB_MODELS, (const uint8_t *)name, strlen(name)};
}

/* ---- headers ------------------------------------------------------------- */

kedge_status store_put_model(store_txn *txn, const char *name,
                             const uint8_t *header, size_t size,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t whole = RECORD_SIZE(size);
    store_frame *f = kv_scratch(txn);

    TRY(check_name(name, NAME_MAX_, "a model's name", err));
    if (size > FRAME_PLAIN_MAX)
        TRY(kedge_fail(err, KEDGE_EINVAL, "a header of %zu bytes", size));
    TRY(frame_room(f, whole, err));
    memcpy(f->plain + RECORD_HEAD, header, size);
    TRY(record_put(txn, model_key(name), MODEL_TAG, f->plain, whole, err));
out:
    return st;
}

kedge_status store_get_model_header(store_txn *txn, const char *name,
                                    const uint8_t **header, size_t *size,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    record_found r;
    char what[96];

    TRY(check_name(name, NAME_MAX_, "a model's name", err));
    snprintf(what, sizeof what, "model \"%s\"", name);
    TRY(record_get(txn, model_key(name), SIZE_MAX, MODEL_TAG, what, &r, err));
    *header = r.body;
    *size = r.size;
out:
    return st;
}

kedge_status store_get_model_name(store_txn *txn, uint64_t i, char out[64],
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t from[KV_KEY_MAX + 1] = {0}; /* a zero is before any name */
    size_t size = 1, found;

    do {
        TRY(kv_seek(txn, (kv_key){DB_MODELS, from, size}, from, &found, err));
        if (found > NAME_MAX_ || memchr(from, 0, found) != NULL)
            TRY(kedge_fail(err, KEDGE_ECORRUPT, "a model's name is damaged"));
        from[found] = 0; /* name and zero: the least key after it */
        size = found + 1;
    } while (i-- > 0);
    memcpy(out, from, size);
out:
    return st;
}

kedge_status store_drop_model(store_txn *txn, const char *name,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(check_name(name, NAME_MAX_, "a model's name", err));
    TRY(kv_drop(txn, model_key(name), err));
    TRY(kv_drop_from(
        txn, (kv_key){DB_ARRAYS, (const uint8_t *)name, strlen(name) + 1},
        strlen(name) + 1, err));
    TRY(store_drop_kept(txn, name, err));
out:
    return st;
}

/* ---- arrays -------------------------------------------------------------- */

/* A key with all its text, for one array; the chunk is filled in. */
typedef struct array_key {
    uint8_t bytes[KV_KEY_MAX];
    size_t prefix; /* bytes before the chunk's number */
    char what[128];
} array_key;

static kedge_status array_name(array_key *key, const char *model,
                               const char *array, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t a = strlen(model) + 1, b = strlen(array) + 1;

    TRY(check_name(model, NAME_MAX_, "a model's name", err));
    TRY(check_name(array, ARRAY_MAX, "an array's name", err));
    memcpy(key->bytes, model, a);
    memcpy(key->bytes + a, array, b);
    key->prefix = a + b;
    snprintf(key->what, sizeof key->what, "array \"%s\" of model \"%s\"", array,
             model);
out:
    return st;
}

static kv_key array_chunk(array_key *key, size_t chunk)
{
    put_be32(key->bytes + key->prefix, (uint32_t)chunk);
    return (kv_key){DB_ARRAYS, key->bytes, key->prefix + 4};
}

static size_t chunk_values(size_t count, size_t chunk)
{
    const size_t left = count - chunk * ARRAY_CHUNK;

    return left < ARRAY_CHUNK ? left : ARRAY_CHUNK;
}

/* An empty array has one empty chunk, so that it is there. */
static size_t chunk_count(size_t count)
{
    return count == 0 ? 1 : (count - 1) / ARRAY_CHUNK + 1;
}

kedge_status store_put_array(store_txn *txn, const char *model,
                             const char *array, const double *values,
                             size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *f = kv_scratch(txn);
    const size_t chunks = chunk_count(count);
    array_key key;

    TRY(array_name(&key, model, array, err));
    for (size_t c = 0; c < chunks; c++) {
        const size_t n = chunk_values(count, c);
        const frame_head head = {.extra = count, .x = (uint32_t)c,
                                 .y = (uint32_t)n, .plain = (uint32_t)(8 * n)};
        TRY(frame_room(f, 8 * n, err));
        planes_split(f->plain, values + c * ARRAY_CHUNK, n);
        TRY(frame_close(f, ARRAY_TAG, &head, FRAME_LEVEL, err));
        TRY(kv_put_frame(txn, array_chunk(&key, c), f, NULL, err));
    }
    TRY(kv_drop_from(txn, array_chunk(&key, chunks), key.prefix, err));
out:
    return st;
}

static kedge_status get_chunk(store_txn *txn, array_key *key, size_t chunk,
                              double *values, size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = chunk_values(count, chunk);
    store_frame *f = kv_scratch(txn);
    kv_frame found;
    frame_head head;

    st = kv_get_frame(txn, array_chunk(key, chunk), ARRAY_TAG, key->what,
                      &found, err);
    if (st == KEDGE_ENOTFOUND && chunk > 0)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %zu is gone)",
                       key->what, chunk));
    TRY(st);
    if (found.head.extra != count)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "%s is damaged (%" PRIu64 " values, not %zu)", key->what,
                       found.head.extra, count));
    TRY(frame_open(f, found.bytes, found.size, ARRAY_TAG, key->what, &head,
                   err));
    if (head.x != chunk || head.y != n || head.plain != 8 * n || head.z != 0)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %zu)",
                       key->what, chunk));
    planes_join(f->plain, values + chunk * ARRAY_CHUNK, n);
out:
    return st;
}

kedge_status store_get_array(store_txn *txn, const char *model,
                             const char *array, double *values, size_t count,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    array_key key;

    TRY(array_name(&key, model, array, err));
    for (size_t c = 0; c < chunk_count(count); c++)
        TRY(get_chunk(txn, &key, c, values, count, err));
out:
    return st;
}

/* ---- one chunk ----------------------------------------------------------- */

/* The two names of a key, closed by zeros, and its chunk. */
static bool split_key(const uint8_t *key, size_t size, const char **array,
                      uint32_t *chunk)
{
    const uint8_t *const first = memchr(key, 0, size), *second;

    if (first == NULL || first == key || first - key > NAME_MAX_)
        return false;
    second = memchr(first + 1, 0, size - (size_t)(first + 1 - key));
    if (second == NULL || second == first + 1 ||
        second - first - 1 > ARRAY_MAX || key + size != second + 5)
        return false;
    *array = (const char *)first + 1;
    *chunk = get_be32(second + 1);
    return true;
}

/* That there is this chunk as well. */
static kedge_status check_neighbour(store_txn *txn, array_key *key,
                                    size_t chunk, kedge_error *err)
{
    const uint8_t *bytes;
    size_t size;
    const kedge_status st =
        kv_get(txn, array_chunk(key, chunk), key->what, &bytes, &size, err);

    if (st != KEDGE_ENOTFOUND)
        return st;
    return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %zu is gone)",
                      key->what, chunk);
}

kedge_status stored_array_check(store_txn *txn, const uint8_t *bytes,
                                size_t size, char what[128], kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *f = kv_scratch(txn);
    kv_frame found;
    frame_head head;
    array_key key;
    const char *array = "";
    uint32_t chunk = 0;
    size_t n;

    if (!split_key(bytes, size, &array, &chunk))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "its key is damaged"));
    TRY(array_name(&key, (const char *)bytes, array, err));
    memcpy(what, key.what, sizeof key.what);
    TRY(kv_get_frame(txn, array_chunk(&key, chunk), ARRAY_TAG, key.what, &found,
                     err));
    TRY(frame_open(f, found.bytes, found.size, ARRAY_TAG, key.what, &head,
                   err));
    if (head.extra > SIZE_MAX / 8 || chunk >= chunk_count(head.extra))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %u)",
                       key.what, chunk));
    n = chunk_values(head.extra, chunk);
    if (head.x != chunk || head.y != n || head.plain != 8 * n || head.z != 0)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (chunk %u)",
                       key.what, chunk));
    if (chunk > 0)
        TRY(check_neighbour(txn, &key, chunk - 1, err));
    if (chunk + 1 < chunk_count(head.extra))
        TRY(check_neighbour(txn, &key, chunk + 1, err));
out:
    return st;
}
