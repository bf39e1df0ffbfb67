/* SPDX-License-Identifier: MIT */
#include "store/parts.h"

#include "store/lexicon.h"
#include "store/spoil.h"

enum { WORDS = LEXICON_CHUNK + 100 };

static const uint8_t part_key[9] = {'p', 0, 0, 0, 0, 0, 0, 0, 1};
static const uint8_t counts_key[5] = {'c'};

static store_part sample(uint64_t i)
{
    store_part p = {.digest = {UINT64_MAX - i, i}, .documents = i + 1,
                    .tokens = i + 2, .nonzeros = i + 3, .when = i + 4};

    memset(p.name, 'a' + (int)i, 63);
    return p;
}

static void put_parts(scene *t, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const store_part p = sample(i);
        ck_ok(store_put_part(t->txn, i, &p, &t->err), t->err);
    }
}

START_TEST(parts_come_back_and_add_up)
{
    const store_totals totals = {.parts = 5};
    store_part out;
    scene t;

    scene_make(&t);
    scene_write(&t);
    put_parts(&t, 5);
    for (uint64_t i = 0; i < 5; i++) {
        const store_part in = sample(i);
        ck_ok(store_get_part(t.txn, i, &out, &t.err), t.err);
        ck_assert_mem_eq(&in, &out, sizeof in);
    }
    ck_fails(store_get_part(t.txn, 5, &out, &t.err), KEDGE_ENOTFOUND, t.err,
             "there is no part 5");
    ck_ok(store_sum_parts(t.txn, &totals, &out, &t.err), t.err);
    ck_assert(out.documents == 15 && out.tokens == 20 && out.nonzeros == 25);
    ck_assert_uint_eq(out.digest[0], (uint64_t)-15); /* modulo 2^64 */
    ck_assert_uint_eq(out.digest[1], 10);
    ck_ok(store_sum_parts(t.txn, &(store_totals){0}, &out, &t.err), t.err);
    ck_assert_uint_eq(out.documents, 0);
    scene_end(&t);
}
END_TEST

/* Words that came later have nothing in parts. */
START_TEST(counts_come_back_with_zeros_after_them)
{
    static uint64_t tf[WORDS], df[WORDS], got_tf[2 * WORDS], got_df[2 * WORDS];
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (size_t i = 0; i < WORDS; i++) {
        tf[i] = i * i;
        df[i] = i;
    }
    memset(got_tf, 1, sizeof got_tf);
    ck_ok(store_get_part_counts(t.txn, got_tf, got_df, 3, &t.err), t.err);
    ck_assert(got_tf[2] == 0 && got_tf[3] != 0);
    ck_ok(store_put_part_counts(t.txn, tf, df, WORDS, &t.err), t.err);
    ck_ok(store_get_part_counts(t.txn, got_tf, got_df, 2 * WORDS, &t.err),
          t.err);
    ck_assert_mem_eq(tf, got_tf, sizeof tf);
    ck_assert_mem_eq(df, got_df, sizeof df);
    for (size_t i = WORDS; i < 2 * WORDS; i++)
        ck_assert(got_tf[i] == 0 && got_df[i] == 0);
    ck_ok(store_get_part_counts(t.txn, got_tf, got_df, 10, &t.err), t.err);
    ck_assert_mem_eq(tf, got_tf, 80);
    scene_end(&t);
}
END_TEST

static kedge_status get_part(scene *t)
{
    store_part out;

    return store_get_part(t->txn, 1, &out, &t->err);
}

/* Damage of an order that zstd does not look at changes nothing. */
static kedge_status get_counts(scene *t)
{
    uint64_t tf[30], df[30];
    const kedge_status st = store_get_part_counts(t->txn, tf, df, 30, &t->err);

    for (uint64_t i = 0; st == KEDGE_OK && i < 30; i++)
        ck_assert(tf[i] == 1000 * i && df[i] == i);
    return st;
}

START_TEST(every_flipped_bit_and_cut_is_found)
{
    const kv_key part = {DB_PARTS, part_key, sizeof part_key};
    const kv_key counts = {DB_PARTS, counts_key, sizeof counts_key};
    uint64_t tf[30], df[30];
    scene t;

    scene_make(&t);
    scene_write(&t);
    put_parts(&t, 2);
    for (uint64_t i = 0; i < 30; i++) {
        tf[i] = 1000 * i;
        df[i] = i;
    }
    ck_ok(store_put_part_counts(t.txn, tf, df, 30, &t.err), t.err);
    spoil_bits(&t, part, get_part, "part 1 is damaged", false);
    spoil_cuts(&t, part, get_part, "part 1 is damaged");
    spoil_bits(&t, counts, get_counts, "counts of parts", true);
    spoil_cuts(&t, counts, get_counts, "counts of parts");
    scene_end(&t);
}
END_TEST

START_TEST(keys_are_looked_at)
{
    char what[128] = "";
    scene t;

    scene_make(&t);
    scene_write(&t);
    put_parts(&t, 2);
    ck_ok(parts_check(t.txn, part_key, 9, 2, what, &t.err), t.err);
    ck_assert_str_eq(what, "part 1");
    ck_fails(parts_check(t.txn, part_key, 9, 1, what, &t.err), KEDGE_ECORRUPT,
             t.err, "there are 1 parts");
    for (size_t size = 1; size < 9; size++)
        ck_fails(parts_check(t.txn, part_key, size, 2, what, &t.err),
                 KEDGE_ECORRUPT, t.err, "its key is damaged");
    ck_assert_int_eq(parts_check(t.txn, counts_key, 5, 2, what, &t.err),
                     KEDGE_ENOTFOUND);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("parts",
    parts_come_back_and_add_up,
    counts_come_back_with_zeros_after_them,
    every_flipped_bit_and_cut_is_found,
    keys_are_looked_at)
