/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "base/threadranks.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

static const size_t sizes[][3] = { /* rows, k, l */
    {1, 1, 1},   {5, 3, 2},     {7, 4, 4},    {8, 2, 9},    {127, 5, 6},
    {128, 7, 3}, {129, 1, 20},  {1000, 12, 5}, {5003, 9, 11}};
#define SIZES (sizeof sizes / sizeof *sizes)

TEST(groups_cover_the_rows)
{
    for (size_t rows = 0; rows < 3000; rows += 1 + rows / 20) {
        ck_assert_uint_eq(tall_group(rows, 0), 0);
        ck_assert_uint_eq(tall_group(rows, TALL_GROUPS), rows);
        for (size_t g = 0; g < TALL_GROUPS; g++) {
            if (tall_group(rows, g) > tall_group(rows, g + 1) ||
                tall_group(rows, g) % 8 != 0)
                ck_abort_msg("%zu rows, group %zu", rows, g);
        }
    }
}

TEST(tiles_cover_the_groups)
{
    OWN(pool_end) pool *p = dense_pool(1);

    for (size_t rows = 0; rows < 3000; rows += 1 + rows / 20) {
        const tall_part own = tall_own(p, rows);
        size_t at = 0, group = 0;
        ck_assert_uint_eq(own.count, rows);
        for (size_t t = 0; t < tall_tiles(&own, 37); t++) {
            size_t count;
            ck_assert_uint_eq(tall_tile(&own, 37, t, &count), at);
            while (at >= tall_group(rows, group + 1))
                group++;
            ck_assert(count > 0 && count <= 37);
            at += count;
            ck_assert_uint_le(at, tall_group(rows, group + 1));
        }
        ck_assert_uint_eq(at, rows);
    }
}

static void check_part(void *data, communicator *t)
{
    const double *const a = data; /* 1003 x 3 */
    const uint64_t named[] = {1002, 0, 501, 502};
    OWN(pool_end) pool *alone = dense_pool(1);
    double sums[2][3], rows[2][12];
    OWNED double *all = dense_new(1003, 3);
    OWN(pool_end) pool *p = dense_pool(1);
    tall_part own;

    pool_set_comm(p, t);
    own = tall_own(p, 1003);
    ck_assert_uint_eq(own.from, tall_group(1003, own.first));
    tall_sums(alone, 1003, a, 3, sums[0]);
    tall_sums(p, 1003, a + own.from * 3, 3, sums[1]);
    ck_assert_mem_eq(sums[1], sums[0], sizeof sums[0]);
    tall_rows(alone, 1003, a, 3, named, 4, rows[0]);
    tall_rows(p, 1003, a + own.from * 3, 3, named, 4, rows[1]);
    ck_assert_mem_eq(rows[1], rows[0], sizeof rows[0]);
    for (size_t n = 0; n < 4; n++)
        ck_assert_mem_eq(rows[0] + 3 * n, a + 3 * named[n], 3 * sizeof *a);
    tall_collect(p, 1003, a + own.from * 3, 3, all);
    ck_assert_mem_eq(all, a, 1003 * 3 * sizeof *a);
    memset(all, 0, 1003 * 3 * sizeof *a);
    tall_bring(p, 1003, a + own.from * 3, 3, t->rank == 0 ? all : NULL);
    if (t->rank == 0)
        ck_assert_mem_eq(all, a, 1003 * 3 * sizeof *a);
}

TEST(sums_and_rows_are_everybodys)
{
    OWNED double *a = dense_random(1003, 3, 4);

    for (unsigned size = 1; size <= THREADRANKS_MOST; size++)
        threadranks_run(size, check_part, a);
}

