/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "base/fail.h"
#include "linalg/blas.h"
#include "linalg/tall.h"
#include "linalg/warm.h"

/* A = Q diag(values) Q', Q n x m with orthonormal columns. */
typedef struct known {
    size_t n, m;
    double *q; /* m rows of length n */
    double *values;
    unsigned applied;
} known;

static kedge_status known_apply(void *data, const double *x, size_t k,
                                double *out, kedge_error *err)
{
    known *a = data;
    OWNED double *t = dense_times(dense_as(a->q, a->n), dense_as(x, k), a->m,
                                  a->n, k);

    (void)err;
    a->applied++;
    memset(out, 0, a->n * k * sizeof *out);
    for (size_t i = 0; i < a->m; i++)
        for (size_t c = 0; c < k; c++)
            t[i * k + c] *= a->values[i];
    for (size_t j = 0; j < a->m; j++)
        for (size_t i = 0; i < a->n; i++)
            for (size_t c = 0; c < k; c++)
                out[i * k + c] += a->q[j * a->n + i] * t[j * k + c];
    return KEDGE_OK;
}

static known known_make(size_t n, size_t m, uint64_t seed)
{
    return (known){n, m, dense_orthonormal(m, n, seed), dense_new(m, 1), 0};
}

static void known_free(known *a)
{
    free(a->q);
    free(a->values);
}

typedef struct answer {
    double *x, *values;
    unsigned applied;
} answer;

static answer solve(known *a, size_t k, const double *guess,
                    unsigned threads, double tolerance, unsigned steps)
{
    const warm_operator op = {.rows = a->n, .data = a, .apply = known_apply};
    answer r = {dense_copy(guess, a->n * k), dense_new(k, 1), 0};
    kedge_error err = {0};
    OWN(warm_work_free) warm_work work;
    OWN(pool_end) pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(warm_work_create(a->n, k, &work, &err), err);
    ck_ok(warm_eigen(p, &op, k, r.x, r.values, tolerance, steps, &work,
                     &r.applied, &err), err);
    return r;
}

static void answer_free(answer *r)
{
    free(r->x);
    free(r->values);
}

/* Values and residuals of the k leading pairs, and orthonormal vectors. */
static void check(known *a, const answer *r, size_t k, double tolerance)
{
    kedge_error err = {0};
    OWNED double *ax = dense_new(a->n, k);

    ck_assert_int_eq(known_apply(a, r->x, k, ax, &err), KEDGE_OK);
    for (size_t c = 0; c < k; c++) {
        const double wanted = c < a->m ? a->values[c] : 0;
        ck_assert_double_eq_tol(r->values[c], wanted, tolerance);
        for (size_t i = 0; i < a->n; i++)
            ax[i * k + c] -= r->values[c] * r->x[i * k + c];
    }
    ck_assert_double_lt(dense_norm(ax, a->n * k), 10 * tolerance);
    ck_assert_double_lt(dense_skew(r->x, a->n, k), 1e-8);
}

/* Leading eigenvectors, disturbed and mixed. */
static double *near_guess(const known *a, size_t k, double noise)
{
    OWNED double *mix = dense_random(k, k, 8);
    double *x = dense_random(a->n, k, 7);
    OWNED double *v = dense_times(dense_turned(a->q, a->n), dense_as(mix, k),
                                  a->n, k, k);

    for (size_t i = 0; i < a->n * k; i++)
        x[i] = v[i] + noise * x[i];
    return x;
}

TEST(a_near_guess_takes_few_steps)
{
    OWN(known_free) known a = known_make(300, 40, 1);

    for (size_t i = 0; i < a.m; i++) /* the ninth is a third of the eighth */
        a.values[i] = i < 8 ? 3 + 7.0 / (1.0 + (double)i)
                            : (i % 2 ? 1 : -1) * pow(0.9, (double)(i - 8));
    OWNED double *guess = near_guess(&a, 8, 1e-4);
    OWN(answer_free) answer r = solve(&a, 8, guess, 1, 1e-9, 50);
    check(&a, &r, 8, 1e-7);
    ck_assert_uint_le(r.applied, 9);
    ck_assert_uint_le(a.applied, r.applied + 2);
    for (size_t c = 1; c < 8; c++)
        ck_assert_double_ge(r.values[c - 1], r.values[c]);
}

