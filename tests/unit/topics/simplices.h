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

/* No vertices in particular: normal rows, columns of several sizes. */
static inline simplices simplices_cloud(size_t k, size_t rows, uint64_t seed)
{
    simplices s = simplices_new(k, rows);
    chance r = {.key = seed};

    chance_fill(&r, s.x, rows * k);
    for (size_t i = 0; i < rows * k; i++)
        s.x[i] *= pow(0.7, (double)(i % k));
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

/* The anchors are the vertices, for many simplices. */
static inline void simplices_check_vertices(kedge_anchors kind)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 2 + seed % 11;
        simplices s = simplices_make(k, k, 400 + 60 * seed, seed);
        const anchors_input in = simplices_input(&s, kind);
        uint64_t chosen[16];
        double residual[16];
        bool found[16] = {false};
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        ck_ok(anchors_find(p, &in, chosen, residual, &err), err);
        for (size_t a = 0; a < k; a++) {
            ck_assert(residual[a] > 0);
            for (size_t v = 0; v < k; v++)
                found[v] |= chosen[a] == simplices_place(&s, v);
        }
        for (size_t v = 0; v < k; v++)
            ck_assert_msg(found[v], "seed %u: vertex %zu is not found",
                          (unsigned)seed, v);
        pool_free(p);
        simplices_free(&s);
    }
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

/* Vertices that depend on each other are found all the same. */
static inline void simplices_check_plane(kedge_anchors kind)
{
    kedge_error err = {0};

    for (size_t k = 4; k < 8; k++) {
        simplices s = simplices_plane(k, 300);
        anchors_input in = simplices_input(&s, kind);
        uint64_t chosen[8];
        double residual[8];
        pool *p = dense_pool(2);
        ck_ok(anchors_find(p, &in, chosen, residual, &err), err);
        for (size_t a = 0; a < k; a++) {
            bool is = false;
            for (size_t v = 0; v < k; v++)
                is |= chosen[a] == simplices_place(&s, v);
            ck_assert(is);
            for (size_t b = 0; b < a; b++)
                ck_assert_uint_ne(chosen[a], chosen[b]);
        }
        in.kind = KEDGE_ANCHORS_QR;
        ck_fails(anchors_find(p, &in, chosen, residual, &err), KEDGE_ENUMERIC,
                 err, "only 3 of");
        pool_free(p);
        simplices_free(&s);
    }
}

static inline void simplices_check_threads(kedge_anchors kind)
{
    kedge_error err = {0};
    simplices s = simplices_cloud(12, 5000, 5);
    const anchors_input in = simplices_input(&s, kind);
    uint64_t one[12], chosen[12];
    double first[12], residual[12];

    for (unsigned threads = 1; threads <= 3; threads++) {
        pool *p = dense_pool(threads);
        ck_ok(anchors_find(p, &in, threads == 1 ? one : chosen,
                           threads == 1 ? first : residual, &err), err);
        pool_free(p);
        if (threads == 1)
            continue;
        ck_assert_mem_eq(one, chosen, sizeof one);
        ck_assert_mem_eq(first, residual, sizeof first);
    }
    simplices_free(&s);
}

/* Rows that mix fewer vertices than anchors are wanted, some of them twice and
 * some zero: it is said how many there are. */
static inline void simplices_check_rank(kedge_anchors kind)
{
    kedge_error err = {0};
    const size_t k = 6;

    for (size_t of = 1; of < k; of++) {
        simplices s = simplices_make(k, of, 300, of);
        const anchors_input in = simplices_input(&s, kind);
        uint64_t chosen[6];
        double residual[6];
        char says[40];
        pool *p = dense_pool(2);
        memcpy(s.x + 200 * k, s.x + simplices_place(&s, 0) * k,
               k * sizeof *s.x);
        memset(s.x + 210 * k, 0, 5 * k * sizeof *s.x);
        snprintf(says, sizeof says, "only %zu of 6", of);
        ck_fails(anchors_find(p, &in, chosen, residual, &err), KEDGE_ENUMERIC,
                 err, says);
        pool_free(p);
        simplices_free(&s);
    }
}

static inline void simplices_check_memory(kedge_anchors kind)
{
    simplices s = simplices_make(4, 4, 100, 1);
    const anchors_input in = simplices_input(&s, kind);
    kedge_error err = {0};
    uint64_t chosen[4];
    double residual[4];
    pool *p = dense_pool(2);
    kedge_status st = KEDGE_ENOMEM;
    long k = 0;

    for (; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = anchors_find(p, &in, chosen, residual, &err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
    }
    ck_assert_int_gt(k, 1);
    pool_free(p);
    simplices_free(&s);
}

#endif
