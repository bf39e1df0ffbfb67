/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "store/record.h"
#include "store/spoil.h"

static const store_view sample = {
    .statistic = 1,
    .weight_bits = 32,
    .value_bits = 5,
    .width = 1000,
    .seed = UINT64_MAX,
    .min_tokens = 5,
    .words = 6,
    .blocks = 7,
    .documents = 8,
    .skipped = 9,
    .tokens = 10,
    .rows = UINT32_MAX,
    .removals = 11,
    .rule = "in at least 20 documents",
    .total = 0x1.8p70,
    .parts = 12,
    .asked = UINT64_MAX - 1,
    .frozen = true,
};

START_TEST(views_come_back)
{
    const uint32_t ids[] = {1, 2, 3, 5, 8, 13};
    store_view in = sample, out;
    scene t;

    in.listed = in.joined = true;
    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_view(t.txn, 3, &in, &t.err), t.err);
    ck_fails(store_get_view_record(t.txn, 3, &out, &t.err), KEDGE_ECORRUPT,
             t.err, "its list of words is gone");
    ck_ok(store_put_list(t.txn, 3, ids, 5, &t.err), t.err);
    ck_fails(store_get_view_record(t.txn, 3, &out, &t.err), KEDGE_ECORRUPT,
             t.err, "its list has 5 words, not 6");
    ck_ok(store_put_list(t.txn, 3, ids, 6, &t.err), t.err);
    ck_ok(store_get_view_record(t.txn, 3, &out, &t.err), t.err);
    ck_assert(out.statistic == 1 && out.weight_bits == 32 &&
              out.value_bits == 5 && out.width == 1000 &&
              out.seed == UINT64_MAX && out.min_tokens == 5 && out.words == 6 &&
              out.blocks == 7 && out.documents == 8 && out.skipped == 9 &&
              out.tokens == 10 && out.rows == UINT32_MAX &&
              out.removals == 11 && out.listed && out.joined);
    ck_assert_str_eq(out.rule, sample.rule);
    ck_assert_double_eq(out.total, 0x1.8p70);
    ck_assert_uint_eq(out.parts, 12);
    ck_assert_uint_eq(out.asked, UINT64_MAX - 1);
    ck_assert(out.frozen);
    ck_fails(store_get_view_record(t.txn, 0, &out, &t.err), KEDGE_ENOTFOUND,
             t.err, "there is no view 0");
    scene_end(&t);
}
END_TEST

/* Of all words, of a list, of a list with phrases. */
START_TEST(kinds_of_views_come_back)
{
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    for (unsigned kind = 0; kind < 3; kind++) {
        store_view v = sample, out;
        v.listed = kind > 0;
        v.words = 2;
        ck_ok(store_put_list(t.txn, kind, (const uint32_t[]){7, 8}, 2, &t.err),
              t.err);
        v.joined = kind > 1;
        ck_ok(store_put_view(t.txn, kind, &v, &t.err), t.err);
        ck_ok(store_get_view_record(t.txn, kind, &out, &t.err), t.err);
        ck_assert(out.listed == v.listed && out.joined == v.joined);
        ck_assert_uint_eq(out.removals, 11);
    }
    scene_end(&t);
}
END_TEST

static kedge_status get_view(scene *t)
{
    store_view out;

    return store_get_view_record(t->txn, 0, &out, &t->err);
}

START_TEST(every_flipped_bit_and_cut_is_found)
{
    const uint8_t key[4] = {0};
    const kv_key at = {DB_VIEWS, key, sizeof key};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_view(t.txn, 0, &sample, &t.err), t.err);
    spoil_bits(&t, at, get_view, "view 0 is damaged", false);
    spoil_cuts(&t, at, get_view, "view 0 is damaged");
    scene_end(&t);
}
END_TEST

/* A view as small as one can be. */
static void least(uint8_t record[RECORD_SIZE(384)])
{
    memset(record, 0, RECORD_SIZE(384));
    put_u64(record + RECORD_HEAD + 8, 40);
    put_u64(record + RECORD_HEAD + 24, 16);
    put_u64(record + RECORD_HEAD + 40, 5);
}

START_TEST(fields_out_of_range_are_refused)
{
    uint8_t record[RECORD_SIZE(384)];
    const uint8_t key[4] = {0};
    const kv_key at = {DB_VIEWS, key, sizeof key};
    store_view out;
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_list(t.txn, 0, NULL, 0, &t.err), t.err);
    for (size_t i = 0; i < 384; i++) {
        const bool narrow = i < 24 || (i >= 88 && i < 96);
        const bool refused = i > 296 || i < 24 || (narrow && i % 8 >= 4) ||
                             (i > 104 && i < 112) || (i > 25 && i < 32) ||
                             (i > 41 && i < 48);
        least(record);
        record[RECORD_HEAD + i] = 1;
        record_seal(record, sizeof record, "KVIE", kv_place(at));
        ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
        ck_assert((store_get_view_record(t.txn, 0, &out, &t.err) != KEDGE_OK) ==
                  refused);
    }
    for (unsigned last = 0; last < 256; last++) { /* of a total, 1 to NaN */
        least(record);
        record[RECORD_HEAD + 278] = 0xf1;
        record[RECORD_HEAD + 279] = (uint8_t)last;
        record_seal(record, sizeof record, "KVIE", kv_place(at));
        ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
        ck_assert_int_eq(store_get_view_record(t.txn, 0, &out, &t.err),
                         last >= 0x7f ? KEDGE_ECORRUPT : KEDGE_OK);
    }
    for (unsigned listed = 0; listed < 256; listed++) {
        least(record);
        record[RECORD_HEAD + 104] = (uint8_t)listed;
        record_seal(record, sizeof record, "KVIE", kv_place(at));
        ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
        ck_assert_int_eq(store_get_view_record(t.txn, 0, &out, &t.err),
                         listed > 2 ? KEDGE_ECORRUPT : KEDGE_OK);
    }
    memset(record, 0, sizeof record);
    memset(record + RECORD_HEAD + 112, 'x', 160); /* a rule without end */
    record_seal(record, sizeof record, "KVIE", kv_place(at));
    ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
    ck_assert_int_eq(store_get_view_record(t.txn, 0, &out, &t.err),
                     KEDGE_ECORRUPT);
    scene_end(&t);
}
END_TEST

