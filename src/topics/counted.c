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
 *    that fell below TRUST of that is computed again from the directions as
 *    soon as it could be the longest, and not before (LAPACK's geqp3 does so of
 *    all rows). What is compared is then exact but for k times 1e-12;
 *  - words that are in the same documents have the same numbers in another
 *    order, and lengths that differ by rounding: up to TIE of the longest, the
 *    first is taken;
 *  - q_a is made orthogonal twice.
 */
#include "topics/anchors.h"

#include <assert.h>

#include "base/fail.h"
#include "base/mem.h"

#define TRUST 1e-4
#define TIE 1e-9         /* well above what TRUST leaves of errors */
#define RANK_FLOOR 1e-12 /* of the first residual */

typedef struct counted_job {
    const anchors_input *in;
    size_t found;
    double *room;  /* rows: a row of C, or a product */
    double *left;  /* candidates: u, */
    double *exact; /* and what it was when it was last computed by itself */
} counted_job;

/* A candidate's entry of C̄, of the one of C; a row of sum zero is zero. */
static double counted_entry(const counted_job *j, size_t place, double value)
{
    const double sum = j->in->counted->sums[j->in->candidate[place]];

    return sum > 0 ? value / sum : 0;
}

/* The part of the candidate's row outside the directions so far becomes the
 * next direction; its length. */
static double counted_outside(const counted_job *j, size_t place)
{
    const anchors_matrix *const c = j->in->counted;
    const double *const row =
        c->row(c->data, j->in->candidate[place], j->room);

    return counted_entry(j, place, anchors_outside(j->in->scratch, j->found,
                                                   row, c->rows));
}

static bool counted_certain(const counted_job *j, size_t place)
{
    return j->left[place] > TRUST * j->exact[place] || j->exact[place] == 0;
}

/* u, or where that is not certain the most that it can be. */
static double counted_most(const counted_job *j, size_t place)
{
    return counted_certain(j, place) ? j->left[place]
                                     : 2 * TRUST * j->exact[place];
}

/* The largest u; true where some that could be the largest were uncertain and
 * are computed now, which may change it. */
static bool counted_settle(counted_job *j, double *longest)
{
    const size_t n = j->in->candidates;
    bool changed = false;

    *longest = 0;
    for (size_t i = 0; i < n; i++)
        if (counted_most(j, i) > *longest)
            *longest = counted_most(j, i);
    for (size_t i = 0; i < n; i++)
        if (counted_most(j, i) >= (1 - TIE) * *longest &&
            !counted_certain(j, i)) {
            const double length = counted_outside(j, i);
            j->left[i] = j->exact[i] = length * length;
            changed = true;
        }
    return changed;
}

kedge_status counted_find(pool *p, const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const anchors_matrix *const c = in->counted;
    const size_t n = in->candidates;
    counted_job j = {.in = in};

    (void)p; /* the matrix has its own */
    assert(c != NULL && in->k <= c->rows);
    TRY_MEM(j.room = mem_new(c->rows, sizeof *j.room));
    TRY_MEM(j.left = mem_new(n, sizeof *j.left));
    TRY_MEM(j.exact = mem_new(n, sizeof *j.exact));
    c->squares(c->data, j.room);
    for (size_t i = 0; i < n; i++)
        j.left[i] = j.exact[i] = counted_entry(
            &j, i, counted_entry(&j, i, j.room[in->candidate[i]]));
    for (size_t a = 0; a < in->k; a++) {
        size_t place = 0;
        double longest;
        while (counted_settle(&j, &longest))
            TRY(anchors_reach(in, a, err));
        while (place < n && !(j.left[place] >= (1 - TIE) * longest))
            place++;
        residual[a] = place < n ? counted_outside(&j, place) : 0;
        TRY(anchors_check(in, residual, a, RANK_FLOOR, err));
        chosen[a] = in->candidate[place];
        TRY(c->apply(c->data, in->scratch + a * c->rows, 1, j.room, err));
        for (size_t i = 0; i < n; i++) {
            const double along =
                counted_entry(&j, i, j.room[in->candidate[i]]);
            j.left[i] -= along * along;
        }
        j.found++;
        TRY(anchors_reach(in, a + 1, err));
    }
out:
    mem_free_all(j.room, j.left, j.exact);
    return st;
}
