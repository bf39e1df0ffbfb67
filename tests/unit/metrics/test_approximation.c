/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include "linalg/blas.h"
#include "cooccur/moments.h"

UNIT_END(approximation, approximation, approximation_free)
UNIT_END(probe, probe, probe_free)

#define K 4
#define WIDTH 1024

/* A model of no sense, beside the statistics of documents. */
typedef struct scene {
    moments s;
    double *b, a[K * K], share[K];
    uint64_t anchor[K];
    double *p; /* B A B' */
    pool *pool;
} scene;

static void scene_model(scene *t)
{
    const size_t n = t->s.rows;
    chance r = {.key = n};
    double sum = 0, column[K] = {0};

    t->b = calloc(n * K, sizeof *t->b);
    for (size_t i = 0; i < n * K; i++)
        t->b[i] = chance_below(&r, 3) == 0 ? 0 : chance_unit(&r);
    memset(t->b + K, 0, K * sizeof *t->b); /* a word that no topic has */
    for (size_t i = 0; i < n * K; i++)
        column[i % K] += t->b[i];
    for (size_t i = 0; i < n * K; i++)
        t->b[i] /= column[i % K];
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j <= i; j++)
            t->a[i * K + j] = t->a[j * K + i] = chance_unit(&r);
    for (size_t i = 0; i < K * K; i++)
        sum += t->a[i];
    for (size_t i = 0; i < K * K; i++) {
        t->a[i] /= sum;
        t->share[i / K] += t->a[i];
    }
    for (size_t k = 0; k < K; k++)
        t->anchor[k] = 2 + 3 * k;
}

static void scene_product(scene *t)
{
    const size_t n = t->s.rows;

    t->p = calloc(n * n, sizeof *t->p);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t e = 0; e < K * K; e++)
                t->p[i * n + j] += t->b[i * K + e / K] * t->a[e] *
                                   t->b[j * K + e % K];
}

static void scene_begin(scene *t, size_t rows, uint32_t kind, unsigned threads)
{
    *t = (scene){0};
    blas_begin(4, NULL);
    moments_make(&t->s, rows, 200, kind, 0);
    scene_model(t);
    scene_product(t);
    t->pool = dense_pool(threads);
}

static void scene_end(scene *t)
{
    moments_free(&t->s);
    pool_free(t->pool);
    free(t->b);
    free(t->p);
}

static probe *scene_probe(scene *t, size_t width, uint64_t seed)
{
    kedge_error err = {0};
    probe *z;

    ck_ok(probe_create(&t->s.w, width, seed, t->pool, &z, &err), err);
    ck_ok(probe_add(z, &t->s.window, &err), err);
    probe_finish(z);
    return z;
}

static plain_model scene_plain(const scene *t)
{
    return (plain_model){.rows = t->s.rows, .k = K, .b = t->b, .a = t->a,
                         .share = t->share, .anchor = t->anchor};
}

static approximation_found scene_find(scene *t, size_t width, uint64_t seed)
{
    const plain_model m = scene_plain(t);
    kedge_error err = {0};
    approximation_found found;
    OWN(approximation_end) approximation *c = NULL;
    OWN(probe_end) probe *z = scene_probe(t, width, seed);

    ck_ok(approximation_create(&m, t->pool, &c, &err), err);
    approximation_add(c, &t->s.window);
    ck_ok(approximation_finish(c, z, &found, &err), err);
    return found;
}

static double norm(const double *x, const double *y, size_t n, bool diagonal)
{
    double sum = 0;

    for (size_t i = 0; i < n * n; i++) {
        const double e = x[i] - (y != NULL ? y[i] : 0);
        if (diagonal || i / n != i % n)
            sum += e * e;
    }
    return sqrt(sum);
}

/* Row i of C over its sum; 0 where it has none. */
static double normal(const scene *t, size_t i, size_t j)
{
    const size_t n = t->s.rows;
    double sum = 0;

    for (size_t l = 0; l < n; l++)
        sum += t->s.c[i * n + l];
    return sum > 0 ? t->s.c[i * n + j] / sum : 0;
}

