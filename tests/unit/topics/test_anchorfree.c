/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "linalg/dense.h"

static const kedge_control quiet;

/*
 * A model without anchors: every word is of two topics, of neither more than
 * `most`; or, with anchors, some are of one alone. Y with YY' = BAB', of D B
 * where words have weights d.
 */
typedef struct model {
    size_t rows, k;
    double *b, *a, *y, *sums, *weight;
    uint64_t *df;
} model;

static void columns_to_one(double *b, size_t rows, size_t k)
{
    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++)
            sum += b[i * k + c];
        for (size_t i = 0; i < rows; i++)
            b[i * k + c] /= sum;
    }
}

/* Word i is of topics i and another, in turn, this way and that. */
static void model_topics(model *m, double most, bool anchors, chance *r)
{
    const size_t k = m->k;

    for (size_t i = 0; i < m->rows; i++) {
        const size_t one = i % k, other = (one + 1 + i / k % (k - 1)) % k;
        const double size = 0.2 + chance_unit(r);
        const double part =
            anchors && i < k           ? 1
            : chance_below(r, 3) == 0 ? most
                                       : 1 - most + (2 * most - 1) *
                                                        chance_unit(r);
        m->b[i * k + one] = size * part;
        m->b[i * k + other] = size * (1 - part);
    }
    columns_to_one(m->b, m->rows, k);
}

/* A = G G', diagonally heavy; Y = D B G Q, Q a rotation; the total is one. */
static void model_correlate(model *m, chance *r)
{
    const size_t k = m->k;
    double *g = dense_new(k, k), *turn = dense_orthonormal(k, k, r->key);
    double sum = 0, *db = dense_copy(m->b, m->rows * k), *gq;

    for (size_t i = 0; i < k * k; i++)
        g[i] = i % (k + 1) == 0 ? 1 + 0.5 * chance_unit(r)
                                : 0.2 * chance_unit(r);
    m->a = dense_times(dense_as(g, k), dense_turned(g, k), k, k, k);
    for (size_t i = 0; i < k * k; i++)
        sum += m->a[i];
    for (size_t i = 0; i < k * k; i++) {
        m->a[i] /= sum;
        g[i] /= sqrt(sum);
    }
    for (size_t i = 0; m->weight != NULL && i < m->rows * k; i++)
        db[i] *= m->weight[i / k];
    gq = dense_times(dense_as(g, k), dense_as(turn, k), k, k, k);
    m->y = dense_times(dense_as(db, k), dense_as(gq, k), m->rows, k, k);
    free(g);
    free(turn);
    free(gq);
    free(db);
}

/* Y's own row sums. */
static void model_sums(model *m)
{
    const size_t k = m->k;
    double *total = dense_new(k, 1);

    for (size_t i = 0; i < m->rows * k; i++)
        total[i % k] += m->y[i];
    for (size_t i = 0; i < m->rows * k; i++)
        m->sums[i / k] += m->y[i] * total[i % k];
    free(total);
}

static model model_make(size_t rows, size_t k, double most, bool anchors,
                        bool weighted, uint64_t seed)
{
    chance r = {.key = seed};
    model m = {.rows = rows, .k = k, .b = dense_new(rows, k),
               .sums = dense_new(rows, 1),
               .weight = weighted ? dense_new(rows, 1) : NULL,
               .df = calloc(rows, sizeof *m.df)};

    for (size_t i = 0; i < rows; i++) {
        m.df[i] = 50;
        if (weighted)
            m.weight[i] = 0.5 + 3 * chance_unit(&r);
    }
    model_topics(&m, most, anchors, &r);
    model_correlate(&m, &r);
    model_sums(&m);
    return m;
}

static void model_free(model *m)
{
    free(m->b);
    free(m->a);
    free(m->y);
    free(m->sums);
    free(m->weight);
    free(m->df);
}

static law_input input_of(const model *m)
{
    return (law_input){.rows = m->rows, .k = m->k, .y = m->y,
                       .sums = m->sums, .weight = m->weight, .df = m->df,
                       .min_df = 10, .steps = 2000, .tolerance = 1e-9};
}

static law_output fit(const model *m, bool with_anchors, unsigned threads)
{
    const law_input in = input_of(m);
    kedge_error err = {0};
    law_output out;
    pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    if (with_anchors)
        ck_ok(law_fit(p, &in, &out, &err), err);
    else
        ck_ok(anchorfree_fit(p, &in, &quiet, &out, &err), err);
    pool_free(p);
    return out;
}

/* The mean over topics of |b - b found|_1, each beside the one that is nearest;
 * which one that is. */
static double apart(const model *m, const law_output *o, size_t *of)
{
    const size_t k = m->k;
    double sum = 0;

    for (size_t t = 0; t < k; t++) {
        double least = INFINITY;
        for (size_t u = 0; u < k; u++) {
            double l1 = 0;
            for (size_t i = 0; i < m->rows; i++)
                l1 += fabs(m->b[i * k + t] - o->b[i * k + u]);
            if (l1 < least) {
                least = l1;
                of[t] = u;
            }
        }
        sum += least;
    }
    return sum / (double)k;
}

TEST(topics_without_anchors_are_found)
{
    static const double most[] = {0.7, 0.7, 0.65, 0.6};

    for (uint64_t seed = 0; seed < 16; seed++) {
        const size_t k = 3 + seed % 4;
        model m = model_make(60 * k, k, most[seed % 4], false, seed % 8 >= 4,
                             seed);
        double total = 0;
        size_t of[8];
        law_output o = fit(&m, false, 1 + (unsigned)seed % 2);
        ck_assert_msg(apart(&m, &o, of) < 1e-3, "seed %d: %g", (int)seed,
                      apart(&m, &o, of));
        for (size_t i = 0; i < k * k; i++)
            total += o.a[i];
        for (size_t i = 0; i < k * k; i++)
            ck_assert_double_eq_tol(o.a[of[i / k] * k + of[i % k]] / total,
                                    m.a[i], 1e-3);
        law_free(&o);
        if (m.weight == NULL) {
            o = fit(&m, true, 1);
            ck_assert_double_gt(apart(&m, &o, of), 0.2);
            law_free(&o);
        }
        model_free(&m);
    }
}

