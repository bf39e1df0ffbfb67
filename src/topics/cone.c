/* SPDX-License-Identifier: MIT */
/*
 * With c = -a, slacks s = Gx and multipliers w of them, t of g'x = 1, the
 * program and its dual,
 *
 *   least c'x such that s >= 0, g'x = 1;   most t such that c = G'w + t g,
 *   w >= 0,
 *
 * end where all s_i w_i are zero. Rows are many and k is small, so an
 * interior-point method is short: Mehrotra's predictor and corrector, from any
 * positive s and w. Newton's step to s_i w_i = m_i is, with D = w / s and what
 * is still wrong, p = Gx - s, e = 1 - g'x, d = c - G'w - t g,
 *
 *   H dx = G'(m / s - w - D p) - d + dt g,   H = G'DG,   g'dx = e,
 *   ds = G dx + p,   dw = m / s - w - D ds,
 *
 * a sum H and two solutions with its factor, scaled to a diagonal of ones. It
 * takes some 15 to 25 steps. G'DG is summed in fixed pieces (linalg/tall.h).
 */
#include "topics/cone.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define STEPS 100
#define NEAR 1e-9       /* residuals and gap that end it */
#define NEAR_MOST 1e-6  /* that are good enough where rounding ends it, */
#define IDLE 4          /* after steps that bring nothing */
#define BACK 0.9995     /* of the way to a bound */
#define SLACK 0.1       /* to begin with, at least */
#define RIDGE 1e-15     /* beside a diagonal of ones */

struct cone {
    pool *p;
    const double *g; /* rows x k: G */
    size_t rows, k;
    double *all;     /* memory of the vectors of `rows` */
    double *s, *w, *ds, *dw, *m, *gx;
    double *scaled;  /* rows x k: D^1/2 G */
    double *small;   /* memory of those of k */
    double *sum;     /* g */
    double *c, *d, *dx, *q, *r, *scale, *best;
    double *h;       /* k x k: its factor */
    double t, dt, e;
};

void cone_free(cone *c)
{
    if (c == NULL)
        return;
    mem_free(c->all);
    mem_free(c->scaled);
    mem_free(c->small);
    mem_free(c->h);
    mem_free(c);
}

/* The sum of the rows, at unit length. */
static void cone_sum(cone *c)
{
    double norm = 0;

    for (size_t i = 0; i < c->rows; i++)
        for (size_t j = 0; j < c->k; j++)
            c->sum[j] += c->g[i * c->k + j];
    for (size_t j = 0; j < c->k; j++)
        norm += c->sum[j] * c->sum[j];
    for (size_t j = 0; norm > 0 && j < c->k; j++)
        c->sum[j] /= sqrt(norm);
}

kedge_status cone_create(pool *p, const double *g, size_t rows, size_t k,
                         cone **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    cone *c = NULL;

    *out = NULL;
    TRY_MEM(c = mem_new(1, sizeof *c));
    *c = (cone){.p = p, .g = g, .rows = rows, .k = k};
    double **const tall[] = {&c->s, &c->w, &c->ds, &c->dw, &c->m, &c->gx};
    double **const low[] = {&c->sum, &c->c, &c->d,     &c->dx,
                            &c->q,   &c->r, &c->scale, &c->best};
    TRY_MEM(c->all = mem_new2(6, rows, sizeof *c->all));
    TRY_MEM(c->small = mem_new2(8, k, sizeof *c->small));
    TRY_MEM(c->scaled = mem_new2(rows, k, sizeof *c->scaled));
    TRY_MEM(c->h = mem_new2(k, k, sizeof *c->h));
    for (size_t i = 0; i < 6; i++)
        *tall[i] = c->all + i * rows;
    for (size_t i = 0; i < 8; i++)
        *low[i] = c->small + i * k;
    cone_sum(c);
    *out = c;
    c = NULL;
out:
    cone_free(c);
    return st;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- equations ----------------------------------------------------------- */

/* H, scaled, and its factor; false where it has none. */
static kedge_status cone_factor(cone *c, bool *definite, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = c->k;

    for (size_t i = 0; i < c->rows; i++) {
        const double root = sqrt(c->w[i] / c->s[i]);
        for (size_t j = 0; j < k; j++)
            c->scaled[i * k + j] = root * c->g[i * k + j];
    }
    TRY(tall_cross(c->p, c->rows, c->scaled, k, c->scaled, k, c->h, err));
    for (size_t j = 0; j < k; j++)
        c->scale[j] = c->h[j * k + j] > 0 ? 1 / sqrt(c->h[j * k + j]) : 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            c->h[i * k + j] =
                i == j ? 1 + RIDGE * (double)k
                       : c->h[i * k + j] * c->scale[i] * c->scale[j];
    *definite = blas_cholesky(c->h, k, NULL) == KEDGE_OK;
out:
    return st;
}

/* v becomes H^-1 v, with H = R'R as it was scaled. */
static void cone_solve(const cone *c, double *v)
{
    const size_t k = c->k;

    for (size_t i = 0; i < k; i++)
        v[i] *= c->scale[i];
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < i; j++)
            v[i] -= c->h[j * k + i] * v[j];
        v[i] /= c->h[i * k + i];
    }
    for (size_t i = k; i-- > 0;) {
        for (size_t j = i + 1; j < k; j++)
            v[i] -= c->h[i * k + j] * v[j];
        v[i] /= c->h[i * k + i];
    }
    for (size_t i = 0; i < k; i++)
        v[i] *= c->scale[i];
}

