/* SPDX-License-Identifier: MIT */
/*
 * The successive non-negative projection algorithm (Gillis 2014): where pivoted
 * QR takes off a row's part in the span of the anchors, this takes off the
 * nearest point of { Σ h_a x_a, h >= 0, Σ h <= 1 }, which is the hull of the
 * anchors and zero. Rows that are in the span but beyond the hull still stick
 * out, so that vertices are found which depend on each other linearly.
 */
#include "topics/snpa.h"

#include "base/fail.h"
#include "topics/peel.h"

#define REST_FLOOR 1e-9 /* of the first: rows are met exactly below it */

kedge_status snpa_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    peel l = {0};

    TRY(peel_create(p, in, ACTIVE_MOST_ONE, &l, err));
    for (size_t a = 0; a < in->k; a++) {
        const size_t place = peel_longest(&l);
        residual[a] = l.length[place];
        if (!(residual[a] > REST_FLOOR * residual[0]))
            TRY(anchors_few(a, in, err));
        chosen[a] = in->candidate[place];
        if (a + 1 < in->k)
            peel_add(p, &l, chosen[a]);
        TRY(anchors_tell(a + 1, in, err));
    }
out:
    peel_free(&l);
    return st;
}
