/* SPDX-License-Identifier: MIT */
/*
 * With C = YY' = B A B', Y = B M^-1 for the M with B = YM and A = M^-1 M^-T.
 * Among all M with YM >= 0 and columns of YM that sum to one, the topics are
 * those of the largest |det M|, where words are scattered well enough; that
 * some word is one topic's alone is not needed. Of one column alone the
 * determinant is linear: the best one is found by the two linear programs
 * (cone.c) that go farthest in the direction across all other columns, one way
 * and the other. Columns take turns until the determinant rests; programs
 * begin where they ended a turn before.
 *
 * What differs from the algorithm as printed:
 *  - Y's rows are taken in the basis in which Y'Y is one, which changes all
 *    determinants alike, and at unit length, which changes no cone;
 *  - words below the floor of anchors are no constraints: noise in their rows
 *    would close the cone. What they have of a topic below zero is zero;
 *  - a column goes the other way in the first turn, and in a last one that has
 *    to change nothing either; between them it stays on its side, for which
 *    one program is enough;
 *  - M begins where the rows that stick out most are one topic's alone each, as
 *    if they were anchors: that is near by on text, and the end does not depend
 *    on an order of eigenvectors. Of few topics there may be other ends, where
 *    no column alone can do better: it begins from some random M too, and the
 *    end of the largest determinant is taken.
 *
 * Cost: a program for each column and turn, of some hundred corners.
 */
#include "topics/law.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define ROUNDS 50
#define STARTS 6
#define FEW 10     /* topics that have so many starts, others have one */
#define RESTS 1e-7 /* relative change of the determinant in a round */

typedef struct freeing {
    pool *p;
    const law_input *in;
    stage now;
    uint64_t *candidate; /* rows */
    size_t candidates;
    double *x;      /* rows x k: Y in the new basis */
    double *g;      /* candidates x k: their rows of x at unit length */
    double *root;   /* k x k: R with R'R = Y'Y */
    double *across; /* k x k: its first row is the direction across all columns
                       but one */
    double *inside; /* k: an x with gx > 0 */
    double *m;      /* k x k: row f is column f of M */
    double *best;   /* k x k: the one of the largest determinant so far, */
    double most;    /* whose logarithm this is */
    uint32_t *corner; /* 2k x k: for each column two corners of k - 1 rows of
                       * g, where it is and farthest to the other side */
    double *x_most, *x_least; /* k */
    cone *cone;
} freeing;

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- rows ---------------------------------------------------------------- */

/* Words that could be anchors, as law_fit has them, and x = Y R^-1 with
 * R'R = Y'Y; the candidates' rows at unit length. Each has a sum above zero,
 * Y_i Y'e = x_i R Y'e, so RY'e is inside. */
static kedge_status freeing_rows(freeing *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const law_input *const in = f->in;
    const size_t k = in->k;
    double *total = NULL; /* k: Y'e */

    TRY_MEM(total = mem_new(k, sizeof *total));
    for (size_t i = 0; i < in->rows * k; i++)
        total[i % k] += in->y[i];
    for (size_t i = 0; i < in->rows; i++)
        if (in->df[i] >= in->min_df && dot(in->y + i * k, total, k) > 0 &&
            in->sums[i] > 0)
            f->candidate[f->candidates++] = i;
    if (f->candidates < k)
        TRY(kedge_fail(err, KEDGE_ENUMERIC,
                       "%zu words are in %llu documents or more, too few "
                       "for %zu topics; lower the floor "
                       "(--anchor-min-df) or fit fewer topics",
                       f->candidates, (unsigned long long)in->min_df, k));
    TRY(tall_cross(f->p, in->rows, in->y, k, in->y, k, f->root, err));
    TRY(embed_factor(f->root, k, err));
    for (size_t c = 0; c < k; c++)
        f->inside[c] = dot(f->root + c * k, total, k);
    memcpy(f->x, in->y, in->rows * k * sizeof *f->x);
    tall_solve(f->p, in->rows, f->x, k, f->root);
    TRY_MEM(f->g = mem_new2(f->candidates, k, sizeof *f->g));
    for (size_t i = 0; i < f->candidates; i++) {
        const double *const row = f->x + f->candidate[i] * k;
        const double norm = sqrt(dot(row, row, k));
        for (size_t c = 0; c < k; c++)
            f->g[i * k + c] = row[c] / norm;
    }
out:
    mem_free(total);
    return st;
}

