/* SPDX-License-Identifier: MIT */
/*
 * With P = B A B' and E = C - P, no dense matrix of words by words is made:
 *
 *   |E|²      the mean over the probe's columns ω of |C ω - B (A (B'ω))|²
 *   <C, P>    Σ over documents of w (y'A y - Σ_i D_i P_ii), y = B'x: exact
 *   |P|²      tr (A B'B A B'B): exact
 *   |C|² = |E|² + 2 <C, P> - |P|²
 *
 * so that what is estimated is only the small part. Its columns are independent
 * of each other and show how far the estimate may be off. Diagonals are known
 * exactly, C's from the documents, and are taken out of the same sums.
 *
 * Row i of C over its sum c_i, less what the anchors' rows make of it by
 * p(topic k | word i) = B_ik share_k / Σ_l B_il share_l, is seen by
 * the probe's columns alone. A root of a mean over p columns is too small by
 * less than 1 / (4 p) of itself. Words that do not occur with others have no
 * row and count with nothing. The norm of all these rows is estimated along
 * that of the model's own, B_i A B' over c_i, which is known: as far as the two
 * vary together over the columns, what the one is off by is taken from the
 * other.
 *
 * Sums go by documents in their order, and over fixed pieces of the rows.
 */
#include "metrics/measure.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define CHUNK 64 /* documents of a task, rows of a step */

/* What a thread works with. */
typedef struct place {
    basket basket;
    double *y, *ya; /* CHUNK x k */
} place;

struct approximation {
    plain_model in;
    pool *p;
    double *own;    /* rows: P_ii */
    place *place;   /* by worker */
    size_t *first;  /* of each document of the window, where it begins */
    double *part;   /* of each: what it adds to <C, P> */
    size_t count;   /* of these */
    double cross;
    const window *w;
};

void approximation_free(approximation *c)
{
    if (c == NULL)
        return;
    for (unsigned t = 0; c->place != NULL && t < pool_threads(c->p); t++) {
        basket_free(&c->place[t].basket);
        mem_free_all(c->place[t].y, c->place[t].ya);
    }
    mem_free_all(c->place, c->own, c->first, c->part, c);
}

kedge_status approximation_create(const plain_model *m, pool *p,
                                  approximation **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = m->rows, k = m->k;
    double *ba = NULL;
    approximation *c = NULL;

    *out = NULL;
    TRY_MEM(c = mem_new(1, sizeof *c));
    c->in = *m;
    c->p = p;
    TRY_MEM(c->own = mem_new(n, sizeof *c->own));
    TRY_MEM(ba = mem_new2(n, k, sizeof *ba));
    tall_multiply(p, n, m->b, k, m->a, k, 0, ba);
    for (size_t i = 0; i < n * k; i++)
        c->own[i / k] += ba[i] * m->b[i];
    mem_free(ba);
    ba = NULL;
    TRY_MEM(c->place = mem_new(pool_threads(p), sizeof *c->place));
    for (unsigned t = 0; t < pool_threads(p); t++) {
        TRY(basket_create(n, &c->place[t].basket, err));
        TRY_MEM(c->place[t].y = mem_new2(CHUNK, k, sizeof(double)));
        TRY_MEM(c->place[t].ya = mem_new2(CHUNK, k, sizeof(double)));
    }
    TRY_MEM(c->first = mem_new(WINDOW_DOCUMENTS, sizeof *c->first));
    TRY_MEM(c->part = mem_new(WINDOW_DOCUMENTS, sizeof *c->part));
    *out = c;
    c = NULL;
out:
    mem_free(ba);
    approximation_free(c);
    return st;
}

/* ---- documents ----------------------------------------------------------- */

