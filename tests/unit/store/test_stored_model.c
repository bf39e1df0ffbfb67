/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "store/spoil.h"

enum { CHUNK = 131072 };

static void put_header(scene *t, const char *name)
{
    ck_ok(store_put_model(t->txn, name, (const uint8_t *)name, strlen(name),
                          &t->err),
          t->err);
}

START_TEST(headers_come_back_by_name)
{
    const char *const names[] = {"k50", "k10", "a", "k5", "k100", "\xc3\xa9"};
    const char *const sorted[] = {"a", "k10", "k100", "k5", "k50", "\xc3\xa9"};
    const uint8_t *header;
    size_t size;
    char name[64];
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_fails(store_get_model_name(t.txn, 0, name, &t.err), KEDGE_ENOTFOUND,
             t.err, "");
    for (int i = 0; i < 6; i++)
        put_header(&t, names[i]);
    for (uint64_t i = 0; i < 6; i++) {
        ck_ok(store_get_model_name(t.txn, i, name, &t.err), t.err);
        ck_assert_str_eq(name, sorted[i]);
        ck_ok(store_get_model_header(t.txn, name, &header, &size, &t.err),
              t.err);
        ck_assert_uint_eq(size, strlen(name));
        ck_assert_mem_eq(header, name, size);
    }
    ck_assert_int_eq(store_get_model_name(t.txn, 6, name, &t.err),
                     KEDGE_ENOTFOUND);
    ck_fails(store_get_model_header(t.txn, "k", &header, &size, &t.err),
             KEDGE_ENOTFOUND, t.err, "there is no model \"k\"");
    scene_end(&t);
}
END_TEST

START_TEST(names_are_checked)
{
    char name[65];
    const uint8_t *header;
    size_t size;
    scene t;

    scene_make(&t);
    scene_write(&t);
    memset(name, 'n', 64);
    name[64] = 0;
    ck_fails(store_put_model(t.txn, name, NULL, 0, &t.err), KEDGE_EINVAL, t.err,
             "1 to 63 bytes");
    ck_fails(store_put_model(t.txn, "", NULL, 0, &t.err), KEDGE_EINVAL, t.err,
             "1 to 63 bytes");
    name[63] = 0;
    put_header(&t, name);
    ck_ok(store_get_model_header(t.txn, name, &header, &size, &t.err), t.err);
    ck_ok(store_get_model_name(t.txn, 0, name, &t.err), t.err);
    ck_assert_uint_eq(strlen(name), 63);
    ck_fails(store_put_array(t.txn, "m", "", NULL, 0, &t.err), KEDGE_EINVAL,
             t.err, "1 to 31 bytes");
    scene_end(&t);
}
END_TEST

static double *numbers(size_t count, uint64_t seed)
{
    double *values = mem_new(count, sizeof *values);

    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = hash_stream(seed, i);
        memcpy(values + i, &bits, sizeof bits); /* NaNs too */
    }
    return values;
}

static void check_array(scene *t, size_t count, uint64_t seed)
{
    double *in = numbers(count, seed), *out = mem_new(count, sizeof *out);

    ck_ok(store_put_array(t->txn, "m", "topics", in, count, &t->err), t->err);
    ck_ok(store_get_array(t->txn, "m", "topics", out, count, &t->err), t->err);
    ck_assert(memcmp(in, out, count * sizeof *in) == 0);
    ck_fails(store_get_array(t->txn, "m", "topics", out, count + 1, &t->err),
             KEDGE_ECORRUPT, t->err, "array \"topics\" of model \"m\"");
    mem_free(in);
    mem_free(out);
}

START_TEST(arrays_of_any_size_come_back)
{
    const size_t counts[] = {0,         1,     2,       CHUNK - 1,
                             CHUNK + 1, CHUNK, 3 * CHUNK, 5};
    scene t;

    scene_make(&t);
    for (uint64_t i = 0; i < 8; i++) {
        ck_ok(store_begin_write(t.s, &t.txn, &t.err), t.err);
        check_array(&t, counts[i], i);
        scene_commit(&t);
    }
    scene_end(&t);
}
END_TEST