/* What the i-th eigenvalue is. */
typedef double known_value(size_t i);

static double apart_value(size_t i)
{
    return i < 6 ? 20.0 - (double)i : 8.0 / (double)(i - 3);
}

static double falling_value(size_t i)
{
    return 20 - (double)i;
}

static double multiple_value(size_t i)
{
    return i < 3 ? 9 : i < 7 ? 6 : 2;
}

static const struct {
    size_t n, m, k;
    known_value *value;
    unsigned steps; /* enough: from any guess, */
    unsigned near;  /* and from one in the space; 0: any */
} guesses[] = {
    {200, 60, 6, apart_value, 200, 0},
    {150, 1, 1, falling_value, 20, 2}, /* residuals vanish, or have no */
    {150, 5, 5, falling_value, 20, 2}, /* direction of their own */
    {150, 9, 9, falling_value, 20, 2},
    {120, 4, 7, falling_value, 30, 0}, /* more than there are: zeros */
    {100, 30, 7, multiple_value, 100, 0},
};

TEST(a_random_guess_gets_there_too)
{
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            const size_t n = guesses[i].n, k = guesses[i].k;
            OWN(known_free) known a = known_make(n, guesses[i].m, seed);
            for (size_t j = 0; j < a.m; j++)
                a.values[j] = guesses[i].value(j);
            OWNED double *guess = dense_random(n, k, seed + 50);
            OWN(answer_free) answer r = solve(&a, k, guess,
                                              1 + (unsigned)seed % 3, 1e-9,
                                              guesses[i].steps);
            check(&a, &r, k, 1e-6);
            if (guesses[i].near == 0)
                continue;
            OWNED double *there = near_guess(&a, k, 0);
            OWN(answer_free) answer o = solve(&a, k, there, 1, 1e-10, 20);
            check(&a, &o, k, 1e-8);
            ck_assert_uint_le(o.applied, guesses[i].near);
        }
}

/* As many vectors as rows, or nearly: residuals are small from the start or
 * have nowhere to go. */
TEST(few_rows_are_no_trouble)
{
    for (size_t n = 1; n <= 12; n++)
        for (size_t k = n > 3 ? n - 3 : 1; k <= n; k++) {
            OWN(known_free) known a = known_make(n, n, n);
            for (size_t i = 0; i < n; i++)
                a.values[i] = 1 + (double)(n - i);
            OWNED double *guess = dense_random(n, k, 60 + n);
            OWN(answer_free) answer r = solve(&a, k, guess, 1, 1e-9, 200);
            check(&a, &r, k, 1e-6);
        }
}

TEST(a_zero_operator_has_zero_values)
{
    OWN(known_free) known a = known_make(50, 1, 1);
    OWNED double *guess = dense_random(a.n, 3, 1);
    OWN(answer_free) answer r = solve(&a, 3, guess, 1, 1e-9, 5);

    for (size_t c = 0; c < 3; c++)
        ck_assert_double_eq(r.values[c], 0);
    ck_assert_double_lt(dense_skew(r.x, a.n, 3), 1e-12);
}

TEST(steps_are_limited_and_threads_leave_no_trace)
{
    OWN(known_free) known a = known_make(333, 80, 2);

    for (size_t i = 0; i < a.m; i++)
        a.values[i] = pow(0.97, (double)i);
    OWNED double *guess = dense_random(a.n, 5, 1);
    OWN(answer_free) answer first = solve(&a, 5, guess, 1, 1e-12, 7);
    ck_assert_uint_eq(first.applied, 7);
    for (unsigned threads = 2; threads <= 4; threads++) {
        OWN(answer_free) answer r = solve(&a, 5, guess, threads, 1e-12, 7);
        ck_assert_uint_eq(r.applied, 7);
        ck_assert_mem_eq(r.x, first.x, a.n * 5 * sizeof *r.x);
        ck_assert_mem_eq(r.values, first.values, 5 * sizeof *r.x);
    }
}

