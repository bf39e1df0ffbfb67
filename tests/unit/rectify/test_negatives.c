/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "rectify/negatives.h"

/* E in full, from its definition. */
typedef struct dense_e {
    size_t rows;
    double *e; /* rows x rows */
    double sum, share;
} dense_e;

/* Rows with a norm of at least that of the picked-th. */
static void pick(const double *y, size_t rows, size_t k, size_t picked,
                 bool *in)
{
    memset(in, 0, rows * sizeof *in);
    for (size_t a = 0; a < picked; a++) {
        size_t best = SIZE_MAX;
        double most = -1;
        for (size_t i = 0; i < rows; i++) {
            const double norm = dense_norm(y + i * k, k);
            if (!in[i] && norm > most) {
                most = norm;
                best = i;
            }
        }
        in[best] = true;
    }
}

static dense_e dense_negatives(const double *y, size_t rows, size_t k,
                               size_t picked)
{
    double *c = dense_times(dense_as(y, k), dense_turned(y, k), rows, k,
                            rows);
    dense_e d = {.rows = rows, .e = c};
    bool *in = calloc(rows, sizeof *in);
    size_t count = 0;

    pick(y, rows, k, picked, in);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++) {
            double *v = &c[i * rows + j];
            count += in[i] && *v < 0;
            *v = (in[i] || in[j]) && *v < 0 ? -*v : 0;
            d.sum += *v;
        }
    d.share = (double)count / (double)rows / (double)picked;
    free(in);
    return d;
}

/* Y (Y'x) + E x + shift e (e'x). */
static double *dense_apply(const dense_e *d, const double *y, size_t k,
                           double shift, const double *x)
{
    double *yx = dense_times(dense_turned(y, k), dense_as(x, k), k, d->rows,
                             k);
    double *out = dense_times(dense_as(y, k), dense_as(yx, k), d->rows, k, k);
    double *ex = dense_times(dense_as(d->e, d->rows), dense_as(x, k), d->rows,
                             d->rows, k);

    for (size_t i = 0; i < d->rows * k; i++) {
        out[i] += ex[i];
        for (size_t j = 0; j < d->rows; j++)
            out[i] += shift * x[j * k + i % k];
    }
    free(yx);
    free(ex);
    return out;
}

typedef struct result {
    double *out, sum, share;
} result;

typedef struct shape {
    size_t rows, k, picked;
} shape;

static result find_and_apply(shape s, const double *y, const double *x,
                             uint64_t budget, unsigned threads)
{
    kedge_error err = {0};
    result r = {.out = dense_new(s.rows, s.k)};
    negatives *e;
    pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(negatives_create(p, s.rows, s.k, s.picked, budget, &e, &err),
          err);
    /* what another Y left behind must not matter */
    ck_ok(negatives_find(e, x, &err), err);
    ck_ok(negatives_find(e, y, &err), err);
    r.sum = negatives_sum(e);
    r.share = negatives_share(e);
    ck_ok(negatives_apply(e, 0.01, x, r.out, &err), err);
    memset(r.out, 0xff, s.rows * s.k * sizeof *r.out);
    ck_ok(negatives_apply(e, 0.01, x, r.out, &err), err);
    negatives_free(e);
    pool_free(p);
    return r;
}

static const shape shapes[] = {
    {1, 1, 1},     {5, 2, 3},     {64, 4, 64},   {127, 3, 20},
    {128, 3, 128}, {129, 5, 100}, {300, 9, 17},  {700, 6, 700},
    {513, 8, 256}, {900, 3, 1},   {200, 16, 50}, {150, 17, 90},
    {140, 24, 60}, {260, 32, 99}, {131, 41, 70}, {129, 71, 129},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static void check_shape(shape s, uint64_t seed, uint64_t budget)
{
    double *y = dense_random(s.rows, s.k, seed);
    double *x = dense_random(s.rows, s.k, seed + 1);

    for (size_t i = 0; i < s.rows; i++) /* norms differ, as words' do */
        for (size_t c = 0; c < s.k; c++)
            y[i * s.k + c] = (y[i * s.k + c] + 0.7) / (double)(i % 37 + 1);
    dense_e d = dense_negatives(y, s.rows, s.k, s.picked);
    double *expected = dense_apply(&d, y, s.k, 0.01, x);
    result r = find_and_apply(s, y, x, budget, 2);
    ck_assert_double_eq_tol(r.sum, d.sum, 1e-5 * d.sum + 1e-12);
    ck_assert_double_eq_tol(r.share, d.share, 1e-3);
    ck_assert_double_lt(dense_distance(r.out, expected, s.rows * s.k),
                        1e-6 * dense_norm(expected, s.rows * s.k));
    free(r.out);
    free(expected);
    free(d.e);
    free(x);
    free(y);
}

TEST(the_correction_is_the_definition)
{
    for (size_t i = 0; i < SHAPES; i++)
        check_shape(shapes[i], 10 * i, UINT64_C(1) << 30);
}

/* Nothing kept, some tiles kept: the same by other means. */
TEST(a_small_budget_changes_little)
{
    static const uint64_t budgets[] = {0, 6000, 60000, 600000};

    for (size_t i = 0; i < SHAPES; i++) {
        const shape s = shapes[i];
        double *y = dense_random(s.rows, s.k, i);
        double *x = dense_random(s.rows, s.k, i + 1);
        result all = find_and_apply(s, y, x, UINT64_C(1) << 30, 1);
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            result r = find_and_apply(s, y, x, budgets[b], 1);
            ck_assert_double_eq_tol(r.sum, all.sum, 1e-6 * all.sum + 1e-12);
            ck_assert_double_eq(r.share, all.share);
            ck_assert_double_lt(
                dense_distance(r.out, all.out, s.rows * s.k),
                1e-6 * dense_norm(all.out, s.rows * s.k));
            free(r.out);
        }
        free(all.out);
        free(x);
        free(y);
    }
}

