/* SPDX-License-Identifier: MIT */
/*
 * Modified Gram-Schmidt on a copy of the candidates: each step takes the chosen
 * row's direction out of all of them and measures what is left, instead of
 * downdating norms, which loses digits just where anchors get hard to tell
 * apart. count * candidates * k multiply-adds.
 */
#include "topics/anchors.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "topics/farthest.h"
#include "topics/snpa.h"
#include "topics/spa.h"
#include "topics/xray.h"

#define PIECE 1024
#define RANK_FLOOR 1e-12 /* of the first residual */

typedef struct pivot_job {
    size_t k, candidates;
    double *rest;      /* candidates x k */
    double *norm;      /* squared, by candidate */
    const double *direction; /* unit length; NULL in the first round */
} pivot_job;

/* Takes the direction out of a row; what is left of its squared length. */
KERNEL_CLONES
static double pivot_row(double *restrict row, const double *restrict direction,
                        size_t k)
{
    double along = 0, norm = 0;

    for (size_t c = 0; c < k; c++)
        along += row[c] * direction[c];
    for (size_t c = 0; c < k; c++) {
        row[c] -= along * direction[c];
        norm += row[c] * row[c];
    }
    return norm;
}

static void pivot_piece(void *data, size_t piece, unsigned worker)
{
    const pivot_job *j = data;
    const size_t from = piece * PIECE;
    const size_t end =
        j->candidates - from < PIECE ? j->candidates : from + PIECE;

    (void)worker;
    for (size_t i = from; i < end; i++)
        j->norm[i] = pivot_row(j->rest + i * j->k, j->direction, j->k);
}

static size_t pivot_longest(const double *norm, size_t count)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (norm[i] > norm[best])
            best = i;
    return best;
}

kedge_status anchors_few(size_t found, const anchors_input *in,
                         kedge_error *err)
{
    return kedge_fail(err, KEDGE_ENUMERIC,
                      "only %zu of %zu anchors can be told apart among %zu "
                      "candidates; fit fewer topics, or take anchors of fewer "
                      "documents (--anchor-min-df)",
                      found, in->k, in->candidates);
}

kedge_status anchors_pivot(pool *p, const double *x, size_t k,
                           const uint64_t *candidate, size_t candidates,
                           size_t count, uint64_t *chosen, double *residual,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *direction = NULL;
    pivot_job j = {.k = k, .candidates = candidates};

    TRY_MEM(j.rest = mem_new2(candidates, k, sizeof *j.rest));
    TRY_MEM(j.norm = mem_new(candidates, sizeof *j.norm));
    TRY_MEM(direction = mem_new(k, sizeof *direction));
    for (size_t i = 0; i < candidates; i++)
        memcpy(j.rest + i * k, x + candidate[i] * k, k * sizeof *x);
    j.direction = direction; /* zero: the first round only measures */
    for (size_t a = 0; a < count; a++) {
        pool_run(p, (candidates + PIECE - 1) / PIECE, pivot_piece, &j);
        chosen[a] = candidates == 0 ? 0 : pivot_longest(j.norm, candidates);
        residual[a] = candidates == 0 ? 0 : sqrt(j.norm[chosen[a]]);
        if (!(residual[a] > RANK_FLOOR * residual[0])) {
            TRY(anchors_few(a, &(anchors_input){.k = count,
                                                .candidates = candidates},
                            err));
        }
        for (size_t c = 0; c < k; c++)
            direction[c] = j.rest[chosen[a] * k + c] / residual[a];
    }
out:
    mem_free(j.rest);
    mem_free(j.norm);
    mem_free(direction);
    return st;
}

static kedge_status anchors_pivot_rows(pool *p, const anchors_input *in,
                                       uint64_t *chosen, double *residual,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;

    TRY(anchors_pivot(p, in->x, k, in->candidate, in->candidates, k, chosen,
                      residual, err));
    for (size_t a = 0; a < k; a++)
        chosen[a] = in->candidate[chosen[a]];
out:
    return st;
}

kedge_status anchors_find(pool *p, const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    switch (in->kind) {
    case KEDGE_ANCHORS_SPA:
        return spa_find(p, in, chosen, residual, err);
    case KEDGE_ANCHORS_SNPA:
        return snpa_find(p, in, chosen, residual, err);
    case KEDGE_ANCHORS_XRAY:
        return xray_find(p, in, chosen, residual, err);
    case KEDGE_ANCHORS_FAST:
        TRY(anchors_pivot_rows(p, in, chosen, residual, err));
        return farthest_clean(p, in, chosen, residual, err);
    case KEDGE_ANCHORS_QR:
        break;
    }
    TRY(anchors_pivot_rows(p, in, chosen, residual, err));
out:
    return st;
}
