/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "linalg/dense.h"

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
START_TEST(no_legal_matrix_is_nearer)
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
                double *q = dense_new(k, k), *away = dense_copy(a, k * k);
                q[i * k + j] = q[j * k + i] = i == j ? 1 : 0.5;
                for (size_t c = 0; c < k * k; c++) {
                    away[c] -= p[c];
                    q[c] -= p[c];
                }
                ck_assert_double_le(inner(away, q, k * k), 1e-11);
                free(q);
                free(away);
            }
        free(a);
        free(p);
    }
}
END_TEST

START_TEST(a_legal_matrix_stays)
{
    double a[] = {0.3, 0.1, 0, 0.1, 0.2, 0.05, 0, 0.05, 0.2}, was[9];

    memcpy(was, a, sizeof a);
    legal_project(a, 3);
    for (size_t i = 0; i < 9; i++)
        ck_assert_double_eq_tol(a[i], was[i], 1e-15);
}
END_TEST

UNIT_SUITE("legal",
    no_legal_matrix_is_nearer,
    a_legal_matrix_stays)
