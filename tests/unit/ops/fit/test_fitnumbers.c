/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"
#include "ops/planted.h"

/* A store with the corpus and a model "k4" whose topic 2 is called "two". */
static void begin(planted *p)
{
    planted_whole(p);
    kedge_model_free(planted_fit(p, 4, NULL, NULL));
    ck_ok(kedge_label_topic(p->t.s, "k4", 2, "two", &p->t.err), p->t.err);
}

/* Puts the model's topics into another order: topic n is the one that was
 * order[n]. */
static void permute(planted *p, const char *name, const size_t *order)
{
    const size_t k = 4, n = PLANTED_WORDS;
    OWN(model_end) kedge_model *m = planted_load(p, name);
    OWN(model_end) kedge_model *old = planted_load(p, name);

    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < k; t++)
            m->probabilities[i * k + t] = old->probabilities[i * k + order[t]];
    for (size_t t = 0; t < k; t++) {
        const size_t c = m->characteristic_count;
        for (size_t l = 0; l < k; l++)
            m->correlations[t * k + l] =
                old->correlations[order[t] * k + order[l]];
        m->small[t] = old->small[order[t]];
        m->small[k + t] = old->small[k + order[t]];
        memcpy(m->small + 2 * k + t * c, old->small + 2 * k + order[t] * c,
               c * sizeof *m->small);
        if (old->names != NULL)
            m->names[t] = old->names[order[t]];
    }
    scene_write(&p->t);
    ck_ok(model_put(p->t.txn, m, &p->t.err), p->t.err);
    scene_commit(&p->t);
}

static bool same_small(const kedge_model *a, const kedge_model *b)
{
    const size_t k = a->topics, c = a->characteristic_count;

    return planted_same_numbers(a->small, b->small, k * (2 + c));
}

/* All 24 orders of four topics. */
static void nth_order(size_t n, size_t order[4])
{
    for (size_t i = 0; i < 4; i++)
        order[i] = i;
    for (size_t i = 3; i > 0; i--) {
        const size_t other = n % (i + 1), keep = order[i];
        n /= i + 1;
        order[i] = order[other];
        order[other] = keep;
    }
}

/* Whatever the numbers were, they stay, with the model's every other byte. */
TEST(a_planted_permutation_is_kept)
{
    OWN(planted_end) planted p;

    begin(&p);
    for (size_t n = 0; n < 24; n++) {
        OWN(model_end) kedge_model *before = NULL, *after = NULL;
        kedge_fit_result r;
        size_t order[4];
        nth_order(n, order);
        permute(&p, "k4", order);
        before = planted_load(&p, "k4");
        after = planted_fit(&p, 4, NULL, &r);
        ck_assert(planted_same(before, after));
        ck_assert(same_small(before, after));
        ck_assert_str_eq(r.aligned_to, "k4");
        ck_assert_uint_eq(r.matched, 4);
        ck_assert_uint_eq(r.new_topics + r.lost_topics, 0);
        ck_assert_double_le(r.mean_distance, 1e-12);
    }
}

TEST(fresh_numbers_follow_the_shares)
{
    static const size_t order[] = {3, 1, 0, 2};
    OWN(planted_end) planted p;
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    begin(&p);
    permute(&p, "k4", order);
    o.fresh = true;
    OWN(model_end) kedge_model *m = planted_fit(&p, 4, &o, &r);
    for (size_t t = 1; t < 4; t++)
        ck_assert_double_ge(m->shares[t - 1], m->shares[t]);
    ck_assert_ptr_null(m->names);
    ck_assert_str_eq(r.aligned_to, "");
    ck_assert_uint_eq(r.matched + r.new_topics + r.lost_topics, 0);
}

static size_t topic_named(const kedge_model *m, const char *name)
{
    for (size_t t = 0; t < m->topics; t++)
        if (strcmp(kedge_model_label(m, t), name) == 0)
            return t;
    return SIZE_MAX;
}

