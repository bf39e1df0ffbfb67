/* SPDX-License-Identifier: MIT */
#include "topics/simplex.h"

#include "topics/convex.h"

#define STEPS 20000000

static simplex_result solve(const convex *c, double *y, double tolerance,
                            unsigned threads)
{
    kedge_error err = {0};
    simplex_result r;
    OWN(pool_end) pool *p = dense_pool(threads);

    ck_ok(expgrad_solve(p, c->rows, c->k, c->gram, y, STEPS, tolerance, &r,
                        &err), err);
    return r;
}

/* What a row is settled by is what the gradient tells. */
TEST(gaps_are_as_small_as_asked)
{
    for (double tolerance = 1e-2; tolerance > 1e-7; tolerance /= 100) {
        const size_t k = 20;
        OWN(convex_free) convex c = convex_make(k, 30, 300, 3);
        double *y = dense_copy(c.products, c.rows * k), trace = 0, most = 0;
        const simplex_result r = solve(&c, y, tolerance, 2);
        ck_assert_uint_eq(r.unsettled, 0);
        for (size_t t = 0; t < k; t++)
            trace += c.gram[t * k + t] / (double)k;
        for (size_t i = 0; i < c.rows; i++) {
            convex_check_bounds(y + i * k, k);
            most = fmax(most, convex_gap(&c, i, y + i * k));
        }
        ck_assert_double_le(most, 2.001 * tolerance * trace);
        free(y);
    }
}

/* Rows of anchors that are all but the same, as those of text are: few steps
 * are enough, and shares are those of the active set. */
TEST(anchors_that_are_alike_are_borne)
{
    const size_t k = 12, rows = 40;
    kedge_error err = {0};
    OWN(convex_free) convex c = convex_make(k, 30, rows, 5);
    double *y, *exact, far = 0;
    simplex_result r;
    OWN(pool_end) pool *p = dense_pool(1);

    for (size_t i = 0; i < k * k; i++)
        c.gram[i] += 20;
    for (size_t t = 0; t < k; t++) /* the last two differ by a hundredth */
        c.gram[(k - 1) * k + t] =
            0.99 * c.gram[(k - 2) * k + t] + 0.01 * c.gram[(k - 1) * k + t];
    for (size_t t = 0; t < k; t++)
        c.gram[t * k + k - 1] =
            0.99 * c.gram[t * k + k - 2] + 0.01 * c.gram[t * k + k - 1];
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < k; t++)
            c.products[i * k + t] += 20;
    y = dense_copy(c.products, rows * k);
    exact = dense_copy(c.products, rows * k);
    ck_ok(expgrad_solve(p, rows, k, c.gram, y, 10000, 1e-8, &r, &err), err);
    ck_assert_uint_eq(r.unsettled, 0);
    ck_assert_uint_le(r.steps, 3000);
    ck_ok(active_solve(p, rows, k, c.gram, exact, 0, 0, &r, &err), err);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t + 2 < k; t++)
            far = fmax(far, fabs(y[i * k + t] - exact[i * k + t]));
    ck_assert_double_le(far, 5e-3);
    free(y);
    free(exact);
}

TEST(duplicates_and_zeros_are_borne)
{
    kedge_error err = {0};
    double gram[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, y[3] = {0.5, 0.5, 0.5};
    double none[9] = {0}, z[3] = {0};
    simplex_result r;
    OWN(pool_end) pool *p = dense_pool(1);

    ck_ok(expgrad_solve(p, 1, 3, gram, y, STEPS, 1e-12, &r, &err), err);
    ck_assert_double_eq_tol(y[0], 0.25, 1e-6);
    ck_assert_double_eq_tol(y[1], 0.25, 1e-6);
    ck_assert_double_eq_tol(y[2], 0.5, 1e-6);
    ck_ok(expgrad_solve(p, 1, 3, none, z, STEPS, 1e-12, &r, &err), err);
    convex_check_bounds(z, 3);
}
