/* SPDX-License-Identifier: MIT */
#include "rectify/rounds.h"

#include "base/fail.h"
#include "base/run.h"

kedge_status rounds_run(rounds_step *step, void *data,
                        const rectify_opts *opts,
                        const kedge_control *control, rectify_result *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();

    *out = (rectify_result){0};
    while (out->rounds < opts->rounds) {
        TRY(run_check(control, err));
        run_progress(control, &(kedge_progress){
                                  .stage = "rectify",
                                  .done = out->rounds,
                                  .total = opts->rounds,
                                  .unit = "rounds",
                                  .seconds = clock_seconds() - start,
                              });
        TRY(step(data, out, err));
        out->rounds++;
        if (out->change <= opts->tolerance)
            break;
    }
out:
    return st;
}