static void approximation_chunk(void *data, size_t chunk, unsigned worker)
{
    approximation *const c = data;
    place *const at = &c->place[worker];
    const basket *const b = &at->basket;
    const size_t from = chunk * CHUNK, k = c->in.k;
    const size_t left = c->count - from, count = left < CHUNK ? left : CHUNK;
    double own[CHUNK] = {0}, weight[CHUNK];

    memset(at->y, 0, count * k * sizeof *at->y);
    for (size_t m = 0; m < count; m++) { /* y = B'x, and the diagonal */
        double *const y = at->y + m * k;
        basket_read(&at->basket, c->w, c->first[from + m]);
        weight[m] = b->weight;
        for (size_t i = 0; i < b->count; i++) {
            const double *const row = c->in.b + b->row[i] * k;
            for (size_t t = 0; t < k; t++)
                y[t] += b->x[i] * row[t];
            own[m] += basket_own(b, i) * c->own[b->row[i]];
        }
    }
    blas_gemm(false, false, count, k, k, 1, at->y, k, c->in.a, k, 0, at->ya,
              k);
    for (size_t m = 0; m < count; m++) {
        double sum = -own[m];
        for (size_t t = 0; t < k; t++)
            sum += at->y[m * k + t] * at->ya[m * k + t];
        c->part[from + m] = weight[m] * sum;
    }
}

void approximation_add(approximation *c, const window *w)
{
    assert(w->documents <= WINDOW_DOCUMENTS);
    c->w = w;
    c->count = 0;
    for (size_t m = 0; m < w->documents; m += w->parts[m])
        c->first[c->count++] = m;
    pool_run(c->p, (c->count + CHUNK - 1) / CHUNK, approximation_chunk, c);
    for (size_t i = 0; i < c->count; i++)
        c->cross += c->part[i];
}

/* ---- the probe's columns ------------------------------------------------- */

typedef struct sweep sweep;

/* What does with rows from .. from + count - 1 of a group. */
typedef void sweep_step(const sweep *s, size_t group, size_t from,
                        size_t count, double *scratch);

struct sweep {
    const approximation *c;
    const probe *z;
    size_t width;
    double *product;  /* k x k: A B'B A, and */
    double squares;   /* |P|² */
    double *made;     /* TALL_GROUPS x k x width: pieces of B'Ω */
    double *m;        /* k x width: A B'Ω */
    double *corner;   /* k x width: anchors' rows of C Ω over their sums */
    double *each;     /* TALL_GROUPS x width: squares of E Ω, */
    double *rows;     /* of rows of C Ω over their sums, */
    double *model;    /* and of those of P Ω */
    double *sums;     /* TALL_GROUPS x 2: of the rows' errors, and of the
                         model's rows over their sums the squares */
    double *scratch;  /* by worker: CHUNK x (2 width + k) */
    sweep_step *step; /* what the tasks do */
};

static void sweep_group(void *data, size_t group, unsigned worker)
{
    const sweep *const s = data;
    const size_t n = s->c->in.rows, end = tall_group(n, group + 1);
    double *const scratch =
        s->scratch + worker * CHUNK * (2 * s->width + s->c->in.k);

    for (size_t at = tall_group(n, group); at < end; at += CHUNK)
        s->step(s, group, at, end - at < CHUNK ? end - at : CHUNK, scratch);
}

static void sweep_run(sweep *s, sweep_step *step)
{
    s->step = step;
    pool_run(s->c->p, TALL_GROUPS, sweep_group, s);
}

static void sweep_project(const sweep *s, size_t group, size_t from,
                          size_t count, double *scratch)
{
    const size_t k = s->c->in.k, p = s->width;

    probe_signs(s->z, from, count, scratch);
    blas_gemm(true, false, k, p, count, 1, s->c->in.b + from * k, k, scratch,
              p, 1, s->made + group * k * p, p);
}

static void add_squares(const double *z, size_t width, double *to)
{
    for (size_t l = 0; l < width; l++)
        to[l] += z[l] * z[l];
}

