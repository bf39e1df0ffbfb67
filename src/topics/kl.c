/* SPDX-License-Identifier: MIT */
/*
 * RecoverKL (paper "A Practical Algorithm for Topic Modeling with Provable
 * Guarantees", Algorithm 3): for each word's row c of C̄ and the anchors' rows
 * M, shares y on the simplex that minimise KL(c || y'M).
 *
 * Unlike squares, this needs rows as they are, of as many entries as there are
 * words, N² of them in all. So the columns of the J = KL_COLUMNS most frequent
 * words are told apart, and all others are added up into one column more. A row
 * stays a distribution by it, and a mixture of rows stays that mixture: in a
 * vocabulary up to J it is the algorithm as printed, and in a larger one the
 * same of coarser rows, for N J K multiply-adds a step instead of N² K, in
 * memory that does not grow with N. Rows are made TILE at a time from Y;
 * entries below 0 count as 0, and anchors' entries as FLOOR / J at least.
 *
 * With P = y'M, r_t = Σ_j c_j M_tj / P_j is minus the gradient, and y'r = 1, so
 * that max r - 1 is how far the divergence is from its least at most, and tells
 * when to stop. Newton's method goes there: the Hessian is
 * H_ts = Σ_j c_j M_tj M_sj / P_j², Hy = r, so that the nearest parabola is
 * z'Hz / 2 - 2 r'z, whose least on the simplex the active set finds. It
 * concerns entries that are positive, or would grow (r_t > 1), a few of them
 * where the beginning is good. That is the least of the same squares for all
 * rows, Σ_j (c_j - P_j)² / p_j, with p what columns weigh: four or five steps
 * are then usual. Rows of a tile go in step for the sake of products with M.
 *
 * A mixture of too few anchors may have next to nothing in a column where c has
 * something. Divergence hardly sees that, its gradient sees nothing else: the
 * gap is WILD. Such a row, one in a thousand, gets a little of every anchor
 * again, and from then on never takes all of a mixture's entry at once.
 */
#include "topics/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define TILE 32
#define NEWTON 60      /* steps at most */
#define GAP 1e-9       /* nats */
#define FLOOR 1e-9
#define EVERY 0.05     /* of a row to begin with, for every anchor alike */
#define WILD 100       /* nats: no parabola is near */
#define FAR 0.9        /* of P, taken at once where that has been */
#define SAFE 0.3       /* of P: see kl_part */
#define ENOUGH 1e-4    /* of what a step promised */
#define ROUNDING 1e-14 /* nats, in sums over columns */
#define SPREAD 512     /* columns of several anchors' rows at a time */

typedef struct kl_job {
    const law_input *in;
    const double *d;
    const uint64_t *anchor;
    size_t apart;    /* columns told apart, */
    size_t width;    /* and one more, the others' */
    double *own;     /* apart x k: their rows of Y */
    double *others;  /* k: the sum of the others' */
    double *m;       /* k x width: M, */
    double *weighted; /* and by its columns' weights */
    double *gram;    /* k x k: their products */
    double *shares;
    double *scratch; /* for each worker */
    simplex_result *each; /* by tile */
} kl_job;

/* A tile in the making. */
typedef struct kl_tile {
    double *c, *mix;   /* TILE x columns: rows; P, then c / P */
    double *y, *r;     /* TILE x k */
    size_t *row;       /* TILE: which row it is */
    bool *careful;     /* TILE: it has gone astray */
    double *part;      /* k x columns: rows of M, scaled */
    double *root;      /* columns: sqrt(c) / P */
    double *h;         /* k x k */
    double *v, *z, *active; /* k, k, active_doubles(k) */
    size_t *entry;     /* k */
} kl_tile;

static size_t kl_doubles(size_t columns, size_t k)
{
    return 2 * TILE * columns + 2 * TILE * k + 2 * TILE + (k + 1) * columns +
           k * k + 3 * k + active_doubles(k);
}

static kl_tile kl_layout(double *scratch, size_t columns, size_t k)
{
    kl_tile t = {.c = scratch};

    t.mix = t.c + TILE * columns;
    t.y = t.mix + TILE * columns;
    t.r = t.y + TILE * k;
    t.part = t.r + TILE * k;
    t.root = t.part + k * columns;
    t.h = t.root + columns;
    t.v = t.h + k * k;
    t.z = t.v + k;
    t.active = t.z + k;
    t.entry = (size_t *)(t.active + active_doubles(k));
    t.row = t.entry + k;
    t.careful = (bool *)(t.row + TILE);
    return t;
}

/* mix = c / mix; mix is P before. */
KERNEL_CLONES
static void kl_ratio(const double *restrict c, double *restrict mix,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        mix[i] = c[i] / mix[i];
}

