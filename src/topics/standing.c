/* SPDX-License-Identifier: MIT */
/* The steps of anchors_pivot with the choice made already. */
#include "topics/standing.h"

#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "topics/anchors.h"

static uint64_t standing_rank(const standing_input *in, const double *norm,
                              uint64_t row)
{
    uint64_t rank = 1;

    for (size_t i = 0; i < in->rows; i++)
        rank += in->candidate[i] && norm[i] > norm[row];
    return rank;
}

static void standing_compare(const standing_input *in, const double *norm,
                             size_t step, standing *s)
{
    const uint64_t rank = standing_rank(in, norm, s->row);

    if (s->rank > 0 && s->rank <= rank)
        return;
    s->rank = rank;
    s->step = step;
    s->share = sqrt(norm[s->row] / norm[in->anchor[step]]);
}

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
        for (size_t i = 0; i < count; i++)
            standing_compare(in, norm, s, &asked[i]);
        for (size_t c = 0; c < k; c++)
            direction[c] = chosen[c] / sqrt(norm[in->anchor[s]]);
    }
out:
    mem_free(norm);
    mem_free(direction);
    return st;
}
