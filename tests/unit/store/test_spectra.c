/* SPDX-License-Identifier: MIT */
#include "store/spectra.h"

#include "base/bytes.h"
#include "store/record.h"
#include "store/spoil.h"

enum { CHUNK = 131072 };

/* Arrays of any bits. */
typedef struct drawn {
    store_spectrum of;
    store_spectrum_arrays a;
} drawn;

static double *draw(size_t count, uint64_t seed)
{
    double *const values = mem_new(count, sizeof *values);

    for (size_t i = 0; seed != 0 && i < count; i++) {
        const uint64_t bits = hash_stream(seed, i);
        memcpy(values + i, &bits, sizeof bits); /* NaNs too */
    }
    return values;
}

/* Zeros where the seed is 0. */
static void draw_all(drawn *d, uint64_t width, uint64_t used, uint64_t count,
                     uint64_t seed)
{
    *d = (drawn){{.blocks = seed, .removals = 2, .documents = 3,
                  .statistic = 1, .weight_bits = 32, .value_bits = 5,
                  .width = width, .seed = UINT64_MAX, .min_tokens = 6,
                  .rows = 7, .digest = 8, .weights = 9, .used = used,
                  .count = count, .arithmetic = "by hand"},
                 {draw(width * width, seed),
                  draw(width * width, seed == 0 ? 0 : seed + 1000),
                  draw(used * count, seed == 0 ? 0 : seed + 2000),
                  draw(count, seed == 0 ? 0 : seed + 3000)}};
}

static void drop_all(drawn *d)
{
    mem_free(d->a.zz);
    mem_free(d->a.zo);
    mem_free(d->a.turn);
    mem_free(d->a.values);
}

static void put(scene *t, uint32_t view, uint32_t weight, const drawn *d)
{
    ck_ok(store_put_spectrum(t->txn, view, weight, &d->of, &d->a, &t->err),
          t->err);
}

static kedge_status get(scene *t, uint32_t view, uint32_t weight, drawn *out)
{
    return store_get_spectrum_arrays(t->txn, view, weight, &out->of, &out->a,
                                     &t->err);
}

/* Upper triangles are the same, bit for bit, and below is nothing. */
static bool same_triangle(const double *in, const double *out, size_t n)
{
    const double zero = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (memcmp(out + i * n + j, j >= i ? in + i * n + j : &zero,
                       sizeof zero) != 0)
                return false;
    return true;
}

static bool same(const drawn *in, const drawn *out)
{
    const size_t turned = in->of.used * in->of.count;

    return same_triangle(in->a.zz, out->a.zz, in->of.width) &&
           same_triangle(in->a.zo, out->a.zo, in->of.width) &&
           memcmp(in->a.turn, out->a.turn, turned * 8) == 0 &&
           memcmp(in->a.values, out->a.values, in->of.count * 8) == 0;
}

static uint64_t records(scene *t)
{
    uint64_t count;

    ck_ok(kv_count(t->txn, DB_SPECTRA, &count, &t->err), t->err);
    return count;
}

/* In as many chunks as they need: 361 x 362 + 3 x 130 values are one, and
 * 361 x 362 + 17 x 23 are one more. */
START_TEST(spectra_come_back)
{
    static const uint64_t sizes[][4] = {
        {1, 0, 0, 1},      {1, 1, 1, 1},        {2, 2, 1, 1},
        {40, 36, 12, 1},   {361, 361, 0, 1},    {361, 129, 3, 1},
        {361, 22, 17, 2},  {600, 584, 194, 4},  {362, 361, 0, 2},
        {5, 5, 5, 1},
    };
    scene t;

    scene_make(&t);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t *const n = sizes[i];
        store_spectrum found;
        drawn in, out;
        draw_all(&in, n[0], n[1], n[2], i + 1);
        draw_all(&out, n[0], n[1], n[2], 0);
        ck_assert_uint_eq((n[0] * (n[0] + 1) + n[2] * (n[1] + 1) - 1) / CHUNK,
                          n[3] - 1);
        ck_ok(store_begin_write(t.s, &t.txn, &t.err), t.err);
        put(&t, 3, 1, &in);
        ck_assert_uint_eq(records(&t), 1 + n[3]); /* none of the one before */
        ck_ok(store_get_spectrum(t.txn, 3, 1, &found, &t.err), t.err);
        ck_assert_mem_eq(&found, &in.of, sizeof found);
        out.of = found;
        ck_ok(get(&t, 3, 1, &out), t.err);
        ck_assert(same(&in, &out));
        scene_commit(&t);
        drop_all(&in);
        drop_all(&out);
    }
    scene_end(&t);
}
END_TEST

