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

#define TURNS 50
#define STARTS 6
#define FEW 10     /* topics that have so many starts, others have one */
#define RESTS 1e-7 /* relative change of the determinant in a turn */

typedef struct freeing {
    pool *p;
    const law_input *in;
    const kedge_control *control;
    uint64_t *candidate; /* rows */
    size_t candidates;
    double *x;    /* rows x k: Y in the new basis */
    double *g;    /* candidates x k: their rows of x at unit length */
    double *gram; /* k x k */
    double *inside; /* k: an x with gx > 0 */
    double *m;    /* k x k: row f is column f of M */
    double *best; /* likewise, of the largest determinant so far, */
    double most;  /* whose logarithm this is */
    uint32_t *corner; /* 2k x k: for each column two corners of k - 1 rows of
                       * g, where it is and farthest to the other side */
    double *x_most, *x_least, *values; /* k */
    double start;
    cone *cone;
} freeing;

static void freeing_free(freeing *f)
{
    cone_free(f->cone);
    mem_free_all(f->candidate, f->x, f->g, f->gram, f->inside, f->corner, f->m,
                 f->best, f->x_most, f->x_least, f->values);
}

static kedge_status freeing_create(freeing *f, law_output *out,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = f->in->k, rows = f->in->rows;

    TRY_MEM(f->candidate = mem_new(rows, sizeof *f->candidate));
    TRY_MEM(f->x = mem_new2(rows, k, sizeof *f->x));
    TRY_MEM(f->gram = mem_new2(k, k, sizeof *f->gram));
    TRY_MEM(f->inside = mem_new(k, sizeof *f->inside));
    TRY_MEM(f->corner = mem_new2(2 * k, k, sizeof *f->corner));
    TRY_MEM(f->m = mem_new2(k, k, sizeof *f->m));
    TRY_MEM(f->best = mem_new2(k, k, sizeof *f->best));
    TRY_MEM(f->x_most = mem_new(k, sizeof *f->x_most));
    TRY_MEM(f->x_least = mem_new(k, sizeof *f->x_least));
    TRY_MEM(f->values = mem_new(k, sizeof *f->values));
    TRY_MEM(out->b = mem_new2(rows, k, sizeof *out->b));
    TRY_MEM(out->a = mem_new2(k, k, sizeof *out->a));
    TRY_MEM(out->anchor = mem_new(k, sizeof *out->anchor));
    TRY_MEM(out->residual = mem_new(k, sizeof *out->residual));
    TRY_MEM(out->characteristic = mem_new2(k, LAW_CHARACTERISTIC,
                                           sizeof *out->characteristic));
out:
    return st;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- rows ---------------------------------------------------------------- */

/* Words that could be anchors, as law_fit has them; leaves Y'e in `values`. */
static kedge_status freeing_choose(freeing *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const law_input *const in = f->in;
    double *total = f->values;

    memset(total, 0, in->k * sizeof *total);
    for (size_t i = 0; i < in->rows * in->k; i++)
        total[i % in->k] += in->y[i];
    for (size_t i = 0; i < in->rows; i++) {
        double sum = 0;
        for (size_t c = 0; c < in->k; c++)
            sum += in->y[i * in->k + c] * total[c];
        if (in->df[i] >= in->min_df && sum > 0 && in->sums[i] > 0)
            f->candidate[f->candidates++] = i;
    }
    if (f->candidates < in->k)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "%zu words are in %llu documents or more, too few "
                          "for %zu topics; lower the floor "
                          "(--anchor-min-df) or fit fewer topics",
                          f->candidates, (unsigned long long)in->min_df,
                          in->k);
    TRY_MEM(f->g = mem_new2(f->candidates, in->k, sizeof *f->g));
out:
    return st;
}

/* x = Y R^-1 with R'R = Y'Y; the candidates' rows at unit length. Each has a
 * sum above zero, Y_i Y'e = x_i R Y'e, so RY'e is inside. */
static kedge_status freeing_turn(freeing *f, kedge_error *err)
{
    const law_input *const in = f->in;
    const size_t k = in->k;
    double trace = 0;

    PASS(tall_cross(f->p, in->rows, in->y, k, in->y, k, f->gram, err));
    for (size_t c = 0; c < k; c++)
        trace += f->gram[c * k + c];
    for (size_t c = 0; c < k; c++) /* an empty column of Y stays empty */
        f->gram[c * k + c] += 1e-15 * trace;
    PASS(blas_cholesky(f->gram, k, err));
    for (size_t c = 0; c < k; c++)
        f->inside[c] = dot(f->gram + c * k, f->values, k);
    memcpy(f->x, in->y, in->rows * k * sizeof *f->x);
    tall_solve(f->p, in->rows, f->x, k, f->gram);
    for (size_t i = 0; i < f->candidates; i++) {
        const double *const row = f->x + f->candidate[i] * k;
        double norm = 0;
        for (size_t c = 0; c < k; c++)
            norm += row[c] * row[c];
        for (size_t c = 0; c < k; c++)
            f->g[i * k + c] = row[c] / sqrt(norm);
    }
    return KEDGE_OK;
}

