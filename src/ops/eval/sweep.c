/* SPDX-License-Identifier: MIT */
#include <kedge/sweep.h>

#include <kedge/maintain.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/fit/fit.h"
#include "ops/eval/eval.h"
#include "ops/models/model.h"

#define GAP_LEAST 1.05 /* of eigenvalues or residuals that stand out */
#define BEND_LEAST 0.05
#define HELD_OUT_USUAL 0.1
#define PLATEAU 0.9
#define NAME_ROOM 128 /* more than a model's name may have */

typedef struct sweep_job {
    kedge_store *s;
    const uint64_t *topics;
    size_t count; /* that could be fitted */
    const char *name; /* or NULL */
    const kedge_eval_opts *eval;
    double held_out; /* share of the documents; 0: none */
    const kedge_control *control;
    kedge_sweep_result *out;
} sweep_job;

void kedge_sweep_opts_init(kedge_sweep_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_sweep_opts){0};
    kedge_fit_opts_init(&opts->fit);
    kedge_eval_opts_init(&opts->eval);
    opts->held_out = HELD_OUT_USUAL;
}

void kedge_sweep_free(kedge_sweep_result *r)
{
    if (r == NULL)
        return;
    mem_free(r->steps);
    mem_free(r->eigenvalues);
    *r = (kedge_sweep_result){0};
}

/* ---- models -------------------------------------------------------------- */

static void sweep_model(const sweep_job *j, uint64_t k, char out[NAME_ROOM])
{
    if (j->name == NULL)
        snprintf(out, NAME_ROOM, "k%" PRIu64, k);
    else
        snprintf(out, NAME_ROOM, "%s-k%" PRIu64, j->name, k);
}

/* What is to be discarded is to be there by this sweep alone. */
static kedge_status sweep_check_names(const sweep_job *j, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    char name[NAME_ROOM];

    TRY(store_begin_read(j->s, &txn, err));
    for (size_t i = 0; i < j->count; i++) {
        kedge_model *m = NULL;
        sweep_model(j, j->topics[i], name);
        st = model_open(txn, name, MODEL_HEADER, &m, err);
        kedge_model_free(m);
        if (st == KEDGE_OK)
            TRY(kedge_fail(err, KEDGE_EINVAL, "there is a model %s, which "
                           "would be replaced and then discarded: choose "
                           "another name with --model", name));
        if (st != KEDGE_ENOTFOUND)
            TRY(st);
        st = KEDGE_OK;
    }
out:
    store_abort(&txn);
    return st;
}

/* However the sweep ended, which stays what is told. */
static kedge_status sweep_discard(const sweep_job *j, size_t count,
                                  kedge_status st, kedge_error *err)
{
    for (size_t i = 0; i < count; i++) {
        char name[NAME_ROOM];
        kedge_error own = {0};
        kedge_status gone;
        sweep_model(j, j->topics[i], name);
        gone = kedge_drop_model(j->s, name, &own);
        if (gone == KEDGE_OK || gone == KEDGE_ENOTFOUND || st != KEDGE_OK)
            continue;
        st = gone;
        if (err != NULL)
            *err = own;
    }
    return st;
}

/* Where the statistics do not hold more topics, the smaller numbers stay. */
static kedge_status sweep_settle(sweep_job *j, kedge_status st,
                                 const kedge_fit_result *results,
                                 kedge_error *err)
{
    size_t fitted = 0;

    while (fitted < j->count && results[fitted].seconds > 0)
        fitted++;
    if (st != KEDGE_ENUMERIC || fitted == 0)
        return st;
    run_log(j->control, "%llu topics and more are left out: %s",
            (unsigned long long)j->topics[fitted],
            err != NULL ? err->text : "they could not be fitted");
    j->count = fitted;
    return KEDGE_OK;
}

static kedge_status sweep_foresee(void *data, const kedge_model *largest,
                                  kedge_error *err)
{
    const sweep_job *const j = data;

    return eval_foresee(j->s, largest, j->eval, j->control, err);
}

static kedge_status sweep_fit(sweep_job *j, const kedge_fit_opts *opts,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_fit_opts own = *opts;
    kedge_fit_result *results = NULL;
    const fit_wish wish = {.topics = j->topics, .count = j->count,
                           .opts = &own, .foresee = sweep_foresee, .data = j,
                           .sweep = true, .held_out = j->held_out,
                           .seed = j->eval->seed};
    char single[NAME_ROOM];

    sweep_model(j, j->topics[0], single);
    if (j->count == 1)
        own.name = single;
    own.eigenvalues = j->out->eigenvalues;
    TRY_MEM(results = mem_new(j->count, sizeof *results));
    st = fit_models(j->s, &wish, j->control, results, err);
    TRY(sweep_settle(j, st, results, err));
    j->out->count = j->count;
    for (size_t i = 0; i < j->count; i++)
        j->out->steps[i].fit = results[i];
out:
    mem_free(results);
    return st;
}

