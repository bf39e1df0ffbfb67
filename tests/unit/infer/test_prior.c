/* SPDX-License-Identifier: MIT */
#include "infer/linear.h"

#include "infer/priors.h"

static void check_legal(const prior *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->k; i++) {
        double row = 0;
        for (size_t j = 0; j < p->k; j++) {
            ck_assert(p->a[i * p->k + j] >= 0);
            ck_assert_double_eq_tol(p->a[i * p->k + j], p->a[j * p->k + i],
                                    1e-16);
            row += p->a[i * p->k + j];
        }
        ck_assert_double_eq_tol(p->mean[i], row, 1e-15);
        ck_assert_double_gt(row, 0);
        ck_assert_float_eq(p->mu[i], (float)p->mean[i]);
        ck_assert(p->lambda[i] >= 0);
        sum += row;
    }
    ck_assert_double_eq_tol(sum, 1, 1e-13);
}

TEST(a_legal_a_stays)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 1 + 3 * seed;
        OWNED double *a = priors_correlated(k, seed);
        OWN(prior_end) prior *p = priors_make(a, k, MANY);
        check_legal(p);
        for (size_t i = 0; i < k * k; i++)
            ck_assert_double_eq_tol(p->a[i], a[i], 1e-15);
    }
}

TEST(any_a_becomes_legal)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        const size_t k = 1 + seed;
        OWNED double *a = dense_random(k, k, seed);
        OWN(prior_end) prior *p = NULL;
        for (size_t j = 0; seed % 3 == 0 && j < k; j++)
            a[j] = a[j * k] = -1e-3; /* a topic that nothing is left of */
        if (seed % 4 == 0)
            memset(a, 0, k * k * sizeof *a);
        p = priors_make(a, k, seed * seed * 100);
        check_legal(p);
    }
}

TEST(documents_free_from_the_dirichlet)
{
    const size_t k = 12;
    OWNED double *a = priors_correlated(k, 4);
    double before = 0.5;

    for (uint64_t documents = 10; documents < 1000000; documents *= 10) {
        OWN(prior_end) prior *p = priors_make(a, k, documents);
        const double s = 0.5 * 2880 / (2880 + (double)documents);
        ck_assert_double_eq_tol(p->shrunk, s, 1e-15);
        ck_assert_double_lt(p->shrunk, before);
        before = p->shrunk;
        check_legal(p);
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                const double m = p->mean[i], l = p->mean[j];
                const double d = ((i == j ? m : 0) + p->total * m * l) /
                                 (p->total + 1);
                ck_assert_double_eq_tol(p->a[i * k + j],
                                        s * d + (1 - s) * a[i * k + j],
                                        1e-14);
            }
    }
}

TEST(a_dirichlet_is_known_for_one)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 2 + 3 * seed;
        const double total = 0.1 * pow(1.4, (double)seed);
        OWNED double *a = priors_dirichlet(k, total, seed);
        OWN(prior_end) prior *p = priors_make(a, k, seed * 100);
        size_t zeros = 0;
        ck_assert_double_eq_tol(p->total, total, 1e-9 * total);
        for (size_t i = 0; i < k * k; i++)
            ck_assert_double_eq_tol(p->a[i], a[i], 1e-14);
        for (size_t j = 0; j < k; j++) {
            if (p->lambda[j] < 1e-6F / (float)total)
                zeros++;
            else
                ck_assert_double_eq_tol(total * (double)p->lambda[j], 1,
                                        1e-4);
        }
        ck_assert_uint_eq(zeros, 1);
    }
}

/* M_n x = N V diag(nλ / (nλ + 1)) V'x for any n, where x adds up to zero. */
TEST(one_decomposition_serves_all_lengths)
{
    static const double lengths[] = {1, 2, 15, 150, 1e5};

    for (uint64_t seed = 0; seed < 15; seed++) {
        const size_t k = 2 + 3 * seed;
        OWNED double *a = priors_correlated(k, seed);
        OWN(prior_end) prior *p = priors_make(a, k, MANY);
        OWNED double *x = dense_random(k, 1, seed);
        double mean = 0;
        for (size_t i = 0; i < k; i++)
            mean += x[i] / (double)k;
        for (size_t l = 0; l < 5; l++) {
            OWNED double *gain = priors_gain(a, k, lengths[l]);
            OWNED double *got = dense_new(k, 1);
            for (size_t j = 0; j < k; j++) {
                const double by = lengths[l] * (double)p->lambda[j];
                double t = 0;
                for (size_t c = 0; c < k; c++)
                    t += (double)p->v[c * p->stride + j] * (x[c] - mean);
                for (size_t c = 0; c < k; c++)
                    got[c] += by / (by + 1) * t *
                              (double)p->nv[j * p->stride + c];
            }
            for (size_t i = 0; i < k; i++) {
                double wanted = 0;
                for (size_t c = 0; c < k; c++)
                    wanted += lengths[l] * gain[i * k + c] * (x[c] - mean);
                ck_assert_double_eq_tol(got[i], wanted, 2e-4);
            }
        }
    }
}
