/* SPDX-License-Identifier: MIT */
/*
 * Alternates three projections of C = YY': non-negative where it matters (the
 * |I| = 10 K + 1000 rows of largest norm; by Cauchy-Schwarz the rest can hide
 * only small negative entries), total of one, positive semidefinite of rank K.
 * The first two leave Y Y' + E + r ee' with E sparse and
 *
 *   r = (1 - |Y'e|² - Σ E) / N²
 *
 * of which the third takes the K leading eigenpairs, starting from those of the
 * round before. Symbols: rows N, k K, y Y, x the eigenvectors, shift r.
 * Memory: five N x K blocks and E; nothing grows with the documents.
 */
#include "rectify/enn.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/tall.h"
#include "linalg/warm.h"
#include "rectify/negatives.h"

#define EIGEN_STEPS 30

/* Residual of a round's eigenpairs against the K-th eigenvalue: well below what
 * the rounds themselves still change, and no smaller than it need be. */
static double enn_eigen_tolerance(const enn_opts *opts)
{
    return fmin(fmax(0.01 * opts->tolerance, 1e-9), 1e-5);
}

typedef struct enn_state {
    size_t rows, k;
    double *y, *x;
    double *values;
    double *old, *now, *cross; /* k x k: Y'Y before and after, and between */
    double shift;
    pool *p;
    negatives *e;
    warm_work work;
} enn_state;

size_t enn_picked(size_t rows, size_t k)
{
    const size_t wanted = 10 * k + 1000;

    return wanted < rows ? wanted : rows;
}

static kedge_status enn_apply(void *data, const double *x, size_t k,
                              double *out, kedge_error *err)
{
    enn_state *s = data;

    (void)k;
    return negatives_apply(s->e, s->p, s->shift, x, out, err);
}

static kedge_status enn_create(enn_state *s, const enn_opts *opts,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = s->k;

    TRY_MEM(s->x = mem_new2(s->rows, k, sizeof *s->x));
    TRY_MEM(s->values = mem_new(k, sizeof *s->values));
    TRY_MEM(s->old = mem_new2(k, k, sizeof *s->old));
    TRY_MEM(s->now = mem_new2(k, k, sizeof *s->now));
    TRY_MEM(s->cross = mem_new2(k, k, sizeof *s->cross));
    TRY(warm_work_create(s->rows, k, &s->work, err));
    TRY(negatives_create(s->rows, k, enn_picked(s->rows, k), opts->budget,
                         pool_threads(s->p), &s->e, err));
out:
    return st;
}

static void enn_free(enn_state *s)
{
    negatives_free(s->e);
    warm_work_free(&s->work);
    mem_free(s->cross);
    mem_free(s->now);
    mem_free(s->old);
    mem_free(s->values);
    mem_free(s->x);
}

/* The eigenvectors to start from: Y's columns at unit length. A column that the
 * spectrum left empty (no K positive eigenvalues) starts as noise. */
static void enn_guess(enn_state *s)
{
    double *norm = s->values;

    memset(norm, 0, s->k * sizeof *norm);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t c = 0; c < s->k; c++)
            norm[c] += s->y[i * s->k + c] * s->y[i * s->k + c];
    for (size_t i = 0; i < s->rows; i++)
        for (size_t c = 0; c < s->k; c++)
            s->x[i * s->k + c] =
                norm[c] > 0
                    ? s->y[i * s->k + c] / sqrt(norm[c])
                    : (double)(hash_stream(c, i) >> 11) * 0x1p-53 - 0.5;
}

static double enn_shift(enn_state *s)
{
    double *sum = s->cross; /* free between updates */
    double total = negatives_sum(s->e);

    memset(sum, 0, s->k * sizeof *sum);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t c = 0; c < s->k; c++)
            sum[c] += s->y[i * s->k + c];
    for (size_t c = 0; c < s->k; c++)
        total += sum[c] * sum[c];
    return (1 - total) / (double)s->rows / (double)s->rows;
}

static double square_norm(const double *a, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * a[i];
    return sum;
}

/* Y = X Λ^1/2; |YY' - old YY'| / |old YY'| from the three Gram matrices. */
static kedge_status enn_update(enn_state *s, double *change, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = s->k;
    double before, after = 0, both;

    TRY(tall_cross(s->p, s->rows, s->y, k, s->y, k, s->old, err));
    for (size_t c = 0; c < k; c++) {
        s->values[c] = fmax(s->values[c], 0);
        after += s->values[c] * s->values[c];
    }
    for (size_t i = 0; i < s->rows; i++)
        for (size_t c = 0; c < k; c++)
            s->work.r[i * k + c] =
                s->x[i * k + c] * sqrt(s->values[c]);
    TRY(tall_cross(s->p, s->rows, s->y, k, s->work.r, k, s->cross, err));
    memcpy(s->y, s->work.r, s->rows * k * sizeof *s->y);
    before = square_norm(s->old, k * k);
    both = square_norm(s->cross, k * k);
    *change = sqrt(fmax(before + after - 2 * both, 0) / fmax(before, 1e-300));
out:
    return st;
}

kedge_status enn_rectify(pool *p, size_t rows, size_t k, double *y,
                         const enn_opts *opts, const kedge_control *control,
                         enn_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    enn_state s = {.rows = rows, .k = k, .y = y, .p = p};
    const warm_operator a = {.rows = rows, .data = &s, .apply = enn_apply};
    const double start = clock_seconds();
    const double tolerance = enn_eigen_tolerance(opts);

    *out = (enn_result){0};
    TRY(enn_create(&s, opts, err));
    enn_guess(&s);
    while (out->rounds < opts->rounds) {
        unsigned applied;
        TRY(run_check(control, err));
        run_progress(control, &(kedge_progress){
                                  .stage = "rectify",
                                  .done = out->rounds,
                                  .total = opts->rounds,
                                  .unit = "rounds",
                                  .seconds = clock_seconds() - start,
                              });
        TRY(negatives_find(s.e, p, y, err));
        if (out->rounds == 0)
            out->negative_share = negatives_share(s.e);
        s.shift = enn_shift(&s);
        TRY(warm_eigen(p, &a, k, s.x, s.values, tolerance, EIGEN_STEPS,
                       &s.work, &applied, err));
        TRY(enn_update(&s, &out->change, err));
        out->rounds++;
        if (out->change <= opts->tolerance)
            break;
    }
out:
    enn_free(&s);
    return st;
}

uint64_t enn_memusage(size_t rows, size_t k, unsigned threads)
{
    return 4 * 8 * (uint64_t)rows * k +
           negatives_memusage(rows, k, enn_picked(rows, k), threads);
}
