/* SPDX-License-Identifier: MIT */
#include "topics/simplex.h"

#include "topics/convex.h"

static const active_sum sums[] = {ACTIVE_ONE, ACTIVE_MOST_ONE, ACTIVE_ANY};

static void solve_row(const convex *c, active_sum sum, size_t row, double *y)
{
    const active_problem p = {sum, c->k, c->k, c->gram};
    OWNED double *scratch = dense_new(active_doubles(c->k), 1);

    ck_assert_uint_gt(active_row(&p, c->products + row * c->k, y, scratch),
                      0);
}

TEST(solutions_are_exact)
{
    for (uint64_t seed = 0; seed < 24; seed++) {
        const size_t k = 1 + seed % 8;
        OWN(convex_free) convex c = convex_make(k, 1 + seed % 11, 60, seed);
        const active_sum sum = sums[seed % 3];
        for (size_t i = 0; i < c.rows; i++) {
            double y[8] = {0}, best[8], total = 0;
            const double least = convex_least(&c, i, sum, best);
            solve_row(&c, sum, i, y);
            for (size_t t = 0; t < k; t++) {
                ck_assert(y[t] >= 0);
                total += y[t];
            }
            if (sum == ACTIVE_ONE)
                ck_assert_double_eq_tol(total, 1, 1e-12);
            if (sum == ACTIVE_MOST_ONE)
                ck_assert_double_le(total, 1 + 1e-12);
            ck_assert_double_le(convex_value(&c, i, y),
                                least * (1 + 1e-8) + 1e-14);
        }
    }
}

/* From wherever it begins. */
TEST(the_beginning_does_not_matter)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        const size_t k = 2 + seed % 6;
        OWN(convex_free) convex c = convex_make(k, k + 2, 40, seed);
        for (size_t i = 0; i < c.rows; i++) {
            const active_sum sum = sums[i % 3];
            double cold[8] = {0}, warm[8] = {0};
            for (size_t t = 0; t < k; t++)
                warm[t] = i % 2 == 0 ? 1 / (double)k : t == i % k;
            solve_row(&c, sum, i, cold);
            solve_row(&c, sum, i, warm);
            ck_assert_double_eq_tol(dense_distance(cold, warm, k), 0, 1e-7);
        }
    }
}

/* From near the end, it is the same; where there is no room for a support,
 * nothing is touched. */
TEST(few_entries_take_little_room)
{
    const size_t k = 20;
    OWN(convex_free) convex c = convex_make(k, 25, 200, 7);
    const active_problem p = {ACTIVE_ONE, k, k, c.gram};
    size_t refused = 0;

    for (size_t i = 0; i < c.rows; i++)
        for (size_t most = 1; most <= k; most++) {
            OWNED double *scratch = dense_new(active_few_doubles(k, most), 1);
            double all[20] = {0}, few[20] = {0}, before[20];
            size_t positive = 0;
            solve_row(&c, ACTIVE_ONE, i, all);
            for (size_t t = 0; t < k; t++) {
                few[t] = t < most || i % 2 == 0 ? 1 / (double)k : 0;
                positive += all[t] > 0;
            }
            memcpy(before, few, sizeof few);
            if (active_few(&p, most, c.products + i * k, few, scratch) == 0) {
                ck_assert_mem_eq(few, before, sizeof few);
                refused++;
            } else {
                ck_assert_uint_le(positive, most);
                ck_assert_double_eq_tol(dense_distance(few, all, k), 0, 1e-9);
            }
        }
    ck_assert_uint_gt(refused, 0);
    ck_assert_uint_lt(refused, 190 * c.rows);
}

/* Rows of u that are the same, or all of them, or zero. */
TEST(duplicates_are_borne)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 5, d = 6, rows = 40;
        OWN(convex_free) convex plain = convex_make(k, d, rows, seed);
        OWN(convex_free) convex c = {.k = k, .d = d, .rows = rows};
        double least[40], best[8];
        for (size_t i = 0; i < rows; i++)
            least[i] = convex_least(&plain, i, sums[seed % 3], best);
        c.k = 2 * k + 1;
        c.u = dense_new(c.k, d);
        c.v = dense_copy(plain.v, rows * d);
        memcpy(c.u, plain.u, k * d * sizeof *c.u);
        memcpy(c.u + k * d, plain.u, k * d * sizeof *c.u);
        memcpy(c.u + 2 * k * d, plain.u, d * sizeof *c.u);
        for (size_t j = 0; j < k * d; j++) /* almost */
            c.u[k * d + j] *= 1 + 1e-15 * (double)(seed % 4);
        convex_products(&c);
        for (size_t i = 0; i < rows; i++) {
            double y[16] = {0};
            for (size_t t = 0; i % 2 == 1 && t < c.k; t++)
                y[t] = 1 / (double)c.k;
            solve_row(&c, sums[seed % 3], i, y);
            ck_assert_double_le(convex_value(&c, i, y),
                                least[i] * (1 + 1e-8) + 1e-9);
        }
    }
}

TEST(all_zeros_are_borne)
{
    double gram[9] = {0}, v[3] = {0}, scratch[64], y[3];

    for (size_t s = 0; s < 3; s++) {
        const active_problem p = {sums[s], 3, 3, gram};
        ck_assert_uint_le(active_doubles(3), 64);
        memset(y, 0, sizeof y);
        ck_assert_uint_gt(active_row(&p, v, y, scratch), 0);
        ck_assert_double_eq(y[0] + y[1] + y[2], sums[s] == ACTIVE_ONE);
    }
}