/* Where the documents that stay do not have so many topics, figures are missing
 * and the sweep goes on. */
static kedge_status sweep_hold_out(const sweep_job *j,
                                   const kedge_fit_opts *opts,
                                   kedge_error *err)
{
    kedge_status st;
    kedge_fit_opts own = *opts;
    char single[NAME_ROOM];

    if (j->held_out == 0)
        return KEDGE_OK;
    sweep_model(j, j->topics[0], single);
    if (j->count == 1)
        own.name = single;
    st = heldout_measure(
        j->s, &(heldout_wish){&own, j->topics, j->count, j->held_out,
                              j->eval->seed,
                              (uint32_t)j->out->steps[0].fit.index},
        j->control, j->out, err);
    if (st != KEDGE_ENUMERIC && st != KEDGE_ENOTFOUND && st != KEDGE_EINVAL)
        return st;
    run_log(j->control, "held-out figures are missing where a fit without the "
                        "held-out documents failed: %s",
            err != NULL ? err->text : "they could not be fitted");
    return KEDGE_OK;
}

/* All at once where memory allows it; else the documents are read once for each
 * of the parts. */
static kedge_status sweep_eval(const sweep_job *j, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *name[KEDGE_EVAL_MODELS_MOST];
    kedge_eval_result *results = NULL;
    size_t part = j->count;

    for (size_t i = 0; i < j->count; i++)
        name[i] = j->out->steps[i].fit.model;
    TRY_MEM(results = mem_new(j->count, sizeof *results));
    for (size_t done = 0; done < j->count;) {
        const size_t left = j->count - done, n = left < part ? left : part;
        st = kedge_eval(j->s, name + done, n, j->eval, j->control,
                        results + done, err);
        if (st == KEDGE_EBUDGET && n > 1) {
            part = (n + 1) / 2;
            run_log(j->control, "--memory allows measuring %zu models at a "
                                "time: documents are read once for each "
                                "group", part);
            continue;
        }
        TRY(st);
        done += n;
    }
    for (size_t i = 0; i < j->count; i++)
        j->out->steps[i].eval = results[i];
out:
    mem_free(results);
    return st;
}

/* ---- what stands out ----------------------------------------------------- */

/* Over the next one; NAN where one of them is not above 0, or not known. */
static double sweep_drop(double value, double next)
{
    return value > 0 && next > 0 ? value / next : NAN;
}

/* The gaps between eigenvalues; and how far the anchor that stands out least
 * does, in the space of its model alone, whatever else was fitted. */
static kedge_status sweep_steps(const sweep_job *j, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_sweep_result *const out = j->out;
    store_txn *txn = NULL;
    kedge_model *m = NULL;

    out->spectrum = j->topics[j->count - 1] + 1;
    if (isnan(out->eigenvalues[out->spectrum - 1])) /* that was all of them */
        out->spectrum--;
    TRY(store_begin_read(j->s, &txn, err));
    for (size_t i = 0; i < j->count; i++) {
        kedge_sweep_step *const s = &out->steps[i];
        const double *const value = out->eigenvalues + j->topics[i];
        TRY(model_open(txn, s->fit.model, MODEL_TOPICS, &m, err));
        s->residual = INFINITY;
        for (uint64_t t = 0; t < m->topics; t++)
            s->residual = fmin(s->residual, fabs(m->residuals[t]));
        kedge_model_free(m);
        m = NULL;
        s->eigenvalue = value[-1];
        s->eigengap = sweep_drop(value[-1], value[0]);
        s->anchor_gap = NAN;
        if (i > 0)
            s[-1].anchor_gap = sweep_drop(s[-1].residual, s->residual);
    }
out:
    store_abort(&txn);
    kedge_model_free(m);
    return st;
}

/* The largest that is known, unless it is the only one or below `least`. */
static size_t sweep_largest(const double *values, size_t count, double least)
{
    const size_t at = elbow_largest(values, count);
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        known += isnan(values[i]) ? 0 : 1;
    return known > 1 && values[at] >= least ? at : ELBOW_NONE;
}

