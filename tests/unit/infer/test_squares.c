/* SPDX-License-Identifier: MIT */
#include "infer/squares.h"

#include "linalg/dense.h"

UNIT_END(squares, squares, squares_free)

/* |y - X w|² with w on the simplex: the Gram matrix and products. */
typedef struct problem {
    size_t k;
    double *g, *q, norm; /* y'y */
    double size;         /* of G: the mean of its diagonal */
} problem;

/* `kind`: any columns, columns that are nearly or wholly the same, few rows, or
 * columns like topics: not negative and of the sum one. */
static void make_columns(double *x, size_t rows, size_t k, unsigned kind,
                         chance *c)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < k; j++) {
            double *const at = &x[i * k + j];
            *at = chance_unit(c) - 0.5;
            if (kind == 1 && j % 3 > 0)
                *at = x[i * k + j - 1] + (j % 2 == 0 ? 0 : 1e-6 * *at);
            if (kind == 3)
                *at = pow(chance_unit(c), 12);
        }
}

static problem make_problem(size_t k, unsigned kind, uint64_t seed)
{
    const size_t rows = kind == 2 ? 1 + k / 3 : k + 20;
    OWNED double *x = dense_new(rows, k);
    problem o = {.k = k, .q = dense_new(k, 1)};
    chance c = {.key = seed};

    make_columns(x, rows, k, kind, &c);
    o.g = dense_times(dense_turned(x, k), dense_as(x, k), k, rows, k);
    for (size_t i = 0; i < rows; i++) {
        double y = 0.3 * (chance_unit(&c) - 0.5);
        for (size_t j = 0; j < k; j++)
            y += x[i * k + j] * (j % 7 == seed % 7 ? 3.0 / (double)k : 0);
        o.norm += y * y;
        for (size_t j = 0; j < k; j++)
            o.q[j] += y * x[i * k + j];
    }
    for (size_t j = 0; j < k; j++)
        o.size += o.g[j * k + j] / (double)k;
    return o;
}

static void problem_free(problem *o)
{
    free(o->g);
    free(o->q);
}

static double objective(const problem *o, const double *w)
{
    double f = o->norm;

    for (size_t i = 0; i < o->k; i++) {
        f -= 2 * o->q[i] * w[i];
        for (size_t j = 0; j < o->k; j++)
            f += w[i] * o->g[i * o->k + j] * w[j];
    }
    return f;
}

/* No feasible point is better by more than this. */
static double gap(const problem *o, const double *w)
{
    double least = INFINITY, along = 0;

    for (size_t i = 0; i < o->k; i++) {
        double slope = -2 * o->q[i];
        for (size_t j = 0; j < o->k; j++)
            slope += 2 * o->g[i * o->k + j] * w[j];
        least = fmin(least, slope);
        along += slope * w[i];
    }
    return along - least;
}

static squares *make_squares(size_t k)
{
    kedge_error err = {0};
    squares *s;

    ck_ok(squares_create(k, &s, &err), err);
    return s;
}

static void check_feasible(const double *w, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < k; i++) {
        ck_assert(w[i] >= 0);
        sum += w[i];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
}

TEST(no_point_of_the_simplex_is_better)
{
    OWN(squares_end) squares *s = make_squares(200);

    for (uint64_t seed = 0; seed < 4000; seed++) {
        const size_t k = seed % 50 == 0 ? 200 : 5 + seed * 7 % 60;
        OWN(problem_free) problem o = make_problem(k, (unsigned)seed % 4, seed);
        double w[200] = {0};
        ck_assert_uint_gt(squares_solve(s, k, o.g, o.q, 100 * k, w), 0);
        check_feasible(w, k);
        if (!(gap(&o, w) <= 1e-8 * objective(&o, w) +
                                1e-12 * (o.size + o.norm)))
            ck_abort_msg("seed %u, k %zu: the gap is %g of %g",
                         (unsigned)seed, k, gap(&o, w), objective(&o, w));
    }
}

TEST(where_it_begins_is_not_where_it_ends)
{
    OWN(squares_end) squares *s = make_squares(60);

    for (uint64_t seed = 0; seed < 300; seed++) {
        const size_t k = 5 + seed % 50;
        OWN(problem_free) problem o = make_problem(k, seed % 2 == 0 ? 0 : 3,
                                                   seed);
        chance c = {.key = ~seed};
        double cold[60] = {0}, warm[60], near[60];
        size_t steps;
        ck_assert_uint_gt(squares_solve(s, k, o.g, o.q, 10000, cold), 0);
        for (size_t i = 0; i < k; i++)
            warm[i] = chance_below(&c, 2) == 0 ? 0 : 5 * chance_unit(&c);
        ck_assert_uint_gt(squares_solve(s, k, o.g, o.q, 10000, warm), 0);
        memcpy(near, cold, sizeof near);
        steps = squares_solve(s, k, o.g, o.q, 10000, near);
        ck_assert_uint_le(steps, 2);
        for (size_t i = 0; i < k; i++) {
            ck_assert_double_eq_tol(warm[i], cold[i], 1e-7);
            ck_assert_double_eq_tol(near[i], cold[i], 1e-9);
        }
    }
}

TEST(steps_can_be_too_few)
{
    OWN(squares_end) squares *s = make_squares(60);
    OWN(problem_free) problem o = make_problem(60, 3, 5);
    double w[60] = {0}, before = INFINITY;

    for (size_t most = 1; most < 6; most++) {
        memset(w, 0, sizeof w);
        ck_assert_uint_eq(squares_solve(s, 60, o.g, o.q, most, w), 0);
        check_feasible(w, 60);
        ck_assert_double_lt(objective(&o, w), before);
        before = objective(&o, w);
    }
}