START_TEST(a_dropped_model_is_gone)
{
    const double one = 1;
    double out;
    char name[64];
    scene t;

    scene_make(&t);
    scene_write(&t);
    put_header(&t, "m");
    put_header(&t, "mm");
    ck_ok(store_put_array(t.txn, "m", "b", &one, 1, &t.err), t.err);
    ck_ok(store_put_array(t.txn, "m", "bb", &one, 1, &t.err), t.err);
    ck_ok(store_put_array(t.txn, "mm", "b", &one, 1, &t.err), t.err);
    ck_ok(store_drop_model(t.txn, "m", &t.err), t.err);
    ck_ok(store_drop_model(t.txn, "m", &t.err), t.err);
    ck_fails(store_get_array(t.txn, "m", "b", &out, 1, &t.err), KEDGE_ENOTFOUND,
             t.err, "array \"b\" of model \"m\"");
    ck_fails(store_get_array(t.txn, "m", "bb", &out, 1, &t.err),
             KEDGE_ENOTFOUND, t.err, "array \"bb\"");
    ck_ok(store_get_array(t.txn, "mm", "b", &out, 1, &t.err), t.err);
    ck_ok(store_get_model_name(t.txn, 0, name, &t.err), t.err);
    ck_assert_str_eq(name, "mm");
    scene_end(&t);
}
END_TEST

static kedge_status get_header(scene *t)
{
    const uint8_t *header;
    size_t size;

    return store_get_model_header(t->txn, "m", &header, &size, &t->err);
}

static kedge_status get_array(scene *t)
{
    double out[20];
    double *const values = numbers(20, 1);
    const kedge_status st = store_get_array(t->txn, "m", "a", out, 20, &t->err);

    if (st == KEDGE_OK)
        ck_assert_mem_eq(values, out, sizeof out);
    mem_free(values);
    return st;
}

START_TEST(every_flipped_bit_is_found)
{
    double *values = numbers(20, 1);
    scene t;

    scene_make(&t);
    scene_write(&t);
    put_header(&t, "m");
    ck_ok(store_put_array(t.txn, "m", "a", values, 20, &t.err), t.err);
    spoil_bits(&t, (kv_key){DB_MODELS, (const uint8_t *)"m", 1}, get_header, "",
               true);
    spoil_bits(&t, (kv_key){DB_ARRAYS, (const uint8_t *)"m\0a\0\0\0\0\0", 8},
               get_array, "", true);
    mem_free(values);
    scene_end(&t);
}
END_TEST

START_TEST(a_lost_chunk_is_found)
{
    const uint8_t key[] = "m\0a\0\0\0\0\1";
    double *values = numbers(CHUNK + 1, 1);
    scene t;

    scene_make(&t);
    ck_ok(store_begin_write(t.s, &t.txn, &t.err), t.err);
    ck_ok(store_put_array(t.txn, "m", "a", values, CHUNK + 1, &t.err), t.err);
    ck_ok(kv_drop(t.txn, (kv_key){DB_ARRAYS, key, 8}, &t.err), t.err);
    ck_fails(store_get_array(t.txn, "m", "a", values, CHUNK + 1, &t.err),
             KEDGE_ECORRUPT, t.err, "chunk 1 is gone");
    mem_free(values);
    scene_end(&t);
}
END_TEST

static kedge_status put_all(scene *t, const double *values)
{
    const kedge_status st =
        store_put_model(t->txn, "m", (const uint8_t *)"head", 4, &t->err);

    return st != KEDGE_OK
               ? st
               : store_put_array(t->txn, "m", "a", values, 20, &t->err);
}

START_TEST(no_memory_is_told)
{
    double *values = numbers(20, 1), out[20];
    scene t;

    scene_make(&t);
    scene_write(&t);
    scene_starve(put_all(&t, values), t.err);
    scene_commit(&t);
    scene_reopen(&t, KEDGE_OPEN_READ);
    scene_read(&t);
    scene_starve(store_get_array(t.txn, "m", "a", out, 20, &t.err), t.err);
    ck_assert_mem_eq(values, out, sizeof out);
    mem_free(values);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("stored_model",
    headers_come_back_by_name,
    names_are_checked,
    arrays_of_any_size_come_back,
    a_dropped_model_is_gone,
    every_flipped_bit_is_found,
    a_lost_chunk_is_found,
    no_memory_is_told)
