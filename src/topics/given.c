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

size_t given_find(const given *g, uint64_t row)
{
    size_t topic = 0;

    while (topic < g->topics && g->row[g->begin[topic]] != row)
        topic++;
    return topic;
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

/* Topics of several words being added up. */
typedef struct tandem {
    const given *g;
    const given_rows *r;
    size_t count;   /* of topics that have several words */
    size_t *topic;  /* which they are */
    double *value;  /* words x TILE: a topic's rows */
    double *mean;   /* count x TILE */
    double *sum;    /* count */
    double *gram;   /* count x count */
    double *along;  /* count x k: f'Y */
} tandem;

static void tandem_free(tandem *t)
{
    mem_free_all(t->topic, t->value, t->mean, t->sum, t->gram, t->along);
}

static kedge_status tandem_create(const given *g, const given_rows *r,
                                  tandem *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *t = (tandem){.g = g, .r = r};
    TRY_MEM(t->topic = mem_new(g->topics, sizeof *t->topic));
    for (size_t i = 0; i < g->topics; i++)
        if (given_words(g, i) > 1)
            t->topic[t->count++] = i;
    TRY_MEM(t->value = mem_new2(g->begin[g->topics], TILE,
                                sizeof *t->value));
    TRY_MEM(t->mean = mem_new2(t->count, TILE, sizeof *t->mean));
    TRY_MEM(t->sum = mem_new(t->count, sizeof *t->sum));
    TRY_MEM(t->gram = mem_new2(t->count, t->count, sizeof *t->gram));
    TRY_MEM(t->along = mem_new2(t->count, r->k, sizeof *t->along));
out:
    return st;
}

/* Columns from .. from + width - 1. */
static void tandem_tile(tandem *t, size_t from, size_t width)
{
    const size_t k = t->r->k;

    for (size_t m = 0; m < t->count; m++) {
        given_values(t->g, t->topic[m], t->r, from, width, t->value,
                     t->mean + m * TILE);
        for (size_t j = 0; j < width; j++)
            t->sum[m] += t->mean[m * TILE + j];
    }
    blas_gemm(false, true, t->count, t->count, width, 1, t->mean, TILE,
              t->mean, TILE, 1, t->gram, t->count);
    blas_gemm(false, false, t->count, k, width, 1, t->mean, TILE,
              t->r->y + from * k, k, 1, t->along, k);
}

/* z = R'^-1 b, in place. */
static void tandem_solve(const double *root, size_t k, double *b)
{
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < i; j++)
            b[i] -= root[i * k + j] * b[j];
        b[i] /= root[i * k + i];
    }
}

static kedge_status tandem_points(tandem *t, double *point, kedge_error *err)
{
    const size_t k = t->r->k;

    for (size_t from = 0; from < t->r->rows; from += TILE)
        tandem_tile(t, from, t->r->rows - from < TILE ? t->r->rows - from
                                                      : TILE);
    for (size_t m = 0; m < t->count; m++) {
        double *const z = point + t->topic[m] * k;
        if (!(t->sum[m] > 0))
            return kedge_fail(err, KEDGE_ENUMERIC,
                              "no word stands with all %zu anchors of topic "
                              "%zu: give it fewer",
                              given_words(t->g, t->topic[m]),
                              t->topic[m] + 1);
        for (size_t c = 0; c < k; c++)
            z[c] = t->along[m * k + c] / t->sum[m];
        tandem_solve(t->r->root, k, z);
    }
    return KEDGE_OK;
}

kedge_status given_points(const given *g, const given_rows *r, double *point,
                          double *gram, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = r->k;
    tandem t = {0};

    for (size_t i = 0; i < g->topics; i++)
        memcpy(point + i * k, r->x + g->row[g->begin[i]] * k,
               k * sizeof *point);
    if (given_several(g)) {
        TRY(tandem_create(g, r, &t, err));
        TRY(tandem_points(&t, point, err));
    }
    blas_gemm(false, true, g->topics, g->topics, k, 1, point, k, point, k, 0,
              gram, k);
    for (size_t m = 0; m < t.count; m++)
        for (size_t l = 0; l < t.count; l++)
            gram[t.topic[m] * k + t.topic[l]] =
                t.gram[m * t.count + l] / (t.sum[m] * t.sum[l]);
out:
    tandem_free(&t);
    return st;
}
