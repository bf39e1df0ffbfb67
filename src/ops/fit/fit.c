/* SPDX-License-Identifier: MIT */
/*
 * Fitting: sketch → spectrum → rectification → topics → store, the first once
 * for all numbers of topics, the rest for each.
 */
#include "ops/fit/fit.h"

#include <string.h>

#include "base/fail.h"
#include "base/run.h"
#include "linalg/blas.h"

static kedge_status fit_all(fit *f, kedge_fit_result *out, kedge_error *err)
{
    const fit_wish *const w = f->wish;

    PASS(fit_choose(f, err));
    PASS(fit_plan_models(f, w->topics, w->count, err));
    PASS(pool_open(f->control, &f->p, err));
    PASS(fit_follow(f, err));
    PASS(fitcheck_index(&f->index, err));
    PASS(fit_prepare(f, err));
    PASS(fit_eigenvalues(f, err));
    for (size_t i = 0; i < w->count; i++)
        PASS(fit_model(f, w->topics[i], w->count, &out[i], err));
    return KEDGE_OK;
}

kedge_status fit_models(kedge_store *s, const fit_wish *wish,
                        const kedge_control *control, kedge_fit_result *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK, then = KEDGE_OK;
    kedge_comm_traffic none = {0};
    kedge_error why = {0};
    bool useless;
    fit f = {.s = s, .wish = wish, .opts = wish->opts, .control = control,
             .traffic = &none};

    TRY(blas_begin(control->threads, err));
    TRY(fitcheck_topics(wish->topics, wish->count, err));
    TRY(fitcheck_opts(wish->opts, wish->count, err));
    memset(out, 0, wish->count * sizeof *out);
    st = fit_all(&f, out, err);
    /* What the rule gave before goes once there is a model of what it gives
     * now. An index that was made for a fit which comes to nothing goes with
     * it; but a sketch stays for the same fit again where only something
     * outside failed. */
    useless = st == KEDGE_EINVAL || st == KEDGE_ENOTFOUND;
    if (f.fitted > 0)
        then = index_keep(s, &f.choice, &why);
    else if (f.choice.fresh && !(f.sketched && !useless))
        then = index_drop(s, f.number, &why);
    if (st == KEDGE_OK && then != KEDGE_OK)
        st = kedge_fail(err, then, "%s", why.text);
out:
    fit_free(&f);
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
    return api_leave(fit_models(s, &(fit_wish){.topics = topics, .count = count,
                                            .opts = opts}, control, out, err), err);
}
