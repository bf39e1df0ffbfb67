/* SPDX-License-Identifier: MIT */
#include "base/gate.h"
#include "ops/lively.h"
#include "ops/index/index.h"

static bool has_index(lively *l, uint32_t number)
{
    store_index v;
    kedge_status st;

    scene_read(&l->p.t);
    st = store_get_index_record(l->p.t.txn, number, &v, &l->p.t.err);
    store_abort(&l->p.t.txn);
    return st == KEDGE_OK;
}

static uint64_t count_rows(lively *l)
{
    uint64_t n;

    scene_read(&l->p.t);
    ck_ok(kv_count(l->p.t.txn, DB_ROWS, &n, &l->p.t.err), l->p.t.err);
    store_abort(&l->p.t.txn);
    return n;
}

TEST(a_model_goes_and_the_others_stay)
{
    OWN(lively_end) lively l;
    kedge_model *m;

    lively_fill(&l, 200);
    kedge_model_free(lively_fit_all(&l));
    ck_assert_uint_eq(planted_info(&l.p).models, 2);
    ck_fails(kedge_drop_model(l.p.t.s, "nobody", &l.p.t.err),
             KEDGE_ENOTFOUND, l.p.t.err, "the store has no model \"nobody\"");
    ck_assert_int_ne(kedge_drop_model(l.p.t.s, "", &l.p.t.err), KEDGE_OK);
    ck_ok(kedge_drop_model(l.p.t.s, "listed", &l.p.t.err), l.p.t.err);
    ck_assert_uint_eq(planted_info(&l.p).models, 1);
    ck_assert_uint_eq(planted_info(&l.p).indexes, 2);
    ck_assert_int_eq(kedge_model_load(l.p.t.s, "listed", NULL, &m, &l.p.t.err),
                     KEDGE_ENOTFOUND);
    ck_ok(kedge_model_load(l.p.t.s, "k4", NULL, &m, &l.p.t.err), l.p.t.err);
    kedge_model_free(m);
}

TEST(a_model_is_usable_without_its_index)
{
    OWN(lively_end) lively l;
    kedge_model *before, *after;

    lively_fill(&l, 200);
    before = lively_fit_listed(&l);
    ck_fails(kedge_drop_index(l.p.t.s, 7, &l.p.t.err), KEDGE_ENOTFOUND,
             l.p.t.err, "the store has no index 7");
    ck_fails(kedge_drop_index(l.p.t.s, KEDGE_NO_INDEX, &l.p.t.err),
             KEDGE_ENOTFOUND, l.p.t.err, "the store has no index ");
    ck_ok(kedge_drop_index(l.p.t.s, 1, &l.p.t.err), l.p.t.err);
    ck_assert(!has_index(&l, 1));
    ck_assert(has_index(&l, INDEX_ALL_WORDS));
    ck_ok(kedge_model_load(l.p.t.s, "listed", NULL, &after, &l.p.t.err),
          l.p.t.err);
    lively_same(before, after);
    lively_check(&l);
}

