/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "linalg/dense.h"

/* ---- those that are probabilities ---------------------------------------- */

static double inner(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The nearest point p of a convex set: (a - p)(q - p) <= 0 for all others q,
 * of which the corners are enough. They are e_i e_i' and (e_i e_j' + e_j
 * e_i') / 2. */
TEST(no_legal_matrix_is_nearer)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t k = 1 + seed % 12;
        double *a = dense_random(k, k, seed), *p, sum = 0;
        for (size_t i = 0; i < k * k; i++)
            a[i] *= 0.5 / (double)(1 + seed % 5);
        p = dense_copy(a, k * k);
        legal_project(p, k);
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                ck_assert(p[i * k + j] >= 0);
                ck_assert(p[i * k + j] == p[j * k + i]);
                sum += p[i * k + j];
            }
        ck_assert_double_eq_tol(sum, 1, 1e-12);
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j <= i; j++) {
                OWNED double *q = dense_new(k, k), *away = dense_copy(a, k * k);
                q[i * k + j] = q[j * k + i] = i == j ? 1 : 0.5;
                for (size_t c = 0; c < k * k; c++) {
                    away[c] -= p[c];
                    q[c] -= p[c];
                }
                ck_assert_double_le(inner(away, q, k * k), 1e-11);
            }
        free(a);
        free(p);
    }
}

TEST(a_legal_matrix_stays)
{
    double a[] = {0.3, 0.1, 0, 0.1, 0.2, 0.05, 0, 0.05, 0.2}, was[9];

    memcpy(was, a, sizeof a);
    legal_project(a, 3);
    for (size_t i = 0; i < 9; i++)
        ck_assert_double_eq_tol(a[i], was[i], 1e-15);
}

/* ---- the Dirichlet of the same moments ----------------------------------- */

/* E ww' by the textbook. */
static double *moments(const double *alpha, size_t k)
{
    double *a = dense_new(k, k), total = 0;

    for (size_t i = 0; i < k; i++)
        total += alpha[i];
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            a[i * k + j] = alpha[i] * (alpha[j] + (i == j)) /
                           (total * (total + 1));
    return a;
}

TEST(parameters_are_found_again)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t k = 2 + seed % 20;
        chance r = {.key = seed};
        double alpha[22], found[22], misfit, total, *a;
        kedge_error err = {0};
        for (size_t i = 0; i < k; i++)
            alpha[i] = 3 * pow(chance_unit(&r), 3) + 1e-3;
        a = moments(alpha, k);
        for (size_t i = 0; i < k * k; i++) /* A's sum need not be 1 */
            a[i] *= 1.0 + 0.1 * (double)(seed % 3);
        ck_assert(dirichlet_match(a, k, found, &misfit));
        for (size_t i = 0; i < k; i++)
            ck_assert_double_eq_tol(found[i], alpha[i], 1e-9 * alpha[i]);
        ck_assert_double_le(misfit, 1e-12);
        ck_ok(dirichlet_total(a, k, &total, &misfit, &err), err);
        for (size_t i = 0; i < k; i++)
            total -= alpha[i];
        ck_assert_double_eq_tol(total, 0, 1e-8);
        free(a);
    }
}

static double distance(const double *a, const double *mean, size_t k,
                       double total)
{
    double alpha[16] = {0}, *b, far;

    for (size_t i = 0; i < k; i++)
        alpha[i] = mean[i] * total;
    b = moments(alpha, k);
    far = dense_distance(a, b, k * k);
    free(b);
    return far;
}

/* No other total comes nearer to a matrix that is no Dirichlet's. */
TEST(the_nearest_is_found)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        const size_t k = 2 + seed % 9;
        double *w = dense_random(k, 40, seed), *a, mean[16] = {0};
        double found[16], misfit, total = 0, sum = 0, far;
        for (size_t i = 0; i < k * 40; i++)
            w[i] = pow(fabs(w[i]), 3);
        a = dense_times(dense_as(w, 40), dense_turned(w, 40), k, 40, k);
        for (size_t i = 0; i < k * k; i++)
            sum += a[i];
        for (size_t i = 0; i < k * k; i++)
            mean[i / k] += a[i] /= sum;
        ck_assert(dirichlet_match(a, k, found, &misfit));
        for (size_t i = 0; i < k; i++)
            total += found[i];
        far = distance(a, mean, k, total);
        ck_assert_double_eq_tol(misfit, far / dense_norm(a, k * k), 1e-12);
        ck_assert(far <= distance(a, mean, k, 1.01 * total));
        ck_assert(far <= distance(a, mean, k, 0.99 * total));
        free(w);
        free(a);
    }
}

TEST(where_there_is_none_it_is_said)
{
    const double alike[] = {0.1, 0.4, 0.4, 0.1}; /* together, never alone */
    const double apart[] = {0.6, -0.1, -0.1, 0.6}, none[4] = {0};
    const double gone[] = {1.1, -0.1, -0.1, 0.1};
    const double bad[] = {NAN, 0, 0, 1};
    const double *const all[] = {alike, apart, none, gone, bad};
    double alpha[2], misfit;

    for (size_t i = 0; i < 5; i++) {
        alpha[0] = misfit = 7;
        ck_assert(!dirichlet_match(all[i], 2, alpha, &misfit));
        ck_assert_double_eq(alpha[0], 0);
        ck_assert_double_eq(misfit, 0);
    }
}
