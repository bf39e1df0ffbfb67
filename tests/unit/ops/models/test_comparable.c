/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include "ops/planted.h"

static kedge_model *fit(planted *p, uint64_t topics, const char *name,
                        kedge_term_weight weight)
{
    kedge_fit_opts o = planted_opts();

    o.name = name;
    o.term_weight = weight;
    return planted_fit(p, topics, &o, NULL);
}

static void add(planted *p, uint64_t topics, const char *name,
                kedge_term_weight weight)
{
    kedge_model_free(fit(p, topics, name, weight));
}

TEST(those_fitted_alike_are_found)
{
    comparable s[COMPARABLE_MOST];
    OWN(model_end) kedge_model *m = NULL;
    size_t count;
    PLANTED_STORE(p);
    m = fit(&p, 4, "mine", KEDGE_TERM_WEIGHT_NONE);
    ck_ok(comparable_find(p.t.s, m, s, &count, &p.t.err), p.t.err);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(s[0].name, "mine");
    add(&p, 6, "six", KEDGE_TERM_WEIGHT_NONE);
    add(&p, 3, "a", KEDGE_TERM_WEIGHT_NONE);
    add(&p, 4, "twin", KEDGE_TERM_WEIGHT_NONE);
    add(&p, 3, "later", KEDGE_TERM_WEIGHT_NONE);
    add(&p, 5, "other", KEDGE_TERM_WEIGHT_IDF);
    ck_ok(comparable_find(p.t.s, m, s, &count, &p.t.err), p.t.err);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(s[0].name, "later");
    ck_assert_str_eq(s[1].name, "mine");
    ck_assert_str_eq(s[2].name, "six");
    ck_assert_uint_eq(s[0].topics, 3);
    ck_assert_double_gt(s[2].sum_correlations, 0);
}

TEST(of_many_the_nearest_stay)
{
    comparable s[COMPARABLE_MOST];
    uint64_t topics[COMPARABLE_MOST + 1];
    static kedge_fit_result r[COMPARABLE_MOST + 1];
    kedge_fit_opts o;
    OWN(model_end) kedge_model *m = NULL;
    size_t count;
    OWN(planted_end) planted p;

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.o.sketch_size = 640;
    planted_fill(&p);
    m = fit(&p, 2, "mine", KEDGE_TERM_WEIGHT_NONE);
    kedge_fit_opts_init(&o);
    o.term_weight = KEDGE_TERM_WEIGHT_NONE;
    for (size_t i = 0; i <= COMPARABLE_MOST; i++)
        topics[i] = 3 + i;
    ck_ok(kedge_fit(p.t.s, topics, COMPARABLE_MOST + 1, &o, &p.c, r, &p.t.err),
          p.t.err);
    ck_ok(comparable_find(p.t.s, m, s, &count, &p.t.err), p.t.err);
    ck_assert_uint_eq(count, COMPARABLE_MOST);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(s[i].topics, 2 + i);
}
