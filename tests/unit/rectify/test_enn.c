/* SPDX-License-Identifier: MIT */
#include "rectify/statistics.h"

#include "base/threadranks.h"
#include "base/gate.h"
#include "linalg/blas.h"
#include "linalg/tall.h"
#include "rectify/rectify.h"

static rectify_result rectify(double *y, size_t n, size_t k, size_t rounds,
                          double tolerance, unsigned threads)
{
    const rectify_opts o = {rounds, tolerance, 1 << 24, NULL};
    kedge_control control = {.threads = threads};
    kedge_error err = {0};
    rectify_result out;
    pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(enn_rectify(p, n, k, y, &o, &control, &out, &err), err);
    pool_free(p);
    return out;
}

/* One round the plain way; all rows are in I at these sizes. */
static void naive_round(double *y, size_t n, size_t k)
{
    double *c = composed(y, n, k), total = 0;

    for (size_t i = 0; i < n * n; i++) {
        c[i] = fmax(c[i], 0);
        total += c[i];
    }
    for (size_t i = 0; i < n * n; i++)
        c[i] += (1 - total) / (double)(n * n);
    leading_of(c, n, k, y);
    free(c);
}

TEST(rounds_are_those_of_the_plain_way)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t n = 30 + 9 * seed, k = 3 + seed % 3;
        double *y = planted(n, k, seed < 4 ? 0.3 : 1.5, seed);
        double *naive = dense_copy(y, n * k);
        for (int round = 0; round < 4; round++)
            naive_round(naive, n, k);
        const rectify_result r = rectify(y, n, k, 4, 0, 1 + (unsigned)seed % 3);
        double *c = composed(y, n, k), *expected = composed(naive, n, k);
        ck_assert_uint_eq(r.rounds, 4);
        ck_assert_double_lt(dense_distance(c, expected, n * n),
                            1e-6 * dense_norm(expected, n * n));
        free(c);
        free(expected);
        free(naive);
        free(y);
    }
}

TEST(negatives_vanish_and_the_total_is_one)
{
    const size_t n = 150, k = 6;
    double *y = planted(n, k, 2, 3), total, first, mass;

    first = mass = negative_mass(y, n, k, &total);
    ck_assert_double_gt(first, 1e-3);
    for (int turn = 0; turn < 12; turn++) {
        const double before = mass;
        rectify(y, n, k, 8, 0, 2);
        mass = negative_mass(y, n, k, &total);
        ck_assert_double_lt(mass, 1.0001 * before);
        ck_assert_double_eq_tol(total, 1, 0.02);
    }
    ck_assert_double_lt(mass, first / 20);
    ck_assert_double_eq_tol(total, 1, 0.002);
    free(y);
}

TEST(what_is_right_stays)
{
    const size_t n = 200, k = 5;
    double *y = dense_new(n, k), total = 0;
    chance r = {.key = 8};

    /* columns without a common row are orthogonal, as V Λ^1/2 is */
    for (size_t i = 0; i < n; i++)
        y[i * k + i % k] = (1 + (double)(i % k)) * chance_unit(&r);
    double *c = composed(y, n, k);
    for (size_t i = 0; i < n * n; i++)
        total += c[i];
    for (size_t i = 0; i < n * k; i++)
        y[i] /= sqrt(total);
    for (size_t i = 0; i < n * n; i++)
        c[i] /= total;
    const rectify_result result = rectify(y, n, k, 10, 0, 1);
    double *after = composed(y, n, k);
    ck_assert_double_lt(dense_distance(c, after, n * n),
                        1e-8 * dense_norm(c, n * n));
    ck_assert_double_eq(result.negative_share, 0);
    ck_assert_double_lt(result.change, 1e-7);
    free(c);
    free(after);
    free(y);
}

TEST(it_stops_when_little_changes)
{
    double *y = planted(80, 4, 0.1, 1), *same = dense_copy(y, 320);
    const rectify_result r = rectify(y, 80, 4, 500, 1e-3, 1);

    ck_assert_uint_lt(r.rounds, 100);
    ck_assert_uint_ge(r.rounds, 1);
    ck_assert_double_le(r.change, 1e-3);
    ck_assert_double_gt(r.negative_share, 0);
    ck_assert_double_lt(r.negative_share, 0.5);
    rectify(same, 80, 4, r.rounds, 1e-3, 1);
    ck_assert_mem_eq(y, same, 320 * sizeof *y);
    free(y);
    free(same);
}

TEST(no_rounds_change_nothing)
{
    double *y = planted(40, 3, 0.1, 1), *same = dense_copy(y, 120);
    const rectify_result r = rectify(y, 40, 3, 0, 0, 1);

    ck_assert_uint_eq(r.rounds, 0);
    ck_assert_mem_eq(y, same, 120 * sizeof *y);
    free(y);
    free(same);
}

/* The spectrum had fewer positive eigenvalues than topics. */
TEST(empty_columns_are_no_trouble)
{
    for (size_t empty = 1; empty <= 5; empty++) {
        const size_t n = 90, k = 5;
        double *y = planted(n, k, 0.5, empty), total;
        for (size_t i = 0; i < n; i++)
            for (size_t c = k - empty; c < k && empty < 5; c++)
                y[i * k + c] = 0;
        rectify(y, n, k, 6, 0, 2);
        for (size_t i = 0; i < n * k; i++)
            ck_assert(isfinite(y[i]));
        negative_mass(y, n, k, &total);
        ck_assert_double_eq_tol(total, 1, 0.2);
        free(y);
    }
}