static void check_count(scene *t, uint32_t view, uint64_t spectra,
                        bool of_all)
{
    uint64_t count, bytes, all = 0;

    ck_ok(store_count_spectra(t->txn, view, &count, &bytes, &t->err), t->err);
    ck_assert_uint_eq(count, spectra);
    ck_assert_int_eq(bytes > 0, spectra > 0);
    for (uint32_t other = 0; of_all && other < 300; other++) {
        uint64_t its;
        ck_ok(store_count_spectra(t->txn, other, &count, &its, &t->err),
              t->err);
        all += its;
    }
    ck_assert(!of_all || all == bytes);
}

START_TEST(each_view_knows_how_many_it_has)
{
    drawn small, large;
    scene t;

    scene_make(&t);
    scene_write(&t);
    check_count(&t, 0, 0, false);
    draw_all(&small, 7, 6, 2, 1);
    draw_all(&large, 400, 390, 100, 2); /* of several chunks */
    put(&t, 256, 1, &large);
    check_count(&t, 256, 1, true);
    check_count(&t, 255, 0, false);
    check_count(&t, 1, 0, false);
    put(&t, 256, 0, &small);
    put(&t, 255, 2, &small);
    put(&t, UINT32_MAX, 2, &small);
    check_count(&t, 256, 2, false);
    check_count(&t, 255, 1, false);
    check_count(&t, UINT32_MAX, 1, false);
    ck_ok(store_drop_spectra(t.txn, 256, &t.err), t.err);
    check_count(&t, 256, 0, false);
    drop_all(&small);
    drop_all(&large);
    scene_end(&t);
}
END_TEST

START_TEST(each_view_and_weight_has_its_own)
{
    store_spectrum found;
    drawn one, two, out;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_fails(store_get_spectrum(t.txn, 0, 0, &found, &t.err), KEDGE_ENOTFOUND,
             t.err, "no spectrum of view 0, weights 0");
    ck_ok(store_drop_spectra(t.txn, 0, &t.err), t.err);
    ck_ok(store_clear_spectra(t.txn, &t.err), t.err);
    draw_all(&one, 7, 6, 2, 1);
    draw_all(&two, 7, 6, 2, 2);
    draw_all(&out, 7, 6, 2, 0);
    for (uint32_t weight = 0; weight < 3; weight++) {
        put(&t, 1, weight, weight == 1 ? &two : &one);
        put(&t, 256, weight, &one);
    }
    out.of = two.of;
    ck_ok(get(&t, 1, 1, &out), t.err);
    ck_assert(same(&two, &out));
    ck_fails(get(&t, 1, 2, &out), KEDGE_ECORRUPT, t.err, "another's");
    ck_ok(store_drop_spectra(t.txn, 1, &t.err), t.err);
    ck_assert_uint_eq(records(&t), 6);
    ck_assert_int_eq(store_get_spectrum(t.txn, 1, 1, &found, &t.err),
                     KEDGE_ENOTFOUND);
    ck_fails(get(&t, 1, 1, &out), KEDGE_ECORRUPT, t.err, "chunk 0 is gone");
    ck_ok(store_get_spectrum(t.txn, 256, 2, &found, &t.err), t.err);
    ck_ok(store_drop_view(t.txn, 256, &t.err), t.err);
    ck_assert_uint_eq(records(&t), 0);
    put(&t, 9, 0, &one);
    ck_ok(store_clear_spectra(t.txn, &t.err), t.err);
    ck_assert_uint_eq(records(&t), 0);
    drop_all(&one);
    drop_all(&two);
    drop_all(&out);
    scene_end(&t);
}
END_TEST

static kedge_status get_record(scene *t)
{
    store_spectrum out;

    return store_get_spectrum(t->txn, 0, 0, &out, &t->err);
}

static kedge_status get_arrays(scene *t)
{
    drawn in, out;
    kedge_status st;

    draw_all(&in, 3, 3, 1, 1);
    draw_all(&out, 3, 3, 1, 0);
    out.of = in.of;
    st = get(t, 0, 0, &out);
    if (st == KEDGE_OK)
        ck_assert(same(&in, &out));
    drop_all(&in);
    drop_all(&out);
    return st;
}

START_TEST(every_flipped_bit_is_found)
{
    static const uint8_t key[12] = {0};
    drawn d;
    scene t;

    scene_make(&t);
    scene_write(&t);
    draw_all(&d, 3, 3, 1, 1);
    put(&t, 0, 0, &d);
    spoil_bits(&t, (kv_key){DB_SPECTRA, key, 8}, get_record, "is damaged",
               false);
    spoil_cuts(&t, (kv_key){DB_SPECTRA, key, 8}, get_record, "is damaged");
    spoil_bits(&t, (kv_key){DB_SPECTRA, key, 12}, get_arrays, "", true);
    drop_all(&d);
    scene_end(&t);
}
END_TEST

