/* SPDX-License-Identifier: MIT */
#include "rectify/statistics.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "rectify/rectify.h"

#define TIE 1e-4 /* s */

typedef struct matrix {
    double *c;
    size_t n, applied;
} matrix;

static kedge_status apply(void *data, const double *x, size_t k, double *out,
                          kedge_error *err)
{
    matrix *m = data;
    OWNED double *made = dense_times(dense_as(m->c, m->n), dense_as(x, k), m->n,
                                     m->n, k);

    (void)err;
    m->applied++;
    memcpy(out, made, m->n * k * sizeof *out);
    return KEDGE_OK;
}

typedef struct scenario {
    matrix m;
    size_t n, k;
    double *y; /* V Λ^1/2 */
} scenario;

static void scenario_begin(scenario *s, size_t n, size_t k, double noise,
                           uint64_t seed)
{
    *s = (scenario){.n = n, .k = k, .y = dense_new(n, k)};
    s->m = (matrix){planted_pairs(n, k, noise, seed), n, 0};
    leading_of(s->m.c, n, k, s->y);
}

static void scenario_end(scenario *s)
{
    free(s->m.c);
    free(s->y);
}

static kedge_status run(scenario *s, double *y, size_t rounds, bool inertial,
                        unsigned threads, const kedge_control *control,
                        rectify_result *out)
{
    const warm_operator c = {.rows = s->n, .data = &s->m, .apply = apply};
    const rectify_opts o = {rounds, 0, 0, &c};
    OWN(pool_end) pool *p = dense_pool(threads);
    kedge_error err = {0};
    kedge_status st;

    blas_begin(4, NULL);
    st = (inertial ? ipalm_rectify : palm_rectify)(p, s->n, s->k, y, &o,
                                                   control, out, &err);
    return st;
}

/* From the start, some rounds; what J is in the end. */
static rectify_result rectify(scenario *s, double *y, size_t rounds,
                           bool inertial, unsigned threads)
{
    const kedge_control control = {.threads = threads};
    kedge_error err = {0};
    rectify_result out;

    memcpy(y, s->y, s->n * s->k * sizeof *y);
    ck_ok(run(s, y, rounds, inertial, threads, &control, &out), err);
    return out;
}

/* -<A, CB> + <A'A, B'B> / 2 + s |A - B|² / 2: J but for |C|² / 2. */
static double naive_objective(const scenario *s, const double *a,
                              const double *b)
{
    const size_t n = s->n, k = s->k;
    OWNED double *ab = dense_times(dense_as(a, k), dense_turned(b, k), n, k, n);
    double j = 0;

    for (size_t i = 0; i < n * n; i++)
        j += ab[i] * (0.5 * ab[i] - s->m.c[i]);
    for (size_t i = 0; i < n * k; i++)
        j += 0.5 * TIE * (a[i] - b[i]) * (a[i] - b[i]);
    return j;
}

/* a = max(a - ∇J / L, 0), with L from a dense decomposition. */
static void naive_step(const scenario *s, double *a, const double *b)
{
    const size_t n = s->n, k = s->k;
    OWNED double *gram = dense_times(dense_turned(b, k), dense_as(b, k), k, n,
                                     k);
    OWNED double *values = dense_new(k, 1), *vectors = dense_new(k, k);
    OWNED double *cb = dense_times(dense_as(s->m.c, n), dense_as(b, k), n, n,
                                   k);

    for (size_t c = 0; c < k; c++)
        gram[c * k + c] += TIE;
    dense_eigen(gram, k, values, vectors);
    OWNED double *ag = dense_times(dense_as(a, k), dense_as(gram, k), n, k, k);
    for (size_t i = 0; i < n * k; i++)
        a[i] = fmax(a[i] - (ag[i] - cb[i] - TIE * b[i]) / values[0], 0);
}

/* Of each column the sign whose part is longer. */
static double *naive_start(const scenario *s)
{
    double *y = dense_copy(s->y, s->n * s->k);

    for (size_t c = 0; c < s->k; c++) {
        double balance = 0;
        for (size_t i = 0; i < s->n; i++)
            balance += y[i * s->k + c] * fabs(y[i * s->k + c]);
        for (size_t i = 0; balance < 0 && i < s->n; i++)
            y[i * s->k + c] = -y[i * s->k + c];
    }
    return y;
}