static void sweep_error(const sweep *s, size_t group, size_t from,
                        size_t count, double *scratch)
{
    const size_t k = s->c->in.k, p = s->width;

    probe_read(s->z, from, count, scratch);
    blas_gemm(false, false, count, p, k, -1, s->c->in.b + from * k, k, s->m, p,
              1, scratch, p);
    for (size_t i = 0; i < count; i++)
        add_squares(scratch + i * p, p, s->each + group * p);
}

/* A row of C Ω, or the model's, over the row's sum. */
static void sweep_divide(const sweep *s, size_t row, double *z)
{
    const double sum = s->z->sums[row];

    for (size_t l = 0; l < s->width; l++)
        z[l] = sum > 0 ? z[l] / sum : 0;
}

/* Of the model's row over the row's sum, the square: as it is. */
static double sweep_model(const sweep *s, size_t row)
{
    const size_t k = s->c->in.k;
    const double *const b = s->c->in.b + row * k;
    const double sum = s->z->sums[row];
    double squares = 0;

    for (size_t t = 0; t < k; t++)
        for (size_t l = 0; l < k && b[t] != 0; l++)
            squares += b[t] * s->product[t * k + l] * b[l];
    return sum > 0 ? squares / sum / sum : 0;
}

static void sweep_recover(const sweep *s, size_t group, size_t from,
                          size_t count, double *scratch)
{
    const plain_model *const in = &s->c->in;
    const size_t k = in->k, p = s->width;
    double *const made = scratch + CHUNK * p, *const q = made + CHUNK * p;
    double *const sums = s->sums + 2 * group;

    probe_read(s->z, from, count, scratch);
    blas_gemm(false, false, count, p, k, 1, in->b + from * k, k, s->m, p, 0,
              made, p);
    for (size_t i = 0; i < count; i++) {
        const size_t row = from + i;
        sweep_divide(s, row, scratch + i * p);
        sweep_divide(s, row, made + i * p);
        add_squares(scratch + i * p, p, s->rows + group * p);
        add_squares(made + i * p, p, s->model + group * p);
        sums[1] += sweep_model(s, row);
        shape_topics(in->b + row * k, in->share, k, q + i * k);
        for (size_t t = 0; t < k; t++)
            q[i * k + t] = s->z->sums[row] > 0 ? -q[i * k + t] : 0;
    }
    blas_gemm(false, false, count, p, k, 1, q, k, s->corner, p, 1, scratch, p);
    for (size_t i = 0; i < count; i++) {
        double squares = 0;
        for (size_t l = 0; l < p; l++)
            squares += scratch[i * p + l] * scratch[i * p + l];
        sums[0] += sqrt(squares / (double)p);
    }
}

/* Groups are added up in the first one's place; the mean over columns. */
static double sweep_mean(const sweep *s, double *each)
{
    const size_t p = s->width;
    double mean = 0;

    for (size_t l = 0; l < p; l++) {
        for (size_t g = 1; g < TALL_GROUPS; g++)
            each[l] += each[g * p + l];
        mean += each[l] / (double)p;
    }
    return mean;
}

/* Over columns, times their number. */
static double sweep_covariance(const sweep *s, const double *x, double x_mean,
                               const double *y, double y_mean)
{
    double sum = 0;

    for (size_t l = 0; l < s->width; l++)
        sum += (x[l] - x_mean) * (y[l] - y_mean);
    return sum;
}

/* Norms and errors of C and P, from the squares of E Ω. */
static void sweep_norms(const sweep *s, double *each, approximation_found *out)
{
    const approximation *const c = s->c;
    const double *const diagonal = s->z->diagonal;
    const double error = sweep_mean(s, each), p = (double)s->width;
    const double norm = error + 2 * c->cross / s->z->mass - s->squares;
    double own = 0, both = 0;

    for (size_t i = 0; i < c->in.rows; i++) {
        own += diagonal[i] * diagonal[i];
        both += (diagonal[i] - c->own[i]) * (diagonal[i] - c->own[i]);
    }
    out->norm = sqrt(fmax(norm, 0));
    out->error = sqrt(error);
    /* the standard error of the mean of |E ω|², over twice the root */
    out->spread = error > 0 ? sqrt(sweep_covariance(s, each, error, each,
                                                    error) / (p - 1) / p) /
                                  (2 * out->error)
                            : 0;
    out->off_norm = sqrt(fmax(norm - own, 0));
    out->off_error = sqrt(fmax(error - both, 0));
}

