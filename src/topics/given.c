/* SPDX-License-Identifier: MIT */
/*
 * Tandem anchors (Lund, Cook, Seppi and Boyd-Graber 2017): several words of a
 * topic become one pseudo-word, whose row is the harmonic mean of theirs, entry
 * by entry, which is high only where all of them are: of the means that they
 * tried it gave the best topics. An entry that is not positive in one of the
 * rows is zero. The means sum to less than one and are scaled to sum to one, so
 * that they are a distribution as any word's row.
 *
 * Such a row f is not a mixture of rows of Y', so its K numbers do not say all
 * of it. The products with rows x_i of X are those of z = R'^-1 Y'f, while
 * the products of two such rows need all N entries: both are added up over
 * tiles of TILE columns.
 */
#include "topics/anchors.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define TILE 512

void given_free(given *g)
{
    mem_free_all(g->begin, g->row);
    *g = (given){0};
}

bool given_several(const given *g)
{
    return g->topics > 0 && g->begin[g->topics] > g->topics;
}

size_t given_tandem(const given *g, uint64_t row)
{
    for (size_t t = 0; g != NULL && t < g->topics; t++)
        if (g->row[g->begin[t]] == row)
            return given_words(g, t) > 1 ? t : GIVEN_NONE;
    return GIVEN_NONE;
}

/* One entry, of rows that are `stride` apart. */
static double given_mean(const double *value, size_t words, size_t stride)
{
    double sum = 0;

    for (size_t w = 0; w < words; w++) {
        if (!(value[w * stride] > 0))
            return 0;
        sum += 1 / value[w * stride];
    }
    return (double)words / sum;
}

void given_values(const given *g, size_t topic, const given_rows *r,
                  size_t from, size_t count, double *scratch, double *out)
{
    const size_t words = given_words(g, topic), k = r->k;
    const uint64_t *const row = g->row + g->begin[topic];

    for (size_t w = 0; w < words; w++)
        blas_gemm(false, true, 1, count, k, 1 / r->d[row[w]],
                  r->y + row[w] * k, k, r->y + from * k, k, 0,
                  scratch + w * count, count);
    for (size_t j = 0; j < count; j++)
        out[j] = given_mean(scratch + j, words, count);
}

/* z = R'^-1 b, in place. */
static void solve_root(const double *root, size_t k, double *b)
{
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < i; j++)
            b[i] -= root[i * k + j] * b[j];
        b[i] /= root[i * k + i];
    }
}

/* The topics of several words. */
static kedge_status given_tandems(const given *g, const given_rows *r,
                                  double *point, double *gram,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = r->k;
    size_t *topic = NULL, n = 0;           /* they, and how many */
    double *value = NULL, *mean = NULL;    /* a tile: words' rows; means */
    double *sum = NULL, *products = NULL;  /* n; n x n */
    double *along = NULL;                  /* n x k: f'Y */

    TRY_MEM(topic = mem_new(g->topics, sizeof *topic));
    for (size_t t = 0; t < g->topics; t++)
        if (given_words(g, t) > 1)
            topic[n++] = t;
    TRY_MEM(value = mem_new2(g->begin[g->topics], TILE, sizeof *value));
    TRY_MEM(mean = mem_new2(n, TILE, sizeof *mean));
    TRY_MEM(sum = mem_new(n, sizeof *sum));
    TRY_MEM(products = mem_new2(n, n, sizeof *products));
    TRY_MEM(along = mem_new2(n, k, sizeof *along));
    for (size_t from = 0; from < r->rows; from += TILE) {
        const size_t width = r->rows - from < TILE ? r->rows - from : TILE;
        for (size_t m = 0; m < n; m++) {
            given_values(g, topic[m], r, from, width, value, mean + m * TILE);
            for (size_t j = 0; j < width; j++)
                sum[m] += mean[m * TILE + j];
        }
        blas_gemm(false, true, n, n, width, 1, mean, TILE, mean, TILE, 1,
                  products, n);
        blas_gemm(false, false, n, k, width, 1, mean, TILE, r->y + from * k,
                  k, 1, along, k);
    }
    for (size_t m = 0; m < n; m++) {
        double *const z = point + topic[m] * k;
        if (!(sum[m] > 0))
            TRY(kedge_fail(err, KEDGE_ENUMERIC,
                           "no word occurs with all %zu anchors of topic %zu: "
                           "give fewer anchors",
                           given_words(g, topic[m]), topic[m] + 1));
        for (size_t c = 0; c < k; c++)
            z[c] = along[m * k + c] / sum[m];
        solve_root(r->root, k, z);
    }
    blas_gemm(false, true, g->topics, g->topics, k, 1, point, k, point, k, 0,
              gram, k);
    for (size_t m = 0; m < n; m++)
        for (size_t l = 0; l < n; l++)
            gram[topic[m] * k + topic[l]] =
                products[m * n + l] / (sum[m] * sum[l]);
out:
    mem_free_all(topic, value, mean, sum, products, along);
    return st;
}

kedge_status given_points(const given *g, const given_rows *r, double *point,
                          double *gram, kedge_error *err)
{
    const size_t k = r->k;

    for (size_t i = 0; i < g->topics; i++)
        memcpy(point + i * k, r->x + g->row[g->begin[i]] * k,
               k * sizeof *point);
    if (given_several(g))
        return given_tandems(g, r, point, gram, err);
    blas_gemm(false, true, g->topics, g->topics, k, 1, point, k, point, k, 0,
              gram, k);
    return KEDGE_OK;
}