/* to += times * row; and to = by * row, entry by entry. */
KERNEL_CLONES
static void kl_add(double *restrict to, double times,
                   const double *restrict row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += times * row[i];
}

KERNEL_CLONES
static void kl_times(double *restrict to, const double *restrict by,
                     const double *restrict row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = by[i] * row[i];
}

/* ---- rows ---------------------------------------------------------------- */

/* Entries below `least` become it, and all are scaled to sum to one. */
static void kl_normalise(double *row, size_t count, double least)
{
    double sum = 0;

    for (size_t c = 0; c < count; c++)
        sum += row[c] = row[c] > 0 ? row[c] : 0;
    for (size_t c = 0; c < count; c++)
        row[c] = (sum > 0 ? row[c] / sum : 0) + least;
    if (least <= 0)
        return;
    for (size_t c = 0; c < count; c++)
        row[c] /= 1 + least * (double)count;
}

/* out (count x width): the rows y of Y, not scaled. */
static void kl_rows(const kl_job *j, const double *y, size_t count,
                    double *out)
{
    const size_t k = j->in->k, width = j->width;

    blas_gemm(false, true, count, j->apart, k, 1, y, k, j->own, k, 0, out,
              width);
    for (size_t i = 0; i < count; i++) {
        double rest = 0;
        for (size_t c = 0; c < k; c++)
            rest += y[i * k + c] * j->others[c];
        out[i * width + j->apart] = rest;
    }
}

/* Which columns are told apart: place[i] is the one of word i, or `apart`. */
static kedge_status kl_choose(kl_job *j, size_t *place, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const law_input *in = j->in;
    const size_t k = in->k;
    scored_row *column = NULL;

    TRY_MEM(column = mem_new(in->rows, sizeof *column));
    for (size_t i = 0; i < in->rows; i++)
        column[i] = (scored_row){in->sums[i], i};
    qsort(column, in->rows, sizeof *column, compare_scored_rows);
    for (size_t n = 0; n < in->rows; n++) {
        const size_t i = column[n].row;
        place[i] = n < j->apart ? n : j->apart;
        for (size_t c = 0; c < k; c++)
            if (n < j->apart)
                j->own[n * k + c] = in->y[i * k + c];
            else
                j->others[c] += in->y[i * k + c];
    }
out:
    mem_free(column);
    return st;
}

/* M: the anchors' rows, or of a topic of several that of all of them. */
static kedge_status kl_anchors(kl_job *j, const size_t *place,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const law_input *in = j->in;
    const size_t width = j->width;
    const given_rows r = {in->rows, in->k, in->y, NULL, NULL, j->d};
    size_t words = 0;     /* of a topic, at most */
    double *value = NULL; /* its row, and its words': SPREAD columns */

    for (size_t t = 0; in->given != NULL && t < in->given->topics; t++)
        words = given_words(in->given, t) > words ? given_words(in->given, t)
                                                  : words;
    TRY_MEM(value = mem_new2(words + 1, SPREAD, sizeof *value));
    for (size_t t = 0; t < in->k; t++) {
        double *const row = j->m + t * width;
        const size_t tandem = given_tandem(in->given, j->anchor[t]);
        if (tandem == GIVEN_NONE)
            kl_rows(j, in->y + j->anchor[t] * in->k, 1, row);
        for (size_t from = 0; tandem != GIVEN_NONE && from < in->rows;
             from += SPREAD) {
            const size_t count =
                in->rows - from < SPREAD ? in->rows - from : SPREAD;
            given_values(in->given, tandem, &r, from, count, value + SPREAD,
                         value);
            for (size_t i = 0; i < count; i++)
                row[place[from + i]] += value[i];
        }
        kl_normalise(row, width, FLOOR / (double)width);
    }
out:
    mem_free(value);
    return st;
}

/* Weights of columns: how large entries are in them, in the anchors' rows and
 * in all. */
static kedge_status kl_weigh(kl_job *j, const size_t *place, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const law_input *in = j->in;
    const size_t k = in->k, width = j->width;
    double *size = NULL, all = 0;

    TRY_MEM(size = mem_new(width, sizeof *size));
    for (size_t i = 0; i < in->rows; i++)
        all += in->sums[i];
    for (size_t i = 0; i < in->rows; i++)
        size[place[i]] += all > 0 ? in->sums[i] / all : 0;
    for (size_t t = 0; t < k; t++)
        kl_add(size, 1 / (double)k, j->m + t * width, width);
    for (size_t c = 0; c < width; c++)
        size[c] = 1 / size[c];
    for (size_t t = 0; t < k; t++)
        kl_times(j->weighted + t * width, size, j->m + t * width, width);
    blas_gemm(false, true, k, k, width, 1, j->m, width, j->weighted, width, 0,
              j->gram, k);
out:
    mem_free(size);
    return st;
}