typedef struct hearer {
    size_t calls;
    double last, stop_at;
    bool falls;
} hearer;

static kedge_status hear(const void *data, double share, kedge_error *err)
{
    hearer *const h = *(hearer *const *)data;

    h->calls++;
    h->falls |= share < h->last;
    h->last = share;
    return share < h->stop_at ? KEDGE_OK
                              : kedge_fail(err, KEDGE_ECANCELED, "enough");
}

TEST(it_tells_how_far_it_is)
{
    OWN(known_free) known a = known_make(60, 12, 3);
    double *x = dense_random(60, 3, 1), values[3];
    hearer h = {.stop_at = 2};
    hearer *const heard = &h;
    const warm_operator op = {.rows = 60, .data = &a, .apply = known_apply,
                              .progress = hear, .progress_data = &heard};
    kedge_error err = {0};
    unsigned applied;
    OWN(warm_work_free) warm_work work;
    OWN(pool_end) pool *p = dense_pool(1);

    blas_begin(4, NULL);
    for (size_t i = 0; i < 12; i++)
        a.values[i] = 1.0 / (double)(1 + i);
    ck_ok(warm_work_create(60, 3, &work, &err), err);
    ck_ok(warm_eigen(p, &op, 3, x, values, 1e-9, 100, &work, &applied, &err),
          err);
    ck_assert_uint_gt(applied, 2);
    ck_assert_uint_eq(h.calls, 2 * applied + 3);
    ck_assert_double_eq(h.last, 1);
    ck_assert(!h.falls);
    free(x);
    x = dense_random(60, 3, 1);
    h = (hearer){.stop_at = 0.5};
    ck_fails(warm_eigen(p, &op, 3, x, values, 1e-9, 100, &work, &applied,
                        &err), KEDGE_ECANCELED, err, "enough");
    ck_assert_double_lt(h.last, 1);
    free(x);
}

TEST(a_guess_without_rank_is_refused)
{
    OWN(known_free) known a = known_make(40, 4, 2);
    const warm_operator op = {.rows = 40, .data = &a, .apply = known_apply};
    kedge_error err = {0};
    OWNED double *x = dense_new(40, 3);
    double values[3];
    unsigned applied;
    OWN(warm_work_free) warm_work work;
    OWN(pool_end) pool *p = dense_pool(1);

    ck_ok(warm_work_create(40, 3, &work, &err), err);
    ck_fails(warm_eigen(p, &op, 3, x, values, 1e-9, 5, &work, &applied, &err),
             KEDGE_ENUMERIC, err, "not definite");
}

static kedge_status refuse(void *data, const double *x, size_t k, double *out,
                           kedge_error *err)
{
    unsigned *left = data;

    (void)err;
    memcpy(out, x, 30 * k * sizeof *x);
    out[0] += 1; /* not x alone, so that there is a step to make */
    return (*left)-- == 0 ? KEDGE_ECANCELED : KEDGE_OK;
}

TEST(failures_come_through)
{
    kedge_error err = {0};
    OWNED double *guess = dense_random(30, 2, 2);
    double values[2];
    OWN(pool_end) pool *p = dense_pool(1);
    OWN(warm_work_free) warm_work work;

    ck_ok(warm_work_create(30, 2, &work, &err), err);
    for (unsigned at = 0; at < 2; at++) {
        unsigned left = at, applied;
        OWNED double *x = dense_copy(guess, 60);
        const warm_operator op = {.rows = 30, .data = &left, .apply = refuse};
        ck_assert_int_eq(warm_eigen(p, &op, 2, x, values, 1e-9, 5, &work,
                                    &applied, &err), KEDGE_ECANCELED);
    }
}