/* ---- the determinant ----------------------------------------------------- */

/* M with X_S M = 1, for the rows S of g that a pivoted QR chooses. */
static kedge_status freeing_begin(freeing *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = f->in->k;
    uint64_t *all = NULL, *chosen = NULL;
    double *residual = NULL, *picked = NULL;

    TRY_MEM(all = mem_new(f->candidates, sizeof *all));
    TRY_MEM(chosen = mem_new(k, sizeof *chosen));
    TRY_MEM(residual = mem_new(k, sizeof *residual));
    TRY_MEM(picked = mem_new2(k, k, sizeof *picked));
    for (size_t i = 0; i < f->candidates; i++)
        all[i] = i;
    TRY(anchors_find(f->p, &(anchors_input){.k = k, .x = f->g,
                                            .candidate = all,
                                            .candidates = f->candidates},
                     chosen, residual, err));
    for (size_t c = 0; c < k; c++)
        memcpy(picked + c * k, f->g + chosen[c] * k, k * sizeof *picked);
    blas_gemm(false, true, k, k, k, 1, picked, k, picked, k, 0, f->gram, k);
    TRY(blas_invert_definite(f->gram, k, err));
    blas_gemm(false, false, k, k, k, 1, f->gram, k, picked, k, 0, f->m, k);
out:
    mem_free_all(all, chosen, residual, picked);
    return st;
}

/* Y'e is on the side of all candidates: there is an answer, but it may be out
 * of rounding's reach. */
static kedge_status freeing_lost(const freeing *f, kedge_error *err)
{
    return kedge_fail(err, KEDGE_ENUMERIC,
                      "the rows of the %zu words in %llu documents or more "
                      "hardly tell %zu topics apart without anchors; fit "
                      "fewer topics, or give --rectify palm",
                      f->candidates, (unsigned long long)f->in->min_df,
                      f->in->k);
}

/* The direction across all columns but one, in row 0 of gram: that column of
 * the inverse, of columns at unit length. */
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
            f->gram[l * k + i] = m[i] / length;
    }
    st = blas_invert(f->gram, k, err);
    if (st != KEDGE_OK)
        return st == KEDGE_ENUMERIC ? freeing_lost(f, err) : st;
    for (size_t i = 0; i < k; i++)
        norm += f->gram[i * k + column] * f->gram[i * k + column];
    for (size_t i = 0; i < k; i++)
        f->gram[i] = f->gram[i * k + column] / sqrt(norm);
    return st;
}

/* How far the cone goes along `across`, and where; -INFINITY where that cannot
 * be told. */
static kedge_status freeing_go(freeing *f, uint32_t *corner, double *x,
                               double *far, kedge_error *err)
{
    bool found;

    PASS(cone_farthest(f->cone, f->gram, corner, x, &found, err));
    *far = found ? dot(f->gram, x, f->in->k) : -INFINITY;
    return KEDGE_OK;
}

/* The best column in its place, or the best on its own side of all others;
 * *grown is by how much the determinant's logarithm changed. */
