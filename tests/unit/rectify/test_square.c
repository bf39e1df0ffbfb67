/* SPDX-License-Identifier: MIT */
#include "rectify/square.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "rectify/statistics.h"

static double halve(void *data, double *c, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        c[i] *= *(const double *)data;
        sum += c[i];
    }
    return sum;
}

START_TEST(every_pair_is_there)
{
    for (unsigned run = 0; run < 6; run++) {
        const size_t n = 1 + run * 41, k = 1 + run;
        double *y = dense_random(n, k, run), *z = dense_random(n, 3, run);
        double *c = composed(y, n, k), *more = composed(z, n, 3);
        double *out = dense_new(n, 3), half = 0.5, sum = 0;
        kedge_error err = {0};
        pool *p = dense_pool(1 + run % 3);
        square s;
        blas_begin(4, NULL);
        ck_ok(square_create(&s, p, n, &err), err);
        square_compose(&s, y, k, 0);
        ck_assert_double_lt(dense_distance(s.c, c, n * n), 1e-12);
        square_compose(&s, z, 3, 2);
        for (size_t i = 0; i < n * n; i++)
            sum += c[i] = 0.5 * (2 * c[i] + more[i]);
        ck_assert_double_eq_tol(square_each(&s, halve, &half), sum, 1e-9);
        ck_assert_double_lt(dense_distance(s.c, c, n * n), 1e-11);
        ck_ok(square_apply(&s, z, 3, out, &err), err);
        double *expected =
            dense_times(dense_as(c, n), dense_as(z, 3), n, n, 3);
        ck_assert_double_lt(dense_distance(out, expected, n * 3), 1e-9);
        square_free(&s);
        pool_free(p);
        free(y);
        free(z);
        free(c);
        free(more);
        free(out);
        free(expected);
    }
}
END_TEST

START_TEST(no_memory_is_told)
{
    kedge_error err = {0};
    square s;

    for (long k = 0; k < 2; k++) {
        gate_allow(k);
        ck_assert_int_eq(square_create(&s, NULL, 50, &err), KEDGE_ENOMEM);
        gate_open();
        square_free(&s);
    }
}
END_TEST

UNIT_SUITE("square",
    every_pair_is_there,
    no_memory_is_told)
