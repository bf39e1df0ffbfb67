/* SPDX-License-Identifier: MIT */
#include "topics/anchors.h"

#include "topics/simplices.h"

/* Where no two rows are alike, as pivoted QR, which has a test of its own. */
TEST(anchors_are_those_of_pivoted_qr)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t k = 1 + seed % 20;
        simplices s = simplices_cloud(k, 2 * k + 31 * seed, seed);
        anchors_input in = simplices_input(&s, KEDGE_ANCHORS_QR);
        uint64_t chosen[20], pivots[20];
        double residual[20], expected[20];
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        ck_ok(anchors_find(p, &in, pivots, expected, &err), err);
        ck_ok(spa_find(p, &in, chosen, residual, &err), err);
        for (size_t a = 0; a < k; a++) {
            ck_assert_uint_eq(chosen[a], pivots[a]);
            ck_assert_double_eq_tol(residual[a], expected[a],
                                    1e-9 * expected[a]);
        }
        pool_free(p);
        simplices_free(&s);
    }
}

/* Of two rows that stick out alike, the one that was longer. */
TEST(ties_go_to_the_longest)
{
    kedge_error err = {0};
    double x[] = {9, 0, 1, 2, 3, 2, 2, 2, 3, 2};
    const uint64_t candidate[] = {0, 1, 2, 3, 4};
    const anchors_input in = {.kind = KEDGE_ANCHORS_SPA, .k = 2, .x = x,
                              .candidate = candidate, .candidates = 5};
    uint64_t chosen[2];
    double residual[2];
    pool *p = dense_pool(1);

    ck_ok(anchors_find(p, &in, chosen, residual, &err), err);
    ck_assert_uint_eq(chosen[0], 0);
    ck_assert_uint_eq(chosen[1], 2); /* and of these the first */
    ck_assert_double_eq(residual[1], 2);
    pool_free(p);
}
