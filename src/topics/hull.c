/* SPDX-License-Identifier: MIT */
/*
 * What is left of each candidate's row when the nearest point of the anchors'
 * hull is taken off: SNPA and XRAY choose by it, anchor after anchor.
 *
 * The nearest point X_S'h of a row x is found by an active set (active.c),
 * which begins with what h was before the new anchor came. Most rows are not
 * concerned: with the rest r = x - X_S'h, a new anchor x_j changes nothing
 * where r x_j <= r X_S'h, or <= 0 for a cone, where the right side is zero
 * anyway. The rest is computed from the rows themselves, so that nothing is
 * lost when it becomes short.
 */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "topics/anchors.h"
#include "topics/simplex.h"

#define REST_FLOOR 1e-9 /* of the first: rows are met exactly below it */
#define PIECE 1024
#define ROWS 256

typedef struct peel {
    const anchors_input *in;
    active_sum sum; /* the hull: mixtures of anchors and zero, or all that are
                       no less than zero */
    size_t count;   /* of anchors so far */
    uint64_t *row;  /* them: in->k at most */
    double *gram;   /* k x k: products of their rows */
    double *rest;   /* candidates x k: what is left, */
    double *length; /* and its length */
    double *scratch; /* for each worker */
} peel;


typedef struct peel_job {
    const peel *l;
    const double *x; /* of the new anchor */
} peel_job;

KERNEL_CLONES
static double peel_dot(const double *restrict a, const double *restrict b,
                       size_t k)
{
    double sum = 0;

    for (size_t c = 0; c < k; c++)
        sum += a[c] * b[c];
    return sum;
}

static const double *peel_row(const peel *l, size_t place)
{
    return l->in->x + l->in->candidate[place] * l->in->k;
}

static size_t peel_doubles(size_t k)
{
    return k + active_doubles(k);
}

/* The shares h anew, and the rest. */
static void peel_again(const peel *l, size_t place, double *scratch)
{
    const size_t k = l->in->k;
    const active_problem problem = {l->sum, l->count, k, l->gram};
    const double *const x = peel_row(l, place);
    double *const h = l->in->scratch + place * k;
    double *const rest = l->rest + place * k, *const v = scratch;

    for (size_t a = 0; a < l->count; a++)
        v[a] = peel_dot(l->in->x + l->row[a] * k, x, k);
    active_row(&problem, v, h, scratch + k);
    memcpy(rest, x, k * sizeof *rest);
    for (size_t a = 0; a < l->count; a++)
        for (size_t c = 0; h[a] > 0 && c < k; c++)
            rest[c] -= h[a] * l->in->x[l->row[a] * k + c];
    l->length[place] = sqrt(peel_dot(rest, rest, k));
}

static void peel_piece(void *data, size_t piece, unsigned worker)
{
    const peel_job *j = data;
    const peel *l = j->l;
    const size_t k = l->in->k, from = piece * ROWS;
    const size_t left = l->in->candidates - from;
    const size_t end = left < ROWS ? l->in->candidates : from + ROWS;

    for (size_t i = from; i < end; i++) {
        const double *const rest = l->rest + i * k;
        const double gain = peel_dot(rest, j->x, k);
        const double bar = peel_dot(rest, peel_row(l, i), k) -
                           l->length[i] * l->length[i];
        if (gain > fmax(bar, 0))
            peel_again(l, i, l->scratch + worker * peel_doubles(k));
    }
}

static void peel_free(peel *l)
{
    mem_free_all(l->row, l->gram, l->rest, l->length, l->scratch);
    *l = (peel){0};
}

/* All of every row is left. in->scratch holds the shares of anchors that each
 * row has. */
static kedge_status peel_create(pool *p, const anchors_input *in,
                                active_sum sum, peel *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, n = in->candidates;

    *out = (peel){.in = in, .sum = sum};
    TRY_MEM(out->row = mem_new(k, sizeof *out->row));
    TRY_MEM(out->gram = mem_new2(k, k, sizeof *out->gram));
    TRY_MEM(out->rest = mem_new2(n, k, sizeof *out->rest));
    TRY_MEM(out->length = mem_new(n, sizeof *out->length));
    TRY_MEM(out->scratch = mem_new2(pool_threads(p), peel_doubles(k),
                                    sizeof *out->scratch));
    memset(in->scratch, 0, n * k * sizeof *in->scratch);
    for (size_t i = 0; i < n; i++) {
        memcpy(out->rest + i * k, peel_row(out, i), k * sizeof *out->rest);
        out->length[i] = sqrt(peel_dot(out->rest + i * k, out->rest + i * k,
                                       k));
    }
out:
    if (st != KEDGE_OK)
        peel_free(out);
    return st;
}