TEST(threads_leave_no_trace)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const shape s = shapes[i];
        const uint64_t budget = i % 2 == 0 ? 30000 : UINT64_C(1) << 30;
        double *y = dense_random(s.rows, s.k, i);
        double *x = dense_random(s.rows, s.k, i + 1);
        result one = find_and_apply(s, y, x, budget, 1);
        for (unsigned threads = 2; threads <= 4; threads++) {
            result r = find_and_apply(s, y, x, budget, threads);
            ck_assert_mem_eq(r.out, one.out, s.rows * s.k * sizeof *r.out);
            ck_assert_double_eq(r.sum, one.sum);
            ck_assert_double_eq(r.share, one.share);
            free(r.out);
        }
        free(one.out);
        free(x);
        free(y);
    }
}

TEST(what_is_positive_needs_nothing)
{
    const shape s = {200, 3, 50};
    double *y = dense_random(s.rows, s.k, 1), *x = dense_random(200, 3, 2);

    for (size_t i = 0; i < 600; i++)
        y[i] = fabs(y[i]);
    result r = find_and_apply(s, y, x, 1000, 1);
    ck_assert_double_eq(r.sum, 0);
    ck_assert_double_eq(r.share, 0);
    free(r.out);
    free(x);
    free(y);
}

/* Equal norms: I is the first rows. Those behind are only images. */
TEST(ties_go_to_the_first)
{
    const shape s = {200, 2, 70};
    double *y = dense_new(200, 2), *x = dense_random(200, 2, 1);

    for (size_t i = 0; i < 200; i++) {
        y[2 * i] = i % 2 == 0 ? 1 : -1;
        y[2 * i + 1] = 0;
    }
    dense_e d = dense_negatives(y, 200, 2, 70);
    double *expected = dense_apply(&d, y, 2, 0.01, x);
    result r = find_and_apply(s, y, x, 1 << 20, 2);
    ck_assert_double_eq(r.sum, d.sum);
    ck_assert_double_eq(r.share, 0.5);
    ck_assert_double_lt(dense_distance(r.out, expected, 400),
                        1e-7 * dense_norm(expected, 400));
    free(r.out);
    free(expected);
    free(d.e);
    free(x);
    free(y);
}

TEST(too_many_rows_are_refused)
{
    kedge_error err = {0};
    pool *p = dense_pool(1);
    negatives *e = (negatives *)&err;

    ck_fails(negatives_create(p, 10, 2, 11, 0, &e, &err), KEDGE_EINVAL, err,
             "too many rows");
    ck_assert_ptr_null(e);
    ck_fails(negatives_create(p, 100000, 2, 65536, 0, &e, &err),
             KEDGE_EINVAL, err, "65536");
    negatives_free(NULL);
    pool_free(p);
}

static kedge_status try_all(shape s, const double *y, const double *x,
                            double *out, pool *p, negatives **e,
                            kedge_error *err)
{
    kedge_status st = negatives_create(p, s.rows, s.k, s.picked, 1 << 20, e,
                                       err);

    if (st == KEDGE_OK)
        st = negatives_find(*e, y, err);
    return st == KEDGE_OK ? negatives_apply(*e, 0.01, x, out, err) : st;
}

TEST(no_memory_is_survived)
{
    const shape s = {300, 4, 60};
    double *y = dense_random(s.rows, s.k, 1), *x = dense_random(300, 4, 2);
    double *out = dense_new(300, 4);
    result expected = find_and_apply(s, y, x, 1 << 20, 2);
    kedge_error err = {0};
    pool *p = dense_pool(2);

    GATE_LOOP {
        negatives *e = NULL;
        GATE_TRY(try_all(s, y, x, out, p, &e, &err));
        if (e != NULL && gate_status == KEDGE_ENOMEM) { /* and once more */
            ck_ok(negatives_find(e, y, &err), err);
            ck_ok(negatives_apply(e, 0.01, x, out, &err), err);
        }
        if (e != NULL)
            ck_assert_mem_eq(out, expected.out, 1200 * sizeof *out);
        negatives_free(e);
    }
    pool_free(p);
    free(expected.out);
    free(out);
    free(x);
    free(y);
}

/* Finding alone: no tile that could not be kept goes unnoticed. */
TEST(tiles_without_memory_are_told)
{
    double *y = dense_random(300, 4, 1);
    kedge_error err = {0};
    pool *p = dense_pool(2);

    GATE_LOOP {
        negatives *e;
        ck_ok(negatives_create(p, 300, 4, 60, 1 << 20, &e, &err), err);
        GATE_TRY(negatives_find(e, y, &err));
        negatives_free(e);
    }
    pool_free(p);
    free(y);
}