START_TEST(views_are_walked_over_gaps_and_dropped)
{
    const uint32_t numbers[] = {0, 3, 4, 1000000, UINT32_MAX};
    const uint32_t ids[] = {7, 8};
    const store_joins joins = {0};
    store_joins found = {0};
    store_list list = {0};
    store_view v = sample, out;
    uint32_t number = 9;
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_fails(store_next_view(t.txn, 0, &number, &out, &t.err), KEDGE_ENOTFOUND,
             t.err, "");
    for (size_t i = 5; i-- > 0;) {
        v.seed = numbers[i];
        ck_ok(store_put_view(t.txn, numbers[i], &v, &t.err), t.err);
    }
    for (size_t i = 0; i < 5; i++) {
        ck_ok(store_next_view(t.txn, i == 0 ? 0 : number + 1, &number, &out,
                              &t.err),
              t.err);
        ck_assert_uint_eq(number, numbers[i]);
        ck_assert_uint_eq(out.seed, numbers[i]);
    }
    ck_ok(store_drop_view(t.txn, UINT32_MAX, &t.err), t.err);
    ck_ok(store_put_list(t.txn, 3, ids, 2, &t.err), t.err);
    ck_ok(store_put_joins(t.txn, 3, &joins, &t.err), t.err);
    ck_ok(store_drop_view(t.txn, 3, &t.err), t.err);
    ck_ok(store_drop_view(t.txn, 3, &t.err), t.err);
    ck_fails(store_get_list(t.txn, 3, &list, &t.err), KEDGE_ENOTFOUND, t.err,
             "view 3");
    ck_fails(store_get_joins(t.txn, 3, &found, &t.err), KEDGE_ENOTFOUND, t.err,
             "view 3");
    store_joins_free(&found);
    ck_ok(store_next_view(t.txn, 1, &number, &out, &t.err), t.err);
    ck_assert_uint_eq(number, 4);
    ck_fails(store_next_view(t.txn, 1000001, &number, &out, &t.err),
             KEDGE_ENOTFOUND, t.err, "");
    store_list_free(&list);
    scene_end(&t);
}
END_TEST

typedef struct visits {
    store_txn *txn;
    size_t count, most; /* the one after fails */
    bool drops;
    uint32_t number[8];
} visits;

static kedge_status visit(void *data, uint32_t number, store_view *v,
                          kedge_error *err)
{
    visits *const to = data;

    if (to->count == to->most)
        return kedge_fail(err, KEDGE_ECANCELED, "view %u is too much", number);
    ck_assert_uint_eq(v->seed, number);
    to->number[to->count++] = number;
    return to->drops ? store_drop_view(to->txn, number, err) : KEDGE_OK;
}

START_TEST(each_view_is_visited_until_one_fails)
{
    const uint32_t numbers[] = {0, 3, 4, 1000000, UINT32_MAX};
    store_view v = sample;
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    for (size_t n = 0; n <= 5; n++) {
        for (size_t most = 0; most <= 5; most++) {
            visits got = {.txn = t.txn, .most = most};
            if (most < n)
                ck_fails(store_each_view(t.txn, visit, &got, &t.err),
                         KEDGE_ECANCELED, t.err, "is too much");
            else
                ck_ok(store_each_view(t.txn, visit, &got, &t.err), t.err);
            ck_assert_uint_eq(got.count, most < n ? most : n);
            ck_assert_mem_eq(got.number, numbers, got.count * sizeof *numbers);
        }
        v.seed = n < 5 ? numbers[n] : 0;
        if (n < 5)
            ck_ok(store_put_view(t.txn, numbers[n], &v, &t.err), t.err);
    }
    ck_ok(store_each_view(t.txn, visit,
                          &(visits){.txn = t.txn, .most = 5, .drops = true},
                          &t.err),
          t.err);
    ck_ok(store_each_view(t.txn, visit, &(visits){0}, &t.err), t.err);
    store_abort(&t.txn);
    ck_fails(store_each_view(t.txn, visit, &(visits){0}, &t.err), KEDGE_EMISUSE,
             t.err, "no transaction");
    scene_end(&t);
}
END_TEST

UNIT_SUITE("view",
    views_come_back,
    kinds_of_views_come_back,
    every_flipped_bit_and_cut_is_found,
    fields_out_of_range_are_refused,
    views_are_walked_over_gaps_and_dropped,
    each_view_is_visited_until_one_fails)
