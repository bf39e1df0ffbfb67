/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define STARTS 5
#define ROUNDS 50
#define GAIN 1e-4 /* of a round, relative, that another is worth */
#define CHUNK 64  /* documents of a task */

/* One start. */
typedef struct kmeans {
    const clusters *c;
    size_t most;      /* clusters, */
    size_t n;         /* so far, */
    size_t from;      /* and those before it that documents know already */
    double *centre;   /* n x k */
    float *rough;     /* n x k: the same, to measure by, */
    double *length;   /* n: and their squared lengths */
    float *product;   /* by worker: CHUNK x n */
    uint32_t *own;    /* of each document: its cluster, */
    double *distance; /* and the squared distance from it */
    size_t *size;     /* n */
    uint64_t key, drawn;
} kmeans;

void clusters_free(clusters *c)
{
    if (c == NULL)
        return;
    mem_free_all(c->root, c->class, c);
}

kedge_status clusters_create(size_t k, pool *p, clusters **out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(*out = mem_new(1, sizeof **out));
    (*out)->k = k;
    (*out)->p = p;
out:
    return st;
}

kedge_status clusters_add(clusters *c, const double *shares, uint32_t class,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_GROW(c->root, c->root_capacity, (c->count + 1) * c->k);
    TRY_GROW(c->class, c->class_capacity, c->count + 1);
    for (size_t t = 0; t < c->k; t++)
        c->root[c->count * c->k + t] = (float)sqrt(fmax(shares[t], 0));
    c->class[c->count++] = class;
out:
    return st;
}

/* ---- k-means ------------------------------------------------------------- */

/* Roots of shares have the length one. */
static void kmeans_assign_chunk(void *data, size_t chunk, unsigned worker)
{
    kmeans *const o = data;
    const size_t k = o->c->k, first = chunk * CHUNK, n = o->n - o->from;
    const size_t left = o->c->count - first;
    const size_t count = left < CHUNK ? left : CHUNK;
    float *const product = o->product + worker * CHUNK * o->most;

    blas_gemm_single(false, true, count, n, k, 1, o->c->root + first * k, k,
                     o->rough + o->from * k, k, 0, product, n);
    for (size_t m = first; m < first + count; m++) {
        if (o->from == 0)
            o->distance[m] = INFINITY;
        for (size_t i = 0; i < n; i++) {
            const double along = (double)product[(m - first) * n + i];
            const double d = fmax(1 + o->length[o->from + i] - 2 * along, 0);
            if (d < o->distance[m]) {
                o->distance[m] = d;
                o->own[m] = (uint32_t)(o->from + i);
            }
        }
    }
}

/* Each document to its nearest centre, among those from `from` on and the one
 * that it has; the sum of the squares. */
static double kmeans_assign(kmeans *o, size_t from)
{
    const size_t k = o->c->k;
    double sum = 0;

    o->from = from;
    for (size_t i = from; i < o->n; i++) {
        o->length[i] = 0;
        for (size_t t = 0; t < k; t++) {
            o->rough[i * k + t] = (float)o->centre[i * k + t];
            o->length[i] += o->centre[i * k + t] * o->centre[i * k + t];
        }
    }
    pool_run(o->c->p, (o->c->count + CHUNK - 1) / CHUNK, kmeans_assign_chunk,
             o);
    for (size_t m = 0; m < o->c->count; m++)
        sum += o->distance[m];
    return sum;
}

static void kmeans_centre_at(kmeans *o, size_t cluster, size_t document)
{
    for (size_t t = 0; t < o->c->k; t++)
        o->centre[cluster * o->c->k + t] =
            o->c->root[document * o->c->k + t];
}

/* A document, with a chance in proportion to its squared distance. */
static size_t kmeans_draw(kmeans *o, double sum)
{
    const double unit = ldexp((double)(hash_stream(o->key, o->drawn++) >> 11),
                              -53);
    double left = unit * sum;

    for (size_t m = 0; m < o->c->count; m++) {
        left -= o->distance[m];
        if (left < 0)
            return m;
    }
    return hash_stream(o->key, o->drawn++) % o->c->count;
}

