/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "topics/separable.h"

/* The normalised rows of YY', at full length. */
static double *rows_of(const model *m, double *d)
{
    double *const c = dense_times(dense_as(m->y, m->k),
                                  dense_turned(m->y, m->k), m->rows, m->k,
                                  m->rows);

    for (size_t i = 0; i < m->rows; i++) {
        d[i] = 0;
        for (size_t j = 0; j < m->rows; j++)
            d[i] += c[i * m->rows + j];
        for (size_t j = 0; j < m->rows; j++)
            c[i * m->rows + j] /= d[i];
    }
    return c;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

START_TEST(embedded_rows_have_the_products_of_whole_ones)
{
    model m = model_make(120, 5, 3);
    double *const d = dense_new(m.rows, 1), *const sums = dense_new(m.rows, 1);
    double *const whole = rows_of(&m, d), *const x = dense_new(m.rows, m.k);
    double *const gram = dense_times(dense_turned(m.y, m.k),
                                     dense_as(m.y, m.k), m.k, m.rows, m.k);
    double scratch[5];
    pool *const p = dense_pool(2);
    kedge_error err = {0};

    blas_begin(4, NULL);
    embed_sums(p, m.rows, m.k, m.y, scratch, sums);
    for (size_t i = 0; i < m.rows; i++)
        ck_assert_double_eq_tol(sums[i], d[i], 1e-14);
    ck_ok(embed_root(gram, m.k, &err), err);
    embed_rows(p, &(embed_input){m.rows, m.k, m.y, sums, m.sums}, gram, x);
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.rows; j++)
            ck_assert_double_eq_tol(
                product(x + i * m.k, x + j * m.k, m.k),
                product(whole + i * m.rows, whole + j * m.rows, m.rows),
                1e-10);
    pool_free(p);
    free(d);
    free(sums);
    free(whole);
    free(x);
    free(gram);
    model_free(&m);
}
END_TEST

START_TEST(embedded_rows_without_a_sum_take_the_other_or_are_zero)
{
    const double y[] = {1, 2, 3}, d[] = {2, 0, -1}, sums[] = {9, 4, 0};
    const double root[] = {1};
    double x[3];
    pool *const p = dense_pool(1);

    blas_begin(4, NULL);
    embed_rows(p, &(embed_input){3, 1, y, d, sums}, root, x);
    ck_assert_double_eq(x[0], 0.5);
    ck_assert_double_eq(x[1], 0.5);
    ck_assert_double_eq(x[2], 0);
    pool_free(p);
}
END_TEST

UNIT_SUITE("embed",
    embedded_rows_have_the_products_of_whole_ones,
    embedded_rows_without_a_sum_take_the_other_or_are_zero)
