/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "base/gate.h"
#include "linalg/blas.h"

#include <cblas.h>

/* Leading dimensions are larger than the rows; what lies between stays. */
static void check_gemm(uint64_t seed, bool ta, bool tb, size_t m, size_t n,
                       size_t k)
{
    const size_t lda = (ta ? m : k) + 2, ldb = (tb ? k : n) + 1, ldc = n + 3;
    OWNED double *a = dense_random((ta ? k : m) + 1, lda, seed);
    OWNED double *b = dense_random((tb ? n : k) + 1, ldb, seed + 1);
    OWNED double *c = dense_random(m + 1, ldc, seed + 2);
    OWNED double *before = dense_copy(c, (m + 1) * ldc);
    OWNED double *ab = dense_times(ta ? dense_turned(a, lda) : dense_as(a, lda),
                                   tb ? dense_turned(b, ldb) : dense_as(b, ldb),
                                   m, k, n);
    double worst = 0;

    blas_gemm(ta, tb, m, n, k, -1.5, a, lda, b, ldb, 0.25, c, ldc);
    for (size_t i = 0; i < (m + 1) * ldc; i++) {
        const bool inside = i / ldc < m && i % ldc < n;
        const double product = inside ? ab[i / ldc * n + i % ldc] : 0;
        const double expected =
            inside ? 0.25 * before[i] - 1.5 * product : before[i];
        worst = fmax(worst, fabs(c[i] - expected));
    }
    ck_assert_double_lt(worst, 1e-13 * (1 + (double)k));
}

TEST(products_are_what_they_should_be)
{
    static const size_t sizes[][3] = {{1, 1, 1},   {3, 5, 7},  {64, 64, 64},
                                      {33, 1, 70}, {1, 40, 2}, {5, 6, 0},
                                      {0, 4, 3},   {4, 0, 3}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned t = 0; t < 4; t++)
            check_gemm(i, t & 1, t & 2, sizes[i][0], sizes[i][1],
                       sizes[i][2]);
}

static void check_gemv(uint64_t seed, bool turned, size_t m, size_t n)
{
    const size_t lda = n + 2, in = turned ? m : n, out = turned ? n : m;
    OWNED double *a = dense_random(m + 1, lda, seed);
    OWNED double *x = dense_random(in + 1, 1, seed + 1);
    OWNED double *y = dense_random(out + 1, 1, seed + 2);
    OWNED double *before = dense_copy(y, out + 1);
    const dense_index index = turned ? dense_turned(a, lda) : dense_as(a, lda);
    OWNED double *ax = dense_times(index, dense_as(x, 1), out, in, 1);

    blas_gemv(turned, m, n, a, lda, x, y);
    for (size_t i = 0; i < out; i++)
        ck_assert_double_eq_tol(y[i], before[i] + ax[i], 1e-12);
    ck_assert(y[out] == before[out]);
}

TEST(vectors_are_multiplied)
{
    for (uint64_t seed = 0; seed < 40; seed++)
        check_gemv(seed, seed % 2 == 1, 1 + seed * 7 % 90, 1 + seed * 3 % 50);
}

TEST(squares_have_an_upper_half)
{
    enum { n = 30, k = 70, lda = 33, ldc = 31 };
    OWNED double *a = dense_random(k, lda, 1), *c = dense_random(n, ldc, 2);
    OWNED double *before = dense_copy(c, n * ldc);
    OWNED double *aa = dense_times(dense_turned(a, lda), dense_as(a, lda), n, k,
                                   n);

    blas_square(n, k, a, lda, 0.25, c, ldc);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < ldc; j++) {
            const double was = before[i * ldc + j];
            if (j < i || j == n)
                ck_assert(c[i * ldc + j] == was);
            else
                ck_assert_double_eq_tol(c[i * ldc + j],
                                        0.25 * was + aa[i * n + j], 1e-12);
        }
}

TEST(single_precision_does_the_same)
{
    enum { m = 20, n = 30, k = 25 };
    OWNED double *a = dense_random(k, m, 1), *b = dense_random(n, k, 2);
    OWNED double *c = dense_times(dense_turned(a, m), dense_turned(b, k), m, k,
                                  n);
    float fa[k * m], fb[n * k], fc[m * n];

    for (size_t i = 0; i < k * m; i++)
        fa[i] = (float)a[i];
    for (size_t i = 0; i < n * k; i++)
        fb[i] = (float)b[i];
    for (size_t i = 0; i < m * n; i++)
        fc[i] = 1;
    blas_gemm_single(true, true, m, n, k, 2, fa, m, fb, k, -1, fc, n);
    for (size_t i = 0; i < m * n; i++)
        ck_assert_double_eq_tol((double)fc[i], 2 * c[i] - 1, 1e-4);
}

/* A symmetric matrix with these eigenvalues. */
static double *with_values(const double *values, size_t n, uint64_t seed)
{
    OWNED double *q = dense_orthonormal(n, n, seed);
    double *a = dense_compose(q, values, n, n);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i];
    return a;
}

/* Rows of v are eigenvectors: a v = v value, orthonormal. */
static void check_pairs(const double *a, size_t n, const double *v,
                        const double *values, size_t count)
{
    OWNED double *columns = dense_new(n, count);

    for (size_t j = 0; j < count; j++) {
        OWNED double *av = dense_times(dense_as(a, n), dense_as(v + j * n, 1),
                                       n, n, 1);
        for (size_t i = 0; i < n; i++) {
            av[i] -= values[j] * v[j * n + i];
            columns[i * count + j] = v[j * n + i];
        }
        ck_assert_double_lt(dense_norm(av, n), 1e-11);
    }
    ck_assert_double_lt(dense_skew(columns, n, count), 1e-12);
}

