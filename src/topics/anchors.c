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
#include "base/octet.h"

#define PIECE 1024
#define RANK_FLOOR 1e-12 /* of the first residual */
#define GIVEN_FLOOR 1e-9 /* likewise, of anchors that were given */

/* The longest of what is left, whoever has it. */
typedef struct pivot_best {
    double norm;    /* squared; below zero: there is none */
    uint64_t place; /* in its owner's candidates, */
    uint64_t row;
    uint64_t owner; /* the rank */
} pivot_best;

typedef struct pivot_job {
    communicator *comm;
    const anchors_input *in;
    pivot_best best;
    size_t k, candidates;
    double *rest;      /* candidates x k */
    double *norm;      /* squared, by candidate */
    double *direction; /* unit length; zero in the first round */
} pivot_job;

/* Takes the direction out of a row; what is left of its squared length. */
KERNEL_CLONES
static double pivot_row(double *restrict row, const double *restrict direction,
                        size_t k)
{
    const double along = octet_dot(row, direction, k);

    for (size_t c = 0; c < k; c++)
        row[c] -= along * direction[c];
    return octet_dot(row, row, k);
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

void anchors_strip(pool *p, size_t rows, size_t k, double *x,
                   double *direction, double *norm)
{
    pivot_job j = {.k = k, .candidates = rows, .rest = x, .norm = norm,
                   .direction = direction};

    pool_run(p, (rows + PIECE - 1) / PIECE, pivot_piece, &j);
}

static size_t pivot_longest(const double *norm, size_t count)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (norm[i] > norm[best])
            best = i;
    return best;
}

