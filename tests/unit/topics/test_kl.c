/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "linalg/dense.h"

/* Statistics with anchors in the first k rows; rows are not exactly mixtures
 * where `noise` is not 0. */
typedef struct setting {
    size_t n, k;
    double *y, *sums, *d;
    uint64_t *anchor;
} setting;

static setting setting_make(size_t n, size_t k, uint64_t seed, double noise)
{
    setting s = {.n = n, .k = k, .y = dense_new(n, k),
                 .sums = dense_new(n, 1), .d = dense_new(n, 1),
                 .anchor = calloc(k, sizeof *s.anchor)};
    chance r = {.key = seed};
    double total[32] = {0};

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++)
            s.y[i * k + c] =
                i < k ? (i == c) + 0.1 * chance_unit(&r)
                      : pow(chance_unit(&r), 4) + noise * chance_unit(&r);
    for (size_t i = 0; i < n * k; i++) { /* words are not equally frequent */
        s.y[i] *= 1 / (1 + (double)(i / k % 7));
        total[i % k] += s.y[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++)
            s.d[i] += s.y[i * k + c] * total[c];
    for (size_t i = 0; i < n; i++)
        s.sums[i] = s.d[i];
    for (size_t t = 0; t < k; t++)
        s.anchor[t] = t;
    return s;
}

static void setting_free(setting *s)
{
    free(s->y);
    free(s->sums);
    free(s->d);
    free(s->anchor);
}

static kl_input input_of(const setting *s)
{
    return (kl_input){s->n, s->k, s->y, s->sums, s->d, s->anchor, NULL,
                      KL_COLUMNS, NULL};
}

/* Rows of C̄ as they are told apart: the `columns` largest, and the others. */
static double *rows_apart(const setting *s, size_t columns)
{
    const size_t n = s->n, k = s->k, width = columns + 1;
    double *rows = dense_new(n, width);
    size_t *place = calloc(n, sizeof *place);

    for (size_t i = 0; i < n; i++) {
        for (size_t l = 0; l < n; l++)
            place[i] += s->sums[l] > s->sums[i] ||
                        (s->sums[l] == s->sums[i] && l < i);
        place[i] = place[i] < columns ? place[i] : columns;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t c = 0; c < k; c++)
                rows[i * width + place[l]] +=
                    s->y[i * k + c] * s->y[l * k + c] / s->d[i];
    free(place);
    return rows;
}

/* max r - 1: the gap to the least divergence at most. */
static double gap_of(const double *rows, size_t width, size_t k, size_t i,
                     const double *y)
{
    double most = 0;

    for (size_t t = 0; t < k; t++) {
        double r = 0;
        for (size_t j = 0; j < width; j++) {
            double mix = 0;
            for (size_t s = 0; s < k; s++)
                mix += y[s] * rows[s * width + j];
            if (mix > 0)
                r += rows[i * width + j] * rows[t * width + j] / mix;
        }
        most = fmax(most, r);
    }
    return most - 1;
}

static simplex_result solve(const kl_input *in, double *y, unsigned threads)
{
    kedge_error err = {0};
    simplex_result r;
    pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(kl_solve(p, in, y, &r, &err), err);
    pool_free(p);
    return r;
}

TEST(divergences_are_the_least)
{
    for (uint64_t seed = 0; seed < 16; seed++) {
        const size_t k = 2 + seed % 8, n = 90 + 7 * seed;
        setting s = setting_make(n, k, seed, seed % 2 == 0 ? 0 : 0.05);
        kl_input in = input_of(&s);
        double *y = dense_new(n, k), *rows;
        in.columns = seed % 3 == 0 ? 40 : n;
        rows = rows_apart(&s, in.columns);
        ck_assert_uint_eq(solve(&in, y, 1 + (unsigned)seed % 3).unsettled, 0);
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t t = 0; t < k; t++) {
                ck_assert(y[i * k + t] >= 0);
                sum += y[i * k + t];
            }
            ck_assert_double_eq_tol(sum, 1, 1e-12);
            ck_assert_double_le(gap_of(rows, in.columns + 1, k, i, y + i * k),
                                1e-7);
        }
        free(rows);
        free(y);
        setting_free(&s);
    }
}

/* Words of one topic alone, and a little of anything in the words beside: the
 * nearest mixture by squares leaves columns all but empty, where the first
 * parabola is of no use. The floor under anchors' entries is felt here. */
