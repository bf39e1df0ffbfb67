/* SPDX-License-Identifier: MIT */
#include "rectify/rounds.h"

#include "base/fail.h"

#define PARTS 100 /* of a round, as it is told of */

kedge_status rounds_within(const rounds *r, double share, kedge_error *err)
{
    const double done = (double)r->before + share;

    return stage_reach(&r->told, (uint64_t)(PARTS * done), err);
}

kedge_status rounds_run(rounds_step *step, void *data,
                        const rectify_opts *opts,
                        const kedge_control *control, rectify_result *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    rounds r = {stage_begin(control, "rectify", PARTS * opts->rounds, ""), 0};

    *out = (rectify_result){0};
    while (out->rounds < opts->rounds) {
        TRY(rounds_within(&r, 0, err));
        TRY(step(data, &r, out, err));
        r.before = ++out->rounds;
        if (out->change <= opts->tolerance)
            break;
    }
    r.told.total = PARTS * out->rounds; /* the others are not needed */
    TRY(rounds_within(&r, 0, err));
out:
    return st;
}
