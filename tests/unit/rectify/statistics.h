/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RECTIFY_STATISTICS_H
#define TESTS_UNIT_RECTIFY_STATISTICS_H
/* Small statistics of planted topics, in all their pairs. */
#include "linalg/dense.h"

/* Y = V Λ^1/2 (n x k) of the k leading eigenpairs of a, negative ones at 0. */
static inline void leading_of(const double *a, size_t n, size_t k, double *y)
{
    OWNED double *values = dense_new(n, 1), *vectors = dense_new(n, n);

    dense_eigen(a, n, values, vectors);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++)
            y[i * k + c] = vectors[c * n + i] * sqrt(fmax(values[c], 0));
}

/* A joint distribution of pairs of words from k topics, disturbed by noise
 * relative to its mean entry. */
static inline double *planted_pairs(size_t n, size_t k, double noise,
                                    uint64_t seed)
{
    OWNED double *b = dense_new(n, k);
    double *c, sum = 0;
    chance r = {.key = seed};

    for (size_t i = 0; i < n * k; i++)
        b[i] = i / k % k == i % k ? 1 + chance_unit(&r)
                                  : 0.2 * pow(chance_unit(&r), 4);
    c = dense_times(dense_as(b, k), dense_turned(b, k), n, k, n);
    for (size_t i = 0; i < n * n; i++)
        sum += c[i];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            c[i * n + j] = c[j * n + i] =
                c[i * n + j] / sum +
                noise * chance_normal(&r) / (double)(n * n);
    return c;
}

/* Its leading part. */
static inline double *planted(size_t n, size_t k, double noise, uint64_t seed)
{
    double *y = dense_new(n, k);
    OWNED double *c = planted_pairs(n, k, noise, seed);

    leading_of(c, n, k, y);
    return y;
}

static inline double total_of(const double *c, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n * n; i++)
        sum += c[i];
    return sum;
}

/* A Y >= 0 with orthogonal columns, as V Λ^1/2 is, whose YY' adds up to
 * one. */
static inline double *feasible(size_t n, size_t k, uint64_t seed)
{
    double *y = dense_new(n, k);
    OWNED double *c = NULL;
    chance r = {.key = seed};

    for (size_t i = 0; i < n; i++)
        y[i * k + i % k] = (1 + (double)(i % k)) * (0.1 + chance_unit(&r));
    c = dense_times(dense_as(y, k), dense_turned(y, k), n, k, n);
    for (size_t i = 0; i < n * k; i++)
        y[i] /= sqrt(total_of(c, n));
    return y;
}

static inline double *composed(const double *y, size_t n, size_t k)
{
    return dense_times(dense_as(y, k), dense_turned(y, k), n, k, n);
}

/* The sum of what is negative in YY', and of everything. */
static inline double negative_mass(const double *y, size_t n, size_t k,
                                   double *total)
{
    OWNED double *c = composed(y, n, k);
    double mass = 0;

    *total = 0;
    for (size_t i = 0; i < n * n; i++) {
        mass += fmax(-c[i], 0);
        *total += c[i];
    }
    return mass;
}

#endif