/* Of 4 columns 3 are used, with 2 eigenpairs, but for one byte. */
START_TEST(fields_that_cannot_be_are_refused)
{
    static const struct {
        size_t offset;
        uint8_t byte;
        bool good;
    } cases[] = {
        {0, 9, true},    {48, 3, true},   {48, 2, false},   {48, 0, false},
        {49, 0x1f, true}, {49, 0x20, false}, {96, 4, true}, {96, 5, false},
        {96, 1, false},  {104, 3, true},  {104, 4, false},  {103, 1, false},
        {112, 1, false}, {159, 1, false}, {160, 'x', true}, {161, 'x', false},
        {255, 'x', false},
    };
    static const uint8_t key[8] = {0};
    const kv_key at = {DB_SPECTRA, key, sizeof key};
    uint8_t record[RECORD_SIZE(256)];
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *const body = record + RECORD_HEAD;
        memset(record, 0, sizeof record);
        body[48] = 4;
        body[96] = 3;
        body[104] = 2;
        body[cases[i].offset] = cases[i].byte;
        record_seal(record, sizeof record, "KSPE", kv_place(at));
        ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
        ck_assert_msg((get_record(&t) == KEDGE_OK) == cases[i].good, "%zu", i);
    }
    memset(record + RECORD_HEAD + 160, 'x', 96); /* a text without end */
    record_seal(record, sizeof record, "KSPE", kv_place(at));
    ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
    ck_fails(get_record(&t), KEDGE_ECORRUPT, t.err, "(fields)");
    scene_end(&t);
}
END_TEST

static kedge_status check(scene *t, const void *key, size_t size)
{
    char what[128] = "";
    const kedge_status st = spectra_check(t->txn, key, size, what, &t->err);

    if (size == 8 || size == 12)
        ck_assert_str_eq(what, "spectrum of view 1, weights 2");
    return st;
}

START_TEST(records_are_checked_one_by_one)
{
    static const uint8_t key[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0};
    static const uint8_t next[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1};
    drawn d, other;
    scene t;

    scene_make(&t);
    ck_ok(store_begin_write(t.s, &t.txn, &t.err), t.err);
    draw_all(&d, 400, 390, 3, 1);
    draw_all(&other, 400, 390, 3, 2);
    put(&t, 1, 2, &d);
    ck_ok(check(&t, key, 8), t.err);
    ck_ok(check(&t, key, 12), t.err);
    ck_ok(check(&t, next, 12), t.err);
    ck_fails(check(&t, key, 9), KEDGE_ECORRUPT, t.err, "key has 9 bytes");
    ck_ok(kv_drop(t.txn, (kv_key){DB_SPECTRA, next, 12}, &t.err), t.err);
    ck_fails(check(&t, key, 8), KEDGE_ECORRUPT, t.err, "(chunk 1 is gone)");
    ck_ok(check(&t, key, 12), t.err);
    put(&t, 1, 2, &d);
    ck_ok(kv_drop(t.txn, (kv_key){DB_SPECTRA, key, 8}, &t.err), t.err);
    ck_fails(check(&t, next, 12), KEDGE_ECORRUPT, t.err,
             "(its record is gone)");
    put(&t, 1, 2, &d);
    put(&t, 1, 3, &other); /* its record, in the place of the first */
    size_t size;
    uint8_t *const record = spoil_copy(
        &t, (kv_key){DB_SPECTRA, (const uint8_t *)"\0\0\0\1\0\0\0\3", 8},
        &size);
    record_seal(record, size, "KSPE", kv_place((kv_key){DB_SPECTRA, key, 8}));
    ck_ok(kv_put(t.txn, (kv_key){DB_SPECTRA, key, 8}, record, size, &t.err),
          t.err);
    ck_fails(check(&t, next, 12), KEDGE_ECORRUPT, t.err, "another's");
    record[RECORD_HEAD]++; /* damaged: told of the record alone */
    ck_ok(kv_put(t.txn, (kv_key){DB_SPECTRA, key, 8}, record, size, &t.err),
          t.err);
    ck_fails(check(&t, key, 8), KEDGE_ECORRUPT, t.err, "checksum");
    ck_ok(check(&t, next, 12), t.err);
    mem_free(record);
    drop_all(&d);
    drop_all(&other);
    scene_end(&t);
}
END_TEST

static kedge_status starved(scene *t, const drawn *in, drawn *out)
{
    const kedge_status st =
        store_put_spectrum(t->txn, 0, 0, &in->of, &in->a, &t->err);

    return st == KEDGE_OK ? get(t, 0, 0, out) : st;
}

START_TEST(no_memory_is_told)
{
    drawn in, out;
    scene t;

    scene_make(&t);
    scene_write(&t);
    draw_all(&in, 20, 18, 6, 1);
    draw_all(&out, 20, 18, 6, 0);
    out.of = in.of;
    scene_starve(starved(&t, &in, &out), t.err);
    ck_assert(same(&in, &out));
    drop_all(&in);
    drop_all(&out);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("spectra",
    spectra_come_back,
    each_view_knows_how_many_it_has,
    each_view_and_weight_has_its_own,
    every_flipped_bit_is_found,
    fields_that_cannot_be_are_refused,
    records_are_checked_one_by_one,
    no_memory_is_told)
