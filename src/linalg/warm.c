/* SPDX-License-Identifier: MIT */
/*
 * Block steepest ascent with Rayleigh-Ritz: the space of the k Ritz vectors X
 * and their residuals R = AX - X Θ is searched for the best k-dimensional
 * subspace, one application of A a step. With a guess near by and a gap behind
 * the k-th eigenvalue, as in rectification, a step gains two digits.
 *
 * R is never orthonormalised in full length. With G = R'R and F = X'R, the
 * basis R̃ = R W - X (F W) is orthonormal for W = D U μ^-1/2, where U μ U' is
 * the eigendecomposition of D (G - F'F) D and D scales the columns of R to one;
 * directions with small μ are dropped. F would be zero but for rounding, which
 * is all there is of R where a pair has converged. The projected operator then
 * needs only k x k products, of J = R'AR and H = (AX)'R = G + Θ F:
 *
 *   X'AX = Θ,  X'AR̃ = (H - Θ F) W = G W,
 *   R̃'AR̃ = W'(J - H'F - F'H + F'ΘF) W = W'(J - G F - F'G - F'ΘF) W
 *
 * and AX moves along with X, without another application. A residual that is
 * rounding, or that lies within X but for rounding, has no direction to offer:
 * scaled to one it would put noise into the basis and, by AX that moves along,
 * eigenvalues that A does not have.
 */
#include "linalg/warm.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define BEGINNING 0.1 /* of a search: the first product */
#define DROP 1e-12 /* μ below this, relative to the largest: no direction */
#define NOISE 1e-13  /* of the largest eigenvalue: rounding */
#define WITHIN 1e-10 /* of a squared residual: what is left outside of X */

/* How far a search is. */
typedef struct warm_way {
    double begun;  /* the first residual */
    double digits; /* of those to be gained: the share that was */
    double gain;   /* by the last step */
    double share; /* last reported */
} warm_way;

/* Small matrices of a step, k x k each but where said. */
typedef struct warm_small {
    size_t k, kept; /* kept: columns of W */
    double *f, *g, *j;
    double *w;      /* k x kept, leading dimension k */
    double *t;      /* (k + kept)², the projected operator */
    double *pick;   /* k rows of length k + kept: the new basis */
    double *m, *n;  /* the step: x = x m + r n */
    double *a, *b;  /* scratch */
    double *values; /* 2k */
    warm_way way;
} warm_small;

kedge_status warm_work_create(size_t rows, size_t k, warm_work *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (warm_work){0};
    TRY_MEM(out->ax = mem_new2(rows, k, sizeof(double)));
    TRY_MEM(out->r = mem_new2(rows, k, sizeof(double)));
    TRY_MEM(out->ar = mem_new2(rows, k, sizeof(double)));
out:
    if (st != KEDGE_OK)
        warm_work_free(out);
    return st;
}

void warm_work_free(warm_work *w)
{
    mem_free_all(w->ax, w->r, w->ar);
    *w = (warm_work){0};
}

static kedge_status small_create(size_t k, warm_small *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double **const square[] = {&s->f, &s->g, &s->j, &s->w,
                               &s->m, &s->n, &s->a, &s->b};

    *s = (warm_small){.k = k};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        TRY_MEM(*square[i] = mem_new2(k, k, sizeof(double)));
    TRY_MEM(s->t = mem_new2(2 * k, 2 * k, sizeof(double)));
    TRY_MEM(s->pick = mem_new2(k, 2 * k, sizeof(double)));
    TRY_MEM(s->values = mem_new(2 * k, sizeof(double)));
out:
    return st;
}

static bool is_identity(const double *g, size_t k)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            if (!(fabs(g[i * k + j] - (i == j)) < 1e-13))
                return false;
    return true;
}

/* X orthonormal by its Gram matrix; twice, for a guess that is far from it, and
 * not at all for what came out of an earlier search. */
static kedge_status warm_orthonormalise(pool *p, size_t rows, double *x,
                                        warm_small *s, kedge_error *err)
{
    for (int pass = 0; pass < 2; pass++) {
        PASS(tall_cross(p, rows, x, s->k, x, s->k, s->g, err));
        if (is_identity(s->g, s->k))
            break;
        PASS(blas_cholesky(s->g, s->k, err));
        tall_solve(p, rows, x, s->k, s->g);
    }
    return KEDGE_OK;
}