kedge_status anchors_tell(size_t found, const anchors_input *in,
                          kedge_error *err)
{
    return in->told != NULL ? stage_reach(in->told, found, err) : KEDGE_OK;
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

static kedge_status pivot_begin(pivot_job *j, pool *p,
                                const anchors_input *in, size_t k,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *j = (pivot_job){.comm = pool_comm(p), .in = in, .k = k,
                     .candidates = in->candidates};
    TRY_MEM(j->rest = mem_new2(j->candidates, k, sizeof *j->rest));
    TRY_MEM(j->norm = mem_new(j->candidates, sizeof *j->norm));
    TRY_MEM(j->direction = mem_new(k, sizeof *j->direction));
    for (size_t i = 0; i < j->candidates; i++)
        memcpy(j->rest + i * k, in->x + in->candidate[i] * k,
               k * sizeof *in->x);
out:
    return st;
}

static void pivot_end(pivot_job *j)
{
    mem_free_all(j->rest, j->norm, j->direction);
}

static void pivot_offer(void *data, void *value)
{
    const pivot_job *const j = data;
    pivot_best *const best = value;
    size_t place;

    if (j->candidates == 0)
        return;
    place = pivot_longest(j->norm, j->candidates);
    if (j->norm[place] > best->norm)
        *best = (pivot_best){j->norm[place], place,
                             j->in->from + j->in->candidate[place],
                             j->comm != NULL ? j->comm->rank : 0};
}

/* Takes j->direction, zero in the first round, out of the candidates, and finds
 * the next one. */
static void pivot_next(pool *p, pivot_job *j, double *residual)
{
    anchors_strip(p, j->candidates, j->k, j->rest, j->direction, j->norm);
    j->best = (pivot_best){.norm = -1};
    comm_reduce(j->comm, &j->best, sizeof j->best, pivot_offer, j);
    *residual = sqrt(fmax(j->best.norm, 0));
}

/* Where the best points, from its owner. */
static void pivot_point(void *data, void *value)
{
    const pivot_job *const j = data;
    double *const direction = value;

    if (j->comm != NULL && j->comm->rank != j->best.owner)
        return;
    for (size_t c = 0; c < j->k; c++)
        direction[c] =
            j->rest[j->best.place * j->k + c] / sqrt(j->best.norm);
}

static void pivot_turn(pivot_job *j)
{
    comm_reduce(j->comm, j->direction, j->k * sizeof *j->direction, pivot_point,
                j);
}

/* Of rows of k: in->k of them, by their places or by their rows. */
static kedge_status pivot_find(pool *p, const anchors_input *in, size_t k,
                               bool places, uint64_t *chosen,
                               double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pivot_job j;

    TRY(pivot_begin(&j, p, in, k, err));
    for (size_t a = 0; a < in->k; a++) {
        pivot_next(p, &j, &residual[a]);
        if (!(residual[a] > RANK_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        chosen[a] = places ? j.best.place : j.best.row;
        pivot_turn(&j);
        TRY(anchors_tell(a + 1, in, err));
    }
out:
    pivot_end(&j);
    return st;
}

kedge_status anchors_pivot(pool *p, const double *x, size_t k,
                           const uint64_t *candidate, size_t candidates,
                           size_t count, uint64_t *chosen, double *residual,
                           kedge_error *err)
{
    const anchors_input in = {.k = count, .x = x, .candidate = candidate,
                              .candidates = candidates};

    return pivot_find(p, &in, k, true, chosen, residual, err);
}

double anchors_outside(double *basis, size_t count, const double *point,
                       size_t k)
{
    double *const q = basis + count * k;
    double norm = 0;

    memcpy(q, point, k * sizeof *q);
    for (size_t b = 0; b < 2 * count; b++) /* twice is enough */
        pivot_row(q, basis + b % count * k, k);
    for (size_t c = 0; c < k; c++)
        norm += q[c] * q[c];
    norm = sqrt(norm);
    for (size_t c = 0; c < k && norm > 0; c++)
        q[c] /= norm;
    return norm;
}

kedge_status anchors_complete(pool *p, const anchors_input *in,
                              const double *point, size_t known,
                              uint64_t *chosen, double *residual,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    pivot_job j = {0};
    double *basis = NULL;

    TRY_MEM(basis = mem_new2(known + 1, k, sizeof *basis));
    TRY(pivot_begin(&j, p, in, k, err));
    for (size_t a = 0; a < known; a++) {
        residual[a] = anchors_outside(basis, a, point + a * k, k);
        if (!(residual[a] > GIVEN_FLOOR * residual[0]))
            TRY(kedge_fail(err, KEDGE_ENUMERIC,
                           "the anchors given for topic %zu add nothing to "
                           "those of the topics before: leave it out",
                           a + 1));
        anchors_strip(p, j.candidates, k, j.rest, j.direction, j.norm);
        memcpy(j.direction, basis + a * k, k * sizeof *basis);
    }
    for (size_t a = known; a < k; a++) {
        pivot_next(p, &j, &residual[a]);
        if (!(residual[a] > RANK_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        chosen[a] = j.best.row;
        pivot_turn(&j);
        TRY(anchors_tell(a + 1, in, err));
    }
out:
    mem_free(basis);
    pivot_end(&j);
    return st;
}

/* ---- the ways ------------------------------------------------------------ */

static kedge_status qr_find(pool *p, const anchors_input *in, uint64_t *chosen,
                            double *residual, kedge_error *err)
{
    return pivot_find(p, in, in->k, false, chosen, residual, err);
}

static kedge_status fast_find(pool *p, const anchors_input *in,
                              uint64_t *chosen, double *residual,
                              kedge_error *err)
{
    const kedge_status st = qr_find(p, in, chosen, residual, err);

    return st == KEDGE_OK ? farthest_clean(p, in, chosen, residual, err) : st;
}

/* What a file or a model gives is not looked for: QR finds the others. */
static anchors_way *const ways[] = {
    [KEDGE_ANCHORS_QR] = qr_find,     [KEDGE_ANCHORS_FAST] = fast_find,
    [KEDGE_ANCHORS_SPA] = spa_find,   [KEDGE_ANCHORS_SNPA] = snpa_find,
    [KEDGE_ANCHORS_XRAY] = xray_find, [KEDGE_ANCHORS_FILE] = qr_find,
    [KEDGE_ANCHORS_MODEL] = qr_find,  [KEDGE_ANCHORS_COUNTED] = counted_find,
};

kedge_status anchors_find(pool *p, const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err)
{
    return ways[in->kind](p, in, chosen, residual, err);
}

/* ---- how near words came ------------------------------------------------- */

/* The steps of pivoted QR with the choice made already. */
kedge_status standing_find(pool *p, const standing_input *in, standing *asked,
                           size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    double *norm = NULL, *direction = NULL;

    TRY_MEM(norm = mem_new(in->rows, sizeof *norm));
    TRY_MEM(direction = mem_new(k, sizeof *direction));
    for (size_t i = 0; i < count; i++)
        asked[i] = (standing){.row = asked[i].row};
    for (size_t s = 0; s < k; s++) {
        const double *const chosen = in->x + in->anchor[s] * k;
        anchors_strip(p, in->rows, k, in->x, direction, norm);
        if (!(norm[in->anchor[s]] > 0))
            break;
        for (size_t i = 0; i < count; i++) {
            const double own = norm[asked[i].row];
            uint64_t rank = 1;
            for (size_t r = 0; r < in->rows; r++)
                rank += in->candidate[r] && norm[r] > own;
            if (asked[i].rank > 0 && asked[i].rank <= rank)
                continue;
            asked[i].rank = rank;
            asked[i].step = s;
            asked[i].share = sqrt(own / norm[in->anchor[s]]);
        }
        for (size_t c = 0; c < k; c++)
            direction[c] = chosen[c] / sqrt(norm[in->anchor[s]]);
    }
out:
    mem_free_all(norm, direction);
    return st;
}
