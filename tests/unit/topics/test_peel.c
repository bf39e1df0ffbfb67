/* SPDX-License-Identifier: MIT */
#include "topics/peel.h"

#include "topics/convex.h"
#include "topics/simplices.h"

/* After each anchor, what is left of every row is the least that there is. */
START_TEST(what_is_left_is_the_least)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 12; seed++) {
        const size_t k = 2 + seed % 6;
        const active_sum sum = seed % 2 == 0 ? ACTIVE_MOST_ONE : ACTIVE_ANY;
        simplices s = simplices_cloud(k, 50, seed);
        const anchors_input in = simplices_input(&s, KEDGE_ANCHORS_SNPA);
        convex c = {.d = k, .rows = s.rows, .v = s.x, .u = dense_new(k, k)};
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        peel l;
        ck_ok(peel_create(p, &in, sum, &l, &err), err);
        for (size_t a = 0; a < k; a++) {
            const size_t row = 7 * a + 3;
            double best[8], most = 0;
            memcpy(c.u + a * k, s.x + row * k, k * sizeof *c.u);
            peel_add(p, &l, row);
            c.k = a + 1;
            c.gram = dense_times(dense_as(c.u, k), dense_turned(c.u, k), c.k,
                                 k, c.k);
            c.products = dense_times(dense_as(c.v, k), dense_turned(c.u, k),
                                     c.rows, k, c.k);
            for (size_t i = 0; i < s.rows; i++) {
                const double least = sqrt(convex_least(&c, i, sum, best));
                ck_assert_double_eq_tol(l.length[i], least, 1e-6);
                ck_assert_double_eq_tol(dense_norm(l.rest + i * k, k),
                                        l.length[i], 1e-12);
                most = fmax(most, l.length[i]);
            }
            ck_assert_double_eq(l.length[peel_longest(&l)], most);
            free(c.gram);
            free(c.products);
        }
        peel_free(&l);
        ck_assert_ptr_null(l.rest);
        pool_free(p);
        free(c.u);
        simplices_free(&s);
    }
}
END_TEST

START_TEST(no_memory_is_survived)
{
    simplices s = simplices_cloud(3, 20, 1);
    const anchors_input in = simplices_input(&s, KEDGE_ANCHORS_SNPA);
    kedge_error err = {0};
    pool *p = dense_pool(1);
    kedge_status st = KEDGE_ENOMEM;
    long k = 0;

    for (; st != KEDGE_OK; k++) {
        peel l;
        gate_allow(k);
        st = peel_create(p, &in, ACTIVE_ANY, &l, &err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        ck_assert((l.rest == NULL) == (st != KEDGE_OK));
        peel_free(&l);
    }
    ck_assert_int_eq(k, 6);
    pool_free(p);
    simplices_free(&s);
}
END_TEST

UNIT_SUITE("peel",
    what_is_left_is_the_least,
    no_memory_is_survived)
