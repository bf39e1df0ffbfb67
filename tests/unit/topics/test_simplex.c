/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "topics/convex.h"

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x > y ? -1 : x < y;
}

/* The projection by sorting: the amount is fixed by the largest prefix whose
 * last entry stays positive. */
static void project_sorted(const double *q, size_t k, double *y)
{
    double *s = dense_copy(q, k), sum = 0, level = 0;

    qsort(s, k, sizeof *s, falling);
    for (size_t n = 1; n <= k; n++) {
        sum += s[n - 1];
        if (s[n - 1] - (sum - 1) / (double)n > 0)
            level = (sum - 1) / (double)n;
    }
    for (size_t c = 0; c < k; c++)
        y[c] = fmax(q[c] - level, 0);
    free(s);
}

/* Points of several kinds: what the seed says. */
static void point(uint64_t seed, size_t k, double *q)
{
    chance r = {.key = seed};
    const double scale = pow(10, (double)(seed % 9) - 5);

    chance_fill(&r, q, k);
    for (size_t c = 0; c < k; c++) {
        q[c] *= scale;
        if (seed % 4 == 1)
            q[c] = scale * (double)chance_below(&r, 3); /* many equal */
        if (seed % 4 == 2)
            q[c] = fabs(q[c]) / (double)k;
        if (seed % 4 == 3 && chance_below(&r, 4) == 0)
            q[c] *= 1e-12;
    }
}

TEST(projections_are_those_by_sorting)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        const size_t k = 1 + seed % 60;
        double q[60], y[60], expected[60], size = 1, sum = 0, worst = 0;
        double level = seed % 3 == 0   ? 0
                       : seed % 3 == 1 ? 1e6 /* all are below */
                                       : -1e6;
        point(seed, k, q);
        for (size_t c = 0; c < k; c++)
            size = fmax(size, fabs(q[c]));
        memcpy(y, q, sizeof y);
        simplex_project(y, k, &level);
        project_sorted(q, k, expected);
        for (size_t c = 0; c < k; c++) {
            worst = fmax(worst, fabs(y[c] - expected[c]));
            worst = y[c] >= 0 ? worst : 1;
            sum += y[c];
        }
        ck_assert_double_lt(worst, 1e-14 * size * (double)k);
        ck_assert_double_eq_tol(sum, 1, 1e-14 * size * (double)k);
        /* a good place to begin: nothing moves */
        const double settled = level;
        memcpy(y, q, sizeof y);
        simplex_project(y, k, &level);
        ck_assert_double_eq_tol(level, settled, 1e-14 * size * (double)k);
    }
}

TEST(projections_of_extremes_are_finite)
{
    static const double odd[][3] = {
        {1e300, -1e300, 0},   {1e17, 1e17, 1e17}, {-1e17, -1e17, -1e17},
        {1e-320, 0, -1e-320}, {1e17, 0, 0},       {-1e300, -1e300, 5},
        {0, 0, 0},
    };

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        double y[3], level = 0;
        memcpy(y, odd[i], sizeof y);
        simplex_project(y, 3, &level);
        for (size_t c = 0; c < 3; c++)
            ck_assert(y[c] >= 0 && isfinite(y[c]));
    }
}

/* ---- all solvers --------------------------------------------------------- */

static const struct {
    simplex_solver *solve;
    size_t steps;
    double tolerance;
} solvers[] = {{simplex_solve, 20000, 1e-11}, {active_solve, 0, 0},
               {expgrad_solve, 20000000, 1e-9}};

#define SOLVERS (sizeof solvers / sizeof *solvers)

static double *solve(size_t solver, const convex *c, double coarse,
                     unsigned threads)
{
    double *y = dense_copy(c->products, c->rows * c->k);
    kedge_error err = {0};
    simplex_result r;
    OWN(pool_end) pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(solvers[solver].solve(p, c->rows, c->k, c->gram, y,
                                solvers[solver].steps,
                                fmax(solvers[solver].tolerance, coarse), &r,
                                &err), err);
    ck_assert_uint_eq(r.unsettled, 0);
    for (size_t i = 0; i < c->rows; i++)
        convex_check_bounds(y + i * c->k, c->k);
    return y;
}

