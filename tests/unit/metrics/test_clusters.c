/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include <math.h>

#include "linalg/dense.h"

UNIT_END(clusters, clusters, clusters_free)

#define K 5

/* Documents of `classes` classes, each mostly of its own topic. */
static clusters *made(pool *p, size_t count, size_t classes, double noise)
{
    chance r = {.key = count};
    kedge_error err = {0};
    clusters *c;

    ck_ok(clusters_create(K, p, &c, &err), err);
    for (size_t m = 0; m < count; m++) {
        const uint32_t class = (uint32_t)(m * 7 % classes);
        double share[K], sum = 0;
        for (size_t t = 0; t < K; t++)
            sum += share[t] =
                (t == class ? 1 : 0) + noise * chance_unit(&r);
        for (size_t t = 0; t < K; t++)
            share[t] /= sum;
        ck_ok(clusters_add(c, share, class, &err), err);
    }
    ck_assert_uint_eq(c->count, count);
    return c;
}

TEST(clear_classes_are_found)
{
    kedge_error err = {0};
    uint64_t table[4 * 4];
    OWN(pool_end) pool *p = dense_pool(3);

    OWN(clusters_end) clusters *c = made(p, 500, 4, 0.3);
    ck_ok(clusters_find(c, 4, 1, table, &err), err);
    for (size_t i = 0; i < 4; i++) {
        size_t filled = 0;
        for (size_t j = 0; j < 4; j++) {
            filled += table[i * 4 + j] > 0;
            ck_assert(table[i * 4 + j] == 0 || table[i * 4 + j] == 125);
        }
        ck_assert_uint_eq(filled, 1);
    }
    ck_assert_double_eq_tol(clusters_information(table, 4), 1, 1e-12);
}

/* Every document is in one cluster, whatever the number of threads. */
TEST(muddled_ones_are_the_same_for_any_threads)
{
    uint64_t table[2][5 * 5];
    kedge_error err = {0};

    for (unsigned i = 0; i < 2; i++) {
        uint64_t sum = 0;
        OWN(pool_end) pool *p = dense_pool(1 + 3 * i);
        OWN(clusters_end) clusters *c = made(p, 700, 5, 3);
        ck_ok(clusters_find(c, 5, 9, table[i], &err), err);
        for (size_t e = 0; e < 25; e++)
            sum += table[i][e];
        ck_assert_uint_eq(sum, 700);
    }
    ck_assert_int_eq(memcmp(table[0], table[1], sizeof table[0]), 0);
    ck_assert_double_gt(clusters_information(table[0], 5), 0.05);
    ck_assert_double_lt(clusters_information(table[0], 5), 0.95);
}

TEST(information_is_its_formula)
{
    const uint64_t even[] = {5, 5, 5, 5}, one[] = {7, 0, 0, 0};
    const uint64_t some[] = {4, 1, 2, 3};
    const double rows = -2 * 0.5 * log(0.5);
    const double cols = -0.6 * log(0.6) - 0.4 * log(0.4);
    const double both = -0.4 * log(0.4) - 0.1 * log(0.1) - 0.2 * log(0.2) -
                        0.3 * log(0.3);

    ck_assert_double_eq_tol(clusters_information(even, 2), 0, 1e-12);
    ck_assert(isnan(clusters_information(one, 2)));
    ck_assert_double_eq_tol(clusters_information(some, 2),
                            (rows + cols - both) / ((rows + cols) / 2),
                            1e-12);
}

TEST(few_documents_and_none_are_clustered_too)
{
    kedge_error err = {0};
    uint64_t table[9], sum = 0;
    OWN(pool_end) pool *p = dense_pool(1);

    clusters *c = made(p, 2, 2, 0);
    ck_ok(clusters_find(c, 3, 1, table, &err), err);
    for (size_t i = 0; i < 9; i++)
        sum += table[i];
    ck_assert_uint_eq(sum, 2);
    clusters_free(c);
    c = made(p, 0, 1, 0);
    ck_ok(clusters_find(c, 3, 1, table, &err), err);
    ck_assert_uint_eq(table[0], 0);
    clusters_free(c);
    clusters_free(NULL);
}
