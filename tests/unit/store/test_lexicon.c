/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "store/spoil.h"

/* Words first .. first + count - 1: of any bytes and of sizes from 0 up. */
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

static bool same(const words *a, const words *b)
{
    return a->count == b->count &&
           memcmp(a->offset, b->offset, (a->count + 1) * sizeof *a->offset) ==
               0 &&
           memcmp(a->bytes, b->bytes, a->offset[a->count]) == 0;
}

START_TEST(a_growing_vocabulary_comes_back)
{
    const size_t counts[] = {1, 2, 4095, 4096, 4097, 10000, 10000, 20480};
    scene t;
    words w = {0};
    size_t from = 0;

    scene_make(&t);
    for (int i = 0; i < 8; i++) {
        words out = {0};
        grow(&w, counts[i]);
        scene_write(&t);
        scene_put_words(&t, &w, from);
        scene_commit(&t);
        scene_read(&t);
        ck_ok(store_get_words(t.txn, &out, &t.err), t.err);
        store_abort(&t.txn);
        ck_assert(same(&w, &out));
        words_free(&out);
        from = w.count;
    }
    words_free(&w);
    scene_end(&t);
}
END_TEST

START_TEST(no_words_at_first)
{
    scene t;
    words out = {0};
    uint64_t tf, df;

    scene_make(&t);
    scene_read(&t);
    ck_ok(store_get_words(t.txn, &out, &t.err), t.err);
    ck_assert_uint_eq(out.count, 0);
    ck_ok(store_get_counts(t.txn, NULL, NULL, 0, &t.err), t.err);
    ck_fails(store_get_counts(t.txn, &tf, &df, 1, &t.err), KEDGE_ENOTFOUND,
             t.err, "counts of words 0 to 4095");
    words_free(&out);
    scene_end(&t);
}
END_TEST

START_TEST(a_vocabulary_other_than_told_is_found)
{
    const char *const told[] = {"10 words of 11", "10 words of 9",
                                "bytes of", "bytes of"};
    store_totals totals;
    scene t;
    words w = {0}, out = {0};

    scene_make(&t);
    grow(&w, 10);
    scene_write(&t);
    for (unsigned i = 0; i < 4; i++) {
        scene_put_words(&t, &w, 0);
        ck_ok(store_get_totals(t.txn, &totals, &t.err), t.err);
        totals.words += (i == 0) - (uint64_t)(i == 1);
        totals.word_bytes += (i == 2) - (uint64_t)(i == 3);
        ck_ok(store_put_totals(t.txn, &totals, &t.err), t.err);
        ck_fails(store_get_words(t.txn, &out, &t.err), KEDGE_ECORRUPT, t.err,
                 told[i]);
        words_free(&out);
    }
    totals.word_bytes = UINT64_C(400) << 20; /* of ten words */
    ck_ok(store_put_totals(t.txn, &totals, &t.err), t.err);
    ck_fails(store_get_totals(t.txn, &totals, &t.err), KEDGE_ECORRUPT, t.err,
             "10 words of 419430400 bytes");
    words_free(&w);
    words_free(&out);
    scene_end(&t);
}
END_TEST

START_TEST(totals_and_words_are_loaded_at_once)
{
    scene t;
    words w = {0}, out = {0};
    store_totals totals;

    scene_make(&t);
    grow(&w, 10);
    scene_write(&t);
    ck_fails(store_load_words(t.s, &totals, &out, &t.err), KEDGE_EMISUSE, t.err,
             "a transaction is open already");
    scene_put_words(&t, &w, 0);
    scene_commit(&t);
    for (int i = 0; i < 2; i++) { /* it leaves no transaction open */
        words_free(&out);
        ck_ok(store_load_words(t.s, &totals, &out, &t.err), t.err);
        ck_assert_uint_eq(totals.words, 10);
        ck_assert(same(&w, &out));
    }
    words_free(&out);
    scene_starve(
        (words_free(&out), store_load_words(t.s, &totals, &out, &t.err)),
        t.err);
    scene_write(&t);
    store_abort(&t.txn);
    words_free(&w);
    words_free(&out);
    scene_end(&t);
}
END_TEST

enum { COUNTS = 9000 };

