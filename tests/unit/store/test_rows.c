/* SPDX-License-Identifier: MIT */
#include "store/scene.h"

enum { ROWS = 20, WIDTH = 33, VALUES = ROWS * (1 + WIDTH) };

/* Rows of a sum of up to 62 bits, and values of both signs that are no
 * larger. */
static void fill(int64_t *values, uint64_t seed)
{
    for (size_t i = 0; i < VALUES; i++) {
        const unsigned bits =
            1 + (unsigned)scene_random(seed, i / (1 + WIDTH), 61);
        const int64_t most = (int64_t)((UINT64_C(1) << bits) - 1);
        const int64_t v = (int64_t)(hash_stream(seed, i) >> (64 - bits));
        values[i] = i % (1 + WIDTH) == 0                ? most
                    : hash_stream(seed + 1, i) % 2 == 0 ? v
                                                        : -v;
    }
}

static kedge_status decode(store_rows *r, const uint8_t *bytes, size_t size,
                           int64_t *values, kedge_error *err)
{
    return store_rows_decode(r, bytes, size, ROWS, WIDTH, values, err);
}

TEST(random_rows_come_back)
{
    int64_t in[VALUES], out[VALUES];
    OWN(store_rows_free) store_rows r = {0}, scratch = {0};
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 300; seed++) {
        fill(in, seed);
        ck_ok(store_rows_encode(&r, in, ROWS, WIDTH, &err), err);
        ck_ok(decode(&scratch, r.bytes, r.size, out, &err), err);
        ck_assert_mem_eq(in, out, sizeof in);
    }
}

TEST(limits_of_every_size_come_back)
{
    OWN(store_rows_free) store_rows r = {0};
    kedge_error err = {0};

    for (unsigned bits = 1; bits <= 62; bits++) {
        const int64_t most = (int64_t)((UINT64_C(1) << bits) - 1);
        const int64_t in[8] = {most, -most, most, 0, most, most - 1, 1, -1};
        int64_t out[8];
        ck_ok(store_rows_encode(&r, in, 2, 3, &err), err);
        ck_ok(store_rows_decode(&r, r.bytes, r.size, 2, 3, out, &err), err);
        ck_assert_mem_eq(in, out, sizeof in);
    }
}

TEST(shapes_at_their_limits)
{
    const size_t rows = STORE_CHUNK_ROWS, width = 8192;
    OWNED int64_t *in = mem_new2(rows, 1 + width, sizeof *in);
    OWNED int64_t *out = mem_new2(rows, 1 + width, sizeof *out);
    OWN(store_rows_free) store_rows r = {0};
    kedge_error err = {0};

    for (size_t i = 0; i < rows * (1 + width); i++)
        in[i] = i % (1 + width) == 0 ? INT64_MAX / 2
                                     : (int64_t)(hash_stream(1, i) >> 3);
    ck_ok(store_rows_encode(&r, in, rows, width, &err), err);
    ck_ok(store_rows_decode(&r, r.bytes, r.size, rows, width, out, &err), err);
    ck_assert(memcmp(in, out, rows * (1 + width) * sizeof *in) == 0);
    ck_fails(store_rows_encode(&r, in, rows + 1, 1, &err), KEDGE_EINVAL, err,
             "too big");
    ck_fails(store_rows_encode(&r, in, 1, width + 1, &err), KEDGE_EINVAL, err,
             "too big");
    ck_ok(store_rows_encode(&r, in, 1, 0, &err), err);
    ck_ok(store_rows_decode(&r, r.bytes, r.size, 1, 0, out, &err), err);
}

/* A sum is of terms that are not negative, and bounds each value. */
TEST(rows_of_no_documents_are_refused)
{
    static const struct {
        int64_t sum, value;
        bool good;
    } cases[] = {
        {0, 0, true},   {5, 5, true},   {5, -5, true},     {5, 6, false},
        {5, -6, false}, {-1, 0, false}, {INT64_MIN, 0, false},
        {0, INT64_MIN, false},          {INT64_MAX / 2, INT64_MAX / 2, true},
        {INT64_MAX / 2 + 1, 0, false},
    };
    OWN(store_rows_free) store_rows r = {0};
    kedge_error err = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t in[4] = {9, 1, cases[i].sum, cases[i].value};
        int64_t out[4];
        ck_ok(store_rows_encode(&r, in, 2, 1, &err), err);
        ck_assert_msg((store_rows_decode(&r, r.bytes, r.size, 2, 1, out,
                                         &err) == KEDGE_OK) == cases[i].good,
                      "%zu", i);
        ck_assert(cases[i].good ||
                  strstr(err.text, "row 1 counts no documents") != NULL);
    }
}

TEST(another_shape_is_refused)
{
    int64_t in[VALUES], out[VALUES];
    OWN(store_rows_free) store_rows r = {0};
    kedge_error err = {0};

    fill(in, 8);
    ck_ok(store_rows_encode(&r, in, ROWS, WIDTH, &err), err);
    ck_fails(store_rows_decode(&r, r.bytes, r.size, ROWS - 1, WIDTH, out, &err),
             KEDGE_ECORRUPT, err, "20 rows by 33, not 19 by 33");
}

static void put(scene *t, uint32_t index, uint64_t chunk, store_rows *r)
{
    int64_t in[VALUES];

    fill(in, 100 * index + chunk);
    OK(store_rows_encode(r, in, ROWS, WIDTH, &t->err));
    OK(store_put_rows(t->txn, index, chunk, r, &t->err));
}

static bool has(scene *t, uint32_t index, uint64_t chunk, store_rows *r)
{
    int64_t in[VALUES], out[VALUES];
    const uint8_t *bytes;
    size_t size;
    const kedge_status st =
        store_get_rows(t->txn, index, chunk, &bytes, &size, &t->err);

    if (st == KEDGE_ENOTFOUND)
        return false;
    OK(st);
    fill(in, 100 * index + chunk);
    OK(decode(r, bytes, size, out, &t->err));
    ck_assert_mem_eq(in, out, sizeof in);
    return true;
}

TEST(rows_are_stored_and_dropped_by_index)
{
    OWN(scene_drop) scene *const t = scene_writing();
    OWN(store_rows_free) store_rows r = {0};

    for (uint64_t chunk = 10; chunk-- > 0;)
        for (uint32_t index = 0; index < 3; index++)
            put(t, index, chunk, &r);
    put(t, 1, 4, &r);
    ck_assert(has(t, 1, 4, &r));
    OK(store_drop_rows(t->txn, 1, &t->err));
    OK(store_drop_rows(t->txn, 9, &t->err));
    scene_commit(t);
    scene_read(t);
    for (uint64_t chunk = 0; chunk < 10; chunk++) {
        ck_assert(has(t, 0, chunk, &r));
        ck_assert(!has(t, 1, chunk, &r));
        ck_assert(has(t, 2, chunk, &r));
    }
    ck_assert(!has(t, 0, UINT64_C(1) << 32, &r));
}
