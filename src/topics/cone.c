/* SPDX-License-Identifier: MIT */
/*
 * The simplex method, from corner to corner. At a corner k - 1 rows of G are
 * zero; the inverse of the matrix of g and these rows has x as its first
 * column, and as the others the edges that leave it, each away from one of the
 * rows. The edge along which a'x grows most for its length is taken, up to the
 * first row that would fall below zero, which takes the place of the one that
 * is left. Where no edge grows, x is the farthest.
 *
 * Which row comes first costs most, if all are asked. They have length one, so
 * that none falls faster than x moves: a row is looked at again only once x has
 * gone as far as the row was above zero when it was looked at last. Of 8,000
 * rows in 50 dimensions these are some hundreds.
 *
 * Many rows are zero at one corner where topics have anchors. So that x does
 * move, rows may fall to slightly below zero, each by an amount of its own
 * (PLAY); of rows that are all but equally near the one that falls fastest is
 * taken, which keeps the matrix well behaved. The corner that is found is told
 * without that play. The inverse is made again after REFRESH steps, and at the
 * end before x is believed in.
 */
#include "topics/simplex.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/octet.h"
#include "linalg/blas.h"

#define PLAY 1e-10   /* rows may be below zero by half of it to all of it, */
#define EQUAL 1e-11  /* and rows as near as this are equally near */
#define GAIN 1e-10   /* of a'x, a and edge of length one, that is one */
#define FALLING 1e-9 /* the least by which a row falls, as above */
#define REFRESH 64
#define STEPS 1000 /* at most, for each dimension */
#define BELOW 1e-7 /* what rows may be below zero in the end, over |x| */

struct cone {
    const double *g; /* rows x k: G */
    size_t rows, k;
    double *play;    /* rows */
    double *look;    /* rows: how far x has gone when it is to be looked at */
    bool *zero;      /* rows: of the corner */
    double *sum;     /* k: g */
    double *inside;  /* k */
    double *edge;    /* k x k: row 0 is x, the others are edges */
    double *x, *way; /* k: x with play; the edge taken, of length one */
    double *met;     /* k: edges times the row that is met */
    double *a;       /* k: the direction, of length one */
    uint32_t *held;  /* k - 1: the corner */
    double gone;     /* how far x has moved */
    /* rows that may be met, how far they are above zero and fall */
    uint32_t *near;
    double *above, *falls;
    size_t count;
};

void cone_free(cone *c)
{
    if (c == NULL)
        return;
    mem_free_all(c->play, c->look, c->zero, c->sum, c->inside, c->edge, c->x,
                 c->way, c->met, c->a, c->held, c->near, c->above, c->falls,
                 c);
}

static inline void scale(double *v, double by, size_t count)
{
    for (size_t i = 0; i < count; i++)
        v[i] *= by;
}

static inline void add(double *v, double by, const double *u, size_t count)
{
    for (size_t i = 0; i < count; i++)
        v[i] += by * u[i];
}

kedge_status cone_create(const double *g, size_t rows, size_t k,
                         const double *inside, cone **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    cone *c = NULL;

    *out = NULL;
    TRY_MEM(c = mem_new(1, sizeof *c));
    *c = (cone){.g = g, .rows = rows, .k = k};
    TRY_MEM(c->play = mem_new(rows, sizeof *c->play));
    TRY_MEM(c->look = mem_new(rows, sizeof *c->look));
    TRY_MEM(c->zero = mem_new(rows, sizeof *c->zero));
    TRY_MEM(c->sum = mem_new(k, sizeof *c->sum));
    TRY_MEM(c->inside = mem_new(k, sizeof *c->inside));
    TRY_MEM(c->edge = mem_new2(k, k, sizeof *c->edge));
    TRY_MEM(c->x = mem_new(k, sizeof *c->x));
    TRY_MEM(c->way = mem_new(k, sizeof *c->way));
    TRY_MEM(c->met = mem_new(k, sizeof *c->met));
    TRY_MEM(c->a = mem_new(k, sizeof *c->a));
    TRY_MEM(c->held = mem_new(k, sizeof *c->held));
    TRY_MEM(c->near = mem_new(rows, sizeof *c->near));
    TRY_MEM(c->above = mem_new(rows, sizeof *c->above));
    TRY_MEM(c->falls = mem_new(rows, sizeof *c->falls));
    for (size_t i = 0; i < rows; i++)
        c->play[i] =
            PLAY * (0.5 + (double)(hash_stream(0, i) >> 11) * 0x1p-54);
    for (size_t i = 0; i < rows; i++) /* the sum, at unit length */
        add(c->sum, 1, g + i * k, k);
    scale(c->sum, 1 / fmax(sqrt(lane_dot(c->sum, c->sum, k)), 1e-300), k);
    memcpy(c->inside, inside, k * sizeof *inside); /* where g'x is one */
    scale(c->inside, 1 / fmax(lane_dot(c->sum, inside, k), 1e-300), k);
    *out = c;
    c = NULL;
out:
    cone_free(c);
    return st;
}

