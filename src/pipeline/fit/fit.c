/* SPDX-License-Identifier: MIT */
/*
 * Fitting: sketch → spectrum → rectification → topics → store, the first once
 * for all numbers of topics, the rest for each.
 */
#include "pipeline/fit/fit.h"

#include <string.h>

#include "base/fail.h"
#include "base/run.h"
#include "linalg/blas.h"
#include "pipeline/fit/fitcheck.h"
#include "pipeline/fit/groundwork.h"
#include "pipeline/fit/onemodel.h"
#include "pipeline/index/index.h"

static kedge_status fit_all(fit *f, const uint64_t *topics, size_t count,
                            kedge_fit_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(groundwork_choose(f, err));
    TRY(groundwork_plan(f, topics, count, err));
    TRY(pool_open(f->control, &f->p, err));
    TRY(groundwork_follow(f, err));
    TRY(fitcheck_view(&f->view, err));
    TRY(groundwork_lay(f, err));
    TRY(groundwork_values(f, err));
    for (size_t i = 0; i < count; i++)
        TRY(onemodel_fit(f, topics[i], count, &out[i], err));
out:
    return st;
}

/* What the rule gave before goes once there is a model of what it gives now. A
 * view that was made for a fit which comes to nothing goes with it; but a
 * sketch stays for the same fit again where only something outside failed. */
static kedge_status fit_settle_view(fit *f, kedge_status st, kedge_error *err)
{
    const bool useless = st == KEDGE_EINVAL || st == KEDGE_ENOTFOUND;
    const bool stays = f->fitted > 0 || (f->sketched && !useless);
    kedge_error why = {0};
    kedge_status then = KEDGE_OK;

    if (f->fitted > 0)
        then = index_keep(f->s, &f->choice, &why);
    else if (f->choice.fresh && !stays)
        then = index_drop(f->s, f->number, &why);
    if (st == KEDGE_OK && then != KEDGE_OK)
        return kedge_fail(err, then, "%s", why.text);
    return st;
}

kedge_status fit_models(kedge_store *s, const fit_wish *wish,
                        const kedge_control *control, kedge_fit_result *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_team_traffic none = {0};
    fit f = {.s = s, .wish = wish, .opts = wish->opts, .control = control,
             .traffic = &none};

    TRY(blas_begin(control->threads, err));
    TRY(fitcheck_topics(wish->topics, wish->count, err));
    TRY(fitcheck_opts(wish->opts, wish->count, err));
    memset(out, 0, wish->count * sizeof *out);
    st = fit_all(&f, wish->topics, wish->count, out, err);
    st = fit_settle_view(&f, st, err);
out:
    groundwork_free(&f);
    pool_free(f.p);
    blas_end();
    return st;
}

kedge_status kedge_fit(kedge_store *s, const uint64_t *topics, size_t count,
                       const kedge_fit_opts *opts,
                       const kedge_control *control, kedge_fit_result *out,
                       kedge_error *err)
{
    if (out != NULL)
        memset(out, 0, count * sizeof *out);
    API_ENTER(err, {"store", s});
    API_ARRAY(err, "topics", topics, count);
    API_ARRAY(err, "out", out, count);
    API_USUAL(kedge_fit_opts, opts);
    control = run_control(control);
    return api_leave(fit_models(s, &(fit_wish){topics, count, opts, NULL, NULL},
                                control, out, err), err);
}
