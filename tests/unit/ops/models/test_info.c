/* SPDX-License-Identifier: MIT */
#include "ops/planted.h"

#include "ops/life.h"

TEST(an_empty_store_has_empty_lists)
{
    OWN(planted_end) planted p;
    kedge_store_info info;
    kedge_source_info source;
    kedge_index_info index;
    kedge_model_info model;

    planted_begin(&p, 8);
    info = planted_info(&p);
    ck_assert_uint_eq(info.format, STORE_FORMAT);
    ck_assert_uint_eq(info.documents + info.tokens + info.nonzeros, 0);
    ck_assert_uint_eq(info.words + info.blocks, 0);
    ck_assert_uint_eq(info.sources + info.indexes + info.models, 0);
    ck_assert_uint_gt(info.bytes, 0);
    ck_assert_int_eq(kedge_store_get_source(p.t.s, 0, &source, &p.t.err),
                     KEDGE_ENOTFOUND);
    ck_assert_int_eq(kedge_store_get_index(p.t.s, 0, &index, &p.t.err),
                     KEDGE_ENOTFOUND);
    ck_assert_int_eq(kedge_store_get_model(p.t.s, 0, &model, &p.t.err),
                     KEDGE_ENOTFOUND);
    ck_assert_int_eq(kedge_store_get_model(p.t.s, 0, &model, NULL),
                     KEDGE_ENOTFOUND);
}

