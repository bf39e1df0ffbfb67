/* SPDX-License-Identifier: MIT */
#include "pipeline/team/adopt.h"

#include "pipeline/lively.h"
#include "pipeline/index/index.h"

enum { N = 200 };

/* Shards that are there at first; the others come later. */
enum { FIRST = 5 };

static const uint32_t few[] = {1, 4, 5, 9, 20, 33, 34, 35, 60, 99, 120, 149};

#define FEW (sizeof few / sizeof *few)

/* A rule's choice, as another process tells it. */
static store_view chosen(void)
{
    return (store_view){.statistic = STATISTIC_LOG,
                        .weight_bits = STATISTIC_DAMPED_BITS,
                        .value_bits = STATISTIC_VALUE_BITS,
                        .width = 24, .seed = 1, .min_tokens = 5,
                        .words = 1000, .blocks = 77, .documents = 99,
                        .skipped = 3, .tokens = 9999, .rows = 14,
                        .removals = 5, .listed = true,
                        .rule = "words in 7 documents or more",
                        .total = 12, .parts = 4};
}

static void begin(lively *l, size_t shards)
{
    lively_begin(l, N);
    for (size_t i = 0; i < shards; i++)
        lively_ingest(l, i, false);
}

static kedge_status adopt_any(lively *l, const store_view *like,
                              const uint32_t *ids, size_t count,
                              uint32_t *number, store_view *out)
{
    store_totals totals;
    words all = {0};
    kedge_error err = {0};
    adopt_input in = {.s = l->p.t.s, .all = &all, .like = like, .ids = ids,
                      .count = count, .control = &l->p.c};
    kedge_status st;

    ck_ok(store_load_words(l->p.t.s, &totals, &all, &err), err);
    ck_ok(pool_create(2, &in.p, &err), err);
    st = adopt_view(&in, number, out, &l->p.t.err);
    pool_free(in.p);
    words_free(&all);
    return st;
}

static uint32_t adopt(lively *l, const store_view *like, const uint32_t *ids,
                      size_t count, store_view *out)
{
    uint32_t number;

    ck_ok(adopt_any(l, like, ids, count, &number, out), l->p.t.err);
    return number;
}

/* Up to date, with this list, and as it was chosen in all that a sketch is
 * made by. */
static void check(lively *l, uint32_t number, const store_view *got,
                  const store_view *like, const uint32_t *ids, size_t count)
{
    const kedge_store_info info = planted_info(&l->p);
    store_totals totals;
    store_list list = {0};
    store_view stored;

    scene_read(&l->p.t);
    ck_ok(store_get_totals(l->p.t.txn, &totals, &l->p.t.err), l->p.t.err);
    ck_ok(store_get_view_record(l->p.t.txn, number, &stored, &l->p.t.err),
          l->p.t.err);
    if (like->listed)
        ck_ok(store_get_list(l->p.t.txn, number, &list, &l->p.t.err),
              l->p.t.err);
    store_abort(&l->p.t.txn);
    ck_assert(store_view_is_current(&stored, &totals));
    ck_assert(got->words == stored.words && got->rows == stored.rows);
    ck_assert_uint_eq(list.count, count);
    if (count > 0)
        ck_assert_mem_eq(list.ids, ids, count * sizeof *ids);
    ck_assert(got->width == like->width && got->seed == like->seed &&
              got->min_tokens == like->min_tokens &&
              got->statistic == like->statistic);
    ck_assert_str_eq(got->rule, like->rule);
    ck_assert_uint_eq(got->documents + got->skipped, info.documents);
    store_list_free(&list);
}

/* The rows of a chunk; there are less than two. */
static int64_t *rows_of(lively *l, const store_view *v)
{
    int64_t *const out = calloc(v->words, (1 + v->width) * sizeof *out);
    store_rows scratch = {0};
    const uint8_t *bytes;
    size_t size;

    ck_assert_uint_le(v->words, STORE_CHUNK_ROWS);
    scene_read(&l->p.t);
    ck_ok(store_get_rows(l->p.t.txn, v->rows, 0, &bytes, &size, &l->p.t.err),
          l->p.t.err);
    ck_ok(store_rows_decode(&scratch, bytes, size, v->words, v->width, out,
                            &l->p.t.err), l->p.t.err);
    store_abort(&l->p.t.txn);
    store_rows_free(&scratch);
    return out;
}