/* A Y >= 0 of lower rank needs no correction: nothing fills the columns. */
TEST(empty_columns_may_stay_empty)
{
    const size_t n = 60, k = 4;
    double *y = dense_new(n, k), total;

    for (size_t i = 0; i < n; i++)
        y[i * k + i % 2] = 1.0 / (double)n;
    for (size_t i = 0; i < n * k; i++)
        y[i] *= sqrt(2);
    rectify(y, n, k, 15, 0, 1);
    ck_assert_double_eq_tol(negative_mass(y, n, k, &total), 0, 1e-6);
    ck_assert_double_eq_tol(total, 1, 1e-6);
    free(y);
}

TEST(threads_leave_no_trace)
{
    const size_t n = 1300, k = 5; /* I is not all rows */
    double *y = dense_random(n, k, 4), *one = dense_copy(y, n * k);

    for (size_t i = 0; i < n * k; i++)
        one[i] = y[i] = (y[i] + 1) / 3000;
    rectify(one, n, k, 2, 0, 1);
    for (unsigned threads = 2; threads <= 3; threads++) {
        double *other = dense_copy(y, n * k);
        rectify(other, n, k, 2, 0, threads);
        ck_assert_mem_eq(one, other, n * k * sizeof *y);
        free(other);
    }
    free(y);
    free(one);
}

typedef struct watcher {
    uint64_t calls, last, stop_at;
} watcher;

static void watch(void *data, const kedge_progress *now)
{
    watcher *w = data;

    ck_assert_str_eq(now->stage, "rectify");
    ck_assert_uint_ge(now->done, w->last);
    ck_assert_uint_eq(now->total, 9 * 100);
    w->last = now->done;
    w->calls++;
}

static int stop(void *data)
{
    const watcher *w = data;

    return w->last >= w->stop_at;
}

TEST(it_can_be_watched_and_stopped)
{
    const rectify_opts o = {9, 0, 1 << 20, NULL};
    watcher w = {.stop_at = 220}; /* in the third round */
    kedge_control control = {.threads = 1, .data = &w, .progress = watch,
                             .stop = stop};
    kedge_error err = {0};
    double *y = planted(40, 3, 0.1, 1);
    rectify_result out;
    pool *p = dense_pool(1);

    blas_begin(4, NULL);
    ck_assert_int_eq(enn_rectify(p, 40, 3, y, &o, &control, &out, &err),
                     KEDGE_ECANCELED);
    ck_assert_uint_eq(w.last, 220);
    ck_assert_uint_gt(w.calls, 6); /* searches are told of as well */
    ck_assert_uint_eq(out.rounds, 2);
    pool_free(p);
    free(y);
}

TEST(no_memory_is_survived)
{
    const rectify_opts o = {2, 0, 1 << 20, NULL};
    const kedge_control control = {.threads = 2};
    double *y = planted(60, 3, 0.5, 2);
    kedge_error err = {0};
    pool *p = dense_pool(2);

    blas_begin(4, NULL);
    GATE_LOOP {
        double *copy = dense_copy(y, 180);
        rectify_result out;
        GATE_TRY(enn_rectify(p, 60, 3, copy, &o, &control, &out, &err));
        free(copy);
    }
    pool_free(p);
    free(y);
}

typedef struct joint {
    size_t n, k;
    const double *start;
    double *y;        /* from all */
    rectify_result r; /* of rank 0 */
} joint;

/* A rank's own rows. */
static void rectify_part(void *data, communicator *t)
{
    joint *const j = data;
    const rectify_opts o = {6, 1e-6, 1 << 24, NULL};
    kedge_control control = {.threads = 1};
    kedge_error err = {0};
    rectify_result out;
    pool *p = dense_pool(1 + t->rank % 2);
    tall_part own;
    double *y;

    pool_set_comm(p, t);
    own = tall_own(p, j->n);
    y = dense_new(own.count + 1, j->k);
    memcpy(y, j->start + own.from * j->k, own.count * j->k * sizeof *y);
    ck_ok(enn_rectify(p, j->n, j->k, y, &o, &control, &out, &err), err);
    memcpy(j->y + own.from * j->k, y, own.count * j->k * sizeof *y);
    if (t->rank == 0)
        j->r = out;
    free(y);
    pool_free(p);
}

/* Several processes with some rows each come to what one has of all. */
TEST(ranks_leave_no_trace)
{
    static const size_t sizes[][2] = {{7, 2}, {90, 4}, {700, 5}, {2600, 3}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i][0], k = sizes[i][1];
        double *start = dense_random(n, k, i), *alone;
        for (size_t e = 0; e < n * k; e++) /* what is not all chance */
            start[e] = (start[e] + 2 * (e % k == 0)) / (double)n;
        alone = dense_copy(start, n * k);
        const rectify_result r = rectify(alone, n, k, 6, 1e-6, 2);
        for (unsigned size = 1; size <= THREADRANKS_MOST;
             size += 1 + size / 4) {
            joint j = {.n = n, .k = k, .start = start, .y = dense_new(n, k)};
            threadranks_run(size, rectify_part, &j);
            ck_assert_mem_eq(j.y, alone, n * k * sizeof *alone);
            ck_assert_uint_eq(j.r.rounds, r.rounds);
            ck_assert_double_gt(r.negative_share, 0.01);
            ck_assert_double_eq(j.r.change, r.change);
            ck_assert_double_eq(j.r.negative_share, r.negative_share);
            free(j.y);
        }
        free(alone);
        free(start);
    }
}
