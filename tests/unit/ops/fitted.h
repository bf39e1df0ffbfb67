/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_FITTED_H
#define TESTS_UNIT_OPS_FITTED_H
/* Models of the planted corpus, and what all of them are like. */
#include "ops/planted.h"

/* A store with the whole corpus, ready to be fitted. */
static inline void fitted_begin(planted *p)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    planted_fill(p);
}

static inline void fitted_check(const kedge_model *m, double sum)
{
    const uint64_t n = kedge_model_words(m), k = kedge_model_topics(m);
    const double *const b = kedge_model_probabilities(m);
    const double *const a = kedge_model_topic_cooccurrence(m);
    const double *const share = kedge_model_prevalence(m);
    double all = 0;

    for (uint64_t t = 0; t < k; t++) {
        double column = 0;
        for (uint64_t i = 0; i < n; i++) {
            ck_assert_double_ge(b[i * k + t], 0);
            column += b[i * k + t];
        }
        ck_assert_double_eq_tol(column, 1, 1e-9);
        for (uint64_t l = 0; l < k; l++) {
            ck_assert_double_eq(a[t * k + l], a[l * k + t]);
            all += a[t * k + l];
        }
        if (t > 0)
            ck_assert_double_ge(share[t - 1], share[t]);
        for (uint64_t l = 0; l < t; l++)
            ck_assert_uint_ne(kedge_model_anchors(m)[t],
                              kedge_model_anchors(m)[l]);
    }
    ck_assert_double_eq_tol(all, sum, 1e-12);
}

/* A list of so many words, as a file. */
static inline void fitted_list(planted *p, size_t count, char path[96])
{
    FILE *f = planted_file(planted_path(p, "list", path));

    for (size_t i = 0; i < count; i++)
        fprintf(f, "w%03zu\n", i * 37 % PLANTED_WORDS);
    ck_assert_int_eq(fclose(f), 0);
}

static inline kedge_status fitted_try(planted *p, const uint64_t *topics,
                                      size_t count, const kedge_fit_opts *o)
{
    kedge_fit_result r[4];

    return kedge_fit(p->t.s, topics, count, o, &p->c, r, &p->t.err);
}

/* By itself, under this name. */
static inline kedge_model *fitted_alone(planted *p, uint64_t k,
                                        uint64_t passes, kedge_term_weight weight,
                                        const char *name)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    o.power_iter = passes;
    o.term_weight = weight;
    o.save_spectrum = true;
    o.name = name;
    return planted_fit(p, k, &o, NULL);
}

#endif
