/* SPDX-License-Identifier: MIT */
#include "topics/simplex.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "linalg/dense.h"

static double dot(const double *a, const double *b, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < k; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Rows at unit length. */
static void shorten(double *g, size_t rows, size_t k)
{
    for (size_t i = 0; i < rows; i++) {
        const double norm = dense_norm(g + i * k, k);
        for (size_t c = 0; c < k; c++)
            g[i * k + c] /= norm;
    }
}

/* The sum of the rows at unit length, as the cone has it. */
static void sum_of(const double *g, size_t rows, size_t k, double *sum)
{
    memset(sum, 0, k * sizeof *sum);
    for (size_t i = 0; i < rows * k; i++)
        sum[i % k] += g[i];
    shorten(sum, 1, k);
}

/* From the first corner, by way of one that is farthest elsewhere. */
static bool farthest(const double *g, size_t rows, size_t k,
                     const double *inside, const double *a, double *x)
{
    kedge_error err = {0};
    OWNED uint32_t *corner = calloc(k, sizeof *corner);
    OWNED double *first = dense_new(k, 1), *other = dense_random(k, 1, 99);
    bool found, again;
    cone *c;

    ck_ok(cone_create(g, rows, k, inside, &c, &err), err);
    found = cone_corner(c, corner);
    if (found) {
        ck_ok(cone_farthest(c, a, corner, first, &found, &err), err);
        ck_ok(cone_farthest(c, other, corner, x, &again, &err), err);
        ck_assert(!found || again);
        ck_ok(cone_farthest(c, a, corner, x, &again, &err), err);
        ck_assert(found == again);
        if (found)
            ck_assert_double_eq_tol(dot(a, x, k), dot(a, first, k),
                                    1e-8 * (1 + fabs(dot(a, x, k))));
    }
    for (size_t j = 0; found && j + 1 < k; j++) /* x is that corner */
        ck_assert_double_eq_tol(dot(g + corner[j] * k, x, k), 0, 1e-9);
    cone_free(c);
    return found;
}

/* In three dimensions corners are where two rows are zero: all of them. */
static double naive(const double *g, size_t rows, const double *sum,
                    const double *a)
{
    double most = -INFINITY;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < i; j++) {
            const double *const u = g + i * 3, *const v = g + j * 3;
            double x[3] = {u[1] * v[2] - u[2] * v[1],
                           u[2] * v[0] - u[0] * v[2],
                           u[0] * v[1] - u[1] * v[0]};
            const double scale = dot(sum, x, 3);
            bool inside = fabs(scale) > 1e-9;
            for (size_t c = 0; c < 3; c++)
                x[c] /= scale;
            for (size_t r = 0; inside && r < rows; r++)
                inside = dot(g + r * 3, x, 3) > -1e-9;
            if (inside)
                most = fmax(most, dot(a, x, 3));
        }
    return most;
}

TEST(it_is_the_farthest_of_all_corners)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        const size_t rows = 4 + seed % 25;
        double *g = dense_random(rows, 3, seed), a[3], sum[3], x[3];
        chance r = {.key = seed + 1000};
        for (size_t i = 0; i < rows; i++)
            g[i * 3] = 0.2 + fabs(g[i * 3]); /* one side */
        shorten(g, rows, 3);
        sum_of(g, rows, 3, sum);
        for (size_t c = 0; c < 3; c++)
            a[c] = chance_normal(&r);
        ck_assert(farthest(g, rows, 3, (double[]){1, 0, 0}, a, x));
        ck_assert_double_eq_tol(dot(sum, x, 3), 1, 1e-9);
        for (size_t i = 0; i < rows; i++)
            ck_assert_double_ge(dot(g + i * 3, x, 3), -1e-8);
        const double expected = naive(g, rows, sum, a);
        ck_assert_double_eq_tol(dot(a, x, 3), expected,
                                1e-7 * (1 + fabs(expected)));
        free(g);
    }
}

/* x >= 0 that adds up to √k: all of it where a is largest. */
TEST(the_orthant_has_a_closed_form)
{
    for (size_t k = 2; k < 40; k += 6) {
        OWNED double *g = dense_new(3 * k, k), *a = dense_random(k, 1, k);
        OWNED double *x = dense_new(k, 1), *inside = dense_new(k, 1);
        size_t best = 0;
        for (size_t i = 0; i < 3 * k; i++) /* every row three times */
            g[i * k + i % k] = 1;
        for (size_t c = 0; c < k; c++)
            best = a[c] > a[best] ? c : best;
        for (size_t c = 0; c < k; c++)
            inside[c] = 0.1 + (double)c;
        ck_assert(farthest(g, 3 * k, k, inside, a, x));
        for (size_t c = 0; c < k; c++)
            ck_assert_double_eq_tol(x[c], c == best ? sqrt((double)k) : 0,
                                    1e-8);
    }
}

/* In more dimensions than can be gone through: ends of other directions are no
 * farther in this one, nor this end in theirs. */
TEST(no_other_goes_farther)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t k = 5 + 5 * seed, rows = 40 * k;
        OWNED double *g = dense_random(rows, k, seed);
        OWNED double *a = dense_random(k, 1, 7);
        OWNED double *x = dense_new(k, 1), *inside = dense_new(k, 1);
        OWNED double *other = dense_new(k, 1);
        inside[0] = 1;
        for (size_t i = 0; i < rows; i++)
            g[i * k] = 1 + fabs(g[i * k]);
        shorten(g, rows, k);
        ck_assert(farthest(g, rows, k, inside, a, x));
        for (uint64_t n = 0; n < 10; n++) {
            OWNED double *b = dense_random(k, 1, 1000 + n);
            for (size_t c = 0; c < k; c++)
                b[c] = a[c] + 0.3 * b[c];
            ck_assert(farthest(g, rows, k, inside, b, other));
            ck_assert_double_le(dot(a, other, k), dot(a, x, k) + 1e-8);
            ck_assert_double_ge(dot(b, other, k), dot(b, x, k) - 1e-8);
        }
    }
}

/* Rows that leave a direction open. */
TEST(an_open_cone_is_told)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const size_t k = 3 + seed % 4, rows = 20 * k;
        double *g = dense_random(rows, k, seed), x[8];
        const double a[8] = {1, 0, 1}, inside[8] = {1};
        for (size_t i = 0; i < rows; i++) {
            g[i * k] = 0.5 + fabs(g[i * k]);
            g[i * k + k - 1] = 0;
        }
        shorten(g, rows, k);
        ck_assert(!farthest(g, rows, k, inside, a, x));
        free(g);
    }
}

TEST(no_memory_is_survived)
{
    const double g[] = {1, 0, 0, 1}, a[] = {1, 2}, inside[] = {1, 1};
    kedge_error err = {0};
    uint32_t corner[2];
    double x[2];
    bool found;
    cone *c;
    kedge_status st = KEDGE_ENOMEM;

    for (long k = 0; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = cone_create(g, 2, 2, inside, &c, &err);
        gate_open();
        ck_assert(st == KEDGE_OK || (st == KEDGE_ENOMEM && c == NULL));
    }
    ck_assert(cone_corner(c, corner));
    st = KEDGE_ENOMEM;
    for (long k = 0; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = cone_farthest(c, a, corner, x, &found, &err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        ck_assert_int_lt(k, 5000);
    }
    ck_assert(found);
    ck_assert_double_eq_tol(x[1], sqrt(2), 1e-9);
    cone_free(c);
    cone_free(NULL);
}