/* X and AX turned to Ritz vectors: X'AX becomes diagonal. */
static kedge_status warm_turn(pool *p, size_t rows, double *x, double *values,
                              warm_work *work, warm_small *s, kedge_error *err)
{
    const size_t k = s->k;

    PASS(tall_cross(p, rows, x, k, work->ax, k, s->g, err));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            s->g[i * k + j] = s->g[j * k + i] =
                0.5 * (s->g[i * k + j] + s->g[j * k + i]);
    PASS(blas_eigen_top(s->g, k, k, values, s->a, err));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            s->m[i * k + j] = s->a[j * k + i];
    PASS(tall_combine(p, rows, x, k, s->m, NULL, NULL, err));
    PASS(tall_combine(p, rows, work->ax, k, s->m, NULL, NULL, err));
    return KEDGE_OK;
}

typedef struct residual_job {
    tall_part own;
    size_t k;
    const double *x, *ax, *values;
    double *r;
} residual_job;

static void warm_residual_group(void *data, size_t group, unsigned worker)
{
    const residual_job *j = data;
    const size_t end = tall_at(&j->own, group + 1);

    (void)worker;
    for (size_t i = tall_at(&j->own, group); i < end; i++)
        for (size_t c = 0; c < j->k; c++)
            j->r[i * j->k + c] = j->ax[i * j->k + c] -
                                 j->values[c] * j->x[i * j->k + c];
}

