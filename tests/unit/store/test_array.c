/* SPDX-License-Identifier: MIT */
#include "store/spoil.h"

enum { DOUBLES = 131072, IDS = 65536, COUNTS = 9000 };

/* ---- words --------------------------------------------------------------- */

/* As many words, of any bytes and of sizes from 0 up. */
static void grow(words *w, size_t count)
{
    char text[300];

    while (w->count < count) {
        const size_t i = w->count;
        const size_t size = (size_t)scene_random(3, i, i % 50 == 0 ? 300 : 12);
        for (size_t k = 0; k < size; k++)
            text[k] = (char)scene_random(i, k, 256);
        ck_assert(words_add(w, text, size));
    }
}

static bool same_words(const words *a, const words *b)
{
    return a->count == b->count &&
           memcmp(a->offset, b->offset, (a->count + 1) * sizeof *a->offset) ==
               0 &&
           memcmp(a->bytes, b->bytes, a->offset[a->count]) == 0;
}

TEST(a_growing_vocabulary_comes_back)
{
    const size_t counts[] = {1, 2, 4095, 4096, 4097, 10000, 10000, 20480};
    OWN(words_free) words w = {0}, out = {0};
    size_t from = 0;
    OWN(scene_drop) scene *const t = scene_new();

    scene_read(t);
    OK(store_get_words(t->txn, &out, &t->err));
    ck_assert_uint_eq(out.count, 0);
    store_abort(&t->txn);
    for (int i = 0; i < 8; i++) {
        words_free(&out);
        grow(&w, counts[i]);
        scene_write(t);
        scene_put_words(t, &w, from);
        scene_commit(t);
        scene_read(t);
        OK(store_get_words(t->txn, &out, &t->err));
        store_abort(&t->txn);
        ck_assert(same_words(&w, &out));
        from = w.count;
    }
}

TEST(words_are_picked)
{
    uint32_t ids[500];
    OWN(words_free) words w = {0}, out = {0};
    OWN(scene_drop) scene *const t = scene_writing();

    grow(&w, 10000);
    scene_put_words(t, &w, 0);
    for (size_t i = 0; i < 500; i++)
        ids[i] = (uint32_t)scene_random(1, i, 10000);
    scene_starve(
        (words_free(&out), store_pick_words(t->txn, ids, 500, &out, &t->err)),
        t->err);
    ck_assert_uint_eq(out.count, 500);
    for (size_t i = 0; i < 500; i++)
        ck_assert(words_size(&out, i) == words_size(&w, ids[i]) &&
                  memcmp(words_get(&out, i), words_get(&w, ids[i]),
                         words_size(&out, i)) == 0);
    ids[7] = 10000;
    FAILS(store_pick_words(t->txn, ids, 500, &out, &t->err), KEDGE_ECORRUPT,
          "no word 10000");
}

TEST(a_vocabulary_other_than_told_is_found)
{
    const char *const told[] = {"words chunk 0", "10 words of 9", "bytes of",
                                "words chunk 0"};
    const uint8_t next[4] = {[3] = 1};
    store_totals totals;
    OWN(words_free) words w = {0}, out = {0};
    OWN(scene_drop) scene *const t = scene_writing();

    grow(&w, 10);
    for (unsigned i = 0; i < 4; i++) {
        scene_put_words(t, &w, 0);
        OK(store_get_totals(t->txn, &totals, &t->err));
        totals.words += (i == 0) - (uint64_t)(i == 1);
        totals.word_bytes += (i == 2) - (uint64_t)(i == 3);
        OK(store_put_totals(t->txn, &totals, &t->err));
        FAILS(store_get_words(t->txn, &out, &t->err), KEDGE_ECORRUPT, told[i]);
        words_free(&out);
    }
    totals.word_bytes = UINT64_C(400) << 20; /* of ten words */
    OK(store_put_totals(t->txn, &totals, &t->err));
    FAILS(store_get_totals(t->txn, &totals, &t->err), KEDGE_ECORRUPT,
          "10 words of 419430400 bytes");
    OK(store_put_totals(t->txn, &(store_totals){0}, &t->err));
    scene_put_words(t, &w, 0);
    OK(kv_put(t->txn, (kv_key){DB_WORDS, next, 4}, next, 4, &t->err));
    FAILS(store_get_words(t->txn, &out, &t->err), KEDGE_ECORRUPT,
          "the vocabulary is damaged"); /* a chunk too many */
}

