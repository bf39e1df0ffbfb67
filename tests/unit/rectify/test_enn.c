/* SPDX-License-Identifier: MIT */
#include "rectify/rectify.h"

#include "base/threadranks.h"
#include "linalg/tall.h"

#define TRIED(name) enn_##name
#define OFF 0.2
#include "rectify/projecting.h"

/* One round the plain way; all rows are in I at these sizes. */
static void naive_round(double *c, size_t n, size_t k)
{
    OWNED double *y = dense_new(n, k), *psd = NULL;
    double total = 0;

    leading_of(c, n, k, y);
    psd = composed(y, n, k);
    for (size_t i = 0; i < n * n; i++)
        total += c[i] = fmax(psd[i], 0);
    for (size_t i = 0; i < n * n; i++)
        c[i] += (1 - total) / (double)(n * n);
}

TEST(it_stops_when_little_changes)
{
    OWNED double *y = planted(80, 4, 0.1, 1), *same = dense_copy(y, 320);
    const rectify_result r = rectify(y, 80, 4, 500, 1e-3, 1);

    ck_assert_uint_lt(r.rounds, 100);
    ck_assert_uint_ge(r.rounds, 1);
    ck_assert_double_le(r.change, 1e-3);
    ck_assert_double_gt(r.negative_share, 0);
    ck_assert_double_lt(r.negative_share, 0.5);
    rectify(same, 80, 4, r.rounds, 1e-3, 1);
    ck_assert_mem_eq(y, same, 320 * sizeof *y);
}

TEST(no_rounds_change_nothing)
{
    OWNED double *y = planted(40, 3, 0.1, 1), *same = dense_copy(y, 120);
    const rectify_result r = rectify(y, 40, 3, 0, 0, 1);

    ck_assert_uint_eq(r.rounds, 0);
    ck_assert_mem_eq(y, same, 120 * sizeof *y);
}

/* A Y >= 0 of lower rank needs no correction: nothing fills the columns. */
TEST(empty_columns_may_stay_empty)
{
    const size_t n = 60, k = 4;
    OWNED double *y = dense_new(n, k);
    double total;

    for (size_t i = 0; i < n; i++)
        y[i * k + i % 2] = 1.0 / (double)n;
    for (size_t i = 0; i < n * k; i++)
        y[i] *= sqrt(2);
    rectify(y, n, k, 15, 0, 1);
    ck_assert_double_eq_tol(negative_mass(y, n, k, &total), 0, 1e-6);
    ck_assert_double_eq_tol(total, 1, 1e-6);
}

TEST(some_of_the_rows_are_looked_at)
{
    const size_t n = 1300, k = 5; /* I is not all rows */
    OWNED double *y = dense_random(n, k, 4), *one = dense_copy(y, n * k);

    for (size_t i = 0; i < n * k; i++)
        one[i] = y[i] = (y[i] + 1) / 3000;
    rectify(one, n, k, 2, 0, 1);
    for (unsigned threads = 2; threads <= 3; threads++) {
        OWNED double *other = dense_copy(y, n * k);
        rectify(other, n, k, 2, 0, threads);
        ck_assert_mem_eq(one, other, n * k * sizeof *y);
    }
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
    OWN(pool_end) pool *p = dense_pool(1 + t->rank % 2);
    tall_part own;
    OWNED double *y = NULL;

    pool_set_comm(p, t);
    own = tall_own(p, j->n);
    y = dense_new(own.count + 1, j->k);
    memcpy(y, j->start + own.from * j->k, own.count * j->k * sizeof *y);
    ck_ok(enn_rectify(p, j->n, j->k, y, &o, &control, &out, &err), err);
    memcpy(j->y + own.from * j->k, y, own.count * j->k * sizeof *y);
    if (t->rank == 0)
        j->r = out;
}

/* Several processes with some rows each come to what one has of all. */
TEST(ranks_leave_no_trace)
{
    static const size_t sizes[][2] = {{7, 2}, {90, 4}, {700, 5}, {2600, 3}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i][0], k = sizes[i][1];
        OWNED double *start = dense_random(n, k, i), *alone = NULL;
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
    }
}