/* W and `kept` from G and F. Columns of R that are noise stay out. */
static kedge_status warm_whiten(warm_small *s, double noise, kedge_error *err)
{
    const size_t k = s->k;

    memcpy(s->a, s->g, k * k * sizeof *s->a);
    blas_gemm(true, false, k, k, k, -1, s->f, k, s->f, k, 1, s->a, k);
    for (size_t i = 0; i < k; i++) {
        const double d = s->a[i * k + i];
        const double least =
            fmax(noise * noise / (double)k, WITHIN * s->g[i * k + i]);
        s->values[k + i] = d > least ? 1 / sqrt(d) : 0;
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            s->a[i * k + j] *= s->values[k + i] * s->values[k + j];
    PASS(blas_eigen_top(s->a, k, k, s->values, s->b, err));
    s->kept = 0;
    while (s->kept < k && s->values[s->kept] > DROP * s->values[0] &&
           s->values[s->kept] > 0)
        s->kept++;
    memset(s->w, 0, k * k * sizeof *s->w);
    for (size_t i = 0; i < k; i++)
        for (size_t c = 0; c < s->kept; c++)
            s->w[i * k + c] = s->values[k + i] * s->b[c * k + i] /
                              sqrt(s->values[c]);
    return KEDGE_OK;
}

/* The projected operator on [X, R̃], and its k leading vectors in pick. */
static kedge_status warm_project(warm_small *s, double *values,
                                 kedge_error *err)
{
    const size_t k = s->k, n = k + s->kept;

    /* b = G + Θ F / 2, so that J - b'F - F'b is what stands above */
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            s->b[i * k + j] =
                s->g[i * k + j] + 0.5 * values[i] * s->f[i * k + j];
    blas_gemm(true, false, k, k, k, -1, s->b, k, s->f, k, 1, s->j, k);
    blas_gemm(true, false, k, k, k, -1, s->f, k, s->b, k, 1, s->j, k);
    memset(s->t, 0, n * n * sizeof *s->t);
    for (size_t i = 0; i < k; i++)
        s->t[i * n + i] = values[i];
    blas_gemm(false, false, k, s->kept, k, 1, s->g, k, s->w, k, 0, s->t + k,
              n);
    blas_gemm(false, false, k, s->kept, k, 1, s->j, k, s->w, k, 0, s->a, k);
    blas_gemm(true, false, s->kept, s->kept, k, 1, s->w, k, s->a, k, 0,
              s->t + k * n + k, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            s->t[i * n + j] = s->t[j * n + i] =
                j < k ? s->t[j * n + i]
                      : 0.5 * (s->t[i * n + j] + s->t[j * n + i]);
    return blas_eigen_top(s->t, n, k, values, s->pick, err);
}

/* What counts as rounding in residuals of these eigenpairs. */
static double warm_noise(const warm_operator *a, const double *values, size_t k)
{
    return fmax(a->noise,
                NOISE * fmax(fabs(values[0]), fabs(values[k - 1])));
}

/* Never less than before. */
static kedge_status warm_report(const warm_operator *a, warm_way *way,
                                double share, kedge_error *err)
{
    way->share = fmax(way->share, fmin(share, 1));
    return a->progress != NULL
               ? a->progress(a->progress_data, way->share, err)
               : KEDGE_OK;
}

/* By how far residuals have come from where they began to where they end, in
 * digits: each step gains about as many. */
static kedge_status warm_report_step(const warm_operator *a, warm_way *way,
                                     double now, double least,
                                     kedge_error *err)
{
    const double before = way->digits;

    if (way->begun == 0)
        way->begun = now;
    if (!(now > least))
        way->digits = 1;
    else if (now < way->begun)
        way->digits = log(way->begun / now) / log(way->begun / least);
    way->gain = fmax(way->digits - before, 0);
    return warm_report(a, way, BEGINNING + (1 - BEGINNING) * way->digits, err);
}

static kedge_status warm_search(pool *p, const warm_operator *a, double *x,
                                double *values, warm_work *work, warm_small *s,
                                kedge_error *err)
{
    warm_way *const way = &s->way;
    const size_t k = s->k, rows = a->rows;
    size_t n;

    PASS(a->apply(a->data, work->r, k, work->ar, err));
    PASS(warm_report(a, way, way->share + 0.5 * way->gain, err));
    PASS(tall_cross(p, rows, x, k, work->r, k, s->f, err));
    PASS(tall_cross(p, rows, work->r, k, work->ar, k, s->j, err));
    PASS(warm_whiten(s, warm_noise(a, values, k), err));
    PASS(warm_project(s, values, err));
    /* x = x m + r n, where n = W E2 and m = E1 - F n */
    n = k + s->kept;
    blas_gemm(false, true, k, k, s->kept, 1, s->w, k, s->pick + k, n, 0, s->n,
              k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            s->m[i * k + j] = s->pick[j * n + i];
    blas_gemm(false, false, k, k, k, -1, s->f, k, s->n, k, 1, s->m, k);
    PASS(tall_combine(p, rows, x, k, s->m, work->r, s->n, err));
    PASS(tall_combine(p, rows, work->ax, k, s->m, work->ar, s->n, err));
    return KEDGE_OK;
}

kedge_status warm_eigen(pool *p, const warm_operator *a, size_t k, double *x,
                        double *values, double tolerance, unsigned steps,
                        warm_work *work, unsigned *applied, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    warm_small s = {0};

    *applied = 0;
    TRY(small_create(k, &s, err));
    TRY(warm_orthonormalise(p, a->rows, x, &s, err));
    TRY(warm_report(a, &s.way, 0.3 * BEGINNING, err));
    TRY(a->apply(a->data, x, k, work->ax, err));
    TRY(warm_report(a, &s.way, 0.7 * BEGINNING, err));
    TRY(warm_turn(p, a->rows, x, values, work, &s, err));
    for (;; (*applied)++) {
        residual_job j = {tall_own(p, a->rows), k, x, work->ax, values,
                          work->r};
        double residual = 0, least;
        tall_run(p, &j.own, warm_residual_group, &j);
        TRY(tall_cross(p, a->rows, work->r, k, work->r, k, s.g, err));
        for (size_t i = 0; i < k; i++)
            residual += s.g[i * k + i];
        residual = sqrt(residual);
        least = fmax(tolerance * fabs(values[k - 1]), warm_noise(a, values, k));
        TRY(warm_report_step(a, &s.way, residual, least, err));
        if (residual <= least || *applied >= steps)
            break;
        TRY(warm_search(p, a, x, values, work, &s, err));
    }
out:
    mem_free_all(s.f, s.g, s.j, s.w, s.m, s.n, s.a, s.b, s.t, s.pick,
                 s.values);
    return st;
}
