/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include "base/gate.h"
#include "linalg/dense.h"

TEST(specificity_is_a_divergence)
{
    const double b[] = {0.5, 1, 0.5, 0, 0, 0};
    const double sums[] = {3, 6, 3};
    const double first = 0.5 * log(0.5 / 0.25) + 0.5 * log(0.5 / 0.5);

    ck_assert_double_eq_tol(shape_specificity(b, 3, 2, sums),
                            (first + log(4)) / 2, 1e-12);
    const double same[] = {0.25, 0.25, 0.5, 0.5, 0.25, 0.25};
    ck_assert_double_eq_tol(shape_specificity(same, 3, 2, sums), 0, 1e-12);
}

TEST(sparsity_goes_from_even_to_single)
{
    const double even[] = {0.25, 0.25, 0.25, 0.25};
    const double single[] = {0, 1, 0, 0};
    const double half[] = {0.5, 0, 0.5, 0};

    ck_assert_double_eq_tol(shape_sparsity(even, 4, 1), 0, 1e-12);
    ck_assert_double_eq_tol(shape_sparsity(single, 4, 1), 1, 1e-12);
    ck_assert_double_eq_tol(shape_sparsity(half, 4, 1), 2 - sqrt(2), 1e-12);
    ck_assert(isnan(shape_sparsity(single + 1, 1, 1)));
}

TEST(correlations_are_told_apart)
{
    const double fine[] = {0.4, 0.1, 0.1, 0.4};
    const double negative[] = {0.7, -0.1, -0.1, 0.5};
    const double indefinite[] = {0.1, 0.4, 0.4, 0.1};
    const double large[] = {0.8, 0.2, 0.2, 0.8};
    const double uneven[] = {0.4, 0.2, 0.0, 0.4};
    kedge_error err = {0};
    correlations c;

    ck_ok(shape_correlations(fine, 2, &c, &err), err);
    ck_assert(c.legal);
    ck_assert_double_eq_tol(c.dominancy, 0.4, 1e-12);
    ck_assert_double_eq_tol(c.relative, 0.4 / sqrt(0.34), 1e-12);
    ck_assert_double_eq_tol(c.sum, 1, 1e-12);
    ck_assert_double_eq_tol(c.least, 0.3, 1e-12);
    ck_assert_double_eq(c.negative, 0);
    ck_ok(shape_correlations(negative, 2, &c, &err), err);
    ck_assert(!c.legal);
    ck_assert_double_eq_tol(c.negative, -0.2, 1e-12);
    ck_ok(shape_correlations(indefinite, 2, &c, &err), err);
    ck_assert(!c.legal);
    ck_assert_double_eq_tol(c.least, -0.3, 1e-12);
    ck_ok(shape_correlations(large, 2, &c, &err), err);
    ck_assert(!c.legal);
    ck_ok(shape_correlations(uneven, 2, &c, &err), err);
    ck_assert(!c.legal);
}

/* |det| of a small matrix, by its first row's minors. */
static double determinant(const double *q, size_t k)
{
    double sum = 0;
    OWNED double *minor = NULL;

    if (k == 1)
        return q[0];
    minor = dense_new(k - 1, k - 1);
    for (size_t c = 0; c < k; c++) {
        for (size_t i = 1; i < k; i++)
            for (size_t j = 0, at = 0; j < k; j++)
                if (j != c)
                    minor[(i - 1) * (k - 1) + at++] = q[i * k + j];
        sum += (c % 2 == 0 ? 1 : -1) * q[c] * determinant(minor, k - 1);
    }
    return sum;
}

/* As many words as topics: every draw is all of them, in some order. */
TEST(the_only_hull_has_its_volume)
{
    for (size_t k = 1; k < 6; k++) {
        chance r = {.key = k};
        OWNED double *b = dense_new(k, k), *q = dense_new(k, k);
        double share[6], out;
        kedge_error err = {0};
        for (size_t i = 0; i < k * k; i++)
            b[i] = chance_unit(&r);
        for (size_t t = 0; t < k; t++)
            share[t] = chance_unit(&r);
        for (size_t i = 0; i < k; i++) {
            double sum = 0;
            for (size_t t = 0; t < k; t++)
                sum += b[i * k + t] * share[t];
            for (size_t t = 0; t < k; t++)
                q[i * k + t] = b[i * k + t] * share[t] / sum;
        }
        ck_ok(shape_volume(b, k, k, share, 1, &out, &err), err);
        ck_assert_double_eq_tol(out, -log(fabs(determinant(q, k))), 1e-9);
    }
}

/* With two topics a hull is a line: |det Q| is how far two words are apart. */
TEST(hulls_by_chance_are_smaller_than_that_of_anchors)
{
    const size_t n = 400;
    OWNED double *b = dense_new(n, 2);
    double share[] = {0.5, 0.5};
    double out, again, mean = 0;
    chance r = {.key = 3};
    kedge_error err = {0};

    for (size_t i = 0; i < n; i++) {
        b[2 * i] = chance_unit(&r);
        b[2 * i + 1] = 1 - b[2 * i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            mean += fabs(b[2 * i] - b[2 * j]) / (double)(n * (n - 1));
    ck_ok(shape_volume(b, n, 2, share, 1, &out, &err), err);
    ck_assert_double_eq_tol(out, -log(mean), 0.1);
    ck_ok(shape_volume(b, n, 2, share, 1, &again, &err), err);
    ck_assert_double_eq(out, again);
    ck_ok(shape_volume(b, n, 2, share, 2, &again, &err), err);
    ck_assert_double_ne(out, again);
}

TEST(without_volume_it_is_infinite_and_without_words_undefined)
{
    const double same[] = {0.5, 0.5, 0.25, 0.25, 0.25, 0.25};
    const double none[] = {1, 1, 0, 0, 0, 0}, share[] = {0.5, 0.5};
    kedge_error err = {0};
    double out;

    ck_ok(shape_volume(same, 3, 2, share, 1, &out, &err), err);
    ck_assert(isinf(out) && out > 0);
    ck_ok(shape_volume(none, 3, 2, share, 1, &out, &err), err);
    ck_assert(isnan(out));
}

TEST(no_memory_leaves_nothing)
{
    const double a[] = {0.4, 0.1, 0.1, 0.4}, share[] = {0.5, 0.5};
    correlations c;
    double out;

    gate_starve(shape_correlations(a, 2, &c, NULL));
    gate_starve(shape_volume(a, 2, 2, share, 1, &out, NULL));
}
