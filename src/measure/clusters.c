/* SPDX-License-Identifier: MIT */
#include "measure/clusters.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

#define STARTS 5
#define ROUNDS 100
#define CHUNK 64 /* documents of a task */

struct clusters {
    size_t k, count;
    pool *p;
    float *root;     /* count x k */
    uint32_t *class; /* count */
    size_t root_capacity, class_capacity;
};

/* One start. */
typedef struct kmeans {
    const clusters *c;
    size_t n;         /* clusters */
    double *centre;   /* n x k */
    uint32_t *own;    /* of each document: its cluster, */
    double *distance; /* and the squared distance from it */
    size_t *size;     /* n */
    uint64_t key, drawn;
} kmeans;

void clusters_free(clusters *c)
{
    if (c == NULL)
        return;
    mem_free(c->root);
    mem_free(c->class);
    mem_free(c);
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
    if (!mem_grow((void **)&c->root, &c->root_capacity,
                  (c->count + 1) * c->k, sizeof *c->root) ||
        !mem_grow((void **)&c->class, &c->class_capacity, c->count + 1,
                  sizeof *c->class))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (clusters)");
    for (size_t t = 0; t < c->k; t++)
        c->root[c->count * c->k + t] = (float)sqrt(fmax(shares[t], 0));
    c->class[c->count++] = class;
    return KEDGE_OK;
}

size_t clusters_count(const clusters *c)
{
    return c->count;
}

/* ---- k-means ------------------------------------------------------------- */

static double squared(const float *x, const double *y, size_t k)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++)
        sum += (x[t] - y[t]) * (x[t] - y[t]);
    return sum;
}

static void kmeans_assign_chunk(void *data, size_t chunk, unsigned worker)
{
    kmeans *const o = data;
    const size_t k = o->c->k, end = (chunk + 1) * CHUNK;

    (void)worker;
    for (size_t m = chunk * CHUNK; m < end && m < o->c->count; m++) {
        o->distance[m] = INFINITY;
        for (size_t i = 0; i < o->n; i++) {
            const double d =
                squared(o->c->root + m * k, o->centre + i * k, k);
            if (d < o->distance[m]) {
                o->distance[m] = d;
                o->own[m] = (uint32_t)i;
            }
        }
    }
}

/* Each document to its nearest centre; the sum of the squares. */
static double kmeans_assign(kmeans *o)
{
    double sum = 0;

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

static void kmeans_begin(kmeans *o, size_t count)
{
    kmeans_centre_at(o, 0, hash_stream(o->key, o->drawn++) % o->c->count);
    for (o->n = 1; o->n < count; o->n++)
        kmeans_centre_at(o, o->n, kmeans_draw(o, kmeans_assign(o)));
}

/* A cluster that nobody is in takes the document that is farthest from its
 * own. */
static void kmeans_refill(kmeans *o, size_t cluster)
{
    size_t far = 0;

    for (size_t m = 0; m < o->c->count; m++)
        if (o->distance[m] > o->distance[far])
            far = m;
    kmeans_centre_at(o, cluster, far);
    o->distance[far] = 0;
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
    for (size_t i = 0; i < o->n; i++)
        if (o->size[i] == 0)
            kmeans_refill(o, i);
}

static double kmeans_run(kmeans *o, size_t count)
{
    double before = INFINITY, now;

    kmeans_begin(o, count);
    now = kmeans_assign(o);
    for (size_t round = 0; round < ROUNDS && now < before; round++) {
        before = now;
        kmeans_move(o);
        now = kmeans_assign(o);
    }
    return now;
}

kedge_status clusters_find(clusters *c, size_t classes, uint64_t seed,
                           uint64_t *table, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kmeans o = {.c = c};
    double best = INFINITY;

    memset(table, 0, classes * classes * sizeof *table);
    if (c->count == 0 || classes == 0)
        return KEDGE_OK;
    TRY_MEM(o.centre = mem_new2(classes, c->k, sizeof *o.centre));
    TRY_MEM(o.own = mem_new(c->count, sizeof *o.own));
    TRY_MEM(o.distance = mem_new(c->count, sizeof *o.distance));
    TRY_MEM(o.size = mem_new(classes, sizeof *o.size));
    for (uint64_t start = 0; start < STARTS; start++) {
        o.key = hash_stream(seed, start);
        o.drawn = 0;
        const double found = kmeans_run(&o, classes);
        if (!(found < best))
            continue;
        best = found;
        memset(table, 0, classes * classes * sizeof *table);
        for (size_t m = 0; m < c->count; m++)
            table[o.own[m] * classes + c->class[m]]++;
    }
out:
    mem_free(o.centre);
    mem_free(o.own);
    mem_free(o.distance);
    mem_free(o.size);
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

uint64_t clusters_memusage(uint64_t documents, uint64_t k, uint64_t classes)
{
    /* a third more where it grows, beside what it grows from */
    return documents * (4 * k + 4) * 7 / 3 + documents * (4 + 8) +
           classes * (8 * k + 8) + 8 * classes * classes;
}
