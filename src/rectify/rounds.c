/* SPDX-License-Identifier: MIT */
#include "rectify/rounds.h"

#include <math.h>
#include <string.h>

#include <kedge/fit.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

#define PARTS 100 /* of a round, as progress is counted */
#define EIGEN_STEPS 30

const rectify_method rectify_methods[] = {
    [KEDGE_RECTIFY_ENN] = {enn_rectify, 5, false, false},
    [KEDGE_RECTIFY_NONE] = {NULL, 5, false, false},
    [KEDGE_RECTIFY_PALM] = {palm_rectify, 100, true, false},
    [KEDGE_RECTIFY_IPALM] = {ipalm_rectify, 100, true, false},
    [KEDGE_RECTIFY_AP] = {ap_rectify, 15, false, true},
    [KEDGE_RECTIFY_DR] = {dr_rectify, 15, false, true},
};

kedge_status rounds_within(const rounds *r, double share, kedge_error *err)
{
    const double done = (double)r->before + share;

    return stage_reach(&r->progress, (uint64_t)(PARTS * done), err);
}

kedge_status rounds_run(rounds_step *step, void *data,
                        const rectify_opts *opts,
                        const kedge_control *control, rectify_result *out,
                        kedge_error *err)
{
    rounds r = {stage_begin(control, "rectify", PARTS * opts->rounds, ""), 0};

    *out = (rectify_result){0};
    while (out->rounds < opts->rounds) {
        PASS(rounds_within(&r, 0, err));
        PASS(step(data, &r, out, err));
        r.before = ++out->rounds;
        if (out->change <= opts->tolerance)
            break;
    }
    r.progress.total = PARTS * out->rounds; /* the others are not needed */
    return rounds_within(&r, 0, err);
}

/* ---- projections to rank K ----------------------------------------------- */

void leading_free(leading *l)
{
    warm_work_free(&l->work);
    mem_free_all(l->cross, l->old, l->values, l->x);
}

/* Squared lengths of the columns: what the own rows, in x, add. */
static void guess_norms(void *data, void *value)
{
    const leading *const l = data;
    double *const norm = value;

    for (size_t i = 0; i < l->own.count; i++)
        for (size_t c = 0; c < l->k; c++)
            norm[c] += l->x[i * l->k + c] * l->x[i * l->k + c];
}

kedge_status leading_create(leading *l, pool *p, size_t rows, size_t k,
                            const double *y, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *norm;

    *l = (leading){.p = p, .rows = rows, .k = k, .own = tall_own(p, rows)};
    TRY_MEM(l->x = mem_new2(l->own.count, k, sizeof *l->x));
    TRY_MEM(norm = l->values = mem_new(k, sizeof *l->values));
    TRY_MEM(l->old = mem_new2(k, k, sizeof *l->old));
    TRY_MEM(l->cross = mem_new2(k, k, sizeof *l->cross));
    TRY(warm_work_create(l->own.count, k, &l->work, err));
    memcpy(l->x, y, l->own.count * k * sizeof *y);
    comm_reduce(pool_comm(p), norm, k * sizeof *norm, guess_norms, l);
    for (size_t c = 0; c < l->k; c++)
        norm[c] = sqrt(norm[c]);
    for (size_t i = 0; i < l->own.count; i++)
        for (size_t c = 0; c < l->k; c++) {
            const uint64_t bits = hash_stream(c, l->own.from + i);
            const double noise = (double)(bits >> 11) * 0x1p-53 - 0.5;
            double *const x = &l->x[i * l->k + c];
            *x = norm[c] > 0 ? *x / norm[c] : noise;
        }
out:
    return st;
}

static kedge_status leading_progress(const void *data, double share,
                                     kedge_error *err)
{
    const leading_part *const part = data;

    return rounds_within(part->at, part->from + share * (part->to - part->from),
                         err);
}

static double square_norm(const double *a, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * a[i];
    return sum;
}

kedge_status leading_project(leading *l, const warm_operator *a,
                             const rectify_opts *opts,
                             const leading_part *part, double *y,
                             double *change, kedge_error *err)
{
    const size_t k = l->k;
    double before, after = 0, both;
    /* Residual of a round's eigenpairs against the K-th eigenvalue: well below
     * what the rounds themselves still change, which is measured against all of
     * YY', and no smaller than it need be. A tenth of the usual tolerance left
     * YY' off by 1/300 of it (15,000 words, 50 topics, four rounds). */
    const double tolerance = fmin(fmax(0.1 * opts->tolerance, 1e-9), 2e-4);
    warm_operator reporting = *a;
    unsigned applied;

    reporting.progress = leading_progress;
    reporting.progress_data = part;
    PASS(warm_eigen(l->p, &reporting, l->k, l->x, l->values, tolerance,
                    EIGEN_STEPS, &l->work, &applied, err));
    l->products += 1 + applied;
    /* the change by the three Gram matrices */
    PASS(tall_cross(l->p, l->rows, y, k, y, k, l->old, err));
    for (size_t c = 0; c < k; c++) {
        l->values[c] = fmax(l->values[c], 0);
        after += l->values[c] * l->values[c];
    }
    for (size_t i = 0; i < l->own.count; i++)
        for (size_t c = 0; c < k; c++)
            l->work.r[i * k + c] = l->x[i * k + c] * sqrt(l->values[c]);
    PASS(tall_cross(l->p, l->rows, y, k, l->work.r, k, l->cross, err));
    memcpy(y, l->work.r, l->own.count * k * sizeof *y);
    before = square_norm(l->old, k * k);
    both = square_norm(l->cross, k * k);
    *change = sqrt(fmax(before + after - 2 * both, 0) / fmax(before, 1e-300));
    return KEDGE_OK;
}

double leading_total(size_t rows, size_t k, const double *y)
{
    double total = 0;

    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++)
            sum += y[i * k + c];
        total += sum * sum;
    }
    return total;
}

void leading_normalise(size_t rows, size_t k, double *y)
{
    const double total = leading_total(rows, k, y);

    for (size_t i = 0; total > 0 && i < rows * k; i++)
        y[i] /= sqrt(total);
}
