/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TOPICS_SIMPLICES_H
#define TESTS_UNIT_TOPICS_SIMPLICES_H
/*
 * Rows in a simplex whose vertices are known, for all ways to anchors. As in
 * the statistics, vertices are probabilities turned into k dimensions.
 */
#include "base/gate.h"
#include "linalg/dense.h"
#include "topics/anchors.h"

typedef struct simplices {
    size_t k, rows;
    double *x, *scratch;
    uint64_t *all;
} simplices;

static inline simplices simplices_new(size_t k, size_t rows)
{
    simplices s = {.k = k, .rows = rows, .x = dense_new(rows, k),
                   .scratch = dense_new(rows, 2 * k),
                   .all = calloc(rows, sizeof *s.all)};

    for (size_t i = 0; i < rows; i++)
        s.all[i] = i;
    return s;
}

static inline void simplices_free(simplices *s)
{
    free(s->x);
    free(s->scratch);
    free(s->all);
}

/* No vertices in particular: normal rows, each column `fall` times the one
 * before. */
static inline simplices simplices_cloud(size_t k, size_t rows, double fall,
                                        uint64_t seed)
{
    simplices s = simplices_new(k, rows);
    chance r = {.key = seed};

    chance_fill(&r, s.x, rows * k);
    for (size_t i = 0; i < rows * k; i++)
        s.x[i] *= pow(fall, (double)(i % k));
    return s;
}

static inline anchors_input simplices_input(const simplices *s,
                                            kedge_anchors kind)
{
    return (anchors_input){.kind = kind, .k = s->k, .x = s->x,
                           .candidate = s->all, .candidates = s->rows,
                           .scratch = s->scratch};
}

/* Where vertex c stands. */
static inline size_t simplices_place(const simplices *s, size_t c)
{
    return 3 + c * (s->rows / (s->k + 1));
}

#define SIMPLICES_MOST 20 /* anchors */

typedef struct anchors_found {
    uint64_t row[SIMPLICES_MOST];
    double residual[SIMPLICES_MOST];
} anchors_found;

static inline kedge_status simplices_find(const simplices *s,
                                          kedge_anchors kind,
                                          unsigned threads,
                                          anchors_found *out, kedge_error *err)
{
    const anchors_input in = simplices_input(s, kind);
    OWN(pool_end) pool *p = dense_pool(threads);

    *out = (anchors_found){0};
    return anchors_find(p, &in, out->row, out->residual, err);
}

/* Probabilities over 3 k words, turned: rows mix `of` of the vertices. */
static inline simplices simplices_make(size_t k, size_t of, size_t rows,
                                       uint64_t seed)
{
    simplices s = simplices_new(k, rows);
    chance r = {.key = seed + 1000};
    double *const vertex = dense_new(k, k);

    for (size_t v = 0; v < k; v++) {
        double sum = 0;
        for (size_t c = 0; c < k; c++)
            sum += vertex[v * k + c] =
                pow(chance_unit(&r), 3) + (v == c ? 0.5 : 0);
        for (size_t c = 0; c < k; c++)
            vertex[v * k + c] /= sum;
    }
    for (size_t i = 0; i < rows; i++) {
        double share[64], sum = 0;
        for (size_t v = 0; v < of; v++)
            sum += share[v] = -log(chance_unit(&r));
        for (size_t v = 0; v < of; v++)
            for (size_t c = 0; c < k; c++)
                s.x[i * k + c] += share[v] / sum * vertex[v * k + c];
    }
    for (size_t v = 0; v < of; v++)
        memcpy(s.x + simplices_place(&s, v) * k, vertex + v * k,
               k * sizeof *s.x);
    free(vertex);
    return s;
}

/* Rows of a plane whose hull has k corners, more than there are dimensions. */
static inline simplices simplices_plane(size_t k, size_t rows)
{
    simplices s = simplices_new(k, rows);
    chance r = {.key = 77};

    for (size_t i = 0; i < rows; i++) {
        const double turn = 6.283185307179586 * chance_unit(&r);
        const double out = 0.8 * sqrt(chance_unit(&r)) *
                           cos(3.141592653589793 / (double)k);
        s.x[i * k] = s.x[i * k + 1] = s.x[i * k + 2] = 1. / 3;
        s.x[i * k] += 0.1 * out * cos(turn);
        s.x[i * k + 1] += 0.1 * out * sin(turn);
        s.x[i * k + 2] -= 0.1 * out * (cos(turn) + sin(turn));
    }
    for (size_t v = 0; v < k; v++) {
        double *const x = s.x + simplices_place(&s, v) * k;
        const double turn = 0.2 + 6.283185307179586 * (double)v / (double)k;
        x[0] = 1. / 3 + 0.1 * cos(turn);
        x[1] = 1. / 3 + 0.1 * sin(turn);
        x[2] = 1. / 3 - 0.1 * (cos(turn) + sin(turn));
    }
    return s;
}

#endif