static void check_same_rows(lively *a, const store_view *v, lively *b,
                            const store_view *w)
{
    ck_assert_uint_eq(v->words, w->words);
    ck_assert_uint_eq(v->documents, w->documents);
    ck_assert_uint_eq(v->tokens, w->tokens);
    ck_assert_double_eq(v->total, w->total);
    int64_t *const one = rows_of(a, v), *const other = rows_of(b, w);
    ck_assert_mem_eq(one, other, v->words * (1 + v->width) * sizeof *one);
    free(one);
    free(other);
}

START_TEST(a_view_is_made_and_found_again)
{
    const store_view like = chosen();
    store_view v, again;
    lively l;

    begin(&l, FIRST);
    const uint32_t number = adopt(&l, &like, few, FEW, &v);
    ck_assert_uint_eq(number, INDEX_ALL_WORDS + 1);
    check(&l, number, &v, &like, few, FEW);
    ck_assert_uint_eq(v.words, FEW);
    ck_assert_uint_gt(v.documents, 0);
    ck_assert_double_gt(v.total, 0);
    ck_assert_uint_eq(v.parts, 0);
    ck_assert_uint_eq(planted_info(&l.p).views, 2);
    ck_assert_uint_eq(adopt(&l, &like, few, FEW, &again), number);
    ck_assert_mem_eq(again.rule, v.rule, sizeof v.rule);
    ck_assert_uint_eq(again.rows, v.rows); /* not made anew */
    ck_assert_uint_eq(planted_info(&l.p).views, 2);
    lively_end(&l);
}
END_TEST

/* Some that came, some that left. */
START_TEST(it_is_brought_up_to_date)
{
    const store_view like = chosen();
    store_view v, w;
    lively l, twin;

    begin(&l, FIRST);
    begin(&twin, FIRST);
    const uint32_t number = adopt(&l, &like, few, FEW, &v);
    for (size_t i = FIRST; i < LIVELY_SHARDS; i++) {
        lively_ingest(&l, i, true);
        lively_ingest(&twin, i, false);
    }
    lively_remove_batch(&l, 2, true);
    lively_remove_batch(&twin, 2, false);
    ck_assert_uint_eq(adopt(&l, &like, few, FEW, &w), number);
    check(&l, number, &w, &like, few, FEW);
    ck_assert_uint_gt(w.documents, v.documents);
    adopt(&twin, &like, few, FEW, &v); /* made when all were there */
    check_same_rows(&l, &w, &twin, &v);
    lively_end(&l);
    lively_end(&twin);
}
END_TEST

/* Words of a rule change with the counts; of its views there is one. */
START_TEST(older_ones_of_the_rule_go)
{
    store_view like = chosen(), v;
    lively l;

    begin(&l, FIRST);
    like.asked = 1;
    const uint32_t first = adopt(&l, &like, few, FEW, &v);
    like.width = 20; /* as usual for fewer words */
    const uint32_t second = adopt(&l, &like, few, FEW - 2, &v);
    ck_assert_uint_ne(first, second);
    check(&l, second, &v, &like, few, FEW - 2);
    ck_assert_uint_eq(planted_info(&l.p).views, 2);
    like.asked = 2;
    const uint32_t other = adopt(&l, &like, few, FEW - 4, &v);
    check(&l, other, &v, &like, few, FEW - 4);
    ck_assert_uint_eq(planted_info(&l.p).views, 3);
    like.asked = 3;
    like.seed = 7; /* which stand side by side */
    const uint32_t seeded = adopt(&l, &like, few, FEW - 4, &v);
    ck_assert_uint_ne(seeded, other);
    like.asked = 4;
    like.min_tokens = 9;
    adopt(&l, &like, few, FEW - 4, &v);
    like.asked = 5;
    like.statistic = STATISTIC_SQRT;
    check(&l, adopt(&l, &like, few, FEW - 4, &v), &v, &like, few, FEW - 4);
    ck_assert_uint_eq(planted_info(&l.p).views, 6);
    lively_end(&l);
}
END_TEST

/* Those that were asked for by their width stay, as they do where one store
 * fits them. */
START_TEST(other_widths_that_were_asked_for_stay)
{
    store_view like = chosen(), v;
    adopt_input in = {.like = &like, .ids = few, .count = FEW};
    store_totals totals;
    words all = {0};
    uint32_t number;
    lively l;

    begin(&l, FIRST);
    ck_ok(store_load_words(l.p.t.s, &totals, &all, &l.p.t.err), l.p.t.err);
    in.s = l.p.t.s;
    in.all = &all;
    in.control = &l.p.c;
    ck_ok(pool_create(1, &in.p, &l.p.t.err), l.p.t.err);
    for (in.width = 16; in.width <= 48; in.width += 16) {
        like.width = in.width;
        ck_ok(adopt_view(&in, &number, &v, &l.p.t.err), l.p.t.err);
    }
    ck_assert_uint_eq(planted_info(&l.p).views, 4);
    pool_free(in.p);
    words_free(&all);
    lively_end(&l);
}
END_TEST

