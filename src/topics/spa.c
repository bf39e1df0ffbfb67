/* SPDX-License-Identifier: MIT */
/*
 * The successive projection algorithm (Araújo et al. 2001; Gillis and Vavasis
 * 2014; Algorithm 1 of the paper "Anchor-Free Correlated Topic Modeling"). It
 * chooses as pivoted QR does, by its recursion: with the orthonormal directions
 * q_1 .. q_a of those chosen so far, what is left of a row's squared length is
 *
 *   u_i <- u_i - (q_a x_i)²
 *
 * so that rows stay as they are and no copy of them is made. Of rows whose u
 * are alike, up to TIE of the largest, the one takes it that was longest in the
 * beginning. The recursion loses digits where u is below 1e-16 of what it was,
 * 1e-8 in length; a chosen row's own residual is computed anew.
 */
#include "topics/anchors.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

#define TIE 1e-6
#define RANK_FLOOR 1e-12 /* of the first residual */

static size_t spa_pick(const double *left, const double *whole, size_t count)
{
    double most = 0;
    size_t best = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, left[i]);
    for (size_t i = 0; i < count; i++)
        if (left[i] >= (1 - TIE) * most &&
            (left[best] < (1 - TIE) * most || whole[i] > whole[best]))
            best = i;
    return best;
}

/* The part of x outside the first `count` rows of `basis`, at unit length,
 * becomes the next row; its length. */
static double spa_extend(double *basis, size_t count, const double *x,
                         size_t k)
{
    double *const q = basis + count * k;
    double length;

    memcpy(q, x, k * sizeof *q);
    for (size_t b = 0; b < 2 * count; b++) { /* twice is enough */
        const double *const other = basis + b % count * k;
        const double along = anchors_dot(q, other, k);
        for (size_t c = 0; c < k; c++)
            q[c] -= along * other[c];
    }
    length = sqrt(anchors_dot(q, q, k));
    for (size_t c = 0; c < k && length > 0; c++)
        q[c] /= length;
    return length;
}

kedge_status spa_find(pool *p, const anchors_input *in, uint64_t *chosen,
                      double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, n = in->candidates;
    double *basis = NULL, *along = NULL;
    double *left = NULL, *whole = NULL; /* candidates: u; squared length */

    TRY_MEM(basis = mem_new2(k, k, sizeof *basis));
    TRY_MEM(along = mem_new(n, sizeof *along));
    TRY_MEM(left = mem_new(n, sizeof *left));
    TRY_MEM(whole = mem_new(n, sizeof *whole));
    for (size_t i = 0; i < n; i++) {
        const double *const x = in->x + in->candidate[i] * k;
        whole[i] = left[i] = anchors_dot(x, x, k);
    }
    for (size_t a = 0; a < k; a++) {
        chosen[a] = in->candidate[spa_pick(left, whole, n)];
        residual[a] = spa_extend(basis, a, in->x + chosen[a] * k, k);
        TRY(anchors_check(in, residual, a, RANK_FLOOR, err));
        anchors_along(p, in, basis + a * k, along);
        for (size_t i = 0; i < n; i++)
            left[i] -= along[i] * along[i];
        TRY(anchors_reach(in, a + 1, err));
    }
out:
    mem_free_all(basis, along, left, whole);
    return st;
}
