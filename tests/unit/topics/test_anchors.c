/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include <stdio.h>

#include "base/gate.h"
#include "topics/anchors.h"

/* Takes the span of the chosen rows out of a copy of each row, anew in every
 * round and twice, and picks the longest. */
static void pivot_naive(const double *x, size_t rows, size_t k, size_t count,
                        uint64_t *chosen, double *residual)
{
    double *basis = dense_new(count, k);

    for (size_t a = 0; a < count; a++) {
        double *most = basis + a * k;
        residual[a] = -1;
        for (size_t i = 0; i < rows; i++) {
            double *rest = dense_copy(x + i * k, k);
            for (size_t b = 0; b < 2 * a; b++) {
                const double *q = basis + b % a * k;
                double along = 0;
                for (size_t c = 0; c < k; c++)
                    along += rest[c] * q[c];
                for (size_t c = 0; c < k; c++)
                    rest[c] -= along * q[c];
            }
            const double norm = dense_norm(rest, k);
            if (norm > residual[a]) {
                residual[a] = norm;
                chosen[a] = i;
                memcpy(most, rest, k * sizeof *rest);
            }
            free(rest);
        }
        for (size_t c = 0; c < k; c++)
            most[c] /= residual[a];
    }
    free(basis);
}

static uint64_t *everyone(size_t rows)
{
    uint64_t *all = calloc(rows + 1, sizeof *all);

    for (size_t i = 0; i < rows; i++)
        all[i] = i;
    return all;
}

TEST(rows_are_those_of_the_plain_way)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 30; seed++) {
        const size_t k = 1 + seed % 12, rows = k + 7 * seed;
        double *x = dense_random(rows, k, seed), residual[12], expected[12];
        uint64_t *all = everyone(rows), chosen[12], naive[12];
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        for (size_t i = 0; i < rows * k; i++) /* columns of several sizes */
            x[i] *= pow(0.3, (double)(i % k));
        ck_ok(anchors_pivot(p, x, k, all, rows, k, chosen, residual, &err),
              err);
        pivot_naive(x, rows, k, k, naive, expected);
        for (size_t a = 0; a < k; a++) {
            ck_assert_uint_eq(chosen[a], naive[a]);
            ck_assert_double_eq_tol(residual[a], expected[a],
                                    1e-9 * expected[a]);
            ck_assert(a == 0 || residual[a] <= residual[a - 1]);
        }
        pool_free(p);
        free(all);
        free(x);
    }
}

TEST(candidates_alone_are_looked_at)
{
    kedge_error err = {0};
    double x[] = {9, 9, 1, 0, 8, 0, 0, 1, 0, 2};
    const uint64_t candidate[] = {4, 1, 3};
    uint64_t chosen[2];
    double residual[2];
    pool *p = dense_pool(1);

    ck_ok(anchors_pivot(p, x, 2, candidate, 3, 2, chosen, residual, &err),
          err);
    ck_assert_uint_eq(chosen[0], 0); /* a place in `candidate` */
    ck_assert_uint_eq(chosen[1], 1);
    ck_assert_double_eq(residual[0], 2);
    ck_assert_double_eq(residual[1], 1);
    pool_free(p);
}

TEST(ties_go_to_the_first)
{
    kedge_error err = {0};
    double x[] = {0, 0, 1, 0, -1, 0, 0, 1, 0, 1};
    uint64_t *all = everyone(5), chosen[2];
    double residual[2];
    pool *p = dense_pool(2);

    ck_ok(anchors_pivot(p, x, 2, all, 5, 2, chosen, residual, &err), err);
    ck_assert_uint_eq(chosen[0], 1);
    ck_assert_uint_eq(chosen[1], 3);
    pool_free(p);
    free(all);
}

TEST(too_few_dimensions_are_told)
{
    kedge_error err = {0};
    const size_t k = 6, rows = 500;
    pool *p = dense_pool(2);
    uint64_t *all = everyone(rows), chosen[6];
    double residual[6];

    for (size_t rank = 0; rank < k; rank++) {
        double *left = dense_random(rows, rank, rank);
        double *right = dense_random(rank, k, 99);
        double *x = dense_times(dense_as(left, rank), dense_as(right, k),
                                rows, rank, k);
        char says[40];
        snprintf(says, sizeof says, "only %zu of", rank);
        ck_fails(anchors_pivot(p, x, k, all, rows, k, chosen, residual, &err),
                 KEDGE_ENUMERIC, err, says);
        ck_ok(anchors_pivot(p, x, k, all, rows, rank, chosen, residual, &err),
              err);
        free(left);
        free(right);
        free(x);
    }
    ck_fails(anchors_pivot(p, residual, k, all, 0, 1, chosen, residual, &err),
             KEDGE_ENUMERIC, err, "among 0");
    pool_free(p);
    free(all);
}

/* From the first few pivots on, wherever they came from. */
TEST(given_rows_are_completed)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 12; seed++) {
        const size_t k = 2 + seed % 9, rows = 200, known = seed % (k + 1);
        double *x = dense_random(rows, k, seed), residual[12], expected[12];
        double *point = dense_new(k, k);
        uint64_t *all = everyone(rows), chosen[12] = {0}, pivot[12];
        const anchors_input in = {.k = k, .x = x, .candidate = all,
                                  .candidates = rows};
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        ck_ok(anchors_pivot(p, x, k, all, rows, k, pivot, expected, &err),
              err);
        for (size_t a = 0; a < known; a++)
            memcpy(point + a * k, x + pivot[a] * k, k * sizeof *x);
        ck_ok(anchors_complete(p, &in, point, known, chosen, residual, &err),
              err);
        for (size_t a = 0; a < k; a++) {
            ck_assert_uint_eq(chosen[a], a < known ? 0 : pivot[a]);
            ck_assert_double_eq_tol(residual[a], expected[a],
                                    1e-9 * expected[a]);
        }
        memcpy(point + k, point, k * sizeof *x);
        ck_fails(anchors_complete(p, &in, point, 2, chosen, residual, &err),
                 KEDGE_ENUMERIC, err, "topic ");
        pool_free(p);
        free(point);
        free(all);
        free(x);
    }
}
