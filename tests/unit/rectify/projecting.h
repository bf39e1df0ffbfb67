/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RECTIFY_PROJECTING_H
#define TESTS_UNIT_RECTIFY_PROJECTING_H
/*
 * What holds of rectifications by projections. Whoever includes this says which
 * one it is, TRIED(rectify) being its function, by how much YY' may fail to add
 * up to one in the end (OFF), and what one round of it is as printed.
 */
#include "rectify/statistics.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "rectify/rectify.h"

#define SCALED (OFF < 1e-6) /* to a total of one */

static void naive_round(double *c, size_t n, size_t k);

static rectify_result rectify(double *y, size_t n, size_t k, size_t rounds,
                              double tolerance, unsigned threads)
{
    const rectify_opts o = {rounds, tolerance, 1 << 24, NULL};
    const kedge_control control = {.threads = threads};
    kedge_error err = {0};
    rectify_result out;
    OWN(pool_end) pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(TRIED(rectify)(p, n, k, y, &o, &control, &out, &err), err);
    return out;
}

TEST(rounds_are_those_that_are_printed)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t n = 30 + 7 * seed, k = 3 + seed % 3;
        OWNED double *c = planted_pairs(n, k, seed < 4 ? 0.3 : 1.5, seed);
        OWNED double *y = dense_new(n, k), *nearest = dense_new(n, k);
        const double total = total_of(c, n);
        for (size_t i = 0; i < n * n; i++)
            c[i] /= total;
        leading_of(c, n, k, y);
        for (int round = 0; round < 4; round++)
            naive_round(c, n, k);
        const rectify_result r = rectify(y, n, k, 4, 0,
                                         1 + (unsigned)seed % 3);
        leading_of(c, n, k, nearest);
        OWNED double *got = composed(y, n, k);
        OWNED double *expected = composed(nearest, n, k);
        const double sum = total_of(expected, n);
        for (size_t i = 0; SCALED && i < n * n; i++)
            expected[i] /= sum;
        ck_assert_uint_eq(r.rounds, 4);
        ck_assert_double_lt(dense_distance(got, expected, n * n),
                            1e-6 * dense_norm(expected, n * n));
    }
}

/* Of any rank up to K, over many seeds: what is negative goes, and the total
 * is one. */
TEST(what_comes_out_is_a_distribution)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t n = 40 + seed, k = 2 + seed % 5;
        OWNED double *y = planted(n, k, 2, seed);
        double total;
        const double before = negative_mass(y, n, k, &total);
        const rectify_result r = rectify(y, n, k, 60, 1e-6, 2);
        const double after = negative_mass(y, n, k, &total);
        ck_assert_double_eq_tol(total, 1, OFF);
        ck_assert_double_le(after, 0.02 * before + 1e-12);
        ck_assert_uint_ge(r.rounds, 1);
        ck_assert_double_ge(r.negative_share, 0);
        ck_assert_double_lt(r.negative_share, 0.5);
    }
}

TEST(what_is_right_stays)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t n = 90, k = 2 + seed % 4;
        OWNED double *y = feasible(n, k, seed), *c = composed(y, n, k);
        const rectify_result r = rectify(y, n, k, 10, 1e-6, 1);
        OWNED double *after = composed(y, n, k);
        ck_assert_uint_eq(r.rounds, 1);
        ck_assert_double_eq(r.negative_share, 0);
        ck_assert_double_lt(dense_distance(c, after, n * n),
                            1e-8 * dense_norm(c, n * n));
    }
}

TEST(empty_columns_are_no_trouble)
{
    for (size_t empty = 1; empty <= 5; empty++) {
        const size_t n = 60, k = 5;
        OWNED double *y = planted(n, k, 0.5, empty);
        double total;
        for (size_t i = 0; i < n; i++)
            for (size_t c = k - empty; c < k && empty < 5; c++)
                y[i * k + c] = 0;
        rectify(y, n, k, 6, 0, 2);
        for (size_t i = 0; i < n * k; i++)
            ck_assert(isfinite(y[i]));
        negative_mass(y, n, k, &total);
        ck_assert_double_eq_tol(total, 1, OFF);
    }
}

TEST(threads_leave_no_trace)
{
    const size_t n = 150, k = 4;
    OWNED double *y = planted(n, k, 1, 3), *one = dense_copy(y, n * k);

    rectify(one, n, k, 3, 0, 1);
    for (unsigned threads = 2; threads <= 3; threads++) {
        OWNED double *other = dense_copy(y, n * k);
        rectify(other, n, k, 3, 0, threads);
        ck_assert_mem_eq(one, other, n * k * sizeof *y);
    }
}

typedef struct watcher {
    uint64_t last, stop_at; /* hundredths of a round */
} watcher;

static void watch(void *data, const kedge_progress *now)
{
    watcher *w = data;

    ck_assert_str_eq(now->stage, "rectify");
    ck_assert_uint_ge(now->done, w->last);
    ck_assert_uint_eq(now->total, 9 * 100);
    w->last = now->done;
}

static int stop(void *data)
{
    const watcher *w = data;

    return w->last >= w->stop_at;
}

TEST(it_can_be_stopped)
{
    const rectify_opts o = {9, 0, 1 << 20, NULL};
    watcher w = {0, 220}; /* in the third round */
    const kedge_control control = {.data = &w, .progress = watch,
                                   .stop = stop};
    kedge_error err = {0};
    OWNED double *y = planted(40, 3, 0.1, 1);
    rectify_result out;
    OWN(pool_end) pool *p = dense_pool(1);

    blas_begin(4, NULL);
    ck_assert_int_eq(TRIED(rectify)(p, 40, 3, y, &o, &control, &out, &err),
                     KEDGE_ECANCELED);
    ck_assert_uint_eq(out.rounds, 2);
}

TEST(no_memory_is_survived)
{
    const rectify_opts o = {2, 0, 1 << 20, NULL};
    const kedge_control control = {.threads = 2};
    OWNED double *y = planted(60, 3, 0.5, 2);
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(2);

    blas_begin(4, NULL);
    GATE_LOOP {
        OWNED double *copy = dense_copy(y, 180);
        rectify_result out;
        GATE_TRY(TRIED(rectify)(p, 60, 3, copy, &o, &control, &out, &err));
    }
}

#endif
