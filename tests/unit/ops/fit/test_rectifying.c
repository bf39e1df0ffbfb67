/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "ops/laboratory.h"

static const kedge_rectify all[] = {
    KEDGE_RECTIFY_ENN, KEDGE_RECTIFY_NONE, KEDGE_RECTIFY_PALM,
    KEDGE_RECTIFY_IPALM, KEDGE_RECTIFY_AP, KEDGE_RECTIFY_DR};

#define KINDS (sizeof all / sizeof *all)

typedef struct pairs {
    double vectors[N * TOPICS], values[TOPICS];
    double y[N * TOPICS]; /* V Λ^1/2 */
} pairs;

/* Y of a bench whose transaction was ended. */
static kedge_status try_rectify(bench *b, kedge_rectify kind, exact *e,
                                const pairs *start, double *y,
                                kedge_fit_result *r, kedge_error *err)
{
    double values[TOPICS];
    kedge_model m = {.rectified = y, .eigenvalues = values};

    *r = (kedge_fit_result){.topics = TOPICS};
    memcpy(values, start->values, sizeof values);
    memcpy(y, start->vectors, N * TOPICS * sizeof *y);
    b->o.rectify = kind;
    b->o.rectify_tol = 0;
    b->f.plan.entries = 1 << 22;
    b->f.exact = e;
    const kedge_status st = fit_rectify(&b->f, &m, r, err);
    b->f.exact = NULL;
    return st;
}

static kedge_fit_result rectify(bench *b, kedge_rectify kind, exact *e,
                                const pairs *start, double *y)
{
    kedge_error err = {0};
    kedge_fit_result r;

    b->o.rectify_iter = 6;
    ck_ok(try_rectify(b, kind, e, start, y, &r, &err), err);
    return r;
}

/* The exact eigenpairs, and the C that they are of. */
static exact *start(bench *b, pairs *to)
{
    kedge_error err = {0};
    exact *const e = bench_exact(b, false);

    ck_ok(exact_vectors(e, TOPICS, to->vectors, to->values, &err), err);
    for (size_t i = 0; i < N * TOPICS; i++)
        to->y[i] = to->vectors[i] * sqrt(to->values[i % TOPICS]);
    bench_rest(b);
    return e;
}

static double relative(const double *y, const double *from)
{
    double apart = 0, whole = 0;

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double a = 0, b = 0;
            for (size_t c = 0; c < TOPICS; c++) {
                a += y[i * TOPICS + c] * y[j * TOPICS + c];
                b += from[i * TOPICS + c] * from[j * TOPICS + c];
            }
            apart += (a - b) * (a - b);
            whole += b * b;
        }
    return sqrt(apart / whole);
}

/* The planted C is nearly right as it is: all of them stay near it, and those
 * that project to the same sets are nearer still to one another. */
TEST(each_does_what_it_is_called)
{
    OWN(bench_end) bench b;
    double y[KINDS][N * TOPICS];
    pairs first;

    bench_begin_with(&b, 2, 100, "raw", false);
    exact *e = start(&b, &first);
    for (size_t i = 0; i < KINDS; i++) {
        const kedge_fit_result r = rectify(&b, all[i], e, &first, y[i]);
        const bool none = all[i] == KEDGE_RECTIFY_NONE;
        ck_assert_uint_eq(r.rectify_iter, none ? 0 : 6);
        ck_assert_double_le(relative(y[i], first.y), none ? 0 : 0.35);
        ck_assert(none == (relative(y[i], first.y) == 0));
    }
    ck_assert_double_lt(relative(y[0], y[4]), 0.02); /* enn and ap */
    ck_assert_double_lt(relative(y[4], y[5]), 0.02); /* ap and dr */
    for (size_t i = 0; i < N * TOPICS; i++) /* palm and ipalm */
        ck_assert(y[2][i] >= 0 && y[3][i] >= 0);
    exact_free(e);
}

TEST(passes_over_documents_are_as_good_as_the_matrix)
{
    for (int i = 2; i < 4; i++) {
        OWN(bench_end) bench b;
        double one[N * TOPICS], other[N * TOPICS];
        pairs first;
        bench_begin_with(&b, 2, 100, i == 2 ? "raw" : "log", false);
        exact *e = start(&b, &first);
        rectify(&b, all[i], e, &first, one);
        rectify(&b, all[i], NULL, &first, other);
        ck_assert_double_lt(relative(one, other), 1e-6);
        exact_free(e);
    }
}
