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

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"

#define PIECE 1024
#define TIE 1e-6
#define RANK_FLOOR 1e-12 /* of the first residual */

typedef struct spa_job {
    const anchors_input *in;
    const double *direction; /* k; zero in the first round */
    double *left;  /* by candidate: u */
    double *whole; /* by candidate: squared length */
} spa_job;

KERNEL_CLONES
static double spa_along(const double *restrict x,
                        const double *restrict direction, size_t k)
{
    double along = 0;

    for (size_t c = 0; c < k; c++)
        along += x[c] * direction[c];
    return along;
}

static void spa_piece(void *data, size_t piece, unsigned worker)
{
    const spa_job *j = data;
    const anchors_input *in = j->in;
    const size_t from = piece * PIECE;
    const size_t end =
        in->candidates - from < PIECE ? in->candidates : from + PIECE;

    (void)worker;
    for (size_t i = from; i < end; i++) {
        const double along =
            spa_along(in->x + in->candidate[i] * in->k, j->direction, in->k);
        j->left[i] -= along * along;
    }
}

static size_t spa_pick(const spa_job *j)
{
    double most = 0;
    size_t best = 0;

    for (size_t i = 0; i < j->in->candidates; i++)
        most = fmax(most, j->left[i]);
    for (size_t i = 0; i < j->in->candidates; i++)
        if (j->left[i] >= (1 - TIE) * most &&
            (j->left[best] < (1 - TIE) * most || j->whole[i] > j->whole[best]))
            best = i;
    return best;
}

/* What of x is outside the first `count` rows of `basis`, of unit length in the
 * next; its length. */
static double spa_extend(double *basis, size_t count, const double *x,
                         size_t k)
{
    double *const q = basis + count * k;
    double length;

    memcpy(q, x, k * sizeof *q);
    for (size_t b = 0; b < 2 * count; b++) { /* twice is enough */
        const double *const other = basis + b % count * k;
        const double along = spa_along(q, other, k);
        for (size_t c = 0; c < k; c++)
            q[c] -= along * other[c];
    }
    length = sqrt(spa_along(q, q, k));
    for (size_t c = 0; c < k && length > 0; c++)
        q[c] /= length;
    return length;
}

kedge_status spa_find(pool *p, const anchors_input *in, uint64_t *chosen,
                      double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, pieces = (in->candidates + PIECE - 1) / PIECE;
    double *basis = NULL;
    spa_job j = {.in = in};

    TRY_MEM(basis = mem_new2(k, k, sizeof *basis));
    TRY_MEM(j.left = mem_new(in->candidates, sizeof *j.left));
    TRY_MEM(j.whole = mem_new(in->candidates, sizeof *j.whole));
    for (size_t i = 0; i < in->candidates; i++) {
        const double *const x = in->x + in->candidate[i] * k;
        j.whole[i] = j.left[i] = spa_along(x, x, k);
    }
    for (size_t a = 0; a < k; a++) {
        chosen[a] = in->candidate[spa_pick(&j)];
        residual[a] = spa_extend(basis, a, in->x + chosen[a] * k, k);
        if (!(residual[a] > RANK_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        j.direction = basis + a * k;
        pool_run(p, pieces, spa_piece, &j);
        TRY(anchors_tell(a + 1, in, err));
    }
out:
    mem_free_all(basis, j.left, j.whole);
    return st;
}