/* Many entries: by the gradient no better point is there. */
TEST(large_problems_are_stationary)
{
    static const size_t sizes[] = {20, 65, 127, 128, 129, 140};

    for (size_t n = 0; n < 2 * sizeof sizes / sizeof *sizes; n++) {
        const size_t k = sizes[n / 2];
        OWN(convex_free) convex c = convex_make(k, k + 10, 300, n);
        for (size_t i = 0; i < 10 * k; i++) { /* the middle: full support */
            c.products[i] = 0;
            for (size_t t = 0; t < k; t++)
                c.products[i] += c.gram[i % k * k + t] / (double)k;
        }
        OWNED double *y = solve(n % 2, &c, 0, 2);
        for (size_t i = 0; i < c.rows; i++)
            ck_assert_double_le(convex_gap(&c, i, y + i * k),
                                n % 2 == 0 ? 1e-6 * (double)k : 1e-9);
    }
}

TEST(steps_are_limited_and_counted)
{
    for (size_t n = 0; n < SOLVERS; n += 2) { /* the active set has no limit */
        OWN(convex_free) convex c = convex_make(8, 10, 100, 2);
        OWN(pool_end) pool *p = dense_pool(1);
        kedge_error err = {0};
        simplex_result r;
        blas_begin(4, NULL);
        ck_ok(solvers[n].solve(p, 100, 8, c.gram, c.products, 2, 1e-15, &r,
                               &err), err);
        ck_assert_uint_gt(r.unsettled, 80);
        ck_assert_uint_le(r.steps, 2);
        for (size_t i = 0; i < 100; i++)
            convex_check_bounds(c.products + i * 8, 8);
    }
}

TEST(a_zero_matrix_is_refused)
{
    kedge_error err = {0};
    double gram[4] = {0}, v[4] = {1, 0, 0, 1};
    simplex_result out;
    OWN(pool_end) pool *p = dense_pool(1);

    ck_fails(simplex_solve(p, 2, 2, gram, v, 10, 1e-9, &out, &err),
             KEDGE_ENUMERIC, err, "zero");
    gram[0] = NAN;
    ck_fails(simplex_solve(p, 2, 2, gram, v, 10, 1e-9, &out, &err),
             KEDGE_ENUMERIC, err, "");
}

/* Rows of U depend on each other where there are fewer columns. */
TEST(objectives_are_the_least)
{
    for (uint64_t seed = 0; seed < 36; seed++) {
        const size_t k = 1 + seed % 8;
        OWN(convex_free) convex c = convex_make(k, 3 + seed % 9, 60, seed);
        double best[8], *y = solve(seed % SOLVERS, &c, 0,
                                       1 + (unsigned)seed % 3);
        for (size_t i = 0; i < c.rows; i++) {
            const double least = convex_least(&c, i, ACTIVE_ONE, best);
            const double size = dense_norm(c.v + i * c.d, c.d);
            ck_assert_double_le(convex_value(&c, i, y + i * k),
                                least + 1e-6 * fmax(least, 0.01 * size));
        }
        free(y);
    }
}

TEST(threads_leave_no_trace)
{
    OWN(convex_free) convex c = convex_make(9, 12, 1500, 9);

    for (size_t s = 0; s < SOLVERS; s++) {
        OWNED double *one = solve(s, &c, 1e-5, 1);
        for (unsigned threads = 2; threads <= 3; threads++) {
            OWNED double *y = solve(s, &c, 1e-5, threads);
            ck_assert_mem_eq(one, y, c.rows * c.k * sizeof *y);
        }
    }
}

TEST(no_memory_is_survived)
{
    OWN(convex_free) convex c = convex_make(3, 4, 10, 1);
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(2);

    for (size_t s = 0; s < SOLVERS; s++)
        GATE_LOOP {
            OWNED double *y = dense_copy(c.products, 30);
            simplex_result r;
            GATE_TRY(solvers[s].solve(p, 10, 3, c.gram, y, 20000, 1e-3, &r,
                                      &err));
        }
}
