/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"
#include "ops/laboratory.h"

#define COLUMNS 5

TEST(it_is_that_with_the_dense_matrix)
{
    static const char *const counted[] = {"joint", "log", "sqrt"};

    for (unsigned run = 0; run < 6; run++) {
        const bool weighted = run % 2 == 1;
        OWN(bench_end) bench b;
        kedge_error err = {0};
        double out[N * COLUMNS], sums[N];
        bench_begin_with(&b, 1 + run % 3, 64, counted[run / 2], weighted);
        const pass_input pass = fit_pass(&b.f, "testing");
        double *q = dense_random(N, COLUMNS, run), *c = dense(&b);
        for (size_t i = 0; i < N * COLUMNS; i++) /* columns of any length */
            q[i] = weighted ? q[i] * pow(10, (double)(i % COLUMNS))
                            : fmax(fmin(q[i], 1), -1);
        double *before = dense_copy(q, N * COLUMNS);
        ck_ok(weighted ? product_run(&b.f, &pass, b.weight, q, NULL, COLUMNS, out,
                                     sums, &err)
                       : product_run(&b.f, &pass, NULL, q, q, COLUMNS, out,
                                     NULL, &err),
              err);
        double *expected = dense_times(dense_as(c, N), dense_as(q, COLUMNS),
                                       N, N, COLUMNS);
        for (size_t i = 0; i < N * COLUMNS; i++) {
            const double column =
                weighted ? pow(10, (double)(i % COLUMNS)) : 1;
            ck_assert_double_eq_tol(out[i], expected[i], 1e-6 * column);
            ck_assert_double_eq_tol(q[i], before[i], weighted ? 1e-300 : 1e-9);
        }
        for (size_t i = 0; i < N * COLUMNS; i++) /* beyond -1 .. 1 */
            q[i] *= 1000;
        ck_ok(product_run(&b.f, &pass, weighted ? b.weight : NULL, q, NULL, COLUMNS,
                          out, NULL, &err), err);
        for (size_t i = 0; i < N * COLUMNS; i++) {
            const double column =
                weighted ? pow(10, (double)(i % COLUMNS)) : 1;
            ck_assert_double_eq_tol(out[i] / 1000, expected[i],
                                    1e-6 * column);
        }
        for (size_t i = 0; weighted && i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += c[i * N + j];
            ck_assert_double_eq_tol(sums[i] / sum, 1, 1e-6);
        }
        free(q);
        free(before);
        free(c);
        free(expected);
    }
}
