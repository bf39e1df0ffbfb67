/* SPDX-License-Identifier: MIT */
#include "rectify/rounds.h"

#include <math.h>
#include <string.h>

#include <kedge/fit.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

#define PARTS 100 /* of a round, as it is told of */
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

    return stage_reach(&r->told, (uint64_t)(PARTS * done), err);
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
    r.told.total = PARTS * out->rounds; /* the others are not needed */
    return rounds_within(&r, 0, err);
}

/* ---- projections to rank K ----------------------------------------------- */

kedge_status leading_create(leading *l, pool *p, size_t rows, size_t k,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *l = (leading){.p = p, .rows = rows, .k = k, .own = tall_own(p, rows)};
    TRY_MEM(l->x = mem_new2(l->own.count, k, sizeof *l->x));
    TRY_MEM(l->values = mem_new(k, sizeof *l->values));
    TRY_MEM(l->old = mem_new2(k, k, sizeof *l->old));
    TRY_MEM(l->cross = mem_new2(k, k, sizeof *l->cross));
    TRY(warm_work_create(l->own.count, k, &l->work, err));
out:
    return st;
}

void leading_free(leading *l)
{
    warm_work_free(&l->work);
    mem_free_all(l->cross, l->old, l->values, l->x);
}

static double guess_noise(size_t column, size_t row)
{
    return (double)(hash_stream(column, row) >> 11) * 0x1p-53 - 0.5;
}

typedef struct guess_job {
    const leading *l;
    const double *y;
} guess_job;

/* Squared lengths of the columns: what the own rows add. */
static void guess_norms(void *data, void *value)
{
    const guess_job *const j = data;
    const size_t k = j->l->k;
    double *const norm = value;

    for (size_t i = 0; i < j->l->own.count; i++)
        for (size_t c = 0; c < k; c++)
            norm[c] += j->y[i * k + c] * j->y[i * k + c];
}

void leading_guess(leading *l, const double *y)
{
    double *norm = l->values;
    guess_job j = {l, y};

    memset(norm, 0, l->k * sizeof *norm);
    comm_reduce(pool_comm(l->p), norm, l->k * sizeof *norm, guess_norms, &j);
    for (size_t c = 0; c < l->k; c++)
        norm[c] = sqrt(norm[c]);
    for (size_t i = 0; i < l->own.count; i++)
        for (size_t c = 0; c < l->k; c++)
            l->x[i * l->k + c] = norm[c] > 0
                                     ? y[i * l->k + c] / norm[c]
                                     : guess_noise(c, l->own.from + i);
}

/* Residual of a round's eigenpairs against the K-th eigenvalue: well below what
 * the rounds themselves still change, which is measured against all of YY', and
 * no smaller than it need be. A tenth of the usual tolerance left YY' off by
 * 1/300 of it (15,000 words, 50 topics, four rounds). */
static double leading_tolerance(const rectify_opts *opts)
{
    return fmin(fmax(0.1 * opts->tolerance, 1e-9), 2e-4);
}

static kedge_status leading_heed(const void *hearer, double share,
                                 kedge_error *err)
{
    const leading_part *const part = hearer;

    return rounds_within(part->at, part->from + share * (part->to - part->from),
                         err);
}

kedge_status leading_find(leading *l, const warm_operator *a,
                          const rectify_opts *opts, const leading_part *part,
                          kedge_error *err)
{
    warm_operator told = *a;
    unsigned applied;

    told.heed = leading_heed;
    told.hearer = part;
    PASS(warm_eigen(l->p, &told, l->k, l->x, l->values,
                    leading_tolerance(opts), EIGEN_STEPS, &l->work, &applied,
                    err));
    l->products += 1 + applied;
    return KEDGE_OK;
}

static double square_norm(const double *a, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * a[i];
    return sum;
}

/* By the three Gram matrices. */
kedge_status leading_update(leading *l, double *y, double *change,
                            kedge_error *err)
{
    const size_t k = l->k;
    double before, after = 0, both;

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
