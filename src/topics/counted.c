/* SPDX-License-Identifier: MIT */
/*
 * Sparse implicit column-pivoted QR (paper "Practical Correlated Topic Modeling
 * and Analysis via the Rectified Anchor Word Algorithm", Algorithm 3): P = C̄'
 * with C̄ = diag(d)^-1 C, its columns' squared lengths u. With q_a, what of the
 * a-th anchor's row is outside the span of those before, of unit length,
 *
 *   u_i <- u_i - (C q_a)_i² / d_i²
 *
 * so that nothing is taken out of C, which would make it dense: k directions of
 * as many numbers as there are rows, and k products with C.
 *
 * Beyond the algorithm as printed:
 *  - the recursion loses digits where u is small beside what it was, so a row
 *    that fell below TRUST of that is computed anew from the directions as soon
 *    as it could be the longest, and not before (LAPACK's geqp3 does so of all
 *    rows). What is compared is then exact but for k times 1e-12;
 *  - words that are in the same documents have the same numbers in another
 *    order, and lengths that differ by rounding: up to TIE of the longest, the
 *    first is taken;
 *  - q_a is made orthogonal twice.
 */
#include "topics/counted.h"

#include <assert.h>

#include "base/fail.h"
#include "base/mem.h"

#define TRUST 1e-4
#define TIE 1e-9         /* well above what TRUST leaves of errors */
#define RANK_FLOOR 1e-12 /* of the first residual */

typedef struct counted_job {
    const anchors_input *in;
    size_t found;
    double *room;  /* rows: one of C, or a product */
    double *left;  /* by candidate: u, */
    double *known; /* and what it was when it was last computed by itself */
} counted_job;

/* A candidate's number, of the row's, in C̄; a row of no sum is zero. */
static double counted_share(const counted_job *j, size_t place, double value)
{
    const double sum = j->in->counted->sums[j->in->candidate[place]];

    return sum > 0 ? value / sum : 0;
}

static kedge_status counted_begin(counted_job *j, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const anchors_input *const in = j->in;
    const anchors_matrix *const c = in->counted;

    TRY_MEM(j->room = mem_new(c->rows, sizeof *j->room));
    TRY_MEM(j->left = mem_new(in->candidates, sizeof *j->left));
    TRY_MEM(j->known = mem_new(in->candidates, sizeof *j->known));
    c->squares(c->data, j->room);
    for (size_t i = 0; i < in->candidates; i++)
        j->left[i] = j->known[i] = counted_share(
            j, i, counted_share(j, i, j->room[in->candidate[i]]));
out:
    return st;
}

static void counted_end(counted_job *j)
{
    mem_free(j->room);
    mem_free(j->left);
    mem_free(j->known);
}

/* What of the candidate's row is outside the directions so far becomes the next
 * of them; its length. */
static double counted_outside(const counted_job *j, size_t place)
{
    const anchors_matrix *const c = j->in->counted;
    const double *const row =
        c->row(c->data, j->in->candidate[place], j->room);

    return counted_share(j, place, anchors_outside(j->in->scratch, j->found,
                                                   row, c->rows));
}

static bool counted_certain(const counted_job *j, size_t place)
{
    return j->left[place] > TRUST * j->known[place] || j->known[place] == 0;
}

/* u, or where that is not certain the most that it can be. */
static double counted_most(const counted_job *j, size_t place)
{
    return counted_certain(j, place) ? j->left[place]
                                     : 2 * TRUST * j->known[place];
}

/* Computes the longest anew, where they are not certain; none is left when it
 * gives false. */
static bool counted_settle(counted_job *j, double *longest)
{
    bool changed = false;

    *longest = 0;
    for (size_t i = 0; i < j->in->candidates; i++)
        if (counted_most(j, i) > *longest)
            *longest = counted_most(j, i);
    for (size_t i = 0; i < j->in->candidates; i++)
        if (counted_most(j, i) >= (1 - TIE) * *longest &&
            !counted_certain(j, i)) {
            const double length = counted_outside(j, i);
            j->left[i] = j->known[i] = length * length;
            changed = true;
        }
    return changed;
}

/* The next anchor's place among the candidates. */
static kedge_status counted_pick(counted_job *j, size_t *place,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double longest = 0;

    while (counted_settle(j, &longest))
        TRY(anchors_tell(j->found, j->in, err));
    for (*place = 0; *place < j->in->candidates; ++*place)
        if (j->left[*place] >= (1 - TIE) * longest)
            break;
out:
    return st;
}

/* Takes the last direction out of what is left of all rows. */
static kedge_status counted_strip(counted_job *j, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const anchors_matrix *const c = j->in->counted;

    TRY(c->apply(c->data, j->in->scratch + (j->found - 1) * c->rows, 1,
                 j->room, err));
    for (size_t i = 0; i < j->in->candidates; i++) {
        const double along =
            counted_share(j, i, j->room[j->in->candidate[i]]);
        j->left[i] -= along * along;
    }
out:
    return st;
}

kedge_status counted_find(const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    counted_job j = {.in = in};
    size_t place;

    assert(in->counted != NULL && in->k <= in->counted->rows);
    TRY(counted_begin(&j, err));
    while (j.found < in->k) {
        const size_t a = j.found;
        TRY(counted_pick(&j, &place, err));
        residual[a] = place < in->candidates ? counted_outside(&j, place) : 0;
        if (!(residual[a] > RANK_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        chosen[a] = in->candidate[place];
        j.found++;
        TRY(counted_strip(&j, err));
        TRY(anchors_tell(j.found, in, err));
    }
out:
    counted_end(&j);
    return st;
}
