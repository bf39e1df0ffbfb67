/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TOPICS_SEPARABLE_H
#define TESTS_UNIT_TOPICS_SEPARABLE_H
/* Planted models, and what of them is to be found. */
#include "base/gate.h"
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "topics/law.h"

/*
 * Topics B (columns sum to 1), their correlations A (positive definite, sum 1),
 * Y with YY' = BAB'; once it is weighed, Y and sums are those of D B A B' D.
 */
typedef struct model {
    size_t rows, k;
    double *b, *a, *y, *sums;
    double *weight;   /* NULL: it has none */
    uint64_t *df, *anchor; /* a word of each topic alone */
} model;

static inline void model_free(model *m)
{
    free(m->b);
    free(m->a);
    free(m->y);
    free(m->sums);
    free(m->weight);
    free(m->df);
    free(m->anchor);
}

/* B is there. A = G G' scaled to sum one, diagonally heavy; Y = B G Q, Q a
 * rotation. */
static inline void model_correlate(model *m, chance *r)
{
    const size_t k = m->k;
    double *g = dense_new(k, k), *turn = dense_orthonormal(k, k, r->key);
    double *gq, sum = 0;

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
    gq = dense_times(dense_as(g, k), dense_as(turn, k), k, k, k);
    m->y = dense_times(dense_as(m->b, k), dense_as(gq, k), m->rows, k, k);
    for (size_t i = 0; i < m->rows; i++) {
        m->df[i] = 50;
        for (size_t c = 0; c < k; c++)
            for (size_t d = 0; d < k; d++)
                m->sums[i] += m->b[i * k + c] * m->a[c * k + d];
    }
    free(g);
    free(turn);
    free(gq);
}

static inline model model_new(size_t rows, size_t k)
{
    return (model){.rows = rows, .k = k, .b = dense_new(rows, k),
                   .sums = dense_new(rows, 1), .df = calloc(rows, 8),
                   .anchor = calloc(k, 8)};
}

/* Each topic has an anchor word, and other words are of all topics. */
static inline model model_make(size_t rows, size_t k, uint64_t seed)
{
    chance r = {.key = seed};
    model m = model_new(rows, k);

    for (size_t i = 0; i < rows * k; i++)
        m.b[i] = pow(chance_unit(&r), 5) + 0.01;
    for (size_t t = 0; t < k; t++) {
        m.anchor[t] = 3 + t * (rows / (k + 1));
        for (size_t c = 0; c < k; c++)
            m.b[m.anchor[t] * k + c] = c == t ? 0.5 : 0;
    }
    dense_columns_to_one(m.b, rows, k);
    model_correlate(&m, &r);
    return m;
}

/* Weights D by chance, such that the total stays one. */
static inline void model_weigh(model *m, uint64_t seed)
{
    const size_t k = m->k;
    chance r = {.key = seed + 77};
    double *const d = dense_new(m->rows, 1), *along = dense_new(k, 1);
    double total = 0;

    for (size_t i = 0; i < m->rows; i++) {
        d[i] = 0.2 + 2 * chance_unit(&r);
        for (size_t c = 0; c < k; c++)
            along[c] += d[i] * m->y[i * k + c];
    }
    for (size_t c = 0; c < k; c++)
        total += along[c] * along[c];
    for (size_t i = 0; i < m->rows; i++) {
        d[i] /= sqrt(total);
        m->sums[i] = 0;
        for (size_t c = 0; c < k; c++) {
            m->y[i * k + c] *= d[i];
            m->sums[i] += m->y[i * k + c] * along[c] / sqrt(total);
        }
    }
    free(along);
    m->weight = d;
}

static inline law_input input_of(const model *m, bool diagonal)
{
    return (law_input){.rows = m->rows, .k = m->k, .y = m->y,
                       .sums = m->sums, .weight = m->weight, .df = m->df,
                       .min_df = 10, .diagonal = diagonal, .steps = 5000,
                       .tolerance = 1e-10};
}

static inline law_output fit(const law_input *in, unsigned threads)
{
    kedge_error err = {0};
    law_output out;
    OWN(pool_end) pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(law_fit(p, in, &out, &err), err);
    return out;
}

/* A fit that fails leaves nothing. */
static inline void check_fails(const law_input *in, kedge_status status,
                               const char *part)
{
    kedge_error err = {0};
    law_output out;
    OWN(pool_end) pool *p = dense_pool(1);

    blas_begin(4, NULL);
    ck_fails(law_fit(p, in, &out, &err), status, err, part);
    ck_assert_ptr_null(out.b);
}

static inline void check_memory(const law_input *in)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(2);

    blas_begin(4, NULL);
    GATE_LOOP {
        OWN(law_free) law_output o;
        GATE_TRY(law_fit(p, in, &o, &err));
        ck_assert((o.b == NULL) == (gate_status != KEDGE_OK));
    }
}

static inline void check_threads(const law_input *in)
{
    const size_t k = in->k;
    OWN(law_free) law_output one = fit(in, 1);

    for (unsigned threads = 2; threads <= 3; threads++) {
        OWN(law_free) law_output o = fit(in, threads);
        ck_assert_mem_eq(o.b, one.b, in->rows * k * sizeof *o.b);
        ck_assert_mem_eq(o.a, one.a, k * k * sizeof *o.a);
        ck_assert_mem_eq(o.anchor, one.anchor, k * sizeof *o.anchor);
    }
}

/* What holds for every answer. */
static inline void check_shape(const law_output *o, size_t rows, size_t k)
{
    double before = INFINITY;

    for (size_t c = 0; c < k; c++) {
        double sum = 0, share = 0;
        for (size_t i = 0; i < rows; i++) {
            ck_assert_msg(o->b[i * k + c] >= 0, "B %zu %zu", i, c);
            sum += o->b[i * k + c];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-12);
        for (size_t d = 0; d < k; d++) {
            share += o->a[c * k + d];
            ck_assert_double_eq(o->a[c * k + d], o->a[d * k + c]);
        }
        ck_assert_double_le(share, before + 1e-15);
        before = share;
        ck_assert_uint_lt(o->anchor[c], rows);
    }
}

/* The planted topic of each that was found, which is its anchor's alone. */
static inline void match(const model *m, const law_output *o, size_t *topic)
{
    const size_t k = m->k;

    check_shape(o, m->rows, k);
    for (size_t t = 0; t < k; t++) {
        topic[t] = SIZE_MAX;
        for (size_t c = 0; c < k; c++) {
            if (m->anchor[c] == o->anchor[t])
                topic[t] = c;
            ck_assert(c == t || o->b[o->anchor[t] * k + c] == 0);
        }
        ck_assert_msg(topic[t] != SIZE_MAX, "%u is no anchor",
                      (unsigned)o->anchor[t]);
    }
}

static inline void check_recovery(const model *m, const law_output *o)
{
    const size_t k = m->k;
    size_t topic[32];

    match(m, o, topic);
    for (size_t i = 0; i < m->rows; i++)
        for (size_t t = 0; t < k; t++)
            if (fabs(o->b[i * k + t] - m->b[i * k + topic[t]]) > 1e-4)
                ck_abort_msg("B %zu %zu: %g, not %g", i, t, o->b[i * k + t],
                             m->b[i * k + topic[t]]);
    for (size_t s = 0; s < k; s++)
        for (size_t t = 0; t < k; t++)
            ck_assert_double_eq_tol(o->a[s * k + t],
                                    m->a[topic[s] * k + topic[t]], 1e-4);
}

#endif