static void kmeans_move(kmeans *o)
{
    const size_t k = o->c->k;

    memset(o->centre, 0, o->n * k * sizeof *o->centre);
    memset(o->size, 0, o->n * sizeof *o->size);
    for (size_t m = 0; m < o->c->count; m++) {
        o->size[o->own[m]]++;
        for (size_t t = 0; t < k; t++)
            o->centre[o->own[m] * k + t] += o->c->root[m * k + t];
    }
    for (size_t i = 0; i < o->n; i++)
        for (size_t t = 0; t < k && o->size[i] > 0; t++)
            o->centre[i * k + t] /= (double)o->size[i];
    /* one that nobody is in takes the document farthest from its own */
    for (size_t i = 0; i < o->n; i++) {
        size_t far = 0;
        for (size_t m = 0; o->size[i] == 0 && m < o->c->count; m++)
            if (o->distance[m] > o->distance[far])
                far = m;
        if (o->size[i] == 0) {
            kmeans_centre_at(o, i, far);
            o->distance[far] = 0;
        }
    }
}

static double kmeans_run(kmeans *o)
{
    double before = INFINITY, now;

    kmeans_centre_at(o, 0, hash_stream(o->key, o->drawn++) % o->c->count);
    for (o->n = 1; o->n < o->most; o->n++)
        kmeans_centre_at(o, o->n,
                         kmeans_draw(o, kmeans_assign(o, o->n - 1)));
    now = kmeans_assign(o, 0);
    for (size_t round = 0; round < ROUNDS && now < before * (1 - GAIN);
         round++) {
        before = now;
        kmeans_move(o);
        now = kmeans_assign(o, 0);
    }
    return now;
}

kedge_status clusters_find(clusters *c, size_t classes, uint64_t seed,
                           uint64_t *table, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = c->k, n = classes;
    kmeans o = {.c = c, .most = n};
    double best = INFINITY;

    memset(table, 0, classes * classes * sizeof *table);
    if (c->count == 0 || classes == 0)
        return KEDGE_OK;
    TRY_MEM(o.centre = mem_new2(n, k, sizeof *o.centre));
    TRY_MEM(o.rough = mem_new2(n, k, sizeof *o.rough));
    TRY_MEM(o.length = mem_new(n, sizeof *o.length));
    TRY_MEM(o.product = mem_new2(pool_threads(c->p) * CHUNK, n,
                                 sizeof *o.product));
    TRY_MEM(o.own = mem_new(c->count, sizeof *o.own));
    TRY_MEM(o.distance = mem_new(c->count, sizeof *o.distance));
    TRY_MEM(o.size = mem_new(n, sizeof *o.size));
    for (uint64_t start = 0; start < STARTS; start++) {
        o.key = hash_stream(seed, start);
        o.drawn = 0;
        const double found = kmeans_run(&o);
        if (!(found < best))
            continue;
        best = found;
        memset(table, 0, classes * classes * sizeof *table);
        for (size_t m = 0; m < c->count; m++)
            table[o.own[m] * classes + c->class[m]]++;
    }
out:
    mem_free_all(o.centre, o.rough, o.length, o.product, o.own, o.distance,
                 o.size);
    return st;
}

/* ---- information --------------------------------------------------------- */

static double entropy_term(double count, double all)
{
    return count > 0 ? -count / all * log(count / all) : 0;
}

double clusters_information(const uint64_t *table, size_t classes)
{
    double all = 0, rows = 0, cols = 0, both = 0;

    for (size_t i = 0; i < classes * classes; i++)
        all += (double)table[i];
    for (size_t i = 0; i < classes; i++) {
        double row = 0, col = 0;
        for (size_t j = 0; j < classes; j++) {
            row += (double)table[i * classes + j];
            col += (double)table[j * classes + i];
            both += entropy_term((double)table[i * classes + j], all);
        }
        rows += entropy_term(row, all);
        cols += entropy_term(col, all);
    }
    return rows + cols > 0 ? fmax(rows + cols - both, 0) / ((rows + cols) / 2)
                           : NAN;
}
