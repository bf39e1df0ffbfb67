/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/eigenpairs.h"

#include <math.h>

#include "pipeline/laboratory.h"

static eigenpairs_source source(bench *b)
{
    return (eigenpairs_source){.spectrum = &b->spectrum, .rows = &b->z.rows,
                               .p = b->threads};
}

static exact *make_exact(bench *b)
{
    const exact_input in = {.pass = bench_pass(b), .scale = b->z.scale,
                            .p = b->threads};
    kedge_error err = {0};
    exact *e;

    ck_ok(bench_make_exact(&in, &e, &err), err);
    return e;
}

static refine *make_refined(bench *b)
{
    const refine_input in = {.txn = b->p.t.txn, .view = &b->view,
                             .filter = &b->filter, .order = b->order,
                             .spectrum = &b->spectrum, .rows = &b->z.rows,
                             .sums = b->z.sums, .scale = b->z.scale,
                             .block = 24, .passes = 1, .control = &b->p.c,
                             .p = b->threads};
    kedge_error err = {0};
    refine *r;

    ck_ok(refine_create(&in, &r, &err), err);
    return r;
}

/* Those with vectors, and one more beside them. */
static void check_values(const eigenpairs_source *s)
{
    double values[TOPICS], more[TOPICS + 1];
    double *const vectors = calloc(N * TOPICS, sizeof *vectors);
    kedge_error err = {0};
    spectrum_error e;

    ck_ok(eigenpairs_find(s, TOPICS, vectors, values, &e, &err), err);
    ck_assert(isfinite(e.eigenspace) && e.unexplained < 1);
    ck_ok(eigenpairs_values(s, TOPICS + 1, more, &err), err);
    for (size_t c = 0; c < TOPICS; c++)
        ck_assert_double_eq_tol(more[c], values[c], 1e-3 * values[0]);
    ck_assert_double_le(more[TOPICS], more[TOPICS - 1]);
    ck_assert_double_gt(more[TOPICS], 0);
    free(vectors);
}

START_TEST(one_more_is_known_wherever_they_come_from)
{
    bench b;

    bench_begin(&b, 2, 100);
    eigenpairs_source s = source(&b);
    check_values(&s);
    s.refined = make_refined(&b);
    check_values(&s);
    refine_free(s.refined);
    s.refined = NULL;
    s.exact = make_exact(&b);
    check_values(&s);
    exact_free(s.exact);
    bench_end(&b);
}
END_TEST

START_TEST(where_there_are_fewer_is_said)
{
    static double values[N + 3];
    kedge_error err = {0};
    bench b;

    bench_begin(&b, 1, 64);
    eigenpairs_source s = source(&b);
    ck_ok(eigenpairs_values(&s, N + 3, values, &err), err);
    ck_assert(!isnan(values[b.spectrum.count - 1]));
    ck_assert(isnan(values[b.spectrum.count]));
    s.exact = make_exact(&b);
    ck_ok(eigenpairs_values(&s, N + 3, values, &err), err);
    ck_assert(!isnan(values[N - 1]));
    for (size_t c = N; c < N + 3; c++)
        ck_assert(isnan(values[c]));
    exact_free(s.exact);
    bench_end(&b);
}
END_TEST

UNIT_SUITE("eigenpairs",
    one_more_is_known_wherever_they_come_from,
    where_there_are_fewer_is_said)
