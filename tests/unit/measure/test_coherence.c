/* SPDX-License-Identifier: MIT */
#include "measure/coherence.h"

#include "measure/lists.h"

static double npmi(double both, double a, double b)
{
    return both == 0 ? -1 : log(both / (a * b)) / -log(both);
}

/* p(i, j) of places in a list. */
static double share(const lists *l, size_t list, size_t i, size_t j)
{
    const uint32_t *const w = l->word + list * TOGETHER_MOST;

    return (double)lists_documents(l, w[i], w[j]) / (double)l->s.d.count;
}

START_TEST(umass_and_npmi_are_their_formulas)
{
    lists l;

    lists_begin(&l, STATISTIC_JOINT, 2);
    for (size_t list = 1; list < LISTS; list++) {
        const size_t n = l.count[list] - 1;
        const double m = (double)l.s.d.count;
        double umass = 0, mean = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                if (i == j)
                    continue;
                umass += log((share(&l, list, i, j) * m + 0.01) /
                             fmax(share(&l, list, j, j) * m, 1));
                mean += npmi(share(&l, list, i, j), share(&l, list, i, i),
                             share(&l, list, j, j)) / (double)(n * (n - 1));
            }
        ck_assert_double_eq_tol(coherence_umass(l.t, list, n), umass, 1e-9);
        ck_assert_double_eq_tol(coherence_npmi(l.t, list, n, l.s.d.count),
                                mean, 1e-12);
    }
    ck_assert(isnan(coherence_npmi(l.t, 1, 1, l.s.d.count)));
    ck_assert_double_eq(coherence_umass(l.t, 0, 0), 0);
    lists_end(&l);
}
END_TEST

static double cosine(const double *x, const double *y, size_t n)
{
    double xy = 0, xx = 0, yy = 0;

    for (size_t i = 0; i < n; i++) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    return xy / sqrt(xx) / sqrt(yy);
}

START_TEST(cv_is_the_mean_cosine)
{
    lists l;

    lists_begin(&l, STATISTIC_JOINT, 1);
    for (size_t list = 1; list < LISTS; list++) {
        double v[TOGETHER_MOST][TOGETHER_MOST], all[TOGETHER_MOST] = {0};
        double mean = 0;
        const size_t n = l.count[list] < 10 ? l.count[list] : 10;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                const double p = share(&l, list, i, j) + 1e-12;
                const double a = share(&l, list, i, i);
                const double b = share(&l, list, j, j);
                v[i][j] = a > 0 && b > 0 ? log(p / a / b) / -log(p) : 0;
                all[j] += v[i][j];
            }
        for (size_t i = 0; i < n; i++)
            mean += share(&l, list, i, i) > 0
                        ? cosine(v[i], all, n) / (double)n : 0;
        ck_assert_double_eq_tol(coherence_cv(l.t, list, n, l.s.d.count), mean,
                                1e-12);
    }
    lists_end(&l);
}
END_TEST

/* The length of the tree that joins words by Kruskal's way: edges by length. */
static double kruskal(const lists *l, size_t list, const size_t *slot,
                      size_t n, const double *sums)
{
    size_t part[16];
    double length = 0;

    for (size_t i = 0; i < n; i++)
        part[i] = i;
    for (size_t joined = 1; joined < n; joined++) {
        double least = INFINITY;
        size_t a = 0, b = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) {
                const uint32_t *const w = l->word + list * TOGETHER_MOST;
                const double both =
                    l->s.c[w[slot[i]] * LISTS_ROWS + w[slot[j]]];
                const double far =
                    (1 - npmi(both, sums[slot[i]], sums[slot[j]])) / 2;
                if (part[i] != part[j] && far < least) {
                    least = far;
                    a = part[i];
                    b = part[j];
                }
            }
        length += least;
        for (size_t i = 0; i < n; i++)
            part[i] = part[i] == a ? b : part[i];
    }
    return length;
}

START_TEST(the_tree_is_the_shortest)
{
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        lists l;
        lists_begin(&l, kind, 2);
        for (size_t list = 1; list < LISTS; list++) {
            const size_t n = l.count[list] < 12 ? l.count[list] : 12;
            double sums[TOGETHER_MOST] = {0};
            size_t slot[12];
            for (size_t i = 0; i < l.count[list]; i++) {
                const uint32_t row = l.word[list * TOGETHER_MOST + i];
                for (size_t j = 0; j < LISTS_ROWS; j++)
                    sums[i] += l.s.c[row * LISTS_ROWS + j];
            }
            for (size_t i = 0; i < n; i++)
                slot[i] = l.count[list] - 1 - i;
            ck_assert_double_eq_tol(coherence_tree(l.t, list, slot, n,
                                                   l.s.total, sums),
                                    kruskal(&l, list, slot, n, sums), 1e-6);
        }
        lists_end(&l);
    }
}
END_TEST

/* Two words that are always together, never with a third; one everywhere. */
START_TEST(extremes_are_one_and_minus_one)
{
    const uint32_t held[4][3] = {{0, 1, 3}, {0, 1, 3}, {2, 3, 3}, {2, 3, 3}};
    lists l = {0};
    kedge_error err = {0};

    for (size_t m = 0; m < 4; m++) {
        ck_assert(docs_begin(&l.s.d, m + 1));
        for (size_t i = 0; i < (m < 2 ? 3 : 2); i++)
            ck_assert(docs_push(&l.s.d, held[m][i], 1));
    }
    for (uint32_t i = 0; i < 4; i++)
        l.word[i] = i;
    l.count[0] = 4;
    ck_ok(pool_create(1, &l.p, &err), err);
    ck_ok(together_create(&(together_input){.rows = 4, .lists = 1,
                                            .word = l.word, .count = l.count,
                                            .lead = 2, .p = l.p},
                          &l.t, &err), err);
    together_add(l.t, &l.s.d);
    together_finish(l.t);
    ck_assert_double_eq_tol(coherence_npmi(l.t, 0, 2, 4), 1, 1e-12);
    ck_assert_double_eq_tol(coherence_npmi(l.t, 0, 3, 4), (1. - 1 - 1) / 3,
                            1e-12);
    ck_assert_double_eq_tol(coherence_npmi(l.t, 0, 4, 4),
                            (1. - 1 - 1 + 0 + 0 + 0) / 6, 1e-12);
    ck_assert_uint_eq(together_covered(l.t), 2);
    lists_end(&l);
}
END_TEST

UNIT_SUITE("coherence",
    umass_and_npmi_are_their_formulas,
    cv_is_the_mean_cosine,
    the_tree_is_the_shortest,
    extremes_are_one_and_minus_one)