/* Documents come as before; they are stored, and other indexes follow. */
TEST(the_index_of_all_words_does_not_come_again)
{
    OWN(lively_end) lively l;
    kedge_index_info v;
    kedge_model *m;

    lively_begin(&l, 200);
    lively_read(&l, 0, LIVELY_SHARDS / 2, false);
    kedge_model_free(lively_fit_listed(&l));
    ck_ok(kedge_drop_index(l.p.t.s, INDEX_ALL_WORDS, &l.p.t.err), l.p.t.err);
    ck_assert(!has_index(&l, INDEX_ALL_WORDS));
    scene_reopen(&l.p.t, KEDGE_OPEN_WRITE);
    /* Of the sketch that is not made. */
    l.p.o.sketch_size = l.p.o.min_tokens = 0;
    for (size_t i = LIVELY_SHARDS / 2; i < LIVELY_SHARDS; i++)
        lively_ingest(&l, i, i % 2 == 0);
    ck_assert_uint_eq(l.p.r.sketch_size, 0);
    ck_assert(!has_index(&l, INDEX_ALL_WORDS));
    ck_assert_uint_eq(planted_info(&l.p).indexes, 1);
    ck_ok(kedge_store_get_index(l.p.t.s, 0, &v, &l.p.t.err), l.p.t.err);
    ck_assert_uint_eq(v.number, 1);
    ck_assert(v.current);
    m = lively_fit_listed(&l); /* of the index that is there */
    ck_assert_uint_eq(kedge_model_words(m), v.words);
    kedge_model_free(m);
    ck_assert_uint_eq(planted_info(&l.p).indexes, 1);
    kedge_model_free(lively_fit_all(&l)); /* of a new one, the usual one */
    ck_assert_uint_eq(planted_info(&l.p).indexes, 2);
    lively_check(&l);
}

/* Nor by way of another store that has one. */
TEST(merging_does_not_bring_it_again)
{
    OWN(lively_end) lively l, other;
    kedge_merge_result r;

    lively_begin(&l, 200);
    lively_ingest(&l, 0, false);
    ck_ok(kedge_drop_index(l.p.t.s, INDEX_ALL_WORDS, &l.p.t.err), l.p.t.err);
    lively_begin(&other, 200);
    lively_ingest(&other, 1, false);
    ck_assert(has_index(&other, INDEX_ALL_WORDS));
    scene_close(&other.p.t);
    ck_ok(kedge_merge(l.p.t.s, (const char *const[]){other.p.t.path}, 1,
                      KEDGE_DUPLICATE_ERROR, &l.p.c, &r, &l.p.t.err),
          l.p.t.err);
    ck_assert_uint_gt(r.documents, 0);
    ck_assert(!has_index(&l, INDEX_ALL_WORDS));
}

TEST(its_words_can_be_had_again_by_a_fit)
{
    OWN(lively_end) lively l;
    kedge_fit_opts o;
    kedge_model *before, *after;
    const double *a, *b;

    lively_begin(&l, 200);
    lively_read(&l, 0, LIVELY_SHARDS, false);
    before = lively_fit_all(&l);
    ck_ok(kedge_drop_index(l.p.t.s, INDEX_ALL_WORDS, &l.p.t.err), l.p.t.err);
    ck_assert_uint_eq(count_rows(&l), 0);
    kedge_fit_opts_init(&o);
    o.min_df = 1;
    o.max_df = 1;
    o.stopwords = "none";
    o.fresh = true;
    o.sketch_size = l.p.o.sketch_size;
    o.min_tokens = l.p.o.min_tokens;
    after = planted_fit(&l.p, 4, &o, NULL);
    ck_assert_uint_eq(kedge_model_words(before), kedge_model_words(after));
    a = kedge_model_probabilities(before);
    b = kedge_model_probabilities(after);
    for (uint64_t i = 0; i < 4 * kedge_model_words(before); i++)
        ck_assert_double_eq(a[i], b[i]);
    kedge_model_free(before);
    kedge_model_free(after);
}

TEST(dropting_without_memory)
{
    OWN(lively_end) lively l;

    lively_fill(&l, 100);
    scene_starve(kedge_drop_index(l.p.t.s, INDEX_ALL_WORDS, &l.p.t.err),
                 l.p.t.err);
    scene_starve(kedge_drop_model(l.p.t.s, "listed", &l.p.t.err),
                 l.p.t.err);
    ck_assert_uint_eq(planted_info(&l.p).models, 0);
    ck_assert_uint_eq(planted_info(&l.p).indexes, 1);
    scene_reopen(&l.p.t, KEDGE_OPEN_READ);
    ck_assert_int_eq(kedge_drop_index(l.p.t.s, 1, &l.p.t.err),
                     KEDGE_EMISUSE);
}
