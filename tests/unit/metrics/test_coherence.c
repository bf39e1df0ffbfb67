/* SPDX-License-Identifier: MIT */
#include "metrics/lists.h"

#include "base/gate.h"

static double npmi(double both, double a, double b)
{
    return both == 0 ? -1 : log(both / (a * b)) / -log(both);
}

/* p(i, j) of places in a list. */
static double share(const lists *l, size_t list, size_t i, size_t j)
{
    const uint32_t *const w = l->word + list * LIST_MOST;

    return (double)lists_documents(l, w[i], w[j]) / (double)l->s.d.count;
}

TEST(umass_and_npmi_are_their_formulas)
{
    OWN(lists_end) lists l;

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
}

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

TEST(cv_is_the_mean_cosine)
{
    OWN(lists_end) lists l;

    lists_begin(&l, STATISTIC_JOINT, 1);
    for (size_t list = 1; list < LISTS; list++) {
        double v[LIST_MOST][LIST_MOST], all[LIST_MOST] = {0};
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
}

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
                const uint32_t *const w = l->word + list * LIST_MOST;
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

TEST(the_tree_is_the_shortest)
{
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        OWN(lists_end) lists l;
        lists_begin(&l, kind, 2);
        for (size_t list = 1; list < LISTS; list++) {
            const size_t n = l.count[list] < 12 ? l.count[list] : 12;
            double sums[LIST_MOST] = {0};
            size_t slot[12];
            for (size_t i = 0; i < l.count[list]; i++) {
                const uint32_t row = l.word[list * LIST_MOST + i];
                for (size_t j = 0; j < LISTS_ROWS; j++)
                    sums[i] += l.s.c[row * LISTS_ROWS + j];
            }
            for (size_t i = 0; i < n; i++)
                slot[i] = l.count[list] - 1 - i;
            ck_assert_double_eq_tol(coherence_tree(l.t, list, slot, n,
                                                   l.s.total, sums),
                                    kruskal(&l, list, slot, n, sums), 1e-6);
        }
    }
}

/* Two words that are always together, never with a third; one everywhere. */
TEST(extremes_are_one_and_minus_one)
{
    const uint32_t held[4][3] = {{0, 1, 3}, {0, 1, 3}, {2, 3, 3}, {2, 3, 3}};
    OWN(lists_end) lists l = {0};
    kedge_error err = {0};

    for (size_t m = 0; m < 4; m++) {
        ck_assert(docs_begin(&l.s.d, m + 1));
        for (size_t i = 0; i < (m < 2 ? 3 : 2); i++)
            ck_assert(docs_push(&l.s.d, held[m][i], 1));
    }
    for (uint32_t i = 0; i < 4; i++)
        l.word[i] = i;
    l.count[0] = 4;
    l.p = dense_pool(1);
    ck_ok(paircounts_create(&(word_lists){4, 1, l.word, l.count}, 2, l.p,
                            &l.t, &err), err);
    paircounts_add(l.t, &l.s.d);
    paircounts_finish(l.t);
    ck_assert_double_eq_tol(coherence_npmi(l.t, 0, 2, 4), 1, 1e-12);
    ck_assert_double_eq_tol(coherence_npmi(l.t, 0, 3, 4), (1. - 1 - 1) / 3,
                            1e-12);
    ck_assert_double_eq_tol(coherence_npmi(l.t, 0, 4, 4),
                            (1. - 1 - 1 + 0 + 0 + 0) / 6, 1e-12);
    ck_assert_uint_eq(paircounts_covered(l.t), 2);
}

static uint64_t covered(const lists *l)
{
    uint64_t sum = 0;

    for (size_t m = 0; m < l->s.d.count; m++) {
        bool any = false;
        for (size_t list = 0; list < LISTS; list++) {
            size_t held = 0;
            for (size_t i = 0; i < LISTS_LEAD && i < l->count[list]; i++)
                held += lists_holds(&l->s.d, m,
                                    l->word[list * LIST_MOST + i]);
            any |= held >= 2;
        }
        sum += any;
    }
    return sum;
}