/* Where there are anchors it finds what they do. */
TEST(anchors_are_found_too)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t k = 3 + seed;
        model m = model_make(40 * k, k, 0.8, true, seed % 2 == 1, seed);
        size_t of[8];
        law_output o = fit(&m, false, 2);
        ck_assert_double_lt(apart(&m, &o, of), 1e-3);
        for (size_t t = 0; t < k; t++)
            ck_assert_uint_eq(o.anchor[of[t]], t);
        law_free(&o);
        model_free(&m);
    }
}

/* Every output has its shape, as those of law_fit have. */
TEST(what_comes_out_is_a_model)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        model m = model_make(30, 3, 0.7, false, seed % 2 == 1, seed);
        double before = INFINITY;
        m.df[7] = 2; /* no constraint, and no stand-in for an anchor */
        law_output o = fit(&m, false, 1);
        ck_assert_uint_eq(o.candidates, 29);
        ck_assert_uint_ge(o.steps, 1);
        ck_assert_uint_eq(o.characteristic_count, 30);
        for (size_t t = 0; t < 3; t++) {
            double sum = 0, share = 0;
            bool seen[30] = {false};
            for (size_t i = 0; i < 30; i++) {
                ck_assert_double_ge(o.b[i * 3 + t], 0);
                sum += o.b[i * 3 + t];
                seen[o.characteristic[t * LAW_CHARACTERISTIC + i]] = true;
            }
            for (size_t i = 0; i < 30; i++)
                ck_assert(seen[i]);
            for (size_t u = 0; u < 3; u++) {
                share += o.a[t * 3 + u];
                ck_assert_double_eq(o.a[t * 3 + u], o.a[u * 3 + t]);
            }
            ck_assert_double_eq_tol(sum, 1, 1e-9);
            ck_assert_double_le(share, before);
            ck_assert(o.anchor[t] < 30 && o.anchor[t] != 7);
            before = share;
        }
        law_free(&o);
        model_free(&m);
    }
}

/* Words that co-occur most with a topic: those of largest D B A. */
TEST(characteristic_words_are_in_order)
{
    model m = model_make(90, 4, 0.65, false, true, 3);
    law_output o = fit(&m, false, 1);

    for (size_t t = 0; t < 4; t++) {
        double last = INFINITY;
        for (size_t j = 0; j < LAW_CHARACTERISTIC; j++) {
            const size_t i = o.characteristic[t * LAW_CHARACTERISTIC + j];
            double v = 0;
            for (size_t u = 0; u < 4; u++)
                v += m.weight[i] * o.b[i * 4 + u] * o.a[u * 4 + t];
            ck_assert_double_le(v, last * (1 + 1e-9));
            last = v;
        }
    }
    law_free(&o);
    model_free(&m);
}

TEST(threads_leave_no_trace)
{
    model m = model_make(200, 5, 0.65, false, true, 9);
    law_output one = fit(&m, false, 1);

    for (unsigned threads = 2; threads <= 3; threads++) {
        law_output other = fit(&m, false, threads);
        ck_assert_mem_eq(one.b, other.b, 1000 * sizeof *one.b);
        ck_assert_mem_eq(one.a, other.a, 25 * sizeof *one.a);
        ck_assert_mem_eq(one.anchor, other.anchor, 5 * sizeof *one.anchor);
        law_free(&other);
    }
    law_free(&one);
    model_free(&m);
}

static int stop_at_once(void *data)
{
    (void)data;
    return 1;
}

TEST(what_does_not_work_is_told)
{
    model m = model_make(40, 3, 0.7, false, false, 1);
    const kedge_control control = {.stop = stop_at_once};
    kedge_error err = {0};
    law_input in = input_of(&m);
    law_output out;
    pool *p = dense_pool(1);

    blas_begin(4, NULL);
    ck_assert_int_eq(anchorfree_fit(p, &in, &control, &out, &err),
                     KEDGE_ECANCELED);
    in.min_df = 51;
    ck_fails(anchorfree_fit(p, &in, &quiet, &out, &err), KEDGE_ENUMERIC, err,
             "0 words are in 51 documents");
    in.min_df = 10;
    for (size_t i = 0; i < m.rows; i++) /* one dimension fewer */
        m.y[i * 3 + 2] = 0;
    ck_assert_int_eq(anchorfree_fit(p, &in, &quiet, &out, &err),
                     KEDGE_ENUMERIC);
    ck_assert_ptr_null(out.b);
    pool_free(p);
    model_free(&m);
}

TEST(no_memory_is_survived)
{
    model m = model_make(40, 3, 0.7, false, true, 2);
    const law_input in = input_of(&m);
    kedge_status st = KEDGE_ENOMEM;
    kedge_error err = {0};
    pool *p = dense_pool(1);
    long k = 0;

    blas_begin(4, NULL);
    for (; st != KEDGE_OK; k += k < 60 ? 1 : 97) {
        law_output out;
        gate_allow(k);
        st = anchorfree_fit(p, &in, &quiet, &out, &err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        ck_assert(st == KEDGE_OK || out.b == NULL);
        ck_assert_int_lt(k, 50000);
        if (st == KEDGE_OK)
            law_free(&out);
    }
    ck_assert_int_gt(k, 30);
    pool_free(p);
    model_free(&m);
}
