/* SPDX-License-Identifier: MIT */
#include "topics/anchors.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "topics/simplices.h"

/* How long the part of x is that is orthogonal to the anchors but the i-th. */
static double distance(const simplices *s, const uint64_t *anchor, size_t i,
                       const double *x)
{
    const size_t k = s->k;
    double *const basis = dense_new(k, k), *const rest = dense_copy(x, k);
    double far;

    for (size_t a = 0, n = 0; a < k; a++) {
        double *const q = basis + n * k;
        if (a == i)
            continue;
        memcpy(q, s->x + anchor[a] * k, k * sizeof *q);
        for (size_t b = 0; b < 2 * n; b++) {
            double along = 0;
            for (size_t c = 0; c < k; c++)
                along += q[c] * basis[b % n * k + c];
            for (size_t c = 0; c < k; c++)
                q[c] -= along * basis[b % n * k + c];
        }
        const double norm = dense_norm(q, k);
        for (size_t c = 0; c < k; c++)
            q[c] /= norm;
        n++;
    }
    for (size_t b = 0; b < 2 * (k - 1); b++) {
        const double *const q = basis + b % (k - 1) * k;
        double along = 0;
        for (size_t c = 0; c < k; c++)
            along += rest[c] * q[c];
        for (size_t c = 0; c < k; c++)
            rest[c] -= along * q[c];
    }
    far = dense_norm(rest, k);
    free(basis);
    free(rest);
    return far;
}

/* The printed loop, all distances anew each time. */
static void clean_plainly(const simplices *s, uint64_t *anchor)
{
    for (size_t i = 0; i < s->k; i++) {
        double most = (1 + 1e-9) *
                      distance(s, anchor, i, s->x + anchor[i] * s->k);
        size_t best = anchor[i];
        for (size_t r = 0; r < s->rows; r++) {
            const double far = distance(s, anchor, i, s->x + r * s->k);
            if (far > most) {
                most = far;
                best = r;
            }
        }
        anchor[i] = best;
    }
}

TEST(anchors_are_those_of_the_plain_way)
{
    kedge_error err = {0};
    size_t moved = 0;

    for (uint64_t seed = 0; seed < 25; seed++) {
        const size_t k = 2 + seed % 7;
        simplices s = simplices_cloud(k, 60 + 9 * seed, seed);
        anchors_input in = simplices_input(&s, KEDGE_ANCHORS_FAST);
        uint64_t first[8], fast[8], plain[8];
        double residual[8];
        pool *p = dense_pool(1 + (unsigned)seed % 2);
        in.kind = KEDGE_ANCHORS_QR;
        ck_ok(anchors_find(p, &in, first, residual, &err), err);
        memcpy(plain, first, sizeof plain);
        clean_plainly(&s, plain);
        in.kind = KEDGE_ANCHORS_FAST;
        ck_ok(anchors_find(p, &in, fast, residual, &err), err);
        for (size_t a = 0; a < k; a++) {
            ck_assert_uint_eq(fast[a], plain[a]);
            moved += fast[a] != first[a];
            ck_assert_double_eq_tol(
                residual[a], distance(&s, fast, a, s.x + fast[a] * k),
                1e-9 * residual[a]);
        }
        pool_free(p);
        simplices_free(&s);
    }
    ck_assert_uint_gt(moved, 10); /* or there was nothing to clean */
}

TEST(anchors_that_depend_on_each_other_are_refused)
{
    kedge_error err = {0};
    simplices s = simplices_cloud(3, 20, 1);
    const anchors_input in = simplices_input(&s, KEDGE_ANCHORS_FAST);
    uint64_t anchor[] = {4, 9, 4};
    double residual[3];
    pool *p = dense_pool(1);

    ck_fails(farthest_clean(p, &in, anchor, residual, &err), KEDGE_ENUMERIC,
             err, "depend on each other");
    pool_free(p);
    simplices_free(&s);
}

/* With y = 1 the result is PP' / columns; and for any Y it is Y' (that) Y. */
TEST(projections_are_those_of_signs)
{
    static const size_t columns[] = {1, 63, 64, 200};
    kedge_error err = {0};

    blas_begin(4, NULL);
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t n = 40, k = 7, width = columns[seed % 4];
        double *one = dense_new(n, n), *pp = dense_new(n, n), *left, *right;
        double *y = dense_random(n, k, seed), *gram = dense_new(k, k);
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        for (size_t i = 0; i < n; i++)
            one[i * n + i] = 1;
        ck_ok(farthest_project(p, n, one, n, width, seed, pp, &err), err);
        for (size_t i = 0; i < n * n; i++) {
            const double times = pp[i] * (double)width;
            if (i % (n + 1) == 0)
                ck_assert_double_eq(pp[i], 1);
            ck_assert_double_eq_tol(times, round(times), 1e-9);
            ck_assert(i % (n + 1) == 0 || width == 1 || fabs(pp[i]) < 1);
        }
        ck_ok(farthest_project(p, n, y, k, width, seed, gram, &err), err);
        left = dense_times(dense_turned(y, k), dense_as(pp, n), k, n, n);
        right = dense_times(dense_as(left, n), dense_as(y, k), k, n, k);
        for (size_t i = 0; i < k * k; i++)
            ck_assert_double_eq_tol(gram[i], right[i], 1e-9);
        pool_free(p);
        free(one);
        free(pp);
        free(y);
        free(gram);
        free(left);
        free(right);
    }
}

/* Many columns keep distances; and threads and tiles do not matter. */
TEST(wide_projections_keep_distances)
{
    kedge_error err = {0};
    const size_t n = 3000, k = 5;
    double *y = dense_random(n, k, 3), gram[25], again[25], other[25];
    double *exact = dense_times(dense_turned(y, k), dense_as(y, k), k, n, k);
    pool *one = dense_pool(1), *two = dense_pool(2);

    blas_begin(4, NULL);
    ck_ok(farthest_project(one, n, y, k, 20000, 1, gram, &err), err);
    ck_ok(farthest_project(two, n, y, k, 20000, 1, again, &err), err);
    ck_ok(farthest_project(two, n, y, k, 20000, 2, other, &err), err);
    ck_assert_mem_eq(gram, again, sizeof gram);
    ck_assert_mem_ne(gram, other, sizeof gram);
    for (size_t i = 0; i < k * k; i++)
        ck_assert_double_eq_tol(gram[i], exact[i], 0.05 * (double)n);
    pool_free(one);
    pool_free(two);
    free(y);
    free(exact);
}
