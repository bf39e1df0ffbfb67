/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include "chancemodel.h"
#include "base/gate.h"

#define WORDS 700 /* more than a piece of them */
#define TOPICS 9

static void check_distances(const kedge_model *m, const topicmap *t)
{
    const size_t k = m->topics;
    const double *const b = m->weighted != NULL ? m->weighted
                                                : m->probabilities;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            double sum = 0;
            for (size_t w = 0; w < m->words; w++)
                sum += pow(sqrt(b[w * k + i]) - sqrt(b[w * k + j]), 2);
            ck_assert_double_eq_tol(t->distance[i * k + j], sqrt(sum / 2),
                                    1e-7);
        }
}

static void check_coefficients(const kedge_model *m, const topicmap *t)
{
    const size_t k = m->topics;
    const double *const a = m->correlations, *const s = m->shares;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            const double deviation =
                sqrt(a[i * k + i] - s[i] * s[i]) *
                sqrt(a[j * k + j] - s[j] * s[j]);
            ck_assert_double_eq_tol(t->coefficient[i * k + j] * deviation,
                                    a[i * k + j] - s[i] * s[j], 1e-12);
        }
}

/* The sums of eigenvalues and of their squares are the trace of the product and
 * the sum of its squares. */
static void check_spectrum(const kedge_model *m, const topicmap *t)
{
    const size_t k = m->topics;
    double trace = 0, squares = 0, sum = 0, sum2 = 0;

    for (size_t i = 0; i < m->words; i++)
        for (size_t j = 0; j < m->words; j++) {
            double c = 0;
            for (size_t x = 0; x < k * k; x++)
                c += m->probabilities[i * k + x / k] * m->correlations[x] *
                     m->probabilities[j * k + x % k];
            if (m->weights != NULL)
                c *= m->weights[i] * m->weights[j];
            trace += i == j ? c : 0;
            squares += c * c;
        }
    for (size_t i = 0; i < k; i++) {
        sum += t->eigenvalues[i];
        sum2 += t->eigenvalues[i] * t->eigenvalues[i];
        ck_assert(i == 0 || t->eigenvalues[i] <= t->eigenvalues[i - 1]);
    }
    ck_assert_double_eq_tol(sum / trace, 1, 1e-9);
    ck_assert_double_eq_tol(sum2 / squares, 1, 1e-9);
}

static void check_words(const kedge_model *m, const topicmap *t)
{
    for (size_t k = 0; k < m->topics; k++) {
        double entropy = 0, divergence = 0;
        for (size_t i = 0; i < m->words; i++) {
            const double p = m->probabilities[i * m->topics + k];
            entropy -= p > 0 ? p * log(p) : 0;
            divergence += p > 0 ? p * log(p / m->mix[i]) : 0;
        }
        ck_assert_double_eq_tol(log(t->effective[k]), entropy, 1e-9);
        ck_assert_double_eq_tol(t->specificity[k], divergence, 1e-9);
    }
}

TEST(all_is_as_the_long_way_has_it)
{
    kedge_error err = {0};
    topicmap t;

    for (int weighted = 0; weighted < 2; weighted++) {
        OWN(model_end) kedge_model *m = chancemodel_new(WORDS, TOPICS);
        if (weighted)
            chancemodel_weigh(m);
        ck_ok(topicmap_make(m, &t, &err), err);
        check_distances(m, &t);
        check_coefficients(m, &t);
        check_spectrum(m, &t);
        check_words(m, &t);
        ck_assert(!t.of_statistics);
        topicmap_free(&t);
    }
}

TEST(a_kept_spectrum_is_shown)
{
    OWN(model_end) kedge_model *m = sample_new(true);
    kedge_error err = {0};
    OWN(topicmap_free) topicmap t;

    ck_ok(topicmap_make(m, &t, &err), err);
    ck_assert(t.of_statistics);
    ck_assert_mem_eq(t.eigenvalues, m->eigenvalues, 2 * sizeof(double));
}

TEST(twin_topics_have_no_spectrum)
{
    OWN(model_end) kedge_model *m = chancemodel_new(40, 3);
    kedge_error err = {0};
    OWN(topicmap_free) topicmap t;

    for (size_t i = 0; i < m->words; i++)
        m->probabilities[i * 3] = m->probabilities[i * 3 + 1] =
            m->probabilities[i * 3 + 2] = i == 0;
    ck_ok(topicmap_make(m, &t, &err), err);
    ck_assert_ptr_null(t.eigenvalues);
    ck_assert_double_eq(t.distance[1], 0);
}

static kedge_status make(void *data, kedge_error *err)
{
    topicmap t;
    const kedge_status st = topicmap_make(data, &t, err);

    if (st == KEDGE_OK)
        topicmap_free(&t);
    return st;
}

TEST(memory_may_end_anywhere)
{
    OWN(model_end) kedge_model *m = chancemodel_new(30, 4);

    gate_starve(make(m, NULL));
}