TEST(totals_and_words_are_loaded_at_once)
{
    OWN(words_free) words w = {0}, out = {0};
    store_totals totals;
    OWN(scene_drop) scene *const t = scene_writing();

    grow(&w, 10);
    FAILS(store_load_words(t->s, &totals, &out, &t->err), KEDGE_EMISUSE,
          "a transaction is open already");
    scene_put_words(t, &w, 0);
    scene_commit(t);
    for (int i = 0; i < 2; i++) { /* it leaves no transaction open */
        words_free(&out);
        OK(store_load_words(t->s, &totals, &out, &t->err));
        ck_assert_uint_eq(totals.words, 10);
        ck_assert(same_words(&w, &out));
    }
}

/* ---- counts -------------------------------------------------------------- */

TEST(counts_come_back)
{
    const size_t counts[] = {1, 4096, 4097, COUNTS, 5000, COUNTS};
    static uint64_t tf[COUNTS], df[COUNTS], got[2][COUNTS];
    OWN(scene_drop) scene *const t = scene_new();

    for (uint64_t i = 0; i < 6; i++) {
        const size_t size = counts[i] * sizeof *tf;
        for (size_t k = 0; k < COUNTS; k++) {
            tf[k] = hash_stream(i, k) >> scene_random(1, k, 64);
            df[k] = hash_stream(i, k + COUNTS) >> scene_random(2, k, 64);
        }
        scene_write(t);
        OK(store_put_counts(t->txn, tf, df, counts[i], &t->err));
        OK(store_put_part_counts(t->txn, df, tf, counts[i], &t->err));
        scene_commit(t);
        scene_read(t);
        OK(store_get_counts(t->txn, got[0], got[1], counts[i], &t->err));
        ck_assert(memcmp(got[0], tf, size) == 0 &&
                  memcmp(got[1], df, size) == 0);
        if (counts[i] < COUNTS) /* no more than were put */
            ck_assert_int_ne(
                store_get_counts(t->txn, got[0], got[1], COUNTS, &t->err),
                KEDGE_OK);
        OK(store_get_part_counts(t->txn, got[0], got[1], COUNTS, &t->err));
        ck_assert(memcmp(got[0], df, size) == 0 &&
                  memcmp(got[1], tf, size) == 0);
        for (size_t k = counts[i]; k < COUNTS; k++) /* which parts have not */
            ck_assert(got[0][k] == 0 && got[1][k] == 0);
        store_abort(&t->txn);
    }
}

TEST(counts_that_were_never_put)
{
    uint64_t tf = 1, df = 1;
    OWN(scene_drop) scene *const t = scene_new();

    scene_read(t);
    OK(store_get_counts(t->txn, NULL, NULL, 0, &t->err));
    FAILS(store_get_counts(t->txn, &tf, &df, 1, &t->err), KEDGE_ENOTFOUND,
          "counts chunk 0");
    OK(store_get_part_counts(t->txn, &tf, &df, 1, &t->err));
    ck_assert(tf == 0 && df == 0);
}

TEST(unchanged_chunks_are_not_written)
{
    static uint64_t counts[COUNTS];
    const uint8_t *before, *after;
    size_t size;
    OWN(scene_drop) scene *const t = scene_writing();

    OK(store_put_counts(t->txn, counts, counts, COUNTS, &t->err));
    scene_commit(t);
    scene_write(t);
    OK(kv_get(t->txn, KV_KEY4(DB_COUNTS, 0), &before, &size, &t->err));
    OK(store_put_counts(t->txn, counts, counts, COUNTS, &t->err));
    OK(kv_get(t->txn, KV_KEY4(DB_COUNTS, 0), &after, &size, &t->err));
    ck_assert_ptr_eq(before, after); /* a write would have copied the page */
}