static kedge_status freeing_column(freeing *f, size_t column, bool both,
                                   double *grown, kedge_error *err)
{
    const size_t k = f->in->k;
    double *const m = f->m + column * k, *const across = f->gram;
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

/* Each column once; *sum is by how much the logarithm changed. */
static kedge_status freeing_round(freeing *f, bool both, law_output *out,
                                  double *sum, kedge_error *err)
{
    const size_t k = f->in->k;

    *sum = 0;
    for (size_t c = 0; c < k; c++) {
        double grown = 0;
        PASS(run_check(f->control, err));
        run_progress(f->control,
                     &(kedge_progress){.stage = "anchor-free",
                                       .done = out->steps * k + c,
                                       .unit = "topics",
                                       .seconds = clock_seconds() -
                                                  f->start});
        PASS(freeing_column(f, c, both, &grown, err));
        *sum += grown;
    }
    out->steps++;
    return KEDGE_OK;
}

/* Columns take turns from the M that is there. */
static kedge_status freeing_climb(freeing *f, law_output *out,
                                  kedge_error *err)
{
    bool both = true, rests = false;

    for (size_t turn = 0; turn < TURNS && !(both && rests); turn++) {
        double sum;
        both = turn == 0 || rests;
        PASS(freeing_round(f, both, out, &sum, err));
        rests = fabs(sum) <= RESTS;
    }
    return KEDGE_OK;
}

/* M is kept where its determinant is the largest so far. */
static kedge_status freeing_keep(freeing *f, kedge_error *err)
{
    const size_t k = f->in->k;
    double size = 0;

    blas_gemm(false, true, k, k, k, 1, f->m, k, f->m, k, 0, f->gram, k);
    PASS(blas_eigen(f->gram, k, f->values, err));
    for (size_t c = 0; c < k; c++)
        size += 0.5 * log(fmax(f->values[c], 1e-300));
    if (size > f->most) {
        f->most = size;
        memcpy(f->best, f->m, k * k * sizeof *f->m);
    }
    return KEDGE_OK;
}

static kedge_status freeing_run(freeing *f, law_output *out, kedge_error *err)
{
    const size_t k = f->in->k, starts = k <= FEW ? STARTS : 1;

    f->most = -INFINITY;
    f->start = clock_seconds();
    PASS(cone_create(f->g, f->candidates, k, f->inside, &f->cone, err));
    if (!cone_corner(f->cone, f->corner))
        return freeing_lost(f, err);
    for (size_t c = 1; c < 2 * k; c++)
        memcpy(f->corner + c * k, f->corner, k * sizeof *f->corner);
    for (size_t s = 0; s < starts; s++) {
        for (size_t i = 0; s > 0 && i < k * k; i++)
            f->m[i] = (double)(hash_stream(s, i) >> 11) * 0x1p-52 - 1;
        PASS(freeing_climb(f, out, err));
        PASS(freeing_keep(f, err));
    }
    memcpy(f->m, f->best, k * k * sizeof *f->m);
    return KEDGE_OK;
}

/* ---- topics -------------------------------------------------------------- */

/* B = YM without what is below zero, columns scaled to one; and, where words
 * have weights, without them. */
static void freeing_topics(freeing *f, law_output *out)
{
    const law_input *const in = f->in;
    const size_t k = in->k;
    double *const sum = f->values;

    for (size_t i = 0; i < k; i++) /* M for the product */
        for (size_t j = 0; j < k; j++)
            f->gram[j * k + i] = f->m[i * k + j];
    tall_multiply(f->p, in->rows, f->x, k, f->gram, k, 0, out->b);
    memset(sum, 0, k * sizeof *sum);
    for (size_t i = 0; i < in->rows; i++)
        for (size_t c = 0; c < k; c++) {
            double *const b = out->b + i * k + c;
            *b = fmax(*b, 0);
            if (in->weight != NULL)
                *b /= in->weight[i];
            sum[c] += *b;
        }
    for (size_t i = 0; i < in->rows; i++)
        for (size_t c = 0; c < k; c++)
            out->b[i * k + c] /= sum[c];
}

/* Of each topic the word that could be an anchor and is most the topic's own,
 * or, where several are all its own, the likeliest. */
static void freeing_name(freeing *f, law_output *out)
{
    const size_t k = f->in->k;
    double *const own = f->x_most, *const likely = f->x_least;

    for (size_t t = 0; t < k; t++) {
        f->values[t] = 0;
        own[t] = likely[t] = -1;
        for (size_t l = 0; l < k; l++)
            f->values[t] += out->a[t * k + l];
    }
    for (size_t i = 0; i < f->candidates; i++) {
        const double *const b = out->b + f->candidate[i] * k;
        const double all = dot(b, f->values, k);
        for (size_t t = 0; t < k; t++) {
            const double share = all > 0 ? b[t] * f->values[t] / all : 0;
            if (share < own[t] - 1e-9 ||
                (share <= own[t] + 1e-9 && b[t] <= likely[t]))
                continue;
            own[t] = share;
            likely[t] = b[t];
            out->anchor[t] = f->candidate[i];
        }
    }
}

/* Rows of the largest values of one column, largest first; earlier rows win
 * ties. */
static void freeing_largest(const double *value, size_t rows, size_t k,
                            size_t count, uint64_t *list)
{
    size_t held = 0;

    for (size_t i = 0; i < rows; i++) {
        const double v = value[i * k];
        size_t at = held < count ? held++ : count;
        while (at > 0 && value[list[at - 1] * k] < v) {
            if (at < count)
                list[at] = list[at - 1];
            at--;
        }
        if (at < count)
            list[at] = i;
    }
}

/* The rows of largest BA, with their weights. */
static void freeing_characteristic(freeing *f, law_output *out)
{
    const law_input *const in = f->in;
    const size_t k = in->k;

    out->characteristic_count =
        in->rows < LAW_CHARACTERISTIC ? in->rows : LAW_CHARACTERISTIC;
    tall_multiply(f->p, in->rows, out->b, k, out->a, k, 0, f->x);
    for (size_t i = 0; in->weight != NULL && i < in->rows * k; i++)
        f->x[i] *= in->weight[i / k];
    for (size_t t = 0; t < k; t++)
        freeing_largest(f->x + t, in->rows, k, out->characteristic_count,
                        out->characteristic + t * LAW_CHARACTERISTIC);
}

kedge_status anchorfree_fit(pool *p, const law_input *in,
                            const kedge_control *control, law_output *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    freeing f = {.p = p, .in = in, .control = control};
    law_input law = *in;

    *out = (law_output){0};
    law.diagonal = false;
    TRY(freeing_create(&f, out, err));
    TRY(freeing_choose(&f, err));
    out->candidates = f.candidates;
    TRY(freeing_turn(&f, err));
    TRY(freeing_begin(&f, err));
    TRY(freeing_run(&f, out, err));
    freeing_topics(&f, out);
    TRY(law_correlate(p, &law, out, err));
    freeing_name(&f, out);
    freeing_characteristic(&f, out);
out:
    freeing_free(&f);
    if (st != KEDGE_OK)
        law_free(out);
    return st;
}
