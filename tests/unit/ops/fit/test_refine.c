/* SPDX-License-Identifier: MIT */
#include "ops/laboratory.h"

static kedge_status try_refine(bench *b, size_t block, size_t passes,
                               refine **out, kedge_error *err)
{
    b->o.power_iter = passes;
    b->f.plan.block = block;
    return refine_create(&b->f, out, err);
}

static void bench_refine(bench *b, size_t block, size_t passes, size_t k,
                         double *vectors, double *values)
{
    kedge_error err = {0};
    refine *r;

    ck_ok(try_refine(b, block, passes, &r, &err), err);
    ck_ok(refine_vectors(r, k, vectors, values, &err), err);
    refine_free(r);
}

static const struct {
    size_t block, passes;
    double values, vectors; /* tolerances */
} cases[] = {
    {80, 2, 1e-8, 1e-7}, /* more columns than words */
    {80, 3, 1e-8, 1e-7}, {60, 3, 1e-8, 1e-7}, {40, 3, 1e-8, 1e-5},
    {20, 3, 1e-5, 1e-2},
};

/* `slower`: how much more the narrow blocks leave, where eigenvalues fall more
 * slowly. Products are as near as 30 bits of a column's largest entry: weights
 * that are far apart take some of them. */
static void check_eigenpairs(const char *counted, bool weighted, double slower)
{
    OWN(bench_end) bench b;
    double values[TOPICS], vectors[TOPICS * N];
    double got_values[TOPICS], got[N * TOPICS];

    bench_begin_with(&b, 2, 100, counted, weighted);
    leading_pairs(&b, values, vectors);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double slack = (cases[i].block < 60 ? slower : 1) *
                             (weighted ? 4 : 1);
        bench_refine(&b, cases[i].block, cases[i].passes, TOPICS, got,
                     got_values);
        for (size_t j = 0; j < TOPICS; j++)
            if (!(fabs(got_values[j] - values[j]) <=
                  slack * cases[i].values * values[0]))
                ck_abort_msg("case %zu: value %zu is %.17g, not %.17g", i, j,
                             got_values[j], values[j]);
        if (!(distance(got, vectors) <= fmin(slack * cases[i].vectors, 0.2)))
            ck_abort_msg("case %zu: vectors off by %g", i,
                         distance(got, vectors));
    }
}

TEST(eigenpairs_are_those_of_the_dense_matrix)
{
    check_eigenpairs("raw", false, 1);
    check_eigenpairs("log", false, 100);
    check_eigenpairs("sqrt", false, 100);
}

TEST(weighted_eigenpairs_are_those_of_the_dense_matrix)
{
    check_eigenpairs("raw", true, 1);
    check_eigenpairs("log", true, 100);
    check_eigenpairs("sqrt", true, 100);
}

TEST(weighted_sums_are_those_of_the_dense_matrix)
{
    static const char *const counted[] = {"raw", "log", "sqrt"};

    for (unsigned threads = 1; threads <= 3; threads++) {
        OWN(bench_end) bench b;
        kedge_error err = {0};
        refine *r;
        bench_begin_with(&b, threads, 64, counted[threads - 1], true);
        double *const c = dense(&b);
        ck_ok(try_refine(&b, 24, threads, &r, &err), err);
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += c[i * N + j];
            ck_assert_double_eq_tol(refine_sums(r)[i] / sum, 1, 1e-7);
        }
        refine_free(r);
        free(c);
    }
}

TEST(more_passes_are_closer)
{
    BENCH(b, 2, 100);
    double values[TOPICS], vectors[TOPICS * N];
    double got_values[TOPICS], got[N * TOPICS], last = 1;

    leading_pairs(&b, values, vectors);
    for (size_t passes = 1; passes <= 5; passes++) {
        bench_refine(&b, 16, passes, TOPICS, got, got_values);
        ck_assert_double_lt(distance(got, vectors), last);
        last = distance(got, vectors);
    }
    ck_assert_double_lt(last, 1e-4);
}

TEST(too_many_topics_are_refused)
{
    BENCH(b, 1, 64);
    kedge_error err = {0};
    refine *r;
    static double vectors[N * N], values[N];

    ck_ok(try_refine(&b, 8, 2, &r, &err), err);
    ck_ok(refine_vectors(r, 16, vectors, values, &err), err);
    ck_fails(refine_vectors(r, 17, vectors, values, &err), KEDGE_EINVAL, err,
             "17 topics");
    refine_free(r);
    refine_free(NULL);
}