/* ---- the determinant ----------------------------------------------------- */

/* M with X_S M = 1, for the rows S of g that a pivoted QR chooses. */
static kedge_status freeing_begin(freeing *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = f->in->k;
    uint64_t *all = NULL, *chosen = NULL;
    double *residual = NULL, *picked = NULL, *inverse = NULL;
    anchors_input find = {.k = k, .x = f->g, .candidates = f->candidates};

    TRY_MEM(all = mem_new(f->candidates, sizeof *all));
    TRY_MEM(chosen = mem_new(k, sizeof *chosen));
    TRY_MEM(residual = mem_new(k, sizeof *residual));
    TRY_MEM(picked = mem_new2(k, k, sizeof *picked));
    TRY_MEM(inverse = mem_new2(k, k, sizeof *inverse));
    for (size_t i = 0; i < f->candidates; i++)
        all[i] = i;
    find.candidate = all;
    TRY(anchors_find(f->p, &find, chosen, residual, err));
    for (size_t c = 0; c < k; c++)
        memcpy(picked + c * k, f->g + chosen[c] * k, k * sizeof *picked);
    blas_gemm(false, true, k, k, k, 1, picked, k, picked, k, 0, inverse, k);
    TRY(blas_invert_definite(inverse, k, err));
    blas_gemm(false, false, k, k, k, 1, inverse, k, picked, k, 0, f->m, k);
out:
    mem_free_all(all, chosen, residual, picked, inverse);
    return st;
}

/* Y'e is on the side of all candidates: there is an answer, but it may be out
 * of rounding's reach. */
static kedge_status freeing_lost(const freeing *f, kedge_error *err)
{
    return kedge_fail(err, KEDGE_ENUMERIC,
                      "the %zu words in %llu documents or more hardly separate "
                      "%zu topics without anchors; fit fewer topics, or use "
                      "--rectify palm",
                      f->candidates, (unsigned long long)f->in->min_df,
                      f->in->k);
}

/* The direction across all columns but one: that column of the inverse, of
 * columns at unit length. */
static kedge_status freeing_across(freeing *f, size_t column,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = f->in->k;
    double norm = 0;

    for (size_t l = 0; l < k; l++) {
        const double *const m = f->m + l * k;
        const double length = sqrt(dot(m, m, k));
        for (size_t i = 0; i < k; i++)
            f->across[l * k + i] = m[i] / length;
    }
    st = blas_invert(f->across, k, err);
    if (st != KEDGE_OK)
        return st == KEDGE_ENUMERIC ? freeing_lost(f, err) : st;
    for (size_t i = 0; i < k; i++)
        norm += f->across[i * k + column] * f->across[i * k + column];
    for (size_t i = 0; i < k; i++)
        f->across[i] = f->across[i * k + column] / sqrt(norm);
    return KEDGE_OK;
}

/* How far the cone goes in that direction, and where; -INFINITY where rounding
 * does not let it be found. */
static kedge_status freeing_go(freeing *f, uint32_t *corner, double *x,
                               double *far, kedge_error *err)
{
    bool found;

    PASS(cone_farthest(f->cone, f->across, corner, x, &found, err));
    *far = found ? dot(f->across, x, f->in->k) : -INFINITY;
    return KEDGE_OK;
}

/* The best column in its place, or the best on its own side of all others;
 * *grown is by how much the determinant's logarithm changed. */
