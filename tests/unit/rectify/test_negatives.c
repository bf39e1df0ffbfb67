/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "linalg/blas.h"
#include "rectify/negatives.h"

UNIT_END(negatives, negatives, negatives_free)

/* E in full, from its definition. */
typedef struct dense_e {
    size_t rows;
    double *e; /* rows x rows */
    double sum, share;
} dense_e;

static void dense_e_free(dense_e *d)
{
    free(d->e);
}

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
    OWNED bool *in = calloc(rows, sizeof *in);
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
    return d;
}

/* Y (Y'x) + E x + shift e (e'x). */
static double *dense_apply(const dense_e *d, const double *y, size_t k,
                           double shift, const double *x)
{
    OWNED double *yx = dense_times(dense_turned(y, k), dense_as(x, k), k,
                                   d->rows, k);
    double *out = dense_times(dense_as(y, k), dense_as(yx, k), d->rows, k, k);
    OWNED double *ex = dense_times(dense_as(d->e, d->rows), dense_as(x, k),
                                   d->rows, d->rows, k);

    for (size_t i = 0; i < d->rows * k; i++) {
        out[i] += ex[i];
        for (size_t j = 0; j < d->rows; j++)
            out[i] += shift * x[j * k + i % k];
    }
    return out;
}

typedef struct result {
    double *out;
    negatives_found found;
} result;

static void result_free(result *r)
{
    free(r->out);
}

typedef struct shape {
    size_t rows, k, picked;
} shape;

static result find_and_apply(shape s, const double *y, const double *x,
                             uint64_t budget, unsigned threads)
{
    kedge_error err = {0};
    result r = {.out = dense_new(s.rows, s.k)};
    OWN(pool_end) pool *p = dense_pool(threads);
    OWN(negatives_end) negatives *e = NULL;

    blas_begin(4, NULL);
    ck_ok(negatives_create(p, s.rows, s.k, s.picked, budget, &e, &err),
          err);
    /* what another Y left behind must not matter */
    ck_ok(negatives_find(e, x, &r.found, &err), err);
    ck_ok(negatives_find(e, y, &r.found, &err), err);
    ck_ok(negatives_apply(e, 0.01, x, r.out, &err), err);
    memset(r.out, 0xff, s.rows * s.k * sizeof *r.out);
    ck_ok(negatives_apply(e, 0.01, x, r.out, &err), err);
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
    OWNED double *y = dense_random(s.rows, s.k, seed);
    OWNED double *x = dense_random(s.rows, s.k, seed + 1);

    for (size_t i = 0; i < s.rows; i++) /* norms differ, as words' do */
        for (size_t c = 0; c < s.k; c++)
            y[i * s.k + c] = (y[i * s.k + c] + 0.7) / (double)(i % 37 + 1);
    OWN(dense_e_free) dense_e d = dense_negatives(y, s.rows, s.k, s.picked);
    OWNED double *expected = dense_apply(&d, y, s.k, 0.01, x);
    OWN(result_free) result r = find_and_apply(s, y, x, budget, 2);
    ck_assert_double_eq_tol(r.found.sum, d.sum, 1e-5 * d.sum + 1e-12);
    ck_assert_double_eq_tol(r.found.share, d.share, 1e-3);
    ck_assert_double_lt(dense_distance(r.out, expected, s.rows * s.k),
                        1e-6 * dense_norm(expected, s.rows * s.k));
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
        OWNED double *y = dense_random(s.rows, s.k, i);
        OWNED double *x = dense_random(s.rows, s.k, i + 1);
        OWN(result_free) result all =
            find_and_apply(s, y, x, UINT64_C(1) << 30, 1);
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            OWN(result_free) result r = find_and_apply(s, y, x, budgets[b], 1);
            ck_assert_double_eq_tol(r.found.sum, all.found.sum,
                                    1e-6 * all.found.sum + 1e-12);
            ck_assert_double_eq(r.found.share, all.found.share);
            ck_assert_double_lt(
                dense_distance(r.out, all.out, s.rows * s.k),
                1e-6 * dense_norm(all.out, s.rows * s.k));
        }
    }
}

/* Equal norms: I is the first rows. Those behind are only images. */
TEST(ties_go_to_the_first)
{
    const shape s = {200, 2, 70};
    OWNED double *y = dense_new(200, 2), *x = dense_random(200, 2, 1);

    for (size_t i = 0; i < 200; i++) {
        y[2 * i] = i % 2 == 0 ? 1 : -1;
        y[2 * i + 1] = 0;
    }
    OWN(dense_e_free) dense_e d = dense_negatives(y, 200, 2, 70);
    OWNED double *expected = dense_apply(&d, y, 2, 0.01, x);
    OWN(result_free) result r = find_and_apply(s, y, x, 1 << 20, 2);
    ck_assert_double_eq(r.found.sum, d.sum);
    ck_assert_double_eq(r.found.share, 0.5);
    ck_assert_double_lt(dense_distance(r.out, expected, 400),
                        1e-7 * dense_norm(expected, 400));
}

TEST(too_many_rows_are_refused)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(1);
    negatives *e = (negatives *)&err;

    ck_fails(negatives_create(p, 10, 2, 11, 0, &e, &err), KEDGE_EINVAL, err,
             "too many rows");
    ck_assert_ptr_null(e);
    ck_fails(negatives_create(p, 100000, 2, 65536, 0, &e, &err),
             KEDGE_EINVAL, err, "65536");
    negatives_free(NULL);
}