TEST(rows_that_go_astray_come_back)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 8, n = 120;
        setting s = setting_make(n, k, seed, 0);
        const kl_input in = input_of(&s);
        chance r = {.key = seed + 30};
        double *y = dense_new(n, k), *rows, total[8] = {0};
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < k; c++) {
                s.y[i * k + c] = i < k || i % 3 > 0
                                     ? (double)(i % k == c)
                                     : pow(10, -6 * chance_unit(&r));
                total[c] += s.y[i * k + c];
            }
        for (size_t i = 0; i < n; i++) {
            s.d[i] = 0;
            for (size_t c = 0; c < k; c++)
                s.d[i] += s.y[i * k + c] * total[c];
            s.sums[i] = s.d[i];
        }
        rows = rows_apart(&s, n);
        ck_assert_uint_eq(solve(&in, y, 1).unsettled, 0);
        for (size_t i = 0; i < n; i++)
            ck_assert_double_le(gap_of(rows, n + 1, k, i, y + i * k), 1e-3);
        free(rows);
        free(y);
        setting_free(&s);
    }
}

/* Rows that are mixtures of the anchors' rows: their shares, whether all
 * columns are told apart or few. */
TEST(mixtures_are_found_again)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t k = 5, n = 150;
        setting s = setting_make(n, k, seed, 0);
        kl_input in = input_of(&s);
        double *y = dense_new(n, k), *share = dense_new(n, k);
        chance r = {.key = seed + 10};
        in.columns = seed % 2 == 0 ? 30 : n;
        for (size_t i = k; i < n; i++) { /* Y_i / d_i is a mixture */
            double sum = 0;
            for (size_t t = 0; t < k; t++)
                sum += share[i * k + t] =
                    chance_below(&r, 3) == 0 ? 0 : pow(chance_unit(&r), 2);
            for (size_t t = 0; t < k; t++)
                share[i * k + t] /= sum > 0 ? sum : 1;
        }
        for (int again = 0; again < 2000; again++) { /* d follows Y */
            double total[8] = {0};
            for (size_t i = k; i < n; i++)
                for (size_t c = 0; c < k; c++) {
                    s.y[i * k + c] = 0;
                    for (size_t t = 0; t < k; t++)
                        s.y[i * k + c] += share[i * k + t] *
                                          s.y[t * k + c] / s.d[t] * 3;
                }
            for (size_t i = 0; i < n * k; i++)
                total[i % k] += s.y[i];
            for (size_t i = 0; i < n; i++) {
                s.d[i] = 0;
                for (size_t c = 0; c < k; c++)
                    s.d[i] += s.y[i * k + c] * total[c];
                s.sums[i] = s.d[i];
            }
        }
        solve(&in, y, 2);
        for (size_t i = k; i < n; i++)
            if (dense_norm(share + i * k, k) > 0)
                for (size_t t = 0; t < k; t++)
                    ck_assert_double_eq_tol(y[i * k + t], share[i * k + t],
                                            1e-4);
        free(y);
        free(share);
        setting_free(&s);
    }
}

/* Zero rows, and rows that are the same. */
TEST(odd_rows_are_borne)
{
    setting s = setting_make(60, 4, 3, 0.1);
    const kl_input in = input_of(&s);
    double *y = dense_new(60, 4);

    memset(s.y + 30 * 4, 0, 4 * sizeof *s.y);
    s.d[30] = s.sums[30] = 0;
    memcpy(s.y + 31 * 4, s.y + 2 * 4, 4 * sizeof *s.y);
    s.d[31] = s.sums[31] = s.d[2];
    s.y[40 * 4] = -5; /* negative entries count as none */
    ck_assert_uint_eq(solve(&in, y, 1).unsettled, 0);
    for (size_t i = 0; i < 60; i++) {
        double sum = 0;
        for (size_t t = 0; t < 4; t++) {
            ck_assert(y[i * 4 + t] >= 0);
            sum += y[i * 4 + t];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-12);
    }
    for (size_t t = 0; t < 4; t++)
        ck_assert_double_eq_tol(y[31 * 4 + t], t == 2, 1e-3);
    free(y);
    setting_free(&s);
}

TEST(threads_leave_no_trace)
{
    setting s = setting_make(500, 7, 3, 0.1);
    kl_input in = input_of(&s);
    double *one = dense_new(500, 7), *two = dense_new(500, 7);

    in.columns = 100;
    solve(&in, one, 1);
    solve(&in, two, 2);
    ck_assert_mem_eq(one, two, 3500 * sizeof *one);
    free(one);
    free(two);
    setting_free(&s);
}

TEST(no_memory_is_survived)
{
    kedge_error err = {0};
    setting s = setting_make(40, 3, 1, 0.1);
    kl_input in = input_of(&s);
    size_t begin[] = {0, 2};
    uint64_t row[] = {0, 9};
    const given g = {1, begin, row};
    double *y = dense_new(40, 3);
    pool *p = dense_pool(2);
    simplex_result r;

    blas_begin(4, NULL);
    in.given = &g;
    GATE_LOOP {
        GATE_TRY(kl_solve(p, &in, y, &r, &err));
    }
    pool_free(p);
    free(y);
    setting_free(&s);
}
