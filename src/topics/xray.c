/* SPDX-License-Identifier: MIT */
/*
 * XRAY (Kumar, Sindhwani and Kambadur 2013) with the rule that they call "max":
 * of the row i that is farthest from the cone of the anchors, let r be what is
 * left when its nearest point in the cone is taken off; the next anchor is the
 * row j with the largest r x_j / p x_j. Here p adds up a row of C̄, which is 1
 * for all, so that it is the largest r x_j: the vertex of the hull that is
 * farthest along r, which is an extreme ray, as no interior row can be.
 */
#include "topics/xray.h"

#include "base/fail.h"
#include "base/mem.h"
#include "topics/peel.h"

#define REST_FLOOR 1e-9 /* of the first: rows are met exactly below it */
#define PIECE 1024

typedef struct xray_job {
    const anchors_input *in;
    const double *rest; /* k */
    double *along;      /* by candidate */
} xray_job;

static void xray_piece(void *data, size_t piece, unsigned worker)
{
    const xray_job *j = data;
    const anchors_input *in = j->in;
    const size_t from = piece * PIECE;
    const size_t end =
        in->candidates - from < PIECE ? in->candidates : from + PIECE;

    (void)worker;
    for (size_t i = from; i < end; i++) {
        const double *const x = in->x + in->candidate[i] * in->k;
        double sum = 0;
        for (size_t c = 0; c < in->k; c++)
            sum += x[c] * j->rest[c];
        j->along[i] = sum;
    }
}

/* The candidate that is farthest along j->rest: its place. */
static size_t xray_farthest(pool *p, xray_job *j)
{
    size_t best = 0;

    pool_run(p, (j->in->candidates + PIECE - 1) / PIECE, xray_piece, j);
    for (size_t i = 1; i < j->in->candidates; i++)
        if (j->along[i] > j->along[best])
            best = i;
    return best;
}

kedge_status xray_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    xray_job j = {.in = in};
    peel l = {0};

    TRY_MEM(j.along = mem_new(in->candidates, sizeof *j.along));
    TRY(peel_create(p, in, ACTIVE_ANY, &l, err));
    for (size_t a = 0; a < in->k; a++) {
        const size_t away = peel_longest(&l);
        residual[a] = l.length[away];
        if (!(residual[a] > REST_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        j.rest = l.rest + away * in->k;
        chosen[a] = in->candidate[xray_farthest(p, &j)];
        if (a + 1 < in->k)
            peel_add(p, &l, chosen[a]);
        TRY(anchors_tell(a + 1, in, err));
    }
out:
    mem_free(j.along);
    peel_free(&l);
    return st;
}