static kedge_status freeing_column(freeing *f, size_t column, bool both,
                                   double *grown, kedge_error *err)
{
    const size_t k = f->in->k;
    double *const m = f->m + column * k, *const across = f->across;
    uint32_t *const own = f->corner + 2 * column * k, *const other = own + k;
    double before, most, least = -INFINITY;

    PASS(freeing_across(f, column, err));
    before = dot(across, m, k);
    PASS(freeing_go(f, own, f->x_most, &most, err));
    for (size_t c = 0; c < k; c++)
        across[c] = -across[c];
    if (both)
        PASS(freeing_go(f, other, f->x_least, &least, err));
    if (!(most > 0 || least > 0))
        return freeing_lost(f, err);
    for (size_t c = 0; least > most && c < k; c++) {
        const uint32_t row = own[c];
        own[c] = other[c];
        other[c] = row;
    }
    memcpy(m, least > most ? f->x_least : f->x_most, k * sizeof *m);
    *grown = log(fmax(most, least) / fmax(before, 1e-300));
    return KEDGE_OK;
}

/* Columns take turns from the M that is there; then M is kept where its
 * determinant is the largest so far. */
static kedge_status freeing_climb(freeing *f, law_output *out,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = f->in->k;
    bool both = true, rests = false;
    double *mm = NULL, *values = NULL, size = 0; /* k x k: M'M */

    TRY_MEM(mm = mem_new2(k, k, sizeof *mm));
    TRY_MEM(values = mem_new(k, sizeof *values));
    for (size_t round = 0; round < ROUNDS && !(both && rests); round++) {
        double sum = 0; /* by how much the logarithm changed */
        both = round == 0 || rests;
        for (size_t c = 0; c < k; c++) {
            double grown = 0;
            TRY(stage_reach(&f->now, out->steps * k + c, err));
            TRY(freeing_column(f, c, both, &grown, err));
            sum += grown;
        }
        out->steps++;
        rests = fabs(sum) <= RESTS;
    }
    blas_gemm(false, true, k, k, k, 1, f->m, k, f->m, k, 0, mm, k);
    TRY(blas_eigen(mm, k, values, err));
    for (size_t c = 0; c < k; c++)
        size += 0.5 * log(fmax(values[c], 1e-300));
    if (size > f->most) {
        f->most = size;
        memcpy(f->best, f->m, k * k * sizeof *f->m);
    }
out:
    mem_free_all(mm, values);
    return st;
}

static kedge_status freeing_run(freeing *f, law_output *out, kedge_error *err)
{
    const size_t k = f->in->k, starts = k <= FEW ? STARTS : 1;

    f->most = -INFINITY;
    f->now = stage_begin(f->in->control, "anchor-free", 0, "topics");
    PASS(cone_create(f->g, f->candidates, k, f->inside, &f->cone, err));
    if (!cone_corner(f->cone, f->corner))
        return freeing_lost(f, err);
    for (size_t c = 1; c < 2 * k; c++)
        memcpy(f->corner + c * k, f->corner, k * sizeof *f->corner);
    for (size_t s = 0; s < starts; s++) {
        for (size_t i = 0; s > 0 && i < k * k; i++)
            f->m[i] = (double)(hash_stream(s, i) >> 11) * 0x1p-52 - 1;
        PASS(freeing_climb(f, out, err));
    }
    return KEDGE_OK;
}

/* ---- topics -------------------------------------------------------------- */

/* B = YM without what is below zero, columns scaled to one; and, where words
 * have weights, without them. */