/* ---- rows that are met --------------------------------------------------- */

/* All rows are to be looked at. */
static void cone_drop(cone *c)
{
    memset(c->look, 0, c->rows * sizeof *c->look);
    c->gone = 0;
    c->count = 0;
}

/* Row i, where x is; *most falls to how far x may go for it, and a little. */
static inline void cone_look(cone *c, size_t i, double *most)
{
    const double *const row = c->g + i * c->k;
    const double it = lane_dot(row, c->x, c->k) + c->play[i];
    const double above = it > 0 ? it : 0;

    c->look[i] = c->gone + above;
    if (above > *most) /* none falls by more than one */
        return;
    const double falls = -lane_dot(row, c->way, c->k);
    if (falls <= FALLING || above > *most * falls)
        return;
    c->near[c->count] = (uint32_t)i;
    c->above[c->count] = above;
    c->falls[c->count++] = falls;
    if ((above + EQUAL) / falls < *most)
        *most = (above + EQUAL) / falls;
}

/* The row that is met along `way`, and after how much of it; rows where there
 * is none. Those near last time go first, so that others need not be looked
 * at. */
KERNEL_CLONES
static size_t cone_meet(cone *c, double *length)
{
    double most = INFINITY, fastest = 0;
    size_t met = c->rows;
    const size_t before = c->count;

    c->count = 0;
    for (size_t n = 0; n < before; n++) /* overwrites what it has read */
        if (!c->zero[c->near[n]])
            cone_look(c, c->near[n], &most);
    const size_t again = c->count;
    for (size_t n = 0; n < again; n++) /* not twice */
        c->look[c->near[n]] = INFINITY;
    for (size_t i = 0; i < c->rows; i++)
        if (c->look[i] <= c->gone + most && !c->zero[i])
            cone_look(c, i, &most);
    for (size_t n = 0; n < c->count; n++) {
        if (n < again)
            c->look[c->near[n]] = c->gone + c->above[n];
        if (c->above[n] <= most * c->falls[n] && c->falls[n] > fastest) {
            fastest = c->falls[n];
            met = c->near[n];
            *length = c->above[n] / c->falls[n];
        }
    }
    return met;
}

/* ---- corners ------------------------------------------------------------- */

/* Edges and x of the corner that is held; false where rounding leaves none. */
static kedge_status cone_refresh(cone *c, bool *found, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = c->k;

    for (size_t j = 0; j < k; j++) { /* columns, so that edges are rows */
        const double *const row = j == 0 ? c->sum : c->g + c->held[j - 1] * k;
        for (size_t i = 0; i < k; i++)
            c->edge[i * k + j] = row[i];
    }
    st = blas_invert(c->edge, k, err);
    *found = st != KEDGE_ENUMERIC;
    if (st != KEDGE_OK)
        return *found ? st : KEDGE_OK;
    memcpy(c->x, c->edge, k * sizeof *c->x);
    for (size_t j = 1; j < k; j++)
        add(c->x, -c->play[c->held[j - 1]], c->edge + j * k, k);
    return st;
}

/* Row `met` instead of that of edge j. */
KERNEL_CLONES
static void cone_exchange(cone *c, size_t j, size_t met)
{
    const size_t k = c->k;
    double *const taken = c->edge + j * k;

    for (size_t i = 0; i < k; i++)
        c->met[i] = lane_dot(c->edge + i * k, c->g + met * k, k);
    scale(taken, 1 / c->met[j], k);
    for (size_t i = 0; i < k; i++)
        if (i != j)
            add(c->edge + i * k, -c->met[i], taken, k);
    c->zero[c->held[j - 1]] = false;
    c->look[c->held[j - 1]] = c->gone;
    c->zero[met] = true;
    c->held[j - 1] = (uint32_t)met;
}

