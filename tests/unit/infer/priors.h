/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_INFER_PRIORS_H
#define TESTS_UNIT_INFER_PRIORS_H
/* Correlations to begin with, and what they make of counts, the plain way. */
#include "infer/linear.h"
#include "linalg/dense.h"

#define MANY ((uint64_t)1 << 60) /* documents: nothing is shrunk */

UNIT_END(prior, prior, prior_free)

/* E θθ' of a Dirichlet whose parameters add up to `total`. */
static inline double *priors_dirichlet(size_t k, double total, uint64_t seed)
{
    double *const a = dense_new(k, k);
    OWNED double *mean = dense_new(k, 1);
    chance c = {.key = seed};
    double sum = 0;

    for (size_t i = 0; i < k; i++)
        sum += mean[i] = 0.1 + chance_unit(&c);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            a[i * k + j] = (mean[i] * mean[j] / sum * total +
                            (i == j ? mean[i] : 0)) /
                           sum / (total + 1);
    return a;
}

/* Of documents that have some topics each, neighbours more often. */
static inline double *priors_correlated(size_t k, uint64_t seed)
{
    double *const a = dense_new(k, k);
    OWNED double *w = dense_new(k, 1);
    chance c = {.key = seed};

    for (int m = 0; m < 200; m++) {
        const size_t about = chance_below(&c, k);
        double sum = 0;
        for (size_t i = 0; i < k; i++) {
            const size_t off = (i + k - about) % k;
            sum += w[i] = pow(chance_unit(&c), off < 3 ? 1 : 9) + 1e-4;
        }
        for (size_t i = 0; i < k * k; i++)
            a[i] += w[i / k] * w[i % k] / sum / sum / 200;
    }
    return a;
}

static inline prior *priors_make(const double *a, size_t k, uint64_t documents)
{
    kedge_error err = {0};
    prior *p;

    ck_ok(prior_create(a, k, documents, &p, &err), err);
    return p;
}

/* A new Σ (n Σ + diag μ - A + 11')^-1 of a legal A, by elimination: times n it
 * is M_n. */
static inline double *priors_gain(const double *a, size_t k, double n)
{
    OWNED double *left = dense_new(k, k);
    double *const right = dense_new(k, k);

    for (size_t i = 0; i < k; i++) {
        double mu = 0;
        for (size_t j = 0; j < k; j++)
            mu += a[i * k + j];
        for (size_t j = 0; j < k; j++) {
            double other = 0;
            for (size_t l = 0; l < k; l++)
                other += a[j * k + l];
            right[i * k + j] = a[i * k + j] - mu * other;
            left[i * k + j] = n * right[i * k + j] + (i == j ? mu : 0) -
                              a[i * k + j] + 1;
        }
    }
    for (size_t p = 0; p < k; p++)
        for (size_t i = 0; i < k; i++) {
            const double times = left[i * k + p] / left[p * k + p];
            for (size_t j = 0; i != p && j < k; j++) {
                left[i * k + j] -= times * left[p * k + j];
                right[i * k + j] -= times * right[p * k + j];
            }
        }
    for (size_t i = 0; i < k; i++) /* transposed: both are symmetric */
        for (size_t j = 0; j < k; j++)
            right[i * k + j] /= left[i * k + i];
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            const double keep = right[i * k + j];
            right[i * k + j] = right[j * k + i];
            right[j * k + i] = keep;
        }
    return right;
}

#endif