TEST(steps_are_those_of_the_plain_way)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        OWN(scenario_end) scenario s;
        scenario_begin(&s, 25 + 6 * seed, 2 + seed % 4, 0.4, seed);
        const size_t count = s.n * s.k;
        OWNED double *x = naive_start(&s), *y = dense_copy(x, count);
        OWNED double *got = dense_new(s.n, s.k);
        double sum;
        for (int round = 0; round < 7; round++) {
            naive_step(&s, x, y);
            naive_step(&s, y, x);
        }
        const rectify_result r = rectify(&s, got, 7, false, 2);
        ck_assert_uint_eq(r.rounds, 7);
        ck_assert_uint_eq(s.m.applied, 14);
        ck_assert_double_eq_tol(r.last, naive_objective(&s, y, x), 1e-9);
        OWNED double *c = composed(y, s.n, s.k);
        sum = sqrt(total_of(c, s.n));
        for (size_t i = 0; i < count; i++)
            y[i] /= sum;
        ck_assert_double_lt(dense_distance(got, y, count), 1e-7);
    }
}

TEST(the_objective_never_rises)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        OWN(scenario_end) scenario s;
        scenario_begin(&s, 40 + seed, 2 + seed % 5, (double)(seed % 3),
                       seed);
        OWNED double *y = dense_new(s.n, s.k);
        double last = INFINITY;
        for (size_t rounds = 1; rounds < 40; rounds++) {
            const rectify_result r =
                rectify(&s, y, rounds, seed % 2 == 1, 1);
            ck_assert_double_le(r.last, last + 1e-15);
            ck_assert_double_le(r.last, r.first);
            last = r.last;
        }
    }
}

TEST(what_comes_out_is_a_distribution)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        OWN(scenario_end) scenario s;
        double total;
        scenario_begin(&s, 30 + seed, 2 + seed % 5, 1, seed);
        OWNED double *y = dense_new(s.n, s.k);
        rectify(&s, y, 1 + seed, seed % 2 == 0, 2);
        for (size_t i = 0; i < s.n * s.k; i++)
            ck_assert(y[i] >= 0);
        ck_assert_double_eq(negative_mass(y, s.n, s.k, &total), 0);
        ck_assert_double_eq_tol(total, 1, 1e-9);
    }
}

/* C = YY' with Y >= 0 that has orthogonal columns: a minimum already. */
TEST(what_is_right_stays)
{
    for (int inertial = 0; inertial < 2; inertial++) {
        const size_t n = 60, k = 4;
        OWN(scenario_end) scenario s = {.n = n, .k = k, .y = feasible(n, k, 5)};
        OWNED double *y = dense_new(n, k), *after = NULL;
        s.m = (matrix){composed(s.y, n, k), n, 0};
        const rectify_result r = rectify(&s, y, 5, inertial, 1);
        after = composed(y, n, k);
        ck_assert_double_lt(dense_distance(s.m.c, after, n * n), 1e-12);
        ck_assert_double_lt(r.change, 1e-7);
        ck_assert_double_eq(r.negative_share, 0);
    }
}

TEST(inertia_comes_nearer)
{
    size_t nearer = 0;

    for (uint64_t seed = 0; seed < 10; seed++) {
        OWN(scenario_end) scenario s;
        scenario_begin(&s, 60, 4, 1, seed);
        OWNED double *y = dense_new(s.n, s.k);
        const double plain = rectify(&s, y, 60, false, 1).last;
        const double inert = rectify(&s, y, 60, true, 1).last;
        nearer += inert < plain;
    }
    ck_assert_uint_ge(nearer, 9);
}

TEST(threads_leave_no_trace)
{
    for (int inertial = 0; inertial < 2; inertial++) {
        OWN(scenario_end) scenario s;
        scenario_begin(&s, 150, 4, 1, 3);
        OWNED double *one = dense_new(s.n, s.k), *other = dense_new(s.n, s.k);
        rectify(&s, one, 9, inertial, 1);
        for (unsigned threads = 2; threads <= 3; threads++) {
            rectify(&s, other, 9, inertial, threads);
            ck_assert_mem_eq(one, other, s.n * s.k * sizeof *one);
        }
    }
}

static int stop(void *data)
{
    const scenario *s = data;

    return s->m.applied == 6;
}

TEST(it_can_be_stopped)
{
    OWN(scenario_end) scenario s;

    scenario_begin(&s, 40, 3, 1, 1);
    const kedge_control control = {.data = &s, .stop = stop};
    rectify_result out;
    ck_assert_int_eq(run(&s, s.y, 9, false, 1, &control, &out),
                     KEDGE_ECANCELED);
    ck_assert_uint_eq(out.rounds, 3);
}

TEST(no_memory_is_survived)
{
    const kedge_control control = {.threads = 1};
    OWN(pool_end) pool *p = dense_pool(1);

    blas_begin(4, NULL);
    GATE_LOOP {
        OWN(scenario_end) scenario s;
        scenario_begin(&s, 40, 3, 1, 1);
        const warm_operator c = {.rows = 40, .data = &s.m, .apply = apply};
        const rectify_opts o = {2, 0, 0, &c};
        kedge_error err = {0};
        rectify_result out;
        GATE_TRY(ipalm_rectify(p, 40, 3, s.y, &o, &control, &out, &err));
    }
}