static void sweep_candidates(const sweep_job *j)
{
    kedge_sweep_result *const out = j->out;
    const size_t n = j->count;
    double gap[KEDGE_EVAL_MODELS_MOST], drop[KEDGE_EVAL_MODELS_MOST];
    double error[KEDGE_EVAL_MODELS_MOST], likelihood[KEDGE_EVAL_MODELS_MOST];
    double coherent[KEDGE_EVAL_MODELS_MOST];

    for (size_t i = 0; i < n; i++) {
        const double *const v = out->steps[i].eval.value;
        gap[i] = out->steps[i].eigengap;
        drop[i] = out->steps[i].anchor_gap;
        error[i] = v[KEDGE_MEASURE_RELATIVE_ERROR];
        likelihood[i] = out->steps[i].held_out_log_likelihood;
        coherent[i] =
            v[KEDGE_MEASURE_NPMI] * v[KEDGE_MEASURE_DOCUMENT_COVERAGE];
    }
    const struct {
        size_t step;
        const double *figure;
        const char *by, *reason;
    } found[] = {
        {sweep_largest(gap, n, GAP_LEAST), gap, "spectrum",
         "the largest eigengap: the K-th eigenvalue of the co-occurrence "
         "divided by the next"},
        {sweep_largest(drop, n, GAP_LEAST), drop, "anchors",
         "the largest anchor gap: the residual of the last anchor divided by "
         "that of the next model"},
        {elbow_bend(j->topics, error, n, BEND_LEAST), error, "approximation",
         "relative_error bends here: more topics gain less"},
        {elbow_plateau(likelihood, n, PLATEAU), likelihood, "held-out",
         "the fewest topics that reach nine tenths of the gain in "
         "held_out_log_likelihood"},
        {sweep_largest(coherent, n, -INFINITY), coherent, "first words",
         "the largest npmi times document_coverage: coherent words that many "
         "documents have"},
    };

    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (found[i].step != ELBOW_NONE)
            out->candidate[out->candidates++] = (kedge_sweep_candidate){
                found[i].step, found[i].by, found[i].reason,
                found[i].figure[found[i].step]};
}

kedge_status kedge_sweep(kedge_store *s, const kedge_sweep_opts *opts,
                         const kedge_control *control, kedge_sweep_result *out,
                         kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_sweep_result){0};
    API_ENTER(err, {"store", s}, {"out", out});
    API_USUAL(kedge_sweep_opts, opts);
    API_ARRAY(err, "topics", opts->topics, opts->count);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    sweep_job j = {s, opts->topics, opts->count, opts->fit.name,
                   &opts->eval, opts->held_out, control, out};
    bool begun = false;

    if (j.count < 1 || j.count > KEDGE_EVAL_MODELS_MOST)
        return kedge_fail(err, KEDGE_EINVAL, "%zu numbers of topics: expected "
                                             "1 to %d", j.count,
                          KEDGE_EVAL_MODELS_MOST);
    for (size_t i = 1; i < j.count; i++)
        if (j.topics[i] <= j.topics[i - 1])
            return kedge_fail(err, KEDGE_EINVAL, "numbers of topics must "
                                                 "increase: %llu is before "
                                                 "%llu",
                              (unsigned long long)j.topics[i - 1],
                              (unsigned long long)j.topics[i]);
    if (!(j.held_out >= 0 && j.held_out <= KEDGE_SWEEP_HELD_OUT_MOST))
        return kedge_fail(err, KEDGE_EINVAL, "--held-out %g: expected a share "
                          "from 0 to %g",
                          j.held_out, KEDGE_SWEEP_HELD_OUT_MOST);
    TRY(eval_ready(s, &opts->eval, j.count, err));
    if (j.held_out > 0) {
        bool able;
        TRY(heldout_able(s, control, &able, err));
        j.held_out = able ? j.held_out : 0;
    }
    if (opts->discard)
        TRY(sweep_check_names(&j, err));
    TRY_MEM(out->steps = mem_new(j.count, sizeof *out->steps));
    TRY_MEM(out->eigenvalues = mem_new(j.topics[j.count - 1] + 1,
                                       sizeof *out->eigenvalues));
    begun = true;
    for (size_t i = 0; i < j.count; i++)
        out->steps[i].held_out_log_likelihood =
            out->steps[i].held_out_perplexity = NAN;
    TRY(sweep_fit(&j, &opts->fit, err));
    TRY(sweep_hold_out(&j, &opts->fit, err));
    TRY(sweep_eval(&j, err));
    TRY(sweep_steps(&j, err));
    sweep_candidates(&j);
out:
    if (begun && opts->discard)
        st = sweep_discard(&j, opts->count, st, err);
    if (st != KEDGE_OK)
        kedge_sweep_free(out);
    return api_leave(st, err);
}