/* The edge along which a'x grows most; 0 where it does not. */
KERNEL_CLONES
static size_t cone_choose(const cone *c)
{
    double most = GAIN;
    size_t best = 0;

    for (size_t j = 1; j < c->k; j++) {
        const double *const edge = c->edge + j * c->k;
        const double grows = lane_dot(c->a, edge, c->k);
        if (grows > 0 && grows > most * sqrt(lane_dot(edge, edge, c->k))) {
            most = grows / sqrt(lane_dot(edge, edge, c->k));
            best = j;
        }
    }
    return best;
}

/* Steps until a'x grows no more; what was found is believed at once after a
 * refresh. */
static kedge_status cone_walk(cone *c, bool *found, kedge_error *err)
{
    size_t since = REFRESH;

    for (size_t step = 0; step < STEPS * c->k; step++) {
        double length;
        if (since == REFRESH) {
            PASS(cone_refresh(c, found, err));
            since = 0;
        }
        const size_t j = *found ? cone_choose(c) : 0;
        const double *const edge = c->edge + j * c->k;
        if (j == 0 && since == 0)
            return KEDGE_OK;
        if (j == 0) {
            since = REFRESH;
            continue;
        }
        memcpy(c->way, edge, c->k * sizeof *c->way);
        scale(c->way, 1 / sqrt(lane_dot(edge, edge, c->k)), c->k);
        const size_t met = cone_meet(c, &length);
        if (met == c->rows)
            break;
        add(c->x, length, c->way, c->k);
        c->gone += length;
        cone_exchange(c, j, met);
        since++;
    }
    *found = false;
    return KEDGE_OK;
}

kedge_status cone_farthest(cone *c, const double *a, uint32_t *corner,
                           double *x, bool *found, kedge_error *err)
{
    const size_t k = c->k;
    const double norm = sqrt(lane_dot(a, a, k));

    memcpy(c->a, a, k * sizeof *c->a);
    scale(c->a, norm > 0 ? 1 / norm : 0, k);
    memcpy(c->held, corner, (k - 1) * sizeof *corner);
    memset(c->zero, 0, c->rows * sizeof *c->zero);
    for (size_t j = 0; j + 1 < k; j++)
        c->zero[corner[j]] = true;
    cone_drop(c);
    PASS(cone_walk(c, found, err));
    memcpy(x, c->edge, k * sizeof *x);
    for (size_t i = 0; *found && i < c->rows; i++)
        *found = lane_dot(c->g + i * k, x, k) >=
                 -BELOW * sqrt(lane_dot(x, x, k));
    if (*found)
        memcpy(corner, c->held, (k - 1) * sizeof *corner);
    return KEDGE_OK;
}

/* ---- the first corner ---------------------------------------------------- */

/* Makes v orthogonal to the first `count` rows of `edge`, which are so to each
 * other, and of length one. */
static void cone_orthogonal(const cone *c, size_t count, double *v)
{
    for (size_t j = 0; j < 2 * count; j++) {
        const double *const q = c->edge + j % count * c->k;
        add(v, -lane_dot(q, v, c->k), q, c->k);
    }
    scale(v, 1 / sqrt(lane_dot(v, v, c->k)), c->k);
}

/* Such a direction: what is left of the axis of which most is. */
static void cone_turn(cone *c, size_t count)
{
    const size_t k = c->k;
    double most = -1;
    size_t axis = 0;

    for (size_t i = 0; i < k; i++) {
        double left = 1;
        for (size_t j = 0; j < count; j++)
            left -= c->edge[j * k + i] * c->edge[j * k + i];
        if (left > most) {
            most = left;
            axis = i;
        }
    }
    memset(c->way, 0, k * sizeof *c->way);
    c->way[axis] = 1;
    cone_orthogonal(c, count, c->way);
}

bool cone_corner(cone *c, uint32_t *corner)
{
    const size_t k = c->k;

    memcpy(c->x, c->inside, k * sizeof *c->x);
    memset(c->zero, 0, c->rows * sizeof *c->zero);
    for (size_t n = 0;; n++) {
        double *const row = c->edge + n * k, length;
        size_t met;
        memcpy(row, n == 0 ? c->sum : c->g + corner[n - 1] * k,
               k * sizeof *row);
        cone_orthogonal(c, n, row);
        if (n + 1 == k)
            return true;
        cone_turn(c, n + 1);
        cone_drop(c);
        met = cone_meet(c, &length);
        if (met == c->rows) { /* the other way */
            scale(c->way, -1, k);
            cone_drop(c);
            met = cone_meet(c, &length);
        }
        if (met == c->rows)
            return false;
        add(c->x, length, c->way, k);
        c->zero[met] = true;
        corner[n] = (uint32_t)met;
    }
}