/* ---- solving ------------------------------------------------------------- */

/* c / P into mix, and r, of the first `count` rows of the tile. */
static void kl_look(const kl_job *j, const kl_tile *t, size_t count)
{
    const size_t k = j->in->k, width = j->width;

    blas_gemm(false, false, count, width, k, 1, t->y, k, j->m, width, 0,
              t->mix, width);
    kl_ratio(t->c, t->mix, count * width);
    blas_gemm(false, true, count, k, width, 1, t->mix, width, j->m, width, 0,
              t->r, k);
}

/* A little of every anchor. */
static void kl_stir(double *y, size_t k)
{
    for (size_t s = 0; s < k; s++)
        y[s] = (1 - EVERY) * y[s] + EVERY / (double)k;
}

/* Where rows begin: of the nearest by weighted squares and a little of every
 * anchor, the anchors that are more than that little, or should be. */
static void kl_start(const kl_job *j, const kl_tile *t, size_t count)
{
    const size_t k = j->in->k, width = j->width;
    const double little = EVERY / (double)k;
    const active_problem problem = {ACTIVE_ONE, k, k, j->gram};

    blas_gemm(false, true, count, k, width, 1, t->c, width, j->weighted,
              width, 0, t->r, k);
    for (size_t i = 0; i < count; i++) {
        double *const y = t->y + i * k;
        memset(y, 0, k * sizeof *y);
        active_row(&problem, t->r + i * k, y, t->active);
        kl_stir(y, k);
    }
    kl_look(j, t, count);
    for (size_t i = 0; i < count; i++) {
        double *const y = t->y + i * k, sum = 0;
        for (size_t s = 0; s < k; s++)
            sum += y[s] = y[s] > little || t->r[i * k + s] > 1 ? y[s] : 0;
        for (size_t s = 0; s < k; s++)
            y[s] /= sum;
    }
}

/* Where the nearest parabola is least: z of the entries that it concerns; gives
 * how many these are. */
static size_t kl_newton(const kl_job *j, const kl_tile *t, size_t row)
{
    const size_t k = j->in->k, width = j->width;
    const double *const c = t->c + row * width;
    const double *const ratio = t->mix + row * width;
    const double *const y = t->y + row * k, *const r = t->r + row * k;
    size_t n = 0;

    for (size_t s = 0; s < k; s++)
        if (y[s] > 0 || r[s] > 1)
            t->entry[n++] = s;
    for (size_t i = 0; i < width; i++)
        t->root[i] = c[i] > 0 ? ratio[i] / sqrt(c[i]) : 0;
    for (size_t a = 0; a < n; a++) {
        t->v[a] = 2 * r[t->entry[a]];
        t->z[a] = y[t->entry[a]];
        kl_times(t->part + a * width, t->root, j->m + t->entry[a] * width,
                 width);
    }
    blas_gemm(false, true, n, n, width, 1, t->part, width, t->part, width, 0,
              t->h, n);
    active_row(&(active_problem){ACTIVE_ONE, n, n, t->h}, t->v, t->z,
               t->active);
    return n;
}

/* How much of the way to z, which changes P by the share u: as much as brings
 * ENOUGH of what is promised, 0 when nothing does. For u >= -SAFE no logarithms
 * are needed: there log(1 + u) >= u - 0.63 u², and Σ c u², by which the
 * parabola bends, is not more than what is promised. */
static double kl_part(const double *c, const double *u, size_t width,
                      double promised, bool careful)
{
    double least = 0;

    for (size_t i = 0; i < width; i++)
        least = c[i] > 0 && u[i] < least ? u[i] : least;
    if (least >= -SAFE)
        return 1;
    for (double part = careful ? fmin(1, FAR / -least) : 1; part > 1e-6;
         part *= 0.5) {
        double gain = 0;
        for (size_t i = 0; i < width; i++)
            gain += c[i] > 0 ? c[i] * log1p(part * u[i]) : 0;
        if (gain >= ENOUGH * part * promised - ROUNDING)
            return part;
    }
    return 0;
}

/* Towards z; false when nothing is gained by that. */
static bool kl_walk(const kl_job *j, const kl_tile *t, size_t row, size_t n)
{
    const size_t k = j->in->k, width = j->width;
    const double *const c = t->c + row * width;
    const double *const ratio = t->mix + row * width;
    double *const y = t->y + row * k, *const u = t->part, promised = 0, part;

    memset(u, 0, width * sizeof *u);
    for (size_t a = 0; a < n; a++) {
        const size_t s = t->entry[a];
        const double step = t->z[a] - y[s];
        promised += step * t->r[row * k + s];
        if (step != 0)
            kl_add(u, step, j->m + s * width, width);
    }
    for (size_t i = 0; i < width; i++)
        u[i] = c[i] > 0 ? u[i] * ratio[i] / c[i] : 0;
    part = kl_part(c, u, width, promised, t->careful[row]);
    for (size_t a = 0; a < n; a++)
        y[t->entry[a]] += part * (t->z[a] - y[t->entry[a]]);
    return part > 0;
}