static kedge_status freeing_topics(freeing *f, law_output *out,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const law_input *const in = f->in;
    const size_t k = in->k;
    double *m = NULL, *sum = NULL; /* k x k: M; k */

    TRY_MEM(m = mem_new2(k, k, sizeof *m));
    TRY_MEM(sum = mem_new(k, sizeof *sum));
    for (size_t i = 0; i < k * k; i++)
        m[i % k * k + i / k] = f->best[i];
    tall_multiply(f->p, in->rows, f->x, k, m, k, 0, out->b);
    for (size_t i = 0; i < in->rows * k; i++) {
        double *const b = &out->b[i];
        *b = fmax(*b, 0);
        if (in->weight != NULL)
            *b /= in->weight[i / k];
        sum[i % k] += *b;
    }
    for (size_t i = 0; i < in->rows * k; i++)
        out->b[i] /= sum[i % k];
out:
    mem_free_all(m, sum);
    return st;
}

/* Of each topic the word that could be an anchor and is most the topic's own,
 * or, where several are all its own, the likeliest. */
static kedge_status freeing_name(freeing *f, law_output *out,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = f->in->k;
    double *const own = f->x_most, *const likely = f->x_least;
    double *prevalence = NULL; /* k */

    TRY_MEM(prevalence = mem_new(k, sizeof *prevalence));
    for (size_t i = 0; i < k * k; i++)
        prevalence[i / k] += out->a[i];
    for (size_t t = 0; t < k; t++)
        own[t] = likely[t] = -1;
    for (size_t i = 0; i < f->candidates; i++) {
        const double *const b = out->b + f->candidate[i] * k;
        const double all = dot(b, prevalence, k);
        for (size_t t = 0; t < k; t++) {
            const double share = all > 0 ? b[t] * prevalence[t] / all : 0;
            if (share < own[t] - 1e-9 ||
                (share <= own[t] + 1e-9 && b[t] <= likely[t]))
                continue;
            own[t] = share;
            likely[t] = b[t];
            out->anchor[t] = f->candidate[i];
        }
    }
out:
    mem_free(prevalence);
    return st;
}

kedge_status anchorfree_fit(pool *p, const law_input *in, law_output *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t rows = in->rows, k = in->k;
    freeing f = {.p = p, .in = in};
    law_input law = *in;

    *out = (law_output){0};
    law.diagonal = false;
    TRY_MEM(f.candidate = mem_new(rows, sizeof *f.candidate));
    TRY_MEM(f.x = mem_new2(rows, k, sizeof *f.x));
    TRY_MEM(f.root = mem_new2(k, k, sizeof *f.root));
    TRY_MEM(f.across = mem_new2(k, k, sizeof *f.across));
    TRY_MEM(f.inside = mem_new(k, sizeof *f.inside));
    TRY_MEM(f.corner = mem_new2(2 * k, k, sizeof *f.corner));
    TRY_MEM(f.m = mem_new2(k, k, sizeof *f.m));
    TRY_MEM(f.best = mem_new2(k, k, sizeof *f.best));
    TRY_MEM(f.x_most = mem_new(k, sizeof *f.x_most));
    TRY_MEM(f.x_least = mem_new(k, sizeof *f.x_least));
    TRY(law_output_create(rows, k, out, err));
    TRY(freeing_rows(&f, err));
    out->candidates = f.candidates;
    TRY(freeing_begin(&f, err));
    TRY(freeing_run(&f, out, err));
    TRY(freeing_topics(&f, out, err));
    TRY(law_correlate(p, &law, out, err));
    TRY(freeing_name(&f, out, err));
    /* the rows of largest BA, with their weights */
    tall_multiply(p, rows, out->b, k, out->a, k, 0, f.x);
    for (size_t i = 0; in->weight != NULL && i < rows * k; i++)
        f.x[i] *= in->weight[i / k];
    TRY(law_list(p, rows, k, f.x, out, err));
out:
    cone_free(f.cone);
    mem_free_all(f.candidate, f.x, f.g, f.root, f.across, f.inside, f.corner,
                 f.m, f.best, f.x_most, f.x_least);
    if (st != KEDGE_OK)
        law_free(out);
    return st;
}