/* Against the plain way; the same bits for any number of threads. */
TEST(products_across_rows_are_right)
{
    kedge_error err = {0};

    blas_begin(4, NULL);
    for (size_t i = 0; i < SIZES; i++) {
        const size_t rows = sizes[i][0], k = sizes[i][1], l = sizes[i][2];
        OWNED double *a = dense_random(rows, k, i);
        OWNED double *b = dense_random(rows, l, 99);
        OWNED double *expected = dense_times(dense_turned(a, k), dense_as(b, l),
                                             k, rows, l);
        OWNED double *first = dense_new(k, l), *out = dense_new(k, l);
        for (unsigned threads = 1; threads <= 4; threads++) {
            OWN(pool_end) pool *p = dense_pool(threads);
            double *to = threads == 1 ? first : out;
            ck_ok(tall_cross(p, rows, a, k, b, l, to, &err), err);
            if (threads > 1)
                ck_assert_mem_eq(out, first, k * l * sizeof *out);
        }
        ck_assert_double_lt(dense_distance(first, expected, k * l),
                            1e-13 * (double)(rows + 10));
    }
}

TEST(products_along_rows_are_right)
{
    blas_begin(4, NULL);
    for (size_t i = 0; i < SIZES; i++) {
        const size_t rows = sizes[i][0], k = sizes[i][1], l = sizes[i][2];
        OWNED double *a = dense_random(rows, k, i), *t = dense_random(k, l, 77);
        OWNED double *c = dense_random(rows, l, 5), *first = NULL;
        OWNED double *at = dense_times(dense_as(a, k), dense_as(t, l), rows, k,
                                       l);
        for (unsigned threads = 1; threads <= 4; threads++) {
            OWN(pool_end) pool *p = dense_pool(threads);
            OWNED double *out = dense_copy(c, rows * l);
            tall_multiply(p, rows, a, k, t, l, -2, out);
            for (size_t j = 0; first == NULL && j < rows * l; j++)
                if (fabs(out[j] - (at[j] - 2 * c[j])) > 1e-12)
                    ck_abort_msg("entry %zu", j);
            if (first == NULL)
                first = dense_copy(out, rows * l);
            ck_assert_mem_eq(out, first, rows * l * sizeof *out);
        }
    }
}

TEST(nothing_old_is_read_without_beta)
{
    OWNED double *a = dense_random(50, 3, 1), *t = dense_random(3, 2, 2);
    OWNED double *c = dense_new(50, 2);
    OWN(pool_end) pool *p = dense_pool(2);

    blas_begin(4, NULL);
    for (size_t i = 0; i < 100; i++)
        c[i] = NAN;
    tall_multiply(p, 50, a, 3, t, 2, 0, c);
    for (size_t i = 0; i < 100; i++)
        ck_assert(isfinite(c[i]));
}

TEST(combinations_are_made_in_place)
{
    kedge_error err = {0};

    blas_begin(4, NULL);
    for (size_t i = 0; i < SIZES; i++) {
        const size_t rows = sizes[i][0], k = sizes[i][1];
        OWNED double *x = dense_random(rows, k, 1);
        OWNED double *y = dense_random(rows, k, 2);
        OWNED double *m = dense_random(k, k, 3), *n = dense_random(k, k, 4);
        OWNED double *xm = dense_times(dense_as(x, k), dense_as(m, k), rows, k,
                                       k);
        OWNED double *yn = dense_times(dense_as(y, k), dense_as(n, k), rows, k,
                                       k);
        OWNED double *first = NULL;
        for (unsigned threads = 1; threads <= 3; threads++) {
            OWN(pool_end) pool *p = dense_pool(threads);
            OWNED double *out = dense_copy(x, rows * k);
            ck_ok(tall_combine(p, rows, out, k, m, y, n, &err), err);
            for (size_t j = 0; first == NULL && j < rows * k; j++)
                if (fabs(out[j] - xm[j] - yn[j]) > 1e-12)
                    ck_abort_msg("entry %zu", j);
            if (first == NULL)
                first = dense_copy(out, rows * k);
            ck_assert_mem_eq(out, first, rows * k * sizeof *out);
        }
    }
}