static double row_error(const scene *t, size_t i)
{
    const size_t n = t->s.rows;
    double own = 0, all = 0, squares = 0, there = 0;

    for (size_t k = 0; k < K; k++)
        all += t->b[i * K + k] * t->share[k];
    for (size_t j = 0; j < n; j++)
        there += t->s.c[i * n + j];
    for (size_t j = 0; j < n && there > 0; j++) {
        own = normal(t, i, j);
        for (size_t k = 0; k < K && all > 0; k++)
            own -= t->b[i * K + k] * t->share[k] / all *
                   normal(t, t->anchor[k], j);
        squares += own * own;
    }
    return sqrt(squares);
}

static void recover(const scene *t, double *recovery, double *rows_norm)
{
    const size_t n = t->s.rows;
    double squares = 0;

    *recovery = 0;
    for (size_t i = 0; i < n; i++) {
        *recovery += row_error(t, i) / (double)n;
        for (size_t j = 0; j < n; j++)
            squares += normal(t, i, j) * normal(t, i, j);
    }
    *rows_norm = sqrt(squares);
}

/* What is estimated is within some of its own standard errors. */
TEST(it_is_what_dense_matrices_say)
{
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        double recovery, rows_norm;
        OWN(scene_end) scene t;
        scene_begin(&t, 60, kind, 1 + kind);
        const approximation_found f = scene_find(&t, WIDTH, 3);
        const size_t n = t.s.rows;
        const double error = norm(t.s.c, t.p, n, true);
        const double spread = 5 * f.spread;
        recover(&t, &recovery, &rows_norm);
        ck_assert_double_gt(f.spread, 0);
        ck_assert_double_lt(f.spread, 0.1 * error);
        ck_assert_double_eq_tol(f.error, error, spread);
        ck_assert_double_eq_tol(f.norm, norm(t.s.c, NULL, n, true), spread);
        ck_assert_double_eq_tol(f.off_error, norm(t.s.c, t.p, n, false),
                                spread);
        ck_assert_double_eq_tol(f.off_norm, norm(t.s.c, NULL, n, false),
                                spread);
        ck_assert_double_eq_tol(f.recovery, recovery, 0.02 * recovery);
        ck_assert_double_eq_tol(f.rows_norm, rows_norm, 0.05 * rows_norm);
    }
}

/* Over many probes the error is off by its spread on average, and neither more
 * nor less; and what is exact is the same in all of them. */
TEST(it_is_off_by_as_much_as_it_says)
{
    double off = 0, squares = 0, said = 0, constant = 0, error;
    const size_t times = 60;
    OWN(scene_end) scene t;

    scene_begin(&t, 50, STATISTIC_JOINT, 1);
    error = norm(t.s.c, t.p, 50, true);
    for (size_t i = 0; i < times; i++) {
        const approximation_found f = scene_find(&t, 64, 100 + i);
        const double exact = f.norm * f.norm - f.error * f.error;
        const double e = f.error * f.error - error * error;
        off += e / (double)times;
        squares += e * e / (double)times;
        said += 4 * f.spread * f.spread * f.error * f.error / (double)times;
        constant = i == 0 ? exact : constant;
        ck_assert_double_eq_tol(exact, constant, 1e-10);
    }
    ck_assert_double_lt(fabs(off), 4 * sqrt(squares / (double)times));
    ck_assert_double_eq_tol(squares / said, 1, 0.5);
}

TEST(threads_leave_no_trace)
{
    approximation_found f[2];

    for (unsigned i = 0; i < 2; i++) {
        OWN(scene_end) scene t;
        scene_begin(&t, 70, STATISTIC_LOG, 1 + 2 * i);
        f[i] = scene_find(&t, 64, 9);
    }
    ck_assert_int_eq(memcmp(&f[0], &f[1], sizeof f[0]), 0);
}

TEST(without_documents_nothing_is_defined)
{
    kedge_error err = {0};
    approximation_found f;
    OWN(scene_end) scene t;
    OWN(approximation_end) approximation *c = NULL;
    OWN(probe_end) probe *z = NULL;

    scene_begin(&t, 60, STATISTIC_JOINT, 1);
    const plain_model m = scene_plain(&t);
    ck_ok(probe_create(&t.s.w, 64, 1, t.pool, &z, &err), err);
    probe_finish(z);
    ck_ok(approximation_create(&m, t.pool, &c, &err), err);
    ck_ok(approximation_finish(c, z, &f, &err), err);
    ck_assert(isnan(f.norm) && isnan(f.error) && isnan(f.recovery) &&
              isnan(f.off_error) && isnan(f.rows_norm) && isnan(f.spread));
}