TEST(sources_are_listed)
{
    PLANTED_STORE(p);
    kedge_source_info first, second;
    char other[96];

    planted_write(planted_path(&p, "other", other), &p.d, 0, 9, false);
    ck_ok(planted_ingest(&p, other), p.t.err);
    ck_assert_uint_eq(planted_info(&p).sources, 2);
    first = planted_source(&p, 0);
    second = planted_source(&p, 1);
    ck_assert_str_eq(first.name, p.source);
    ck_assert_str_eq(second.name, other);
    ck_assert_uint_eq(first.documents, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(first.nonzeros, docs_entries(&p.d));
    ck_assert_uint_eq(second.documents, 9);
    ck_assert_uint_eq(second.nonzeros, p.d.start[9]);
    ck_assert_uint_eq(first.tokens + second.tokens, planted_info(&p).tokens);
    ck_assert(first.complete && second.complete);
    ck_assert_uint_ne(first.digest, second.digest);
    ck_assert_int_eq(kedge_store_get_source(p.t.s, 2, &first, &p.t.err),
                     KEDGE_ENOTFOUND);
}

TEST(the_index_is_listed)
{
    OWN(planted_end) planted p;
    kedge_index_info v;

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.o.seed = 77;
    p.o.min_tokens = 5;
    planted_fill(&p);
    const uint64_t counted = p.r.counted, tokens = p.r.tokens;
    ck_ok(kedge_store_get_index(p.t.s, 0, &v, &p.t.err), p.t.err);
    ck_assert_str_eq(v.tf, "raw");
    ck_assert_uint_eq(v.words, PLANTED_WORDS);
    ck_assert_uint_eq(v.sketch_size, 80);
    ck_assert_uint_eq(v.seed, 77);
    ck_assert_uint_eq(v.min_tokens, 5);
    ck_assert_uint_eq(v.documents, counted);
    ck_assert_uint_eq(v.skipped, PLANTED_DOCUMENTS - counted);
    ck_assert_uint_lt(v.tokens, tokens);
    ck_assert_uint_ge(v.tokens + 4 * v.skipped, tokens);
    ck_assert(v.current);
    ck_assert_uint_eq(planted_info(&p).indexes, 1);
    ck_fails(kedge_store_get_index(p.t.s, 1, &v, &p.t.err), KEDGE_ENOTFOUND,
             p.t.err, "not have so many indexes");
    planted_write(p.source, &p.d, 0, 9, false);
    p.o.no_sketch = true;
    planted_fill(&p);
    ck_ok(kedge_store_get_index(p.t.s, 0, &v, &p.t.err), p.t.err);
    ck_assert(!v.current);
    ck_assert_uint_eq(v.documents, counted);
}

static life it; /* too big for a stack */

static void end_life(int *unused)
{
    (void)unused;
    life_end(&it);
}

/* Until the scope ends. */
#define LIFE(seed)                             \
    OWN(end_life) int end __attribute__((unused)); \
    life_fill(&it, seed)

TEST(indexes_have_rules)
{
    kedge_index_info v;

    LIFE(1);
    life_fit(&it, 30);
    life_fit(&it, 55);
    ck_ok(kedge_store_get_index(it.t.s, 1, &v, &it.t.err), it.t.err);
    ck_assert_uint_eq(v.number, 2);
    ck_assert(v.listed && v.current);
    ck_assert_str_eq(v.rule, "in 55 documents or more");
    ck_assert_uint_eq(v.documents + v.skipped, life_there(&it));
    ck_ok(kedge_store_get_index(it.t.s, 0, &v, &it.t.err), it.t.err);
    ck_assert_uint_eq(v.number, 1);
    ck_assert_str_eq(v.rule, "in 30 documents or more");
    ck_assert_int_eq(kedge_store_get_index(it.t.s, 2, &v, &it.t.err),
                     KEDGE_ENOTFOUND);
    it.no_sketch = true;
    life_add(&it, 9, 30, "more", "later");
    ck_ok(kedge_store_get_index(it.t.s, 0, &v, &it.t.err), it.t.err);
    ck_assert(!v.current);
}

static kedge_model_info last_model(void)
{
    kedge_model_info m;

    ck_ok(kedge_store_get_model(it.t.s, 0, &m, &it.t.err), it.t.err);
    return m;
}

TEST(models_know_their_index)
{
    LIFE(1);
    life_fit(&it, 30);
    life_fit(&it, 55);
    ck_assert_uint_eq(last_model().index, 2);
    ck_assert(last_model().listed && last_model().index_stays);
    ck_assert_str_eq(last_model().rule, "in 55 documents or more");
    life_add(&it, 9, 30, "more", "later");
    ck_assert(last_model().index_stays && !last_model().current);
    ck_ok(kedge_drop_index(it.t.s, 2, &it.t.err), it.t.err);
    ck_assert_uint_eq(last_model().index, 2);
    ck_assert(!last_model().index_stays);
    ck_assert_str_eq(last_model().rule, "in 55 documents or more");
}

/* What index 2 is now is not what the model was made of. */
TEST(a_number_that_is_given_again_is_another_index)
{
    store_index v;

    LIFE(1);
    life_fit(&it, 30);
    ck_assert(last_model().index_stays);
    scene_write(&it.t);
    ck_ok(store_get_index_record(it.t.txn, 1, &v, &it.t.err), it.t.err);
    snprintf(v.rule, sizeof v.rule, "of another kind");
    ck_ok(store_put_index(it.t.txn, 1, &v, &it.t.err), it.t.err);
    scene_commit(&it.t);
    ck_assert(!last_model().index_stays);
}

TEST(batches_and_removals_are_told)
{
    kedge_store_info info;
    kedge_source_info s;
    store_source r;

    LIFE(2);
    ck_ok(kedge_store_get_info(it.t.s, &info, &it.t.err), it.t.err);
    ck_assert_uint_eq(info.documents, life_there(&it));
    ck_assert_uint_eq(info.removed, it.count - life_there(&it));
    ck_assert_uint_gt(info.removed, 0);
    ck_assert_uint_eq(info.sources, 3);
    ck_ok(kedge_store_get_source(it.t.s, 0, &s, &it.t.err), it.t.err);
    ck_assert_str_eq(s.batch, "early");
    ck_assert_uint_gt(s.when, 1700000000);
    ck_assert_uint_ne(s.head, 0);
    ck_assert(!s.removed);
    ck_assert_uint_gt(s.removed_documents, 0);
    ck_ok(kedge_store_get_source(it.t.s, 1, &s, &it.t.err), it.t.err);
    ck_assert_str_eq(s.batch, "");
    scene_write(&it.t);
    ck_ok(store_get_source_record(it.t.txn, 2, &r, &it.t.err), it.t.err);
    r.removed = true;
    r.removed_documents = 7;
    r.removed_tokens = 8;
    r.removed_nonzeros = 9;
    ck_ok(store_put_source(it.t.txn, 2, &r, &it.t.err), it.t.err);
    scene_commit(&it.t);
    ck_ok(kedge_store_get_source(it.t.s, 2, &s, &it.t.err), it.t.err);
    ck_assert_str_eq(s.batch, "late");
    ck_assert(s.removed && s.removed_documents == 7);
    ck_assert_uint_eq(s.documents, r.documents - 7);
    ck_assert_uint_eq(s.tokens, r.tokens - 8);
    ck_assert_uint_eq(s.nonzeros, r.nonzeros - 9);
}

TEST(models_are_listed_by_name)
{
    PLANTED_STORE(p);
    kedge_model_info m;
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    o.name = "zebra";
    kedge_model_free(planted_fit(&p, 3, &o, NULL));
    o.name = "ape";
    o.ncut = true;
    kedge_model_free(planted_fit(&p, 4, &o, &r));
    ck_assert_uint_eq(planted_info(&p).models, 2);
    ck_ok(kedge_store_get_model(p.t.s, 0, &m, &p.t.err), p.t.err);
    ck_assert_str_eq(m.name, "ape");
    ck_assert_uint_eq(m.topics, 4);
    ck_assert_uint_eq(m.words, PLANTED_WORDS);
    ck_assert_uint_eq(m.documents, p.r.counted);
    ck_assert_uint_eq(m.seed, 1);
    ck_assert_double_eq(m.sketch_error, r.sketch_error);
    ck_assert_double_eq(m.topic_cooccurrence_sum, r.topic_cooccurrence_sum);
    ck_assert(m.current && m.ncut);
    ck_ok(kedge_store_get_model(p.t.s, 1, &m, &p.t.err), p.t.err);
    ck_assert_str_eq(m.name, "zebra");
    ck_assert_uint_eq(m.index, 0);
    ck_assert(!m.listed && !m.ncut && m.index_stays && m.rule[0] == '\0');
    ck_assert_uint_eq(m.topics, 3);
    ck_assert_int_eq(kedge_store_get_model(p.t.s, 2, &m, &p.t.err),
                     KEDGE_ENOTFOUND);
    planted_write(p.source, &p.d, 0, 9, false);
    planted_fill(&p);
    ck_ok(kedge_store_get_model(p.t.s, 0, &m, &p.t.err), p.t.err);
    ck_assert(!m.current);
}

TEST(lists_can_be_read_by_a_reader)
{
    PLANTED_STORE(p);
    kedge_model_info m;

    kedge_model_free(planted_fit(&p, 4, NULL, NULL));
    scene_reopen(&p.t, KEDGE_OPEN_READ);
    ck_assert_uint_eq(planted_info(&p).documents, PLANTED_DOCUMENTS);
    ck_ok(kedge_store_get_model(p.t.s, 0, &m, &p.t.err), p.t.err);
    ck_assert_str_eq(m.name, "k4");
}
