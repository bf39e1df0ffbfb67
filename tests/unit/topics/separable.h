/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TOPICS_SEPARABLE_H
#define TESTS_UNIT_TOPICS_SEPARABLE_H
/* Models that anchor words tell exactly, and what of them is to be found. */
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "topics/law.h"

/*
 * A separable model: topics B (columns sum to 1) with an anchor each, their
 * correlations A (positive definite, sum 1), Y with YY' = BAB'.
 */
typedef struct model {
    size_t rows, k;
    double *b, *a, *y, *sums;
    uint64_t *df, *anchor;
} model;

static inline void model_topics(model *m, chance *r)
{
    const size_t k = m->k;

    for (size_t i = 0; i < m->rows * k; i++)
        m->b[i] = pow(chance_unit(r), 5) + 0.01;
    for (size_t t = 0; t < k; t++) {
        double *row = m->b + m->anchor[t] * k;
        for (size_t c = 0; c < k; c++)
            row[c] = c == t ? 0.5 : 0;
    }
    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        for (size_t i = 0; i < m->rows; i++)
            sum += m->b[i * k + c];
        for (size_t i = 0; i < m->rows; i++)
            m->b[i * k + c] /= sum;
    }
}

/* A = G G' scaled to sum one, diagonally heavy; Y = B G Q, Q a rotation. */
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
    free(g);
    free(turn);
    free(gq);
}

static inline model model_make(size_t rows, size_t k, uint64_t seed)
{
    chance r = {.key = seed};
    model m = {.rows = rows, .k = k, .b = dense_new(rows, k),
               .sums = dense_new(rows, 1),
               .df = calloc(rows, sizeof *m.df),
               .anchor = calloc(k, sizeof *m.anchor)};

    for (size_t t = 0; t < k; t++)
        m.anchor[t] = 3 + t * (rows / (k + 1));
    model_topics(&m, &r);
    model_correlate(&m, &r);
    for (size_t i = 0; i < rows; i++) {
        m.df[i] = 50;
        for (size_t c = 0; c < k; c++)
            for (size_t d = 0; d < k; d++)
                m.sums[i] += m.b[i * k + c] * m.a[c * k + d];
    }
    return m;
}

static inline void model_free(model *m)
{
    free(m->b);
    free(m->a);
    free(m->y);
    free(m->sums);
    free(m->df);
    free(m->anchor);
}

static inline law_input input_of(const model *m, bool diagonal)
{
    return (law_input){.rows = m->rows, .k = m->k, .y = m->y,
                       .sums = m->sums, .df = m->df, .min_df = 10,
                       .diagonal = diagonal, .steps = 5000,
                       .tolerance = 1e-10};
}

static inline law_output fit(const law_input *in, unsigned threads)
{
    kedge_error err = {0};
    law_output out;
    pool *p = dense_pool(threads);

    blas_begin(4, NULL);
    ck_ok(law_fit(p, in, &out, &err), err);
    pool_free(p);
    return out;
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
        for (size_t d = 0; d < k; d++) /* an anchor has one topic */
            if (d != c)
                ck_assert_double_eq(o->b[o->anchor[c] * k + d], 0);
    }
}

/* The planted topic of each that was found. */
static inline void match(const model *m, const law_output *o, size_t *topic)
{
    for (size_t t = 0; t < m->k; t++) {
        topic[t] = SIZE_MAX;
        for (size_t c = 0; c < m->k; c++)
            if (m->anchor[c] == o->anchor[t])
                topic[t] = c;
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
