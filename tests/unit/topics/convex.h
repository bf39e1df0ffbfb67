/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TOPICS_CONVEX_H
#define TESTS_UNIT_TOPICS_CONVEX_H
/*
 * Least squares on a simplex, solved by trying every support: exact, and for
 * few entries. Rows to be met are v, by k rows of u, all of them d long.
 */
#include "linalg/dense.h"
#include "topics/simplex.h"

typedef struct convex {
    size_t k, d, rows;
    double *u, *v;             /* k x d, rows x d */
    double *gram, *products;   /* k x k, rows x k */
} convex;

/* Of u and v. */
static inline void convex_products(convex *c)
{
    c->gram = dense_times(dense_as(c->u, c->d), dense_turned(c->u, c->d),
                          c->k, c->d, c->k);
    c->products = dense_times(dense_as(c->v, c->d), dense_turned(c->u, c->d),
                              c->rows, c->d, c->k);
}

/* Rows about the hull of u: inside, outside, at its corners, and zero. */
static inline convex convex_make(size_t k, size_t d, size_t rows,
                                 uint64_t seed)
{
    convex c = {.k = k, .d = d, .rows = rows, .u = dense_random(k, d, seed)};
    chance r = {.key = seed + 50};

    c.v = dense_new(rows, d);
    for (size_t i = 0; i < rows; i++) {
        const double away = i % 4 == 0 ? 0 : 0.3 * (double)(i % 4);
        double share[160], sum = 0;
        for (size_t t = 0; t < k; t++)
            sum += share[t] = pow(chance_unit(&r), 4);
        for (size_t j = 0; j < d; j++) {
            for (size_t t = 0; t < k; t++)
                c.v[i * d + j] += share[t] / sum * c.u[t * d + j];
            c.v[i * d + j] += away * chance_normal(&r);
        }
        if (i % 13 == 5)
            memcpy(c.v + i * d, c.u + i % k * d, d * sizeof *c.v);
        if (i % 17 == 6)
            memset(c.v + i * d, 0, d * sizeof *c.v);
    }
    convex_products(&c);
    return c;
}

static inline void convex_free(convex *c)
{
    free(c->u);
    free(c->v);
    free(c->gram);
    free(c->products);
}

/* |U'y - v|² for row i. */
static inline double convex_value(const convex *c, size_t i, const double *y)
{
    double sum = 0;

    for (size_t j = 0; j < c->d; j++) {
        double rest = c->v[i * c->d + j];
        for (size_t t = 0; t < c->k; t++)
            rest -= y[t] * c->u[t * c->d + j];
        sum += rest * rest;
    }
    return sum;
}

/* a x = b by elimination with pivots; false when a is singular. */
static inline bool convex_eliminate(double *a, double *b, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        size_t best = c;
        for (size_t i = c + 1; i < n; i++)
            if (fabs(a[i * n + c]) > fabs(a[best * n + c]))
                best = i;
        if (fabs(a[best * n + c]) < 1e-12)
            return false;
        dense_swap(a + c * n, a + best * n, n, 1);
        dense_swap(b + c, b + best, 1, 1);
        for (size_t i = 0; i < n; i++) {
            const double times = a[i * n + c] / a[c * n + c];
            for (size_t l = c; i != c && l < n; l++)
                a[i * n + l] -= times * a[c * n + l];
            b[i] -= i != c ? times * b[c] : 0;
        }
    }
    for (size_t c = 0; c < n; c++)
        b[c] /= a[c * n + c];
    return true;
}

/* The least squares on one support with the sum fixed or not, if feasible. */
static inline bool convex_support(const convex *c, size_t row, unsigned bits,
                                  bool fixed, double *y)
{
    double a[33 * 33] = {0}, b[33];
    size_t entry[33], n = 0, m;

    for (size_t t = 0; t < c->k; t++)
        if (bits >> t & 1)
            entry[n++] = t;
    m = n + fixed;
    for (size_t i = 0; i < n; i++) {
        for (size_t l = 0; l < n; l++)
            a[i * m + l] = c->gram[entry[i] * c->k + entry[l]];
        b[i] = c->products[row * c->k + entry[i]];
        if (fixed)
            a[i * m + n] = a[n * m + i] = 1;
    }
    if (fixed)
        b[n] = 1;
    if (!convex_eliminate(a, b, m))
        return false;
    memset(y, 0, c->k * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        if (b[i] < -1e-12)
            return false;
        y[entry[i]] = b[i];
    }
    return true;
}

/* The least value of row i that there is, and where. */
static inline double convex_least(const convex *c, size_t row, active_sum sum,
                                  double *best)
{
    double least = INFINITY, y[32] = {0};

    if (sum != ACTIVE_ONE) {
        least = convex_value(c, row, y);
        memset(best, 0, c->k * sizeof *best);
    }
    for (unsigned bits = 1; bits < 1u << c->k; bits++)
        for (int fixed = sum != ACTIVE_ANY; fixed >= (sum == ACTIVE_ONE);
             fixed--) {
            double total = 0;
            if (!convex_support(c, row, bits, fixed != 0, y))
                continue;
            for (size_t t = 0; t < c->k; t++)
                total += y[t];
            if (sum == ACTIVE_MOST_ONE && total > 1 + 1e-12)
                continue;
            if (convex_value(c, row, y) < least) {
                least = convex_value(c, row, y);
                memcpy(best, y, c->k * sizeof *y);
            }
        }
    return least;
}

/* How far the value of y is from the least at most, by the gradient: for a sum
 * of one. */
static inline double convex_gap(const convex *c, size_t row, const double *y)
{
    double along = 0, least = INFINITY;

    for (size_t t = 0; t < c->k; t++) {
        double g = -c->products[row * c->k + t];
        for (size_t l = 0; l < c->k; l++)
            g += c->gram[t * c->k + l] * y[l];
        along += y[t] * g;
        least = fmin(least, g);
    }
    return 2 * (along - least);
}

/* Sums to one and is not negative. */
static inline void convex_check_bounds(const double *y, size_t k)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++) {
        ck_assert(y[t] >= 0);
        sum += y[t];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
}

#endif
