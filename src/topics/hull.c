/* SPDX-License-Identifier: MIT */
/*
 * SNPA and XRAY: both keep what is left of each candidate's row when the
 * nearest point of the anchors' hull is taken off, and choose by it.
 *
 * The nearest point X_S'h of a row x is found by an active set (active.c),
 * which begins with what h was before the new anchor came. Most rows are not
 * concerned: with the rest r = x - X_S'h, a new anchor x_j changes nothing
 * where r x_j <= r X_S'h, or <= 0 for a cone, where the right side is zero
 * anyway. The rest is computed from the rows themselves, so that nothing is
 * lost when it becomes short.
 *
 * The successive non-negative projection algorithm (Gillis 2014): where pivoted
 * QR takes off a row's part in the span of the anchors, this takes off the
 * nearest point of { Σ h_a x_a, h >= 0, Σ h <= 1 }, which is the hull of the
 * anchors and zero, and chooses the longest rest. Rows that are in the span but
 * beyond the hull still stick out, so that vertices are found which depend on
 * each other linearly.
 *
 * XRAY (Kumar, Sindhwani and Kambadur 2013) with the rule that they call "max":
 * of the row i that is farthest from the cone of the anchors, let r be the rest
 * when its nearest point in the cone is taken off; the next anchor is the row j
 * with the largest r x_j / p x_j. Here p adds up a row of C̄, which is 1 for
 * all, so that it is the largest r x_j: the vertex of the hull that is farthest
 * along r, which is an extreme ray, as no interior row can be.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "topics/anchors.h"
#include "topics/simplex.h"

#define REST_FLOOR 1e-9 /* of the first: rows are met exactly below it */
#define ROWS 256        /* of a task */

typedef struct hull {
    const anchors_input *in;
    active_sum sum; /* shares of the anchors: of at most one, or any */
    size_t count;   /* anchors so far */
    uint64_t *row;  /* k: the anchors */
    double *gram;   /* k x k: products of their rows */
    double *rest;   /* candidates x k, */
    double *length; /* and its length */
    double *scratch; /* threads x (k + active_doubles(k)) */
} hull;

static const double *hull_row(const hull *l, size_t place)
{
    return l->in->x + l->in->candidate[place] * l->in->k;
}

/* The candidate's shares of the anchors, and the rest. */
static void hull_solve(const hull *l, size_t place, double *scratch)
{
    const size_t k = l->in->k;
    const active_problem problem = {l->sum, l->count, k, l->gram};
    const double *const x = hull_row(l, place);
    double *const h = l->in->scratch + place * k;
    double *const rest = l->rest + place * k, *const v = scratch;

    for (size_t a = 0; a < l->count; a++)
        v[a] = anchors_dot(l->in->x + l->row[a] * k, x, k);
    active_row(&problem, v, h, scratch + k);
    memcpy(rest, x, k * sizeof *rest);
    for (size_t a = 0; a < l->count; a++)
        for (size_t c = 0; h[a] > 0 && c < k; c++)
            rest[c] -= h[a] * l->in->x[l->row[a] * k + c];
    l->length[place] = sqrt(anchors_dot(rest, rest, k));
}

/* After the last anchor came. */
static void hull_piece(void *data, size_t piece, unsigned worker)
{
    const hull *l = data;
    const size_t k = l->in->k, from = piece * ROWS;
    const size_t left = l->in->candidates - from;
    const size_t end = left < ROWS ? l->in->candidates : from + ROWS;
    const double *const x = l->in->x + l->row[l->count - 1] * k;

    for (size_t i = from; i < end; i++) {
        const double *const rest = l->rest + i * k;
        const double gain = anchors_dot(rest, x, k);
        const double bar = anchors_dot(rest, hull_row(l, i), k) -
                           l->length[i] * l->length[i];
        if (gain > fmax(bar, 0))
            hull_solve(l, i, l->scratch + worker * (k + active_doubles(k)));
    }
}

static kedge_status hull_find(pool *p, const anchors_input *in, active_sum sum,
                              uint64_t *chosen, double *residual,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, n = in->candidates;
    hull l = {.in = in, .sum = sum, .row = chosen};
    double *along = NULL;

    TRY_MEM(along = mem_new(n, sizeof *along));
    TRY_MEM(l.gram = mem_new2(k, k, sizeof *l.gram));
    TRY_MEM(l.rest = mem_new2(n, k, sizeof *l.rest));
    TRY_MEM(l.length = mem_new(n, sizeof *l.length));
    TRY_MEM(l.scratch = mem_new2(pool_threads(p), k + active_doubles(k),
                                 sizeof *l.scratch));
    memset(in->scratch, 0, n * k * sizeof *in->scratch);
    for (size_t i = 0; i < n; i++) {
        double *const rest = l.rest + i * k;
        memcpy(rest, hull_row(&l, i), k * sizeof *rest);
        l.length[i] = sqrt(anchors_dot(rest, rest, k));
    }
    for (size_t a = 0; a < k; a++) {
        size_t place = anchors_largest(l.length, n);
        residual[a] = l.length[place];
        TRY(anchors_check(in, residual, a, REST_FLOOR, err));
        if (sum == ACTIVE_ANY) {
            anchors_along(p, in, l.rest + place * k, along);
            place = anchors_largest(along, n);
        }
        chosen[a] = in->candidate[place];
        l.count++;
        for (size_t b = 0; b <= a; b++)
            l.gram[b * k + a] = l.gram[a * k + b] = anchors_dot(
                in->x + chosen[b] * k, in->x + chosen[a] * k, k);
        if (a + 1 < k)
            pool_run(p, (n + ROWS - 1) / ROWS, hull_piece, &l);
        TRY(anchors_reach(in, a + 1, err));
    }
out:
    mem_free_all(along, l.gram, l.rest, l.length, l.scratch);
    return st;
}

kedge_status snpa_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err)
{
    return hull_find(p, in, ACTIVE_MOST_ONE, chosen, residual, err);
}

kedge_status xray_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err)
{
    return hull_find(p, in, ACTIVE_ANY, chosen, residual, err);
}
