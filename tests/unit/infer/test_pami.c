/* SPDX-License-Identifier: MIT */
#include "infer/joint.h"

#include "infer/planned.h"

UNIT_END(pami, pami, pami_free)

/* The iteration as it is printed: R'R = MA, Q'Q = I, all documents at once. */
typedef struct twin {
    size_t k, m;
    double *r, *back, *inverse; /* R, R^-1, (R'R)^-1 */
    double *f, *q, *dual;       /* m x k */
    double rho;
    squares *squares;
} twin;

/* Upper R with R'R = a, and its inverse. */
static void twin_factor(twin *t, const double *a)
{
    const size_t k = t->k;

    for (size_t i = 0; i < k; i++)
        for (size_t j = i; j < k; j++) {
            double x = a[i * k + j];
            for (size_t l = 0; l < i; l++)
                x -= t->r[l * k + i] * t->r[l * k + j];
            t->r[i * k + j] = i == j ? sqrt(x) : x / t->r[i * k + i];
        }
    for (size_t j = 0; j < k; j++)
        for (size_t i = j + 1; i-- > 0;) {
            double x = i == j ? 1 : 0;
            for (size_t l = i + 1; l <= j; l++)
                x -= t->r[i * k + l] * t->back[l * k + j];
            t->back[i * k + j] = x / t->r[i * k + i];
        }
    free(t->inverse);
    t->inverse = dense_times(dense_as(t->back, k), dense_turned(t->back, k), k,
                             k, k);
}

static twin twin_make(const planned *o, const piece *d, double step)
{
    const size_t k = o->k, m = d->count;
    twin t = {.k = k, .m = m, .r = dense_new(k, k), .back = dense_new(k, k),
              .inverse = dense_new(k, k), .dual = dense_new(m, k)};
    OWNED double *a = dense_copy(o->prior->a, k * k);
    double trace = 0;
    OWNED double *values = dense_new(k, 1), *v = dense_new(k, k), *f = NULL;
    kedge_error err = {0};

    for (size_t i = 0; i < k; i++)
        trace += a[i * k + i];
    for (size_t i = 0; i < k; i++)
        a[i * k + i] += 1e-2 * trace / (double)k;
    for (size_t i = 0; i < k * k; i++)
        a[i] *= (double)m / (1 + 1e-2 * trace);
    twin_factor(&t, a);
    t.f = dense_times(dense_as(d->q, d->stride), dense_turned(t.r, k), m, k,
                      k);
    t.q = dense_times(dense_as(d->w, d->stride), dense_as(t.back, k), m, k,
                      k);
    f = dense_copy(t.f, m * k);
    dense_svd(f, m, k, values, v);
    t.rho = step * values[k - 1 - k / 2];
    ck_ok(squares_create(k, &t.squares, &err), err);
    return t;
}

static void twin_free(twin *t)
{
    free(t->r);
    free(t->back);
    free(t->inverse);
    free(t->f);
    free(t->q);
    free(t->dual);
    squares_free(t->squares);
}

/* The polar factor of x, in its place. */
static void twin_polar(const twin *t, double *x)
{
    const size_t k = t->k;
    OWNED double *s = dense_new(k, 1), *v = dense_new(k, k), *turned = NULL;

    dense_svd(x, t->m, k, s, v);
    for (size_t i = 0; i < t->m * k; i++)
        x[i] /= s[i % k];
    turned = dense_times(dense_as(x, k), dense_as(v, k), t->m, k, k);
    memcpy(x, turned, t->m * k * sizeof *x);
}

/* One round; the shares. */
static double *twin_round(twin *t)
{
    const size_t k = t->k, all = t->m * k;
    double *const w = dense_new(t->m, k);
    OWNED double *v = dense_new(t->m, k), *right = NULL, *p = NULL;

    for (size_t i = 0; i < all; i++)
        v[i] = t->q[i] + t->dual[i];
    right = dense_times(dense_as(v, k), dense_turned(t->back, k), t->m, k, k);
    for (size_t m = 0; m < t->m; m++)
        ck_assert_uint_gt(squares_solve(t->squares, k, t->inverse,
                                        right + m * k, 1000, w + m * k), 0);
    p = dense_times(dense_as(w, k), dense_as(t->back, k), t->m, k, k);
    for (size_t i = 0; i < all; i++)
        t->q[i] = t->f[i] + t->rho * (p[i] - t->dual[i]);
    twin_polar(t, t->q);
    for (size_t i = 0; i < all; i++)
        t->dual[i] += t->q[i] - p[i];
    return w;
}

static double *mean_of(const double *x, size_t stride, size_t m, size_t k)
{
    double *const mean = dense_new(k, k);

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k * k; j++)
            mean[j] += x[i * stride + j / k] * x[i * stride + j % k] /
                       (double)m;
    return mean;
}

TEST(it_is_the_iteration_as_printed)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        OWN(planned_free) planned o = planned_make(2 + seed, 100, seed);
        const size_t k = o.k;
        kedge_error err = {0};
        OWNED double *work = dense_new(3 * PIECE_MOST, k);
        OWN(planned_piece_free) piece d = planned_piece(&o, work);
        joint_input in = planned_input(&o, KEDGE_INFER_PAMI);
        OWN(twin_free) twin t = twin_make(&o, &d,
                                          in.step = 0.3 + 0.2 * (double)seed);
        OWNED double *mean = mean_of(d.q, d.stride, d.count, k);
        OWN(pami_end) pami *p = NULL;

        ck_ok(pami_create(&in, &p, &err), err);
        for (int round = 0; round < 8; round++) {
            OWNED double *w = twin_round(&t);
            ck_ok(pami_begin(p, mean, &err), err);
            pami_run(p, &d);
            for (size_t i = 0; i < d.count * k; i++)
                ck_assert_double_eq_tol(d.w[i / k * d.stride + i % k], w[i],
                                        1e-7);
            for (size_t i = 0; i < k * k; i++)
                mean[i] = d.sum[i] / (double)d.count;
        }
    }
}