static void put_counts(scene *t, uint64_t seed, size_t count)
{
    uint64_t *tf = mem_new(COUNTS, sizeof *tf);
    uint64_t *df = mem_new(COUNTS, sizeof *df);
    uint64_t *back = mem_new(2 * COUNTS, sizeof *back);

    for (size_t i = 0; i < COUNTS; i++) {
        tf[i] = hash_stream(seed, i) >> scene_random(1, i, 64);
        df[i] = hash_stream(seed, i + COUNTS) >> scene_random(2, i, 64);
    }
    scene_write(t);
    ck_ok(store_put_counts(t->txn, tf, df, count, &t->err), t->err);
    scene_commit(t);
    scene_read(t);
    ck_ok(store_get_counts(t->txn, back, back + COUNTS, count, &t->err),
          t->err);
    ck_assert_mem_eq(back, tf, count * sizeof *tf);
    ck_assert_mem_eq(back + COUNTS, df, count * sizeof *df);
    if (count < COUNTS)
        ck_assert_int_ne(
            store_get_counts(t->txn, back, back + COUNTS, COUNTS, &t->err),
            KEDGE_OK);
    store_abort(&t->txn);
    mem_free(tf);
    mem_free(df);
    mem_free(back);
}

START_TEST(counts_come_back)
{
    const size_t counts[] = {1, 4096, 4097, COUNTS, 5000, COUNTS};
    scene t;

    scene_make(&t);
    for (uint64_t i = 0; i < 6; i++)
        put_counts(&t, i, counts[i]);
    scene_end(&t);
}
END_TEST

START_TEST(unchanged_chunks_are_not_written)
{
    uint64_t *counts = mem_new(COUNTS, sizeof *counts);
    const uint8_t key[4] = {0};
    const uint8_t *before, *after;
    size_t size;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(store_put_counts(t.txn, counts, counts, COUNTS, &t.err), t.err);
    scene_commit(&t);
    scene_write(&t);
    ck_ok(kv_get(t.txn, (kv_key){DB_COUNTS, key, 4}, "it", &before, &size,
                 &t.err),
          t.err);
    ck_ok(store_put_counts(t.txn, counts, counts, COUNTS, &t.err), t.err);
    ck_ok(
        kv_get(t.txn, (kv_key){DB_COUNTS, key, 4}, "it", &after, &size, &t.err),
        t.err);
    ck_assert_ptr_eq(before, after); /* a write would have copied the page */
    mem_free(counts);
    scene_end(&t);
}
END_TEST

static kedge_status get_words(scene *t)
{
    words in = {0}, out = {0};
    const kedge_status st = store_get_words(t->txn, &out, &t->err);

    grow(&in, 50);
    if (st == KEDGE_OK)
        ck_assert(same(&in, &out));
    words_free(&in);
    words_free(&out);
    return st;
}

static kedge_status get_counts(scene *t)
{
    uint64_t tf[50], df[50];

    const kedge_status st = store_get_counts(t->txn, tf, df, 50, &t->err);

    for (uint64_t i = 0; st == KEDGE_OK && i < 50; i++)
        ck_assert(tf[i] == i * i && df[i] == i * i);
    return st;
}

START_TEST(every_flipped_bit_is_found)
{
    const uint8_t key[4] = {0};
    scene t;
    words w = {0};
    uint64_t counts[50];

    scene_make(&t);
    grow(&w, 50);
    for (uint64_t i = 0; i < 50; i++)
        counts[i] = i * i;
    scene_write(&t);
    scene_put_words(&t, &w, 0);
    ck_ok(store_put_counts(t.txn, counts, counts, 50, &t.err), t.err);
    spoil_bits(&t, (kv_key){DB_WORDS, key, 4}, get_words, "", true);
    spoil_bits(&t, (kv_key){DB_COUNTS, key, 4}, get_counts, "", true);
    words_free(&w);
    scene_end(&t);
}
END_TEST

static kedge_status put_and_get(scene *t, const words *w, words *out)
{
    const store_totals totals = {.words = w->count,
                                 .word_bytes = words_bytes(w)};
    kedge_status st = store_put_words(t->txn, w, 0, &t->err);

    words_free(out);
    if (st == KEDGE_OK)
        st = store_put_totals(t->txn, &totals, &t->err);
    if (st == KEDGE_OK)
        st = store_get_words(t->txn, out, &t->err);
    return st;
}

START_TEST(no_memory_is_told)
{
    scene t;
    words w = {0}, out = {0};

    scene_make(&t);
    grow(&w, 100);
    scene_write(&t);
    scene_starve(put_and_get(&t, &w, &out), t.err);
    ck_assert(same(&w, &out));
    words_free(&w);
    words_free(&out);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("lexicon",
    a_growing_vocabulary_comes_back,
    no_words_at_first,
    a_vocabulary_other_than_told_is_found,
    totals_and_words_are_loaded_at_once,
    counts_come_back,
    unchanged_chunks_are_not_written,
    every_flipped_bit_is_found,
    no_memory_is_told)