TEST(eigenpairs_are_found)
{
    kedge_error err = {0};

    for (size_t n = 1; n <= 40; n += 13) {
        OWNED double *values = dense_new(n, 1), *found = dense_new(n, 1);
        OWNED double *top = dense_new(n, n);
        for (size_t i = 0; i < n; i++) /* falling, some twice, some negative */
            values[i] = 10 - (double)(i / 2) * 1.5;
        OWNED double *a = with_values(values, n, n), *v = dense_copy(a, n * n);
        ck_ok(blas_eigen(v, n, found, &err), err);
        check_pairs(a, n, v, found, n);
        for (size_t i = 0; i < n; i++)
            ck_assert_double_eq_tol(found[n - 1 - i], values[i], 1e-12);
        for (size_t count = 1; count <= n; count += count < 4 ? 1 : 9) {
            OWNED double *copy = dense_copy(a, n * n);
            ck_ok(blas_eigen_top(copy, n, count, found, top, &err), err);
            check_pairs(a, n, top, found, count);
            for (size_t i = 0; i < count; i++)
                ck_assert_double_eq_tol(found[i], values[i], 1e-12);
        }
    }
}

TEST(what_is_not_finite_is_refused)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    kedge_error err = {0};
    double values[3], vectors[9];

    for (size_t i = 0; i < 3; i++) {
        double a[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
        a[4 * i] = odd[i];
        ck_fails(blas_eigen(a, 3, values, &err), KEDGE_ENUMERIC, err,
                 "not finite");
        ck_fails(blas_eigen_top(a, 3, 2, values, vectors, &err),
                 KEDGE_ENUMERIC, err, "not finite");
    }
}

static double *definite(size_t n, uint64_t seed)
{
    OWNED double *half = dense_random(n + 5, n, seed);
    double *a = dense_times(dense_turned(half, n), dense_as(half, n), n,
                            n + 5, n);

    return a;
}

TEST(definite_matrices_have_a_root_and_an_inverse)
{
    kedge_error err = {0};

    for (size_t n = 1; n < 60; n += 11) {
        OWNED double *a = definite(n, n), *r = dense_copy(a, n * n);
        OWNED double *inverse = dense_copy(a, n * n);
        double *back;
        OWNED double *x = NULL, *rx = NULL;
        ck_ok(blas_cholesky(r, n, &err), err);
        for (size_t i = 0; i < n; i++) {
            ck_assert_double_gt(r[i * n + i], 0);
            for (size_t j = 0; j < i; j++)
                ck_assert_double_eq(r[i * n + j], 0);
        }
        back = dense_times(dense_turned(r, n), dense_as(r, n), n, n, n);
        ck_assert_double_lt(dense_distance(a, back, n * n), 1e-10);
        free(back);
        x = dense_random(7, n + 2, 5);
        rx = dense_copy(x, 7 * (n + 2));
        blas_solve_right_upper(7, n, r, n, rx, n + 2);
        back = dense_times(dense_as(rx, n + 2), dense_as(r, n), 7, n, n);
        for (size_t i = 0; i < 7 * n; i++)
            ck_assert_double_eq_tol(back[i], x[i / n * (n + 2) + i % n],
                                    1e-9);
        ck_assert_double_eq(rx[n], x[n]); /* beside the matrix */
        free(back);
        ck_ok(blas_invert_definite(inverse, n, &err), err);
        back = dense_times(dense_as(a, n), dense_as(inverse, n), n, n, n);
        for (size_t i = 0; i < n * n; i++)
            ck_assert_double_eq_tol(back[i], i % (n + 1) == 0, 1e-7);
        free(back);
    }
}

TEST(indefinite_matrices_are_refused)
{
    kedge_error err = {0};
    double a[] = {1, 2, 2, 1}, b[] = {1, 2, 2, 1}, zero[4] = {0};

    ck_fails(blas_cholesky(a, 2, &err), KEDGE_ENUMERIC, err, "not definite");
    ck_fails(blas_invert_definite(b, 2, &err), KEDGE_ENUMERIC, err,
             "not definite");
    ck_fails(blas_cholesky(zero, 2, &err), KEDGE_ENUMERIC, err,
             "not definite");
}

TEST(any_matrix_is_inverted)
{
    kedge_error err = {0};
    double singular[] = {1, 2, 2, 4};

    for (size_t n = 1; n <= 40; n += 13) {
        OWNED double *a = dense_random(n, n, n);
        OWNED double *inverse = dense_copy(a, n * n);
        ck_ok(blas_invert(inverse, n, &err), err);
        OWNED double *back = dense_times(dense_as(a, n), dense_as(inverse, n),
                                         n, n, n);
        for (size_t i = 0; i < n * n; i++)
            ck_assert_double_eq_tol(back[i], i % (n + 1) == 0, 1e-9);
    }
    ck_fails(blas_invert(singular, 2, &err), KEDGE_ENUMERIC, err, "dgetrf");
}

TEST(the_library_has_a_name_and_one_thread)
{
    const int before = openblas_get_num_threads();
    char name[64];

    openblas_set_num_threads(2);
    blas_begin(4, NULL);
    ck_assert_int_eq(openblas_get_num_threads(), 1);
    blas_begin(4, NULL);
    blas_end();
    ck_assert_int_eq(openblas_get_num_threads(), 1);
    blas_end();
    ck_assert_int_eq(openblas_get_num_threads(), 2);
    openblas_set_num_threads(before);
    blas_version(name);
    ck_assert_ptr_nonnull(strstr(name, "openblas "));
}

TEST(no_memory_is_survived)
{
    double a[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, values[3], vectors[9];

    gate_starve(blas_eigen_top(a, 3, 2, values, vectors, NULL));
}
