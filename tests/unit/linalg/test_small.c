/* SPDX-License-Identifier: MIT */
#include "linalg/small.h"

#include "linalg/dense.h"

TEST(systems_are_solved)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t n = 1 + seed % 20;
        OWNED double *u = dense_random(n, n + 3, seed);
        OWNED double *x = dense_random(n, 1, seed + 99), *b = NULL, *a = NULL;
        a = dense_times(dense_as(u, n + 3), dense_turned(u, n + 3), n, n + 3,
                        n);
        b = dense_times(dense_as(a, n), dense_as(x, 1), n, n, 1);
        for (size_t i = 0; i < n; i++) /* the lower half is not read */
            for (size_t j = 0; j < i; j++)
                a[i * n + j] = NAN;
        ck_assert(small_solve_definite(a, b, n));
        ck_assert_double_le(dense_distance(x, b, n), 1e-8 * dense_norm(x, n));
    }
}

TEST(what_is_not_definite_is_told)
{
    double twice[] = {1, 1, 0, 1}, less[] = {-1}, none[] = {0}, bad[] = {NAN};
    double b[2] = {1, 1};

    ck_assert(!small_solve_definite(twice, b, 2));
    ck_assert(!small_solve_definite(less, b, 1));
    ck_assert(!small_solve_definite(none, b, 1));
    ck_assert(!small_solve_definite(bad, b, 1));
    ck_assert(small_solve_definite(none, b, 0));
}

TEST(inverses_are_inverses)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t n = 1 + seed % 13;
        OWNED double *a = dense_random(n, n, seed), *w = dense_new(n, n);
        OWNED double *was = dense_copy(a, n * n), *one = NULL;
        ck_assert(small_invert(a, w, n));
        one = dense_times(dense_as(was, n), dense_as(w, n), n, n, n);
        for (size_t i = 0; i < n * n; i++)
            ck_assert_double_eq_tol(one[i], i % (n + 1) == 0, 1e-9);
        if (n > 1) { /* a row that is another's double */
            for (size_t j = 0; j < n; j++)
                was[(n - 1) * n + j] = 2 * was[j];
            ck_assert(!small_invert(was, w, n));
        }
    }
}
