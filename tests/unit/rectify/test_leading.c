/* SPDX-License-Identifier: MIT */
#include "rectify/leading.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "rectify/statistics.h"

typedef struct matrix {
    const double *c;
    size_t n, applied;
} matrix;

static kedge_status apply(void *data, const double *x, size_t k, double *out,
                          kedge_error *err)
{
    matrix *m = data;
    double *made = dense_times(dense_as(m->c, m->n), dense_as(x, k), m->n,
                               m->n, k);

    (void)err;
    memcpy(out, made, m->n * k * sizeof *out);
    free(made);
    m->applied++;
    return KEDGE_OK;
}

static const rounds nobody; /* hears of them */
static const leading_part whole_round = {&nobody, 0, 1};

/* A symmetric matrix, positive and negative, and the YY' nearest to it. */
START_TEST(it_is_the_nearest_of_its_rank)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        const size_t n = 40 + 7 * seed, k = 2 + seed;
        const rectify_opts o = {1, 0, 0};
        double *q = dense_orthonormal(n, n, seed), *values = dense_new(n, 1);
        double *y = dense_new(n, k), *nearest = dense_new(n, k);
        double change, *old;
        kedge_error err = {0};
        pool *p = dense_pool(2);
        leading l;
        for (size_t i = 0; i < n; i++) /* fewer positive ones than k at 4 */
            values[i] = (i < 5 ? 5.0 : -1) / (double)(i + 1);
        double *c = dense_compose(q, values, n, n);
        const warm_operator a = {.rows = n, .apply = apply,
                                 .data = &(matrix){c, n, 0}};
        blas_begin(4, NULL);
        leading_of(c, n, k, nearest);
        for (size_t i = 0; i < n * k; i++)
            y[i] = nearest[i] + (i % k == 0 ? 0.02 : 0.01) * sin((double)i);
        old = composed(y, n, k);
        ck_ok(leading_create(&l, p, n, k, &err), err);
        leading_guess(&l, y);
        for (int turn = 0; turn < 4; turn++)
            ck_ok(leading_find(&l, &a, &o, &whole_round, &err), err);
        ck_ok(leading_update(&l, y, &change, &err), err);
        double *got = composed(y, n, k), *expected = composed(nearest, n, k);
        ck_assert_double_lt(dense_distance(got, expected, n * n), 1e-6);
        ck_assert_double_eq_tol(change, dense_distance(got, old, n * n) /
                                            dense_norm(old, n * n), 1e-9);
        leading_free(&l);
        pool_free(p);
        free(q);
        free(values);
        free(y);
        free(nearest);
        free(c);
        free(old);
        free(got);
        free(expected);
    }
}
END_TEST

/* YY' from a guess near by, to a tolerance; how often C was applied. */
static size_t found_to(double tolerance, const double *c, size_t n, size_t k,
                       double *y)
{
    const rectify_opts o = {1, tolerance, 0};
    matrix m = {c, n, 0};
    const warm_operator a = {.rows = n, .apply = apply, .data = &m};
    double change;
    kedge_error err = {0};
    pool *p = dense_pool(1);
    leading l;

    blas_begin(4, NULL);
    ck_ok(leading_create(&l, p, n, k, &err), err);
    leading_guess(&l, y);
    ck_ok(leading_find(&l, &a, &o, &whole_round, &err), err);
    ck_ok(leading_update(&l, y, &change, &err), err);
    leading_free(&l);
    pool_free(p);
    return m.applied;
}

/* A coarse tolerance saves work, and leaves an error well below it. */
START_TEST(it_is_as_near_as_rounds_need)
{
    const size_t n = 200, k = 6;

    for (uint64_t seed = 0; seed < 5; seed++) {
        double *q = dense_orthonormal(n, n, seed), *values = dense_new(n, 1);
        double *guess = dense_random(n, k, seed + 9);
        double *coarse = dense_new(n, k), *fine = dense_new(n, k);
        for (size_t i = 0; i < n; i++)
            values[i] = 1 / (double)(i + 1);
        double *c = dense_compose(q, values, n, n);
        memcpy(coarse, guess, n * k * sizeof *guess);
        memcpy(fine, guess, n * k * sizeof *guess);
        const size_t less = found_to(0.002, c, n, k, coarse);
        ck_assert_uint_lt(less, found_to(0, c, n, k, fine));
        double *got = composed(coarse, n, k), *best = composed(fine, n, k);
        ck_assert_double_lt(dense_distance(got, best, n * n),
                            0.1 * 0.002 * dense_norm(best, n * n));
        free(q);
        free(values);
        free(guess);
        free(coarse);
        free(fine);
        free(c);
        free(got);
        free(best);
    }
}
END_TEST

START_TEST(totals_are_those_of_all_pairs)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        const size_t n = 30 + seed, k = 3;
        double *y = dense_random(n, k, seed), *c = composed(y, n, k), sum = 0;
        for (size_t i = 0; i < n * n; i++)
            sum += c[i];
        ck_assert_double_eq_tol(leading_total(n, k, y), sum, 1e-9);
        leading_normalise(n, k, y);
        ck_assert_double_eq_tol(leading_total(n, k, y), 1, 1e-12);
        memset(y, 0, n * k * sizeof *y);
        leading_normalise(n, k, y);
        ck_assert_double_eq(leading_total(n, k, y), 0);
        free(y);
        free(c);
    }
}
END_TEST

START_TEST(no_memory_is_told)
{
    kedge_error err = {0};
    kedge_status st = KEDGE_ENOMEM;
    leading l;
    long k = 0;

    for (; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = leading_create(&l, NULL, 50, 3, &err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        leading_free(&l);
    }
    ck_assert_int_eq(k, 8);
}
END_TEST

UNIT_SUITE("leading",
    it_is_the_nearest_of_its_rank,
    it_is_as_near_as_rounds_need,
    totals_are_those_of_all_pairs,
    no_memory_is_told)