START_TEST(none_of_the_words_may_be_known)
{
    const store_view like = chosen();
    store_view v;
    lively l;

    begin(&l, FIRST);
    const uint32_t number = adopt(&l, &like, NULL, 0, &v);
    check(&l, number, &v, &like, NULL, 0);
    ck_assert_uint_eq(v.documents, 0);
    ck_assert_uint_eq(adopt(&l, &like, NULL, 0, &v), number);
    lively_ingest(&l, FIRST, true);
    ck_assert_uint_eq(adopt(&l, &like, NULL, 0, &v), number);
    check(&l, number, &v, &like, NULL, 0);
    ck_assert_uint_eq(planted_info(&l.p).views, 2);
    lively_end(&l);
}
END_TEST

/* The store's own, which is not made here, but brought up to date. */
START_TEST(the_view_of_all_words_is_found)
{
    store_view like = chosen(), v, w;
    lively l, twin;

    begin(&l, FIRST);
    begin(&twin, LIVELY_SHARDS);
    like.listed = false;
    like.rule[0] = '\0';
    like.width = 80;
    ck_assert_uint_eq(adopt(&l, &like, NULL, 0, &v), INDEX_ALL_WORDS);
    for (size_t i = FIRST; i < LIVELY_SHARDS; i++)
        lively_ingest(&l, i, true);
    ck_assert_uint_eq(adopt(&l, &like, NULL, 0, &v), INDEX_ALL_WORDS);
    check(&l, INDEX_ALL_WORDS, &v, &like, NULL, 0);
    ck_assert_uint_eq(adopt(&twin, &like, NULL, 0, &w), INDEX_ALL_WORDS);
    check_same_rows(&l, &v, &twin, &w);
    ck_assert_uint_eq(planted_info(&l.p).views, 1);
    lively_end(&l);
    lively_end(&twin);
}
END_TEST

START_TEST(without_the_view_of_all_words_there_is_none)
{
    store_view like = chosen(), v;
    uint32_t number;
    lively l;

    begin(&l, FIRST);
    like.listed = false;
    like.rule[0] = '\0';
    ck_fails(adopt_any(&l, &like, NULL, 0, &number, &v), KEDGE_EINVAL,
             l.p.t.err, "there is no view of all words, statistic log and 24 "
             "columns, as there is elsewhere");
    like.width = 80;
    like.statistic = STATISTIC_SQRT;
    ck_fails(adopt_any(&l, &like, NULL, 0, &number, &v), KEDGE_EINVAL,
             l.p.t.err, "statistic sqrt and 80 columns");
    ck_assert_uint_eq(planted_info(&l.p).views, 1);
    scene_write(&l.p.t); /* nothing was left open */
    store_abort(&l.p.t.txn);
    lively_end(&l);
}
END_TEST

START_TEST(without_memory)
{
    const store_view like = chosen();
    kedge_status st = KEDGE_ENOMEM;
    store_totals totals;
    words all = {0};
    uint32_t number;
    store_view v;
    lively l;
    long k = 0;

    begin(&l, 2);
    ck_ok(store_load_words(l.p.t.s, &totals, &all, &l.p.t.err), l.p.t.err);
    adopt_input in = {.s = l.p.t.s, .all = &all, .like = &like, .ids = few,
                      .count = FEW, .control = &l.p.c};
    ck_ok(pool_create(1, &in.p, &l.p.t.err), l.p.t.err);
    for (; st != KEDGE_OK; k += 3) {
        gate_allow(k);
        st = adopt_view(&in, &number, &v, &l.p.t.err);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %s", k,
                      l.p.t.err.text);
        ck_assert_int_lt(k, 3000);
    }
    ck_assert_int_gt(k, 10);
    check(&l, number, &v, &like, few, FEW);
    ck_assert_uint_eq(planted_info(&l.p).views, 2);
    pool_free(in.p);
    words_free(&all);
    lively_end(&l);
}
END_TEST

UNIT_SUITE("adopt",
    a_view_is_made_and_found_again,
    it_is_brought_up_to_date,
    older_ones_of_the_rule_go,
    other_widths_that_were_asked_for_stay,
    none_of_the_words_may_be_known,
    the_view_of_all_words_is_found,
    without_the_view_of_all_words_there_is_none,
    without_memory)
