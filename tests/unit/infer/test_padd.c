/* SPDX-License-Identifier: MIT */
#include "infer/joint.h"

#include "infer/planned.h"

UNIT_END(padd, padd, padd_free)

/* Λ and what it is made of, the plain way. */
typedef struct twin {
    double *dual, *mean, *s;
} twin;

static void twin_follow(const planned *o, const joint_input *in, twin *t)
{
    const size_t k = o->k;
    const double *const a = o->prior->a, *const g = o->gram;

    for (size_t i = 0; i < k * k; i++) {
        const size_t c = i / k * (k + 1), r = i % k * (k + 1);
        double by = in->step * (t->mean[i] - a[i]);
        if (!in->faithful)
            by *= sqrt(g[c] * g[r] / (a[c] * a[r]));
        t->dual[i] += by;
        if (in->faithful && t->dual[i] < 0)
            t->dual[i] = 0;
        t->s[i] = g[i] + t->dual[i] / (in->faithful ? (double)o->documents
                                                    : 1);
    }
}

static void twin_mean(const planned *o, const piece *d, twin *t)
{
    memset(t->mean, 0, o->k * o->k * sizeof(double));
    for (size_t m = 0; m < d->count; m++)
        for (size_t i = 0; i < o->k * o->k; i++)
            t->mean[i] += d->w[m * d->stride + i / o->k] *
                          d->w[m * d->stride + i % o->k] /
                          (double)o->documents;
}

/* On the simplex, and no direction leads down from it. */
static void check_document(size_t k, const double *s, const double *q,
                           const double *w, double slack)
{
    double least = INFINITY, along = 0, sum = 0;

    for (size_t i = 0; i < k; i++) {
        double slope = -2 * q[i];
        for (size_t j = 0; j < k; j++)
            slope += 2 * s[i * k + j] * w[j];
        least = fmin(least, slope);
        along += slope * w[i];
        ck_assert(w[i] >= 0);
        sum += w[i];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
    ck_assert_double_le(along - least, slack);
}

static void run_rounds(const planned *o, bool faithful, double step,
                       double slack)
{
    const size_t k = o->k;
    kedge_error err = {0};
    OWNED double *work = dense_new(3 * PIECE_MOST, k);
    OWN(planned_piece_free) piece d = planned_piece(o, work);
    twin t = {dense_new(k, k), dense_new(k, k), dense_copy(o->gram, k * k)};
    joint_input in = planned_input(o, KEDGE_INFER_PADD);
    OWN(padd_end) padd *p = NULL;

    in.faithful = faithful;
    in.step = step;
    ck_ok(padd_create(&in, &p, &err), err);
    for (int round = 0; round < 6; round++) {
        if (round > 0)
            twin_follow(o, &in, &t);
        ck_ok(padd_begin(p, round > 0 ? t.mean : NULL, o->documents, &err),
              err);
        padd_run(p, &d);
        for (size_t m = 0; m < d.count; m++)
            check_document(k, t.s, d.q + m * d.stride, d.w + m * d.stride,
                           slack * o->gram[0]);
        twin_mean(o, &d, &t);
    }
    free(t.dual);
    free(t.mean);
    free(t.s);
}

TEST(shares_are_the_best_for_a_price_that_follows)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        OWN(planned_free) planned o = planned_make(1 + seed, 100, seed);
        run_rounds(&o, true, 0.05, 1e-9);
        run_rounds(&o, true, 20, 1e-9);
        run_rounds(&o, false, 0.02, 1e-2);
    }
}

/* A price that makes problems concave: shares go to a corner. */
TEST(concave_problems_have_an_end)
{
    OWN(planned_free) planned o = planned_make(4, 60, 5);
    const size_t k = o.k;
    kedge_error err = {0};
    OWNED double *work = dense_new(3 * PIECE_MOST, k), *mean = dense_new(k, k);
    OWN(planned_piece_free) piece d = planned_piece(&o, work);
    joint_input in = planned_input(&o, KEDGE_INFER_PADD);
    OWN(padd_end) padd *p = NULL;

    in.step = 1e3;
    for (size_t i = 0; i < k * k; i++)
        mean[i] = i % (k + 1) == 0 ? 0 : 1;
    ck_ok(padd_create(&in, &p, &err), err);
    ck_ok(padd_begin(p, mean, o.documents, &err), err);
    padd_run(p, &d);
    for (size_t m = 0; m < d.count; m++) {
        double most = 0;
        for (size_t t = 0; t < k; t++)
            most = fmax(most, d.w[m * d.stride + t]);
        ck_assert_double_eq_tol(most, 1, 1e-9);
    }
}