/* With more topics and fewer, under another name. */
TEST(another_model_can_be_followed)
{
    static const size_t order[] = {2, 3, 1, 0};
    OWN(planted_end) planted p;
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    begin(&p);
    permute(&p, "k4", order); /* "two" is topic 0 now */
    o.name = "new";
    o.align = "k4";
    for (uint64_t k = 3; k < 7; k++) {
        OWN(model_end) kedge_model *m = planted_fit(&p, k, &o, &r);
        OWN(model_end) kedge_model *old = planted_load(&p, "k4");
        OWN(kedge_diff_free) kedge_diff_result d;
        ck_assert_str_eq(r.aligned_to, "k4");
        ck_assert_uint_ge(r.matched, 2);
        ck_assert_uint_eq(r.matched + r.new_topics, k);
        ck_assert_uint_eq(r.matched + r.lost_topics, 4);
        ck_ok(kedge_diff(old, m, NULL, &p.c, &d, &p.t.err), p.t.err);
        ck_assert_uint_eq(d.matched, r.matched);
        ck_assert_double_eq_tol(d.mean_distance, r.mean_distance, 1e-12);
        for (size_t i = 0; i < d.matched; i++) {
            const kedge_diff_topic *const t = &d.topics[i];
            ck_assert(t->after == t->before || t->before >= k);
            ck_assert_str_eq(t->label_before, t->label_after);
        }
        if (k == 4)
            ck_assert_uint_eq(topic_named(m, "two"), 0);
    }
}

/* Documents and words come: numbers and names stay. */
TEST(topics_stay_when_the_corpus_grows)
{
    static const size_t order[] = {1, 3, 2, 0};
    OWN(planted_end) planted p;
    OWN(model_end) kedge_model *before = NULL, *after = NULL;
    kedge_fit_result r;
    char more[96];

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_write(p.source, &p.d, 0, 150, false);
    planted_fill(&p);
    kedge_model_free(planted_fit(&p, 4, NULL, NULL));
    ck_ok(kedge_label_topic(p.t.s, "k4", 1, "one", &p.t.err), p.t.err);
    permute(&p, "k4", order);
    before = planted_load(&p, "k4");
    ck_assert_uint_eq(topic_named(before, "one"), 0);
    planted_write(planted_path(&p, "more.txt", more), &p.d, 150,
                  PLANTED_DOCUMENTS, false);
    ck_ok(planted_ingest(&p, more), p.t.err);
    after = planted_fit(&p, 4, NULL, &r);
    ck_assert_uint_eq(r.matched, 4);
    ck_assert_double_gt(r.mean_distance, 0);
    ck_assert_double_lt(r.mean_distance, 0.4);
    ck_assert_uint_eq(topic_named(after, "one"), 0);
}

TEST(models_that_are_not_there_are_told)
{
    static const uint64_t topics[] = {4};
    OWN(planted_end) planted p;
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    begin(&p);
    o.align = "k5";
    ck_fails(kedge_fit(p.t.s, topics, 1, &o, &p.c, &r, &p.t.err),
             KEDGE_ENOTFOUND, p.t.err, "no model \"k5\"; its models: k4");
    o.align = "";
    ck_fails(kedge_fit(p.t.s, topics, 1, &o, &p.c, &r, &p.t.err), KEDGE_EINVAL,
             p.t.err, "cannot be empty");
    o.align = "k4";
    o.fresh = true;
    ck_fails(kedge_fit(p.t.s, topics, 1, &o, &p.c, &r, &p.t.err), KEDGE_EINVAL,
             p.t.err, "numbered by prevalence or as");
}

static void damage(planted *p, bool header)
{
    static const double few[] = {1, 2, 3};
    uint8_t bytes[16] = {1};

    scene_write(&p->t);
    if (header)
        ck_ok(store_put_model(p->t.txn, "k4", bytes, sizeof bytes, &p->t.err),
              p->t.err);
    else
        ck_ok(store_put_array(p->t.txn, "k4", "topics", few, 3, &p->t.err),
              p->t.err);
    scene_commit(&p->t);
}

/* Fitting again is how a damaged model is mended. */
TEST(a_damaged_model_is_replaced_but_not_followed)
{
    static const uint64_t topics[] = {4};

    for (int header = 0; header < 2; header++) {
        OWN(planted_end) planted p;
        kedge_fit_opts o = planted_opts();
        kedge_fit_result r;
        begin(&p);
        damage(&p, header != 0);
        o.align = "k4";
        ck_fails(kedge_fit(p.t.s, topics, 1, &o, &p.c, &r, &p.t.err),
                 KEDGE_ECORRUPT, p.t.err, "damaged");
        kedge_model_free(planted_fit(&p, 4, NULL, &r));
        ck_assert_str_eq(r.aligned_to, "");
        ck_assert_uint_eq(r.matched, 0);
    }
}