/* The step to products s_i w_i = m_i; gx is Gx. */
static kedge_status cone_step(cone *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = c->k;

    for (size_t i = 0; i < c->rows; i++)
        c->dw[i] = (c->m[i] - c->w[i] * (c->gx[i] - c->s[i])) / c->s[i] -
                   c->w[i];
    TRY(tall_cross(c->p, c->rows, c->g, k, c->dw, 1, c->q, err));
    for (size_t j = 0; j < k; j++)
        c->q[j] -= c->d[j];
    memcpy(c->r, c->sum, k * sizeof *c->r);
    cone_solve(c, c->q);
    cone_solve(c, c->r);
    c->dt = (c->e - dot(c->sum, c->q, k)) / dot(c->sum, c->r, k);
    for (size_t j = 0; j < k; j++)
        c->dx[j] = c->q[j] + c->dt * c->r[j];
    tall_multiply(c->p, c->rows, c->g, k, c->dx, 1, 0, c->ds);
    for (size_t i = 0; i < c->rows; i++) {
        c->ds[i] += c->gx[i] - c->s[i];
        c->dw[i] = (c->m[i] - c->w[i] * c->ds[i]) / c->s[i] - c->w[i];
    }
out:
    return st;
}

/* ---- steps --------------------------------------------------------------- */

/* How far v may go along dv, at most 1. */
static double cone_length(const double *v, const double *dv, size_t count,
                          double back)
{
    double most = 1;

    for (size_t i = 0; i < count; i++)
        if (dv[i] < 0)
            most = fmin(most, -back * v[i] / dv[i]);
    return most;
}

/* What m is to be: first nothing, which tells how far the products can fall,
 * then what they fall to, less what that step was wrong by. */
static void cone_aim(cone *c, double mean)
{
    const double primal = cone_length(c->s, c->ds, c->rows, 1);
    const double dual = cone_length(c->w, c->dw, c->rows, 1);
    double left = 0, ratio;

    for (size_t i = 0; i < c->rows; i++)
        left += (c->s[i] + primal * c->ds[i]) * (c->w[i] + dual * c->dw[i]);
    ratio = left / (mean * (double)c->rows);
    for (size_t i = 0; i < c->rows; i++)
        c->m[i] = ratio * ratio * ratio * mean - c->ds[i] * c->dw[i];
}

/* What is still wrong; the larger of the residuals and the gap. */
static kedge_status cone_look(cone *c, const double *x, double *wrong,
                              double *mean, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = c->k;
    double apart = 0;

    tall_multiply(c->p, c->rows, c->g, k, x, 1, 0, c->gx);
    TRY(tall_cross(c->p, c->rows, c->g, k, c->w, 1, c->d, err));
    for (size_t j = 0; j < k; j++)
        c->d[j] = c->c[j] - c->d[j] - c->t * c->sum[j];
    c->e = 1 - dot(c->sum, x, k);
    for (size_t i = 0; i < c->rows; i++)
        apart = fmax(apart, fabs(c->gx[i] - c->s[i]));
    *mean = dot(c->s, c->w, c->rows) / (double)c->rows;
    *wrong = fmax(fmax(apart / (1 + sqrt(dot(x, x, k))), fabs(c->e)),
                  fmax(sqrt(dot(c->d, c->d, k)),
                       *mean * (double)c->rows / (1 + fabs(c->t))));
out:
    return st;
}

static void cone_begin(cone *c, const double *a, double *x)
{
    const double norm = sqrt(dot(a, a, c->k));

    for (size_t j = 0; j < c->k; j++) {
        c->c[j] = norm > 0 ? -a[j] / norm : 0;
        x[j] = c->sum[j];
    }
    c->t = 0;
    tall_multiply(c->p, c->rows, c->g, c->k, x, 1, 0, c->gx);
    for (size_t i = 0; i < c->rows; i++) {
        c->s[i] = fmax(c->gx[i], SLACK);
        c->w[i] = 1 / (c->s[i] * (double)c->rows);
    }
}

static void cone_move(cone *c, double *x)
{
    const double primal = cone_length(c->s, c->ds, c->rows, BACK);
    const double dual = cone_length(c->w, c->dw, c->rows, BACK);

    for (size_t j = 0; j < c->k; j++)
        x[j] += primal * c->dx[j];
    c->t += dual * c->dt;
    for (size_t i = 0; i < c->rows; i++) {
        c->s[i] += primal * c->ds[i];
        c->w[i] += dual * c->dw[i];
    }
}

/* Predictor and corrector; *definite is false where rounding leaves no
 * step. */
static kedge_status cone_advance(cone *c, double mean, double *x,
                                 bool *definite, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(cone_factor(c, definite, err));
    if (!*definite)
        return KEDGE_OK;
    memset(c->m, 0, c->rows * sizeof *c->m);
    TRY(cone_step(c, err));
    cone_aim(c, mean);
    TRY(cone_step(c, err));
    cone_move(c, x);
out:
    return st;
}

kedge_status cone_farthest(cone *c, const double *a, double *x, bool *found,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double wrong, mean, least = INFINITY;
    bool definite = true;
    int idle = 0;

    *found = false;
    cone_begin(c, a, x);
    for (int step = 0; step < STEPS && definite && idle < IDLE; step++) {
        TRY(cone_look(c, x, &wrong, &mean, err));
        idle = least <= NEAR_MOST ? idle + 1 : 0;
        if (wrong < least) {
            least = wrong;
            idle = 0;
            memcpy(c->best, x, c->k * sizeof *x);
        }
        if (least <= NEAR || isnan(wrong))
            break;
        TRY(cone_advance(c, mean, x, &definite, err));
    }
    memcpy(x, c->best, c->k * sizeof *x);
    *found = least <= NEAR_MOST;
out:
    return st;
}

uint64_t cone_memusage(size_t rows, size_t k)
{
    return 8 * (uint64_t)rows * (k + 6) + 8 * (uint64_t)k * (k + 8);
}