/* The row is done with; the last of `count` takes its place. */
static void kl_leave(const kl_job *j, const kl_tile *t, size_t row,
                     size_t last, double *shares)
{
    const size_t k = j->in->k, width = j->width;

    memcpy(shares + t->row[row] * k, t->y + row * k, k * sizeof *shares);
    memmove(t->y + row * k, t->y + last * k, k * sizeof *t->y);
    memmove(t->r + row * k, t->r + last * k, k * sizeof *t->r);
    memmove(t->c + row * width, t->c + last * width, width * sizeof *t->c);
    memmove(t->mix + row * width, t->mix + last * width,
            width * sizeof *t->mix);
    t->row[row] = t->row[last];
    t->careful[row] = t->careful[last];
}

/* One step of the rows that are left; how many are left after it. */
static size_t kl_step(const kl_job *j, const kl_tile *t, size_t count,
                      size_t *stuck, double *shares)
{
    const size_t k = j->in->k;

    kl_look(j, t, count);
    for (size_t i = 0; i < count;) {
        double most = -INFINITY, gap;
        for (size_t c = 0; c < k; c++)
            most = fmax(most, t->r[i * k + c]);
        gap = most - 1;
        bool done = gap <= GAP;
        if (gap > WILD) {
            kl_stir(t->y + i * k, k);
            t->careful[i] = true;
        } else if (!done) {
            done = !kl_walk(j, t, i, kl_newton(j, t, i));
            *stuck += done;
        }
        if (done)
            kl_leave(j, t, i, --count, shares);
        else
            i++;
    }
    return count;
}

static void kl_task(void *data, size_t tile, unsigned worker)
{
    const kl_job *j = data;
    const size_t k = j->in->k, width = j->width, from = tile * TILE;
    const kl_tile t =
        kl_layout(j->scratch + worker * kl_doubles(width, k), width, k);
    size_t count = j->in->rows - from < TILE ? j->in->rows - from : TILE;
    size_t step = 0, stuck = 0;

    kl_rows(j, j->in->y + from * k, count, t.c);
    for (size_t i = 0; i < count; i++) {
        kl_normalise(t.c + i * width, width, 0);
        t.row[i] = from + i;
        t.careful[i] = false;
    }
    kl_start(j, &t, count);
    for (; step < NEWTON && count > 0; step++)
        count = kl_step(j, &t, count, &stuck, j->shares);
    j->each[tile] = (simplex_result){step, stuck + count};
    while (count > 0)
        kl_leave(j, &t, 0, --count, j->shares);
}

kedge_status kl_solve(pool *p, const law_input *in, const double *d,
                      const uint64_t *anchor, size_t columns,
                      const stage *now, double *shares, simplex_result *out,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, tiles = (in->rows + TILE - 1) / TILE;
    const size_t apart = in->rows < columns ? in->rows : columns;
    kl_job j = {.in = in, .d = d, .anchor = anchor, .apart = apart,
                .width = apart + 1, .shares = shares};
    size_t *place = NULL; /* rows: which column is the word's */

    *out = (simplex_result){0};
    TRY_MEM(place = mem_new(in->rows, sizeof *place));
    TRY_MEM(j.own = mem_new2(j.apart, k, sizeof *j.own));
    TRY_MEM(j.others = mem_new(k, sizeof *j.others));
    TRY_MEM(j.m = mem_new2(k, j.width, sizeof *j.m));
    TRY_MEM(j.weighted = mem_new2(k, j.width, sizeof *j.weighted));
    TRY_MEM(j.gram = mem_new2(k, k, sizeof *j.gram));
    TRY_MEM(j.each = mem_new(tiles, sizeof *j.each));
    TRY(kl_choose(&j, place, err));
    TRY(kl_anchors(&j, place, err));
    TRY(kl_weigh(&j, place, err));
    TRY_MEM(j.scratch = mem_new2(pool_threads(p),
                                 kl_doubles(j.width, k),
                                 sizeof *j.scratch));
    pool_watch(p, now);
    pool_run(p, tiles, kl_task, &j);
    TRY(pool_unwatch(p, err));
    for (size_t t = 0; t < tiles; t++) {
        const size_t steps = j.each[t].steps;
        out->steps = steps > out->steps ? steps : out->steps;
        out->unsettled += j.each[t].unsettled;
    }
out:
    mem_free_all(place, j.own, j.others, j.m, j.weighted, j.gram, j.each,
                 j.scratch);
    return st;
}