/* The candidate of which most is left: its place. */
static size_t peel_longest(const peel *l)
{
    size_t best = 0;

    for (size_t i = 1; i < l->in->candidates; i++)
        if (l->length[i] > l->length[best])
            best = i;
    return best;
}

/* The row becomes an anchor. */
static void peel_add(pool *p, peel *l, uint64_t row)
{
    const size_t k = l->in->k, n = l->count++;
    peel_job j = {l, l->in->x + row * k};

    l->row[n] = row;
    for (size_t a = 0; a <= n; a++)
        l->gram[a * k + n] = l->gram[n * k + a] =
            peel_dot(l->in->x + l->row[a] * k, j.x, k);
    pool_run(p, (l->in->candidates + ROWS - 1) / ROWS, peel_piece, &j);
}

/* ---- SNPA --------------------------------------------------------------- */

/*
 * The successive non-negative projection algorithm (Gillis 2014): where pivoted
 * QR takes off a row's part in the span of the anchors, this takes off the
 * nearest point of { Σ h_a x_a, h >= 0, Σ h <= 1 }, which is the hull of the
 * anchors and zero. Rows that are in the span but beyond the hull still stick
 * out, so that vertices are found which depend on each other linearly.
 */
kedge_status snpa_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    peel l = {0};

    TRY(peel_create(p, in, ACTIVE_MOST_ONE, &l, err));
    for (size_t a = 0; a < in->k; a++) {
        const size_t place = peel_longest(&l);
        residual[a] = l.length[place];
        if (!(residual[a] > REST_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        chosen[a] = in->candidate[place];
        if (a + 1 < in->k)
            peel_add(p, &l, chosen[a]);
        TRY(anchors_tell(a + 1, in, err));
    }
out:
    peel_free(&l);
    return st;
}

/* ---- XRAY --------------------------------------------------------------- */

/*
 * XRAY (Kumar, Sindhwani and Kambadur 2013) with the rule that they call "max":
 * of the row i that is farthest from the cone of the anchors, let r be what is
 * left when its nearest point in the cone is taken off; the next anchor is the
 * row j with the largest r x_j / p x_j. Here p adds up a row of C̄, which is 1
 * for all, so that it is the largest r x_j: the vertex of the hull that is
 * farthest along r, which is an extreme ray, as no interior row can be.
 */
typedef struct xray_job {
    const anchors_input *in;
    const double *rest; /* k */
    double *along;      /* by candidate */
} xray_job;

static void xray_piece(void *data, size_t piece, unsigned worker)
{
    const xray_job *j = data;
    const anchors_input *in = j->in;
    const size_t from = piece * PIECE;
    const size_t end =
        in->candidates - from < PIECE ? in->candidates : from + PIECE;

    (void)worker;
    for (size_t i = from; i < end; i++) {
        const double *const x = in->x + in->candidate[i] * in->k;
        double sum = 0;
        for (size_t c = 0; c < in->k; c++)
            sum += x[c] * j->rest[c];
        j->along[i] = sum;
    }
}

/* The candidate that is farthest along j->rest: its place. */
static size_t xray_farthest(pool *p, xray_job *j)
{
    size_t best = 0;

    pool_run(p, (j->in->candidates + PIECE - 1) / PIECE, xray_piece, j);
    for (size_t i = 1; i < j->in->candidates; i++)
        if (j->along[i] > j->along[best])
            best = i;
    return best;
}

kedge_status xray_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    xray_job j = {.in = in};
    peel l = {0};

    TRY_MEM(j.along = mem_new(in->candidates, sizeof *j.along));
    TRY(peel_create(p, in, ACTIVE_ANY, &l, err));
    for (size_t a = 0; a < in->k; a++) {
        const size_t away = peel_longest(&l);
        residual[a] = l.length[away];
        if (!(residual[a] > REST_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        j.rest = l.rest + away * in->k;
        chosen[a] = in->candidate[xray_farthest(p, &j)];
        if (a + 1 < in->k)
            peel_add(p, &l, chosen[a]);
        TRY(anchors_tell(a + 1, in, err));
    }
out:
    mem_free(j.along);
    peel_free(&l);
    return st;
}
