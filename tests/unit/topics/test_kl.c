/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "topics/convex.h"

/* Statistics with anchors in the first k rows; rows are not exactly mixtures
 * where `noise` is not 0. */
typedef struct setting {
    size_t n, k;
    double *y, *sums;
    uint64_t *anchor;
} setting;

/* The row sums of YY'. */
static void setting_sum(setting *s)
{
    double total[32] = {0};

    for (size_t i = 0; i < s->n * s->k; i++)
        total[i % s->k] += s->y[i];
    for (size_t i = 0; i < s->n; i++) {
        s->sums[i] = 0;
        for (size_t c = 0; c < s->k; c++)
            s->sums[i] += s->y[i * s->k + c] * total[c];
    }
}

static setting setting_make(size_t n, size_t k, uint64_t seed, double noise)
{
    setting s = {.n = n, .k = k, .y = dense_new(n, k),
                 .sums = dense_new(n, 1),
                 .anchor = calloc(k, sizeof *s.anchor)};
    chance r = {.key = seed};

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++)
            s.y[i * k + c] =
                i < k ? (i == c) + 0.1 * chance_unit(&r)
                      : pow(chance_unit(&r), 4) + noise * chance_unit(&r);
    for (size_t i = 0; i < n * k; i++) /* words are not equally frequent */
        s.y[i] *= 1 / (1 + (double)(i / k % 7));
    for (size_t t = 0; t < k; t++)
        s.anchor[t] = t;
    setting_sum(&s);
    return s;
}

static void setting_free(setting *s)
{
    free(s->y);
    free(s->sums);
    free(s->anchor);
}

static law_input input_of(const setting *s)
{
    return (law_input){.rows = s->n, .k = s->k, .y = s->y, .sums = s->sums};
}

/* Rows of C̄ as they are told apart: the `columns` largest, and the others. */
static double *rows_apart(const setting *s, size_t columns)
{
    const size_t n = s->n, k = s->k, width = columns + 1;
    double *rows = dense_new(n, width);
    OWNED size_t *place = calloc(n, sizeof *place);

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
                    s->y[i * k + c] * s->y[l * k + c] / s->sums[i];
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

/* The shares; none is negative, they sum to one, and every row was settled. */
static double *solve(const setting *s, size_t columns, unsigned threads)
{
    const law_input in = input_of(s);
    OWN(pool_end) pool *p = dense_pool(threads);
    double *const y = dense_new(s->n, s->k);
    kedge_error err = {0};
    simplex_result r;

    blas_begin(4, NULL);
    ck_ok(kl_solve(p, &in, s->sums, s->anchor, columns, NULL, y, &r, &err),
          err);
    ck_assert_uint_eq(r.unsettled, 0);
    for (size_t i = 0; i < s->n; i++)
        convex_check_bounds(y + i * s->k, s->k);
    return y;
}

TEST(divergences_are_the_least)
{
    for (uint64_t seed = 0; seed < 16; seed++) {
        const size_t k = 2 + seed % 8, n = 90 + 7 * seed;
        const size_t columns = seed % 3 == 0 ? 40 : n;
        OWN(setting_free) setting s =
            setting_make(n, k, seed, seed % 2 == 0 ? 0 : 0.05);
        OWNED double *y = solve(&s, columns, 1 + (unsigned)seed % 3);
        OWNED double *rows = rows_apart(&s, columns);
        for (size_t i = 0; i < n; i++)
            ck_assert_double_le(gap_of(rows, columns + 1, k, i, y + i * k),
                                1e-7);
    }
}

/* Words of one topic alone, and a little of anything in the words between: the
 * nearest mixture by squares leaves columns all but empty, where the first
 * parabola is of no use. The floor under anchors' entries is felt here. */
TEST(rows_that_go_astray_come_back)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 8, n = 120;
        OWN(setting_free) setting s = setting_make(n, k, seed, 0);
        chance r = {.key = seed + 30};
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < k; c++)
                s.y[i * k + c] = i < k || i % 3 > 0
                                     ? (double)(i % k == c)
                                     : pow(10, -6 * chance_unit(&r));
        setting_sum(&s);
        OWNED double *y = solve(&s, n, 1), *rows = rows_apart(&s, n);
        for (size_t i = 0; i < n; i++)
            ck_assert_double_le(gap_of(rows, n + 1, k, i, y + i * k), 1e-3);
    }
}

/* Rows that are mixtures of the anchors' rows: their shares, whether all
 * columns are told apart or few. */
TEST(mixtures_are_found_again)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t k = 5, n = 150;
        OWN(setting_free) setting s = setting_make(n, k, seed, 0);
        OWNED double *share = dense_new(n, k);
        chance r = {.key = seed + 10};
        for (size_t i = k; i < n; i++) { /* Y_i / d_i is a mixture */
            double sum = 0;
            for (size_t t = 0; t < k; t++)
                sum += share[i * k + t] =
                    chance_below(&r, 3) == 0 ? 0 : pow(chance_unit(&r), 2);
            for (size_t t = 0; t < k; t++)
                share[i * k + t] /= sum > 0 ? sum : 1;
        }
        for (int again = 0; again < 2000; again++) { /* d follows Y */
            for (size_t i = k * k; i < n * k; i++) {
                s.y[i] = 0;
                for (size_t t = 0; t < k; t++)
                    s.y[i] += share[i / k * k + t] * s.y[t * k + i % k] /
                              s.sums[t] * 3;
            }
            setting_sum(&s);
        }
        OWNED double *y = solve(&s, seed % 2 == 0 ? 30 : n, 2);
        for (size_t i = k * k; i < n * k; i++)
            if (dense_norm(share + i / k * k, k) > 0)
                ck_assert_double_eq_tol(y[i], share[i], 1e-4);
    }
}

/* Zero rows, and rows that are the same. */
TEST(odd_rows_are_borne)
{
    OWN(setting_free) setting s = setting_make(60, 4, 3, 0.1);

    memset(s.y + 30 * 4, 0, 4 * sizeof *s.y);
    s.sums[30] = 0;
    memcpy(s.y + 31 * 4, s.y + 2 * 4, 4 * sizeof *s.y);
    s.sums[31] = s.sums[2];
    s.y[40 * 4] = -5; /* negative entries count as none */
    OWNED double *y = solve(&s, KL_COLUMNS, 1);
    for (size_t t = 0; t < 4; t++)
        ck_assert_double_eq_tol(y[31 * 4 + t], t == 2, 1e-3);
}

TEST(threads_leave_no_trace)
{
    OWN(setting_free) setting s = setting_make(500, 7, 3, 0.1);
    OWNED double *one = solve(&s, 100, 1), *two = solve(&s, 100, 2);

    ck_assert_mem_eq(one, two, 3500 * sizeof *one);
}

TEST(no_memory_is_survived)
{
    OWN(setting_free) setting s = setting_make(40, 3, 1, 0.1);
    law_input in = input_of(&s);
    size_t begin[] = {0, 2};
    uint64_t row[] = {0, 9};
    const given g = {1, begin, row};
    OWNED double *y = dense_new(40, 3);
    OWN(pool_end) pool *p = dense_pool(2);
    kedge_error err = {0};
    simplex_result r;

    blas_begin(4, NULL);
    in.given = &g;
    GATE_LOOP {
        GATE_TRY(kl_solve(p, &in, s.sums, s.anchor, KL_COLUMNS, NULL, y, &r,
                          &err));
    }
}