/* Of C's rows over their sums, and how far anchors' rows are from making them
 * up. */
static void sweep_rows(const sweep *s, approximation_found *out)
{
    const double rows = sweep_mean(s, s->rows);
    const double model = sweep_mean(s, s->model);
    const double own = sweep_covariance(s, s->model, model, s->model, model);
    const double both = sweep_covariance(s, s->rows, rows, s->model, model);
    double recovery = 0, known = 0;

    for (size_t g = 0; g < TALL_GROUPS; g++) {
        recovery += s->sums[2 * g];
        known += s->sums[2 * g + 1];
    }
    out->recovery = recovery / (double)s->c->in.rows;
    out->rows_norm = sqrt(fmax(
        own > 0 ? rows - both / own * (model - known) : rows, 0));
}

kedge_status approximation_finish(approximation *c, const probe *z,
                                  approximation_found *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const plain_model *const in = &c->in;
    const size_t k = in->k, p = z->width;
    sweep s = {.c = c, .z = z, .width = p};
    double *g = NULL, *ag = NULL;

    *out = (approximation_found){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!(z->mass > 0))
        return KEDGE_OK;
    TRY_MEM(s.product = mem_new2(k, k, sizeof(double)));
    TRY_MEM(s.made = mem_new2(TALL_GROUPS, k * p, sizeof(double)));
    TRY_MEM(s.m = mem_new2(k, p, sizeof(double)));
    TRY_MEM(s.corner = mem_new2(k, p, sizeof(double)));
    TRY_MEM(s.each = mem_new2(TALL_GROUPS, p, sizeof(double)));
    TRY_MEM(s.rows = mem_new2(TALL_GROUPS, p, sizeof(double)));
    TRY_MEM(s.model = mem_new2(TALL_GROUPS, p, sizeof(double)));
    TRY_MEM(s.sums = mem_new2(TALL_GROUPS, 2, sizeof(double)));
    TRY_MEM(s.scratch = mem_new2(pool_threads(c->p) * CHUNK, 2 * p + k,
                                 sizeof(double)));
    TRY_MEM(g = mem_new2(k, k, sizeof(double)));
    TRY_MEM(ag = mem_new2(k, k, sizeof(double)));
    /* A G A and |P|² = Σ (A G)_ij (A G)_ji, with G = B'B */
    TRY(tall_cross(c->p, in->rows, in->b, k, in->b, k, g, err));
    blas_gemm(false, false, k, k, k, 1, in->a, k, g, k, 0, ag, k);
    blas_gemm(false, false, k, k, k, 1, ag, k, in->a, k, 0, s.product, k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            s.squares += ag[i * k + j] * ag[j * k + i];
    /* A B'Ω, and the anchors' rows */
    sweep_run(&s, sweep_project);
    for (size_t group = 1; group < TALL_GROUPS; group++)
        for (size_t i = 0; i < k * p; i++)
            s.made[i] += s.made[group * k * p + i];
    blas_gemm(false, false, k, p, k, 1, in->a, k, s.made, p, 0, s.m, p);
    for (size_t t = 0; t < k; t++) {
        probe_read(z, in->anchor[t], 1, s.corner + t * p);
        sweep_divide(&s, in->anchor[t], s.corner + t * p);
    }
    sweep_run(&s, sweep_error);
    sweep_run(&s, sweep_recover);
    sweep_norms(&s, s.each, out);
    sweep_rows(&s, out);
out:
    mem_free_all(s.product, s.made, s.m, s.corner, s.each, s.rows, s.model,
                 s.sums, s.scratch, g, ag);
    return st;
}