/* ---- lists --------------------------------------------------------------- */

/* `count` rising ids; the caller frees. */
static uint32_t *rising(uint64_t seed, size_t count)
{
    uint32_t *const ids = mem_new(count, sizeof *ids);
    uint64_t next = scene_any(seed, 0, 20);

    ck_assert_ptr_nonnull(ids);
    for (size_t i = 0; i < count; i++) {
        ids[i] = (uint32_t)next;
        next += 1 + scene_any(seed, i + 1, 8);
    }
    return ids;
}

TEST(lists_of_any_length_come_back)
{
    const size_t counts[] = {0,       1,       100,    IDS - 1, IDS,
                             IDS + 1, 3 * IDS, 200000, 7};
    store_list list = {0};
    OWN(scene_drop) scene *const t = scene_blank();

    scene_make_unlimited(t);
    for (uint32_t i = 0; i < 9; i++) { /* the last ones over longer ones */
        OWNED uint32_t *ids = rising(i, counts[i]);
        scene_write(t);
        OK(store_put_list(t->txn, i / 2, ids, counts[i], &t->err));
        scene_commit(t);
        scene_read(t);
        OK(store_get_list(t->txn, i / 2, &list, &t->err));
        ck_assert_uint_eq(list.count, counts[i]);
        if (counts[i] > 0)
            ck_assert_mem_eq(list.ids, ids, counts[i] * sizeof *ids);
        store_abort(&t->txn);
    }
    store_list_free(&list);
    ck_assert_ptr_null(list.ids);
}

TEST(lists_are_dropped_and_refused)
{
    const uint32_t ids[] = {0, UINT32_MAX}, same[] = {1, 1};
    OWN(store_list_free) store_list list = {0};
    OWN(scene_drop) scene *const t = scene_unlimited();

    OK(store_put_list(t->txn, 1, ids, 2, &t->err));
    OK(store_put_list(t->txn, 2, ids, 2, &t->err));
    FAILS(store_put_list(t->txn, 2, same, 2, &t->err), KEDGE_EINVAL,
          "must rise (1, 1)");
    OK(store_drop_list(t->txn, 1, &t->err));
    OK(store_drop_list(t->txn, 1, &t->err));
    FAILS(store_get_list(t->txn, 1, &list, &t->err), KEDGE_ENOTFOUND,
          "list of index 1");
    OK(store_get_list(t->txn, 2, &list, &t->err));
    ck_assert(list.count == 2 && list.ids[1] == UINT32_MAX);
}

/* ---- models -------------------------------------------------------------- */

static void put_header(scene *t, const char *name)
{
    OK(store_put_model(t->txn, name, (const uint8_t *)name, strlen(name),
                       &t->err));
}

TEST(headers_come_back_by_name)
{
    const char *const names[] = {"k50", "k10", "a", "k5", "k100", "\xc3\xa9"};
    const char *const sorted[] = {"a", "k10", "k100", "k5", "k50", "\xc3\xa9"};
    const uint8_t *header;
    char name[65];
    size_t size;
    OWN(scene_drop) scene *const t = scene_writing();

    for (int i = 0; i < 6; i++)
        put_header(t, names[i]);
    for (uint64_t i = 0; i < 6; i++) {
        OK(store_get_model_name(t->txn, i, name, &t->err));
        ck_assert_str_eq(name, sorted[i]);
        OK(store_get_model_header(t->txn, name, &header, &size, &t->err));
        ck_assert_uint_eq(size, strlen(name));
        ck_assert_mem_eq(header, name, size);
    }
    ck_assert_int_eq(store_get_model_name(t->txn, 6, name, &t->err),
                     KEDGE_ENOTFOUND);
    FAILS(store_get_model_header(t->txn, "k", &header, &size, &t->err),
          KEDGE_ENOTFOUND, "there is no model \"k\"");
    memset(name, 'n', 64);
    name[64] = 0;
    FAILS(store_put_model(t->txn, name, NULL, 0, &t->err), KEDGE_EINVAL,
          "1 to 63 bytes");
    FAILS(store_put_model(t->txn, "", NULL, 0, &t->err), KEDGE_EINVAL,
          "1 to 63 bytes");
    FAILS(store_put_array(t->txn, "m", "", NULL, 0, &t->err), KEDGE_EINVAL,
          "1 to 31 bytes");
    name[63] = 0;
    put_header(t, name);
    OK(store_get_model_name(t->txn, 5, name, &t->err));
    ck_assert_uint_eq(strlen(name), 63);
}

