/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_LINALG_DENSE_H
#define TESTS_UNIT_LINALG_DENSE_H
/*
 * Small dense algebra without BLAS and LAPACK, the plain way: row-major, any
 * size that fits a test's patience.
 */
#include "base/chance.h"
#include "base/pool.h"
#include "unit.h"

static inline double *dense_new(size_t rows, size_t cols)
{
    double *a = calloc(rows * cols + 1, sizeof *a);

    if (a == NULL)
        ck_abort_msg("no memory");
    return a;
}

static inline double *dense_random(size_t rows, size_t cols, uint64_t seed)
{
    double *a = dense_new(rows, cols);
    chance c = {.key = seed};

    chance_fill(&c, a, rows * cols);
    return a;
}

static inline double *dense_copy(const double *a, size_t count)
{
    double *b = dense_new(count, 1);

    memcpy(b, a, count * sizeof *a);
    return b;
}

/* Where a matrix lies and how it is read: entry (i, j) is at[i * i_step +
 * j * j_step]. */
typedef struct dense_index {
    const double *at;
    size_t i_step, j_step;
} dense_index;

static inline dense_index dense_as(const double *a, size_t cols)
{
    return (dense_index){a, cols, 1};
}

static inline dense_index dense_turned(const double *a, size_t cols)
{
    return (dense_index){a, 1, cols};
}

/* A new m x n matrix a b, where a is m x k. */
static inline double *dense_times(dense_index a, dense_index b, size_t m,
                                  size_t k, size_t n)
{
    double *c = dense_new(m, n);

    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) {
            const double v = a.at[i * a.i_step + l * a.j_step];
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += v * b.at[l * b.i_step + j * b.j_step];
        }
    return c;
}

static inline double dense_norm(const double *a, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static inline double dense_distance(const double *a, const double *b,
                                    size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static inline void dense_columns_to_one(double *a, size_t rows, size_t cols)
{
    for (size_t c = 0; c < cols; c++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++)
            sum += a[i * cols + c];
        for (size_t i = 0; i < rows; i++)
            a[i * cols + c] /= sum;
    }
}

/* The largest |a'a - 1| of the columns of a. */
static inline double dense_skew(const double *a, size_t rows, size_t cols)
{
    OWNED double *g = dense_times(dense_turned(a, cols), dense_as(a, cols),
                                  cols, rows, cols);
    double worst = 0;

    for (size_t i = 0; i < cols; i++)
        for (size_t j = 0; j < cols; j++)
            worst = fmax(worst, fabs(g[i * cols + j] - (i == j)));
    return worst;
}

/* One rotation of Jacobi's in the columns p and q of a and rows of v. */
static inline void dense_rotate(double *a, double *v, size_t rows, size_t n,
                                size_t p, size_t q)
{
    double pp = 0, qq = 0, pq = 0;

    for (size_t i = 0; i < rows; i++) {
        pp += a[i * n + p] * a[i * n + p];
        qq += a[i * n + q] * a[i * n + q];
        pq += a[i * n + p] * a[i * n + q];
    }
    if (fabs(pq) <= 1e-16 * sqrt(pp * qq))
        return;
    const double zeta = (qq - pp) / (2 * pq);
    const double t =
        (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), s = c * t;
    for (size_t i = 0; i < rows; i++) {
        const double x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - s * y;
        a[i * n + q] = s * x + c * y;
    }
    for (size_t i = 0; i < n; i++) {
        const double x = v[p * n + i], y = v[q * n + i];
        v[p * n + i] = c * x - s * y;
        v[q * n + i] = s * x + c * y;
    }
}

static inline void dense_swap(double *x, double *y, size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++) {
        const double keep = x[i * step];
        x[i * step] = y[i * step];
        y[i * step] = keep;
    }
}

/*
 * One-sided Jacobi: a (rows x n, overwritten by U S) = U S V', singular values
 * falling in s, row j of v the j-th right singular vector.
 */
static inline void dense_svd(double *a, size_t rows, size_t n, double *s,
                             double *v)
{
    memset(v, 0, n * n * sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i * n + i] = 1;
    for (int sweep = 0; sweep < 14; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                dense_rotate(a, v, rows, n, p, q);
    for (size_t j = 0; j < n; j++) {
        s[j] = 0;
        for (size_t i = 0; i < rows; i++)
            s[j] += a[i * n + j] * a[i * n + j];
        s[j] = sqrt(s[j]);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = j; k > 0 && s[k] > s[k - 1]; k--) {
            dense_swap(a + k, a + k - 1, rows, n);
            dense_swap(v + k * n, v + (k - 1) * n, n, 1);
            dense_swap(s + k, s + k - 1, 1, 1);
        }
}

/*
 * All eigenpairs of a symmetric a (n x n), values falling, row j of `vectors`
 * the j-th: the SVD of a + c, which is definite for c large enough.
 */
static inline void dense_eigen(const double *a, size_t n, double *values,
                               double *vectors)
{
    OWNED double *work = dense_copy(a, n * n);
    const double shift = 1.01 * dense_norm(a, n * n);

    for (size_t i = 0; i < n; i++)
        work[i * n + i] += shift;
    dense_svd(work, n, n, values, vectors);
    for (size_t i = 0; i < n; i++)
        values[i] -= shift;
}

/* V diag(values) V' for k rows of length n. */
static inline double *dense_compose(const double *vectors,
                                    const double *values, size_t k, size_t n)
{
    OWNED double *scaled = dense_copy(vectors, k * n);
    double *c;

    for (size_t i = 0; i < k * n; i++)
        scaled[i] *= values[i / n];
    c = dense_times(dense_turned(vectors, n), dense_as(scaled, n), n, k, n);
    return c;
}

/* Rows are k orthonormal vectors of length n. */
static inline double *dense_orthonormal(size_t k, size_t n, uint64_t seed)
{
    double *q = dense_random(k, n, seed);

    for (size_t i = 0; i < 2 * k; i++) {
        double *row = q + i % k * n;
        for (size_t j = 0; j < i % k; j++) {
            double along = 0;
            for (size_t c = 0; c < n; c++)
                along += row[c] * q[j * n + c];
            for (size_t c = 0; c < n; c++)
                row[c] -= along * q[j * n + c];
        }
        const double norm = dense_norm(row, n);
        for (size_t c = 0; c < n; c++)
            row[c] /= norm;
    }
    return q;
}

static inline pool *dense_pool(unsigned threads)
{
    kedge_error err = {0};
    pool *p;

    ck_ok(pool_create(threads, &p, &err), err);
    return p;
}

#endif
