/* SPDX-License-Identifier: MIT */
/*
 * Ward's clustering: the two clusters are joined whose sum of squares grows
 * least, by the formula of Lance and Williams on squared distances,
 *
 *   d(ab, c) = ((a + c) d(a, c) + (b + c) d(b, c) - c d(a, b)) / (a + b + c)
 *
 * with a, b, c the sizes. A cluster is a path through its things; when two are
 * joined, their paths are tied together at those ends that are nearest. The
 * last path is the row. Ties go to the smaller numbers. The nearest of each
 * cluster is remembered, so that joins cost n steps each, mostly.
 */
#include "export/page.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"
#include "base/mem.h"

#define NONE SIZE_MAX

typedef struct leaf {
    size_t beside[2]; /* on the path */
} leaf;

typedef struct cluster {
    size_t size;   /* 0: was joined to another */
    size_t end[2]; /* of its path */
    size_t near;   /* of the clusters after it; NONE: there is none */
} cluster;

typedef struct ward {
    size_t n;
    const double *distance; /* of things */
    double *square;         /* n x n, of clusters */
    leaf *leaves;
    cluster *clusters;
} ward;

static void ward_look(ward *w, size_t a)
{
    cluster *const c = &w->clusters[a];

    c->near = NONE;
    for (size_t b = a + 1; b < w->n; b++)
        if (w->clusters[b].size > 0 &&
            (c->near == NONE ||
             w->square[a * w->n + b] < w->square[a * w->n + c->near]))
            c->near = b;
}

/* The first of the two that are nearest; its `near` is the other. */
static size_t ward_choose(const ward *w)
{
    size_t best = NONE;

    for (size_t a = 0; a < w->n; a++) {
        const cluster *const c = &w->clusters[a];
        if (c->size > 0 && c->near != NONE &&
            (best == NONE ||
             w->square[a * w->n + c->near] <
                 w->square[best * w->n + w->clusters[best].near]))
            best = a;
    }
    return best;
}

/* Joins b to a: their paths are tied together, and all distances follow. What
 * was nearest to one of the two may be no more. */
static void ward_join(ward *w, size_t a, size_t b)
{
    cluster *const ca = &w->clusters[a], *const cb = &w->clusters[b];
    const double na = (double)ca->size, nb = (double)cb->size;
    const double ab = w->square[a * w->n + b];
    size_t from = 0, to = 0;

    for (size_t c = 0; c < w->n; c++) {
        const double nc = (double)w->clusters[c].size;
        if (nc == 0 || c == a || c == b)
            continue;
        w->square[a * w->n + c] = w->square[c * w->n + a] =
            ((na + nc) * w->square[a * w->n + c] +
             (nb + nc) * w->square[b * w->n + c] - nc * ab) / (na + nb + nc);
    }
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            if (w->distance[ca->end[i] * w->n + cb->end[j]] <
                w->distance[ca->end[from] * w->n + cb->end[to]]) {
                from = i;
                to = j;
            }
    leaf *const x = &w->leaves[ca->end[from]];
    leaf *const y = &w->leaves[cb->end[to]];
    x->beside[x->beside[0] != NONE] = cb->end[to];
    y->beside[y->beside[0] != NONE] = ca->end[from];
    ca->end[0] = ca->end[!from];
    ca->end[1] = cb->end[!to];
    ca->size += cb->size;
    cb->size = 0;
    for (size_t c = 0; c < w->n; c++) {
        const size_t near = w->clusters[c].near;
        if (w->clusters[c].size == 0)
            continue;
        if (c == a || near == a || near == b)
            ward_look(w, c);
        else if (c < a && near != NONE &&
                 w->square[c * w->n + a] < w->square[c * w->n + near])
            w->clusters[c].near = a;
    }
}

/* Along the path from one end, which is the one with the smaller number. */
static void ward_walk(const ward *w, const cluster *c, size_t *order)
{
    size_t at = c->end[0] < c->end[1] ? c->end[0] : c->end[1], from = NONE;

    for (size_t i = 0; i < w->n; i++) {
        const leaf *const l = &w->leaves[at];
        const size_t next = l->beside[l->beside[0] == from];
        order[i] = at;
        from = at;
        at = next;
    }
}

kedge_status seriation_find(const double *distance, size_t n, size_t groups,
                            size_t *order, size_t *group, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ward w = {.n = n, .distance = distance};
    size_t left = n, *number = NULL, count = 0;

    TRY_MEM(number = mem_new(n, sizeof *number));
    TRY_MEM(w.square = mem_new2(n, n, sizeof *w.square));
    TRY_MEM(w.leaves = mem_new(n, sizeof *w.leaves));
    TRY_MEM(w.clusters = mem_new(n, sizeof *w.clusters));
    for (size_t i = 0; i < n * n; i++)
        w.square[i] = distance[i] * distance[i];
    for (size_t i = 0; i < n; i++) {
        group[i] = i;
        w.leaves[i] = (leaf){{NONE, NONE}};
        w.clusters[i] = (cluster){1, {i, i}, NONE};
    }
    for (size_t i = 0; i < n; i++)
        ward_look(&w, i);
    for (; left > 1; left--) {
        const size_t a = ward_choose(&w), b = w.clusters[a].near;
        ward_join(&w, a, b);
        for (size_t i = 0; i < n && left > groups; i++)
            if (group[i] == b)
                group[i] = a;
    }
    if (n > 0)
        ward_walk(&w, &w.clusters[0], order);
    for (size_t i = 0; i < n; i++) { /* groups are numbered along the row */
        size_t *const g = &group[order[i]];
        if (number[*g] == 0)
            number[*g] = ++count;
        *g = number[*g] - 1;
    }
out:
    mem_free_all(number, w.square, w.leaves, w.clusters);
    return st;
}
