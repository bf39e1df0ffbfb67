/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "topics/convex.h"

/* Y = B G with anchors in rows 3, 10, 17, ..; `noise` relative. */
static double *statistics(size_t n, size_t k, uint64_t seed, double noise,
                          double **b)
{
    chance r = {.key = seed};
    double *g = dense_random(k, k, seed + 7), *y;

    *b = dense_new(n, k);
    for (size_t i = 0; i < k * k; i++)
        g[i] = fabs(g[i]) * 0.2 + (i % (k + 1) == 0);
    for (size_t i = 0; i < n * k; i++)
        (*b)[i] = pow(chance_unit(&r), 3);
    for (size_t t = 0; t < k; t++)
        for (size_t c = 0; c < k; c++)
            (*b)[(3 + 7 * t) * k + c] = t == c ? 2 : 0;
    dense_columns_to_one(*b, n, k);
    y = dense_times(dense_as(*b, k), dense_as(g, k), n, k, k);
    for (size_t i = 0; i < n * k; i++)
        y[i] *= 1 + noise * chance_normal(&r);
    free(g);
    return y;
}

static void anchors(uint64_t *anchor, size_t k)
{
    for (size_t t = 0; t < k; t++)
        anchor[t] = 3 + 7 * t;
}

TEST(planted_topics_are_found)
{
    kedge_error err = {0};

    blas_begin(4, NULL);
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 2 + seed % 10, n = 200 + 31 * seed;
        uint64_t anchor[12];
        double z[12];
        double *b, *y = statistics(n, k, seed, 0, &b);
        OWNED double *found = dense_new(n, k);
        OWN(pool_end) pool *p = dense_pool(1 + (unsigned)seed % 3);
        anchors(anchor, k);
        ck_ok(recover_topics(p, n, k, y, anchor, found, z, &err), err);
        for (size_t i = 0; i < n * k; i++)
            ck_assert_double_eq_tol(found[i], b[i], 1e-11);
        for (size_t t = 0; t < k; t++)
            ck_assert_double_eq_tol(z[t] * b[anchor[t] * k + t], 1, 1e-9);
        free(b);
        free(y);
    }
}

/* The printed steps, on the whole of C and by elimination; then the nearest
 * point of the simplex, by bisection. */
static void recover_plainly(const double *y, size_t n, size_t k,
                            const uint64_t *anchor, double *b)
{
    OWNED double *ys = dense_new(k, k), *solved = dense_new(n + 1, k);
    const double *const z = solved + n * k;

    for (size_t t = 0; t < k; t++)
        memcpy(ys + t * k, y + anchor[t] * k, k * sizeof *y);
    OWNED double *qs = dense_times(dense_as(ys, k), dense_turned(y, k), k, k,
                                   n);
    for (size_t column = 0; column <= n; column++) { /* the last: their sum */
        OWNED double *qss = dense_times(dense_as(ys, k), dense_turned(ys, k),
                                        k, k, k);
        for (size_t t = 0; t < k; t++)
            for (size_t j = 0; j < n; j++)
                if (column == n || j == column)
                    solved[column * k + t] += qs[t * n + j];
        ck_assert(convex_eliminate(qss, solved + column * k, k));
    }
    for (size_t t = 0; t < k; t++) {
        double low = -1, high = 1;
        for (int step = 0; step < 80; step++) {
            const double middle = 0.5 * (low + high);
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += fmax(solved[j * k + t] / z[t] - middle, 0);
            *(sum > 1 ? &low : &high) = middle;
        }
        for (size_t j = 0; j < n; j++)
            b[j * k + t] = fmax(solved[j * k + t] / z[t] - low, 0);
    }
}

TEST(noise_is_as_in_the_plain_way)
{
    kedge_error err = {0};
    size_t cut = 0;

    blas_begin(4, NULL);
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t k = 5, n = 120;
        uint64_t anchor[5];
        double z[5];
        double *b, *y = statistics(n, k, seed, 0.1, &b);
        OWNED double *found = dense_new(n, k), *plain = dense_new(n, k);
        OWN(pool_end) pool *p = dense_pool(1 + (unsigned)seed % 3);
        anchors(anchor, k);
        ck_ok(recover_topics(p, n, k, y, anchor, found, z, &err), err);
        recover_plainly(y, n, k, anchor, plain);
        for (size_t i = 0; i < n * k; i++) {
            ck_assert_double_eq_tol(found[i], plain[i], 1e-8);
            ck_assert(found[i] >= 0);
            cut += found[i] == 0;
        }
        free(b);
        free(y);
    }
    ck_assert_uint_gt(cut, 8 * 5 * 4 + 20); /* beyond what anchors have not */
}

TEST(what_has_no_inverse_is_told)
{
    kedge_error err = {0};
    uint64_t twice[] = {1, 1}, apart[] = {0, 1};
    double y[] = {1, 0, 0, 1, 0, -1}, b[6], z[2];
    OWN(pool_end) pool *p = dense_pool(1);

    blas_begin(4, NULL);
    ck_fails(recover_topics(p, 3, 2, y, twice, b, z, &err), KEDGE_ENUMERIC, err,
             "depend on each other");
    ck_fails(recover_topics(p, 3, 2, y, apart, b, z, &err), KEDGE_ENUMERIC, err,
             "topic 2 of 2 has no mass");
}

TEST(no_memory_is_survived)
{
    kedge_error err = {0};
    uint64_t anchor[3];
    double z[3];
    double *b, *y = statistics(50, 3, 1, 0, &b), found[150];
    OWN(pool_end) pool *p = dense_pool(1);

    blas_begin(4, NULL);
    anchors(anchor, 3);
    GATE_LOOP {
        GATE_TRY(recover_topics(p, 50, 3, y, anchor, found, z, &err));
    }
    free(b);
    free(y);
}