/* Doubles of any bits, NaNs too; zeros where the seed is 0. */
static double *draw(size_t count, uint64_t seed)
{
    double *const values = mem_new(count, sizeof *values);

    for (size_t i = 0; seed != 0 && i < count; i++) {
        const uint64_t bits = hash_stream(seed, i);
        memcpy(values + i, &bits, sizeof bits);
    }
    return values;
}

TEST(arrays_of_any_size_come_back)
{
    const size_t counts[] = {0,           1,       2,           DOUBLES - 1,
                             DOUBLES + 1, DOUBLES, 3 * DOUBLES, 5};
    OWN(scene_drop) scene *const t = scene_new();

    for (uint64_t i = 0; i < 8; i++) {
        const size_t n = counts[i];
        OWNED double *in = draw(n, i + 1), *out = draw(n, 0);
        scene_write(t);
        OK(store_put_array(t->txn, "m", "a", in, n, &t->err));
        OK(store_get_array(t->txn, "m", "a", out, n, &t->err));
        ck_assert(memcmp(in, out, n * sizeof *in) == 0);
        FAILS(store_get_array(t->txn, "m", "a", out, n + 1, &t->err),
              KEDGE_ECORRUPT, "array \"a\" of model \"m\"");
        scene_commit(t);
    }
}

TEST(a_dropped_model_is_gone)
{
    const double one = 1;
    double out;
    char name[64];
    OWN(scene_drop) scene *const t = scene_writing();

    put_header(t, "m");
    put_header(t, "mm");
    OK(store_put_array(t->txn, "m", "b", &one, 1, &t->err));
    OK(store_put_array(t->txn, "m", "bb", &one, 1, &t->err));
    OK(store_put_array(t->txn, "mm", "b", &one, 1, &t->err));
    OK(store_drop_model(t->txn, "m", &t->err));
    OK(store_drop_model(t->txn, "m", &t->err));
    FAILS(store_get_array(t->txn, "m", "b", &out, 1, &t->err), KEDGE_ENOTFOUND,
          "array \"b\" of model \"m\"");
    FAILS(store_get_array(t->txn, "m", "bb", &out, 1, &t->err), KEDGE_ENOTFOUND,
          "array \"bb\"");
    OK(store_get_array(t->txn, "mm", "b", &out, 1, &t->err));
    OK(store_get_model_name(t->txn, 0, name, &t->err));
    ck_assert_str_eq(name, "mm");
}

/* ---- spectra ------------------------------------------------------------- */

/* Arrays of any bits. */
typedef struct drawn {
    store_spectrum of;
    store_spectrum_arrays a;
} drawn;

