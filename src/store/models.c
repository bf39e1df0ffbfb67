/* SPDX-License-Identifier: MIT */
/*
 * Models: a header of bytes under the name, and arrays of doubles. Spectra of
 * sketches: a record says what one is of, and four arrays are stored as one;
 * of two of them, which are symmetric matrices, the upper triangles are. A
 * chunk's mark is a hash of the record that it belongs to.
 */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "store/records.h"

/* ---- models -------------------------------------------------------------- */

kedge_status model_check_name(const char *name, size_t most, const char *what,
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

kedge_status store_put_model(store_txn *txn, const char *name,
                             const uint8_t *header, size_t size,
                             kedge_error *err)
{
    PASS(model_check_name(name, NAME_MOST, "a model's name", err));
    if (size > FRAME_PLAIN_MAX)
        return kedge_fail(err, KEDGE_EINVAL, "a header of %zu bytes", size);
    return record_put(txn, model_key(name), &schemas[KMOD], NULL,
                      span_of((const char *)header, size), err);
}

kedge_status store_get_model_header(store_txn *txn, const char *name,
                                    const uint8_t **header, size_t *size,
                                    kedge_error *err)
{
    span body;

    PASS(model_check_name(name, NAME_MOST, "a model's name", err));
    PASS(record_body(txn, model_key(name), "KMOD", &body, err));
    *header = (const uint8_t *)body.bytes;
    *size = body.size;
    return KEDGE_OK;
}

/* The i-th name that keys of a database are, or begin with before a zero. */
static kedge_status get_name(store_txn *txn, kv_db db, uint64_t i,
                             char out[64], kedge_error *err)
{
    uint8_t from[KV_KEY_MAX] = {0}, found[KV_KEY_MAX];
    size_t size = 1, name;

    do {
        PASS(kv_seek(txn, (kv_key){db, from, size}, found, &size, err));
        name = strnlen((const char *)found, size);
        if (name == 0 || name > NAME_MOST)
            return kedge_fail(err, KEDGE_ECORRUPT, "a model's name is damaged");
        memcpy(from, found, name);
        from[name] = 1; /* after all that is under name and zero */
        size = name + 1;
    } while (i-- > 0);
    memcpy(out, found, name);
    out[name] = '\0';
    return KEDGE_OK;
}

kedge_status store_get_model_name(store_txn *txn, uint64_t i, char out[64],
                                  kedge_error *err)
{
    return get_name(txn, DB_MODELS, i, out, err);
}

kedge_status store_get_kept_name(store_txn *txn, uint64_t i, char out[64],
                                 kedge_error *err)
{
    return get_name(txn, DB_KEPT, i, out, err);
}

kedge_status store_drop_model(store_txn *txn, const char *name,
                              kedge_error *err)
{
    const size_t prefix = strlen(name) + 1;

    PASS(model_check_name(name, NAME_MOST, "a model's name", err));
    PASS(kv_drop(txn, model_key(name), err));
    PASS(kv_drop_from(txn,
                      (kv_key){DB_ARRAYS, (const uint8_t *)name, prefix},
                      prefix, err));
    return store_drop_kept(txn, name, err);
}

kedge_status store_put_array(store_txn *txn, const char *model,
                             const char *name, const double *values,
                             size_t count, kedge_error *err)
{
    array_double from = {.at = {(double *)(uintptr_t)values}};
    array a;

    PASS(array_values(&a, model, name, err));
    return array_put(txn, &a, &from, 0, count, err);
}

kedge_status store_get_array(store_txn *txn, const char *model,
                             const char *name, double *values, size_t count,
                             kedge_error *err)
{
    array_double to = {.at = {values}};
    array a;

    PASS(array_values(&a, model, name, err));
    a.mark = a.count = count;
    return array_get(txn, &a, &to, err);
}

/* ---- spectra ------------------------------------------------------------- */

static uint64_t value_count(const store_spectrum *of)
{
    return of->width * (of->width + 1) + of->count * (of->used + 1);
}

/* That its arrays belong to this record. */
static array spectrum_array(uint32_t index, uint32_t weight,
                            const store_spectrum *of)
{
    array a = array_spectrum(index, weight);
    uint8_t body[512];

    assert(schema_size(&schemas[KSPE]) <= sizeof body);
    schema_write(&schemas[KSPE], of, body);
    a.mark = hash_bytes(0, body, schema_size(&schemas[KSPE]));
    a.count = value_count(of);
    return a;
}

static array_double doubles_of(const store_spectrum *of,
                               const store_spectrum_arrays *a)
{
    return (array_double){{a->zz, a->zo, a->turn, a->values}, of, 0, 0, 0};
}

kedge_status store_put_spectrum(store_txn *txn, uint32_t index, uint32_t weight,
                                const store_spectrum *of,
                                const store_spectrum_arrays *from,
                                kedge_error *err)
{
    array a = spectrum_array(index, weight, of);
    array_double values = doubles_of(of, from);

    PASS(array_put(txn, &a, &values, 0, a.count, err));
    return record_put(txn, KV_KEY44(DB_SPECTRA, index, weight), &schemas[KSPE],
                      of, NO_TAIL, err);
}

kedge_status store_get_spectrum(store_txn *txn, uint32_t index, uint32_t weight,
                                store_spectrum *out, kedge_error *err)
{
    const kv_key key = KV_KEY44(DB_SPECTRA, index, weight);

    PASS(record_get(txn, key, &schemas[KSPE], out, NULL, err));
    return out->used <= out->width && out->count <= out->used
               ? KEDGE_OK
               : kv_damaged(key, err, "its shape");
}

kedge_status store_get_spectrum_arrays(store_txn *txn, uint32_t index,
                                       uint32_t weight,
                                       const store_spectrum *of,
                                       const store_spectrum_arrays *to,
                                       kedge_error *err)
{
    array a = spectrum_array(index, weight, of);
    array_double values = doubles_of(of, to);
    const kedge_status st = array_get(txn, &a, &values, err);

    return st != KEDGE_ENOTFOUND ? st : array_damaged(&a, 0, "is gone", err);
}

kedge_status spectrum_find(store_txn *txn, uint32_t index, uint32_t weight,
                           array *out, kedge_error *err)
{
    store_spectrum of;

    PASS(store_get_spectrum(txn, index, weight, &of, err));
    *out = spectrum_array(index, weight, &of);
    return KEDGE_OK;
}

static kedge_status count_value(void *data, const kv_value *v, kedge_error *err)
{
    uint64_t *const sums = data; /* records, bytes */

    (void)err;
    sums[0]++;
    sums[1] += v->size;
    return KEDGE_OK;
}

kedge_status store_count_spectra(store_txn *txn, uint32_t index,
                                 uint64_t *count, uint64_t *bytes,
                                 kedge_error *err)
{
    uint64_t sums[2] = {0};

    *count = *bytes = 0;
    PASS(kv_walk(txn, KV_KEY4(DB_SPECTRA, index), count_value, sums, err));
    *count = sums[0];
    PASS(kv_walk(txn, KV_KEY4(DB_SPECTRUM, index), count_value, sums, err));
    *bytes = sums[1];
    return KEDGE_OK;
}

kedge_status store_drop_spectra(store_txn *txn, uint32_t index,
                                kedge_error *err)
{
    PASS(kv_drop_from(txn, KV_KEY4(DB_SPECTRA, index), 4, err));
    return kv_drop_from(txn, KV_KEY4(DB_SPECTRUM, index), 4, err);
}

kedge_status store_clear_spectra(store_txn *txn, kedge_error *err)
{
    PASS(kv_clear(txn, DB_SPECTRA, err));
    return kv_clear(txn, DB_SPECTRUM, err);
}