TEST(pairs_are_counted_as_by_hand)
{
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        OWN(lists_end) lists l;
        lists_begin(&l, kind, 1 + kind);
        for (size_t list = 0; list < LISTS; list++) {
            const uint32_t *const w = l.word + list * LIST_MOST;
            for (size_t i = 0; i < l.count[list]; i++)
                for (size_t j = 0; j < l.count[list]; j++) {
                    ck_assert_uint_eq(paircounts_documents(l.t, list, i, j),
                                      lists_documents(&l, w[i], w[j]));
                    if (i == j)
                        continue;
                    const double c = l.s.c[w[i] * LISTS_ROWS + w[j]];
                    const double got = paircounts_weight(l.t, list, i, j);
                    ck_assert_double_eq_tol(got / l.s.total, c, 1e-9);
                }
        }
        ck_assert_uint_eq(paircounts_covered(l.t), covered(&l));
        ck_assert_uint_gt(paircounts_covered(l.t), 0);
        ck_assert_uint_lt(paircounts_covered(l.t), l.s.d.count);
    }
}

TEST(threads_leave_no_trace)
{
    OWN(lists_end) lists one, four;

    lists_begin(&one, STATISTIC_LOG, 1);
    lists_begin(&four, STATISTIC_LOG, 4);
    for (size_t list = 1; list < LISTS; list++)
        for (size_t i = 1; i < one.count[list]; i++)
            ck_assert_double_eq(paircounts_weight(one.t, list, i, i - 1),
                                paircounts_weight(four.t, list, i, i - 1));
}

/* ---- lists that are the same --------------------------------------------- */

static bool has(const uint32_t *list, size_t count, uint32_t word)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == word)
            return true;
    return false;
}

/* All lists against all others. */
static overlap naive(const uint32_t *word, const size_t *count, size_t n)
{
    overlap out = {0};
    size_t places = 0, again = 0;

    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < count[l]; i++) {
            bool alone = true, before = false;
            for (size_t o = 0; o < n; o++) {
                const bool both = o != l && has(word + o * LIST_MOST, count[o],
                                                word[l * LIST_MOST + i]);
                out.shared += both ? 0.5 : 0;
                alone &= !both;
                before |= both && o < l;
            }
            out.alone += alone ? 1 / (double)n : 0;
            places++;
            again += before;
        }
    out.distinct = (double)(places - again) / (double)places;
    return out;
}

TEST(lists_are_held_against_each_other)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t word[6 * LIST_MOST];
        size_t count[6];
        chance c = {.key = seed};
        kedge_error err = {0};
        overlap out;
        for (size_t l = 0; l < 6; l++) {
            const size_t n = chance_below(&c, 7) + 1;
            for (count[l] = 0; count[l] < n;) {
                const uint32_t w = (uint32_t)chance_below(&c, 12 + seed);
                if (!has(word + l * LIST_MOST, count[l], w))
                    word[l * LIST_MOST + count[l]++] = w;
            }
        }
        ck_ok(overlap_find(&(word_lists){12 + seed, 6, word, NULL}, count,
                           &out, &err), err);
        const overlap want = naive(word, count, 6);
        ck_assert_double_eq_tol(out.alone, want.alone, 1e-12);
        ck_assert_double_eq_tol(out.shared, want.shared, 1e-12);
        ck_assert_double_eq_tol(out.distinct, want.distinct, 1e-12);
    }
}

TEST(equal_lists_share_all_and_none_of_them_none)
{
    static const uint32_t word[2 * LIST_MOST] = {0, 1, [LIST_MOST] = 0, 1};
    const size_t two[] = {2, 2}, none[] = {0, 0};
    const word_lists both = {3, 2, word, NULL};
    kedge_error err = {0};
    overlap out;

    gate_starve(overlap_find(&both, two, &out, &err));
    ck_assert_double_eq(out.alone, 0);
    ck_assert_double_eq(out.shared, 2);
    ck_assert_double_eq(out.distinct, 0.5);
    ck_ok(overlap_find(&both, none, &out, &err), err);
    ck_assert_double_eq(out.distinct, 0);
}