static drawn draw_all(uint64_t width, uint64_t used, uint64_t count,
                      uint64_t seed)
{
    return (drawn){{.blocks = seed, .weight_bits = 32, .width = width,
                    .seed = UINT64_MAX, .used = used, .count = count,
                    .arithmetic = "by hand"},
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

static void put(scene *t, uint32_t index, uint32_t weight, const drawn *d)
{
    OK(store_put_spectrum(t->txn, index, weight, &d->of, &d->a, &t->err));
}

static kedge_status get(scene *t, uint32_t index, uint32_t weight, drawn *out)
{
    return store_get_spectrum_arrays(t->txn, index, weight, &out->of, &out->a,
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

static uint64_t records(scene *t, kv_db db)
{
    uint64_t count;

    OK(kv_count(t->txn, db, &count, &t->err));
    return count;
}

/* In as many chunks as they need: 361 x 362 + 3 x 130 values are one, and
 * 361 x 362 + 17 x 23 are one more. */
TEST(spectra_come_back)
{
    static const uint64_t sizes[][4] = {
        {1, 0, 0, 1},     {1, 1, 1, 1},       {2, 2, 1, 1},
        {40, 36, 12, 1},  {361, 361, 0, 1},   {361, 129, 3, 1},
        {361, 22, 17, 2}, {600, 584, 194, 4}, {362, 361, 0, 2},
        {5, 5, 5, 1},
    };
    OWN(scene_drop) scene *const t = scene_new();

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t *const n = sizes[i];
        OWN(drop_all) drawn in = draw_all(n[0], n[1], n[2], i + 1);
        OWN(drop_all) drawn out = draw_all(n[0], n[1], n[2], 0);
        scene_write(t);
        put(t, 3, 1, &in);
        ck_assert_uint_eq(records(t, DB_SPECTRUM), n[3]); /* no others */
        OK(store_get_spectrum(t->txn, 3, 1, &out.of, &t->err));
        ck_assert_mem_eq(&out.of, &in.of, sizeof in.of);
        OK(get(t, 3, 1, &out));
        ck_assert(same(&in, &out));
        scene_commit(t);
    }
}

static void check_count(scene *t, uint32_t index, uint64_t spectra)
{
    uint64_t count, bytes;

    OK(store_count_spectra(t->txn, index, &count, &bytes, &t->err));
    ck_assert_uint_eq(count, spectra);
    ck_assert_int_eq(bytes > 0, spectra > 0);
}

TEST(each_index_and_weight_has_its_own)
{
    store_spectrum found;
    OWN(drop_all) drawn one = draw_all(400, 390, 100, 1); /* several chunks */
    OWN(drop_all) drawn two = draw_all(7, 6, 2, 2), out = draw_all(7, 6, 2, 0);
    OWN(drop_all) drawn another = draw_all(7, 6, 2, 3);
    OWN(scene_drop) scene *const t = scene_writing();

    FAILS(store_get_spectrum(t->txn, 0, 0, &found, &t->err), KEDGE_ENOTFOUND,
          "no spectrum of index 0, weights 0");
    OK(store_drop_spectra(t->txn, 0, &t->err));
    OK(store_clear_spectra(t->txn, &t->err));
    for (uint32_t weight = 0; weight < 3; weight++) {
        put(t, 1, weight, weight == 1 ? &two : &another);
        put(t, 256, weight, weight == 2 ? &one : &two);
    }
    check_count(t, 0, 0);
    check_count(t, 1, 3);
    check_count(t, 256, 3);
    out.of = two.of;
    OK(get(t, 1, 1, &out));
    ck_assert(same(&two, &out));
    FAILS(get(t, 1, 2, &out), KEDGE_ECORRUPT,
          "spectrum of index 1, weights 2 is damaged");
    OK(store_drop_spectra(t->txn, 1, &t->err));
    check_count(t, 1, 0);
    check_count(t, 256, 3);
    ck_assert_int_eq(store_get_spectrum(t->txn, 1, 1, &found, &t->err),
                     KEDGE_ENOTFOUND);
    FAILS(get(t, 1, 1, &out), KEDGE_ECORRUPT, "is damaged (chunk 0 is gone)");
    OK(store_drop_index(t->txn, 256, &t->err));
    ck_assert_uint_eq(records(t, DB_SPECTRA) + records(t, DB_SPECTRUM), 0);
    put(t, 9, 0, &one);
    OK(store_clear_spectra(t->txn, &t->err));
    ck_assert_uint_eq(records(t, DB_SPECTRA) + records(t, DB_SPECTRUM), 0);
}

TEST(a_spectrum_of_no_possible_shape_is_refused)
{
    static const struct {
        uint64_t width, used, count;
        bool good;
    } cases[] = {{4, 3, 2, true},  {4, 4, 4, true},    {3, 4, 2, false},
                 {4, 3, 4, false}, {8192, 1, 1, true}, {1, 0, 0, true}};
    store_spectrum of = {0}, out;
    OWN(scene_drop) scene *const t = scene_writing();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        of.width = cases[i].width;
        of.used = cases[i].used;
        of.count = cases[i].count;
        OK(record_put(t->txn, KV_KEY44(DB_SPECTRA, 0, 0), &schemas[KSPE], &of,
                      span_of(NULL, 0), &t->err));
        ck_assert_msg((store_get_spectrum(t->txn, 0, 0, &out, &t->err) ==
                       KEDGE_OK) == cases[i].good, "%zu", i);
    }
}

/* ---- chunks -------------------------------------------------------------- */

TEST(a_lost_chunk_is_found)
{
    OWNED uint32_t *ids = rising(1, 2 * IDS + 5);
    OWNED double *values = draw(2 * DOUBLES + 1, 1);
    uint32_t items;
    OWN(drop_all) drawn d = draw_all(600, 584, 194, 1);
    OWN(store_list_free) store_list list = {0};
    array a;
    OWN(scene_drop) scene *const t = scene_unlimited();

    for (uint32_t chunk = 1; chunk < 3; chunk++) {
        char part[32];
        snprintf(part, sizeof part, "chunk %d is gone", (int)chunk);
        OK(store_put_list(t->txn, 0, ids, 2 * IDS + 5, &t->err));
        OK(store_put_array(t->txn, "m", "a", values, 2 * DOUBLES + 1, &t->err));
        put(t, 0, 0, &d);
        const uint8_t last = (uint8_t)chunk;
        const uint8_t array_key[] = {'m', 0, 'a', 0, 0, 0, 0, last};
        const uint8_t spectrum_key[12] = {[11] = last};
        OK(kv_drop(t->txn, KV_KEY44(DB_LISTS, 0, chunk), &t->err));
        FAILS(store_get_list(t->txn, 0, &list, &t->err), KEDGE_ECORRUPT, part);
        ck_assert_uint_eq(list.count, 0);
        OK(kv_drop(t->txn, (kv_key){DB_ARRAYS, array_key, 8}, &t->err));
        FAILS(
            store_get_array(t->txn, "m", "a", values, 2 * DOUBLES + 1, &t->err),
            KEDGE_ECORRUPT, part);
        OK(kv_drop(t->txn, (kv_key){DB_SPECTRUM, spectrum_key, 12}, &t->err));
        FAILS(get(t, 0, 0, &d), KEDGE_ECORRUPT, part);
        a = array_list(0); /* those beside it miss it, too */
        a.limit = UINT64_MAX;
        for (uint32_t c = 0; c < 3; c++)
            if (c != chunk)
                ck_assert((array_check(t->txn, &a, c, &items, &t->err) ==
                           KEDGE_OK) == (c + 1 != chunk && c != chunk + 1));
    }
}

TEST(hostile_chunks_are_refused)
{
    static const struct {
        kv_db db;
        const char *tag, *plain;
        uint32_t size, x;
        uint64_t extra;
        uint32_t y, z;
        bool good;
    } cases[] = {
        {DB_LISTS, "KLST", "\1\0", 2, 2, 2, 0, 0, true},
        {DB_LISTS, "KLST", "", 0, 0, 0, 0, 0, true},
        {DB_LISTS, "KLST", "\1\0", 2, 2, 3, 0, 0, false},
        {DB_LISTS, "KLST", "\1\0", 2, 3, 3, 0, 0, false},
        {DB_LISTS, "KLST", "\1\0", 2, IDS, 2 * IDS, 0, 0, false},
        {DB_LISTS, "KLST", "\1\0", 2, 2, UINT64_MAX, 0, 0, false},
        {DB_LISTS, "KLST", "\1\0", 2, 2, 2, 1, 0, false},
        {DB_LISTS, "KLST", "\1\0", 2, 2, 2, 0, 1, false},
        {DB_LISTS, "KLST", "\1\0\0", 3, 2, 2, 0, 0, false},
        {DB_LISTS, "KLST", "\1\x80", 2, 2, 2, 0, 0, false},
        {DB_LISTS, "KLST", "\xff\xff\xff\xff\x0f\0", 6, 2, 2, 0, 0, false},
        {DB_WORDS, "KWRD", "\1\2abb", 5, 2, 0, 0, 0, true},
        {DB_WORDS, "KWRD", "\1\2abb", 5, 2, 1, 0, 0, false},
        {DB_WORDS, "KWRD", "\1\2ab", 4, 2, 0, 0, 0, false},
        {DB_WORDS, "KWRD", "\1\2abbc", 6, 2, 0, 0, 0, false},
        {DB_WORDS, "KWRD", "", 0, 0, 0, 0, 0, false},
        {DB_WORDS, "KWRD", "\1\2abb", 5, 4097, 0, 0, 0, false},
        {DB_WORDS, "KWRD", "\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1a", 12, 2,
         0, 0, 0, false},
        {DB_COUNTS, "KCNT", "\1\2\3\4", 4, 2, 0, 0, 0, true},
        {DB_COUNTS, "KCNT", "\1\2\3\x84", 4, 2, 0, 0, 0, false},
        {DB_COUNTS, "KCNT", "\1\2\3\4\5", 5, 2, 0, 0, 0, false},
        {DB_COUNTS, "KCNT", "\1\2\3\4", 4, 3, 0, 0, 0, false},
        {DB_PART_COUNTS, "KPCT", "\1\2\3\4", 4, 2, 0, 0, 0, true},
        {DB_PART_COUNTS, "KPCT", "\1\2\3\4", 4, 1, 0, 0, 0, false},
        {DB_ARRAYS, "KARR", "12345678", 8, 1, 1, 0, 0, true},
        {DB_ARRAYS, "KARR", "12345678", 8, 1, 2, 0, 0, false},
        {DB_ARRAYS, "KARR", "1234567", 7, 1, 1, 0, 0, false},
        {DB_ARRAYS, "KARR", "12345678", 8, 1, UINT64_MAX, 0, 0, false},
        {DB_ARRAYS, "KARR", "12345678", 8, 1, UINT64_C(1) << 61, 0, 0, false},
    };
    static const uint8_t name[8] = "m\0a", zeros[8];
    uint32_t chunk, items;
    array a;
    OWN(scene_drop) scene *const t = scene_unlimited();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kv_db db = cases[i].db;
        const kv_key key = {db, db == DB_ARRAYS ? name : zeros,
                            db == DB_ARRAYS || db == DB_LISTS ? 8 : 4};
        spoil_frame(t, key, cases[i].tag, cases[i].plain, cases[i].size,
                    (frame_head){.extra = cases[i].extra, .x = cases[i].x,
                                 .y = cases[i].y, .z = cases[i].z});
        OK(array_of_key(key, &a, &chunk, &t->err));
        a.limit = UINT64_MAX;
        if (cases[i].good)
            OK(array_check(t->txn, &a, chunk, &items, &t->err));
        else
            FAILS(array_check(t->txn, &a, chunk, &items, &t->err),
                  KEDGE_ECORRUPT, "damaged (chunk 0 has ");
    }
}

TEST(ids_rise_from_chunk_to_chunk)
{
    OWNED uint32_t *ids = rising(1, IDS + 2);
    OWN(store_list_free) store_list list = {0};
    uint8_t plain[20];
    OWN(scene_drop) scene *const t = scene_unlimited();

    for (size_t falls = 0; falls < 2; falls++) {
        OK(store_put_list(t->txn, 0, ids, IDS + 2, &t->err));
        uint8_t *const end =
            put_varint(put_varint(plain, ids[IDS - falls]), 7);
        spoil_frame(t, KV_KEY44(DB_LISTS, 0, 1), "KLST", plain,
                    (size_t)(end - plain),
                    (frame_head){.extra = IDS + 2, .x = 2});
        ck_assert_int_eq(store_get_list(t->txn, 0, &list, &t->err),
                         falls ? KEDGE_ECORRUPT : KEDGE_OK);
    }
}
