/* SPDX-License-Identifier: MIT */
#include <kedge/sweep.h>

#include <kedge/life.h>

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
#define PLATEAU 0.9
#define NAME_ROOM 128 /* more than a model's name may have */

typedef struct sweep_job {
    kedge_store *s;
    const uint64_t *topics;
    size_t count; /* that could be fitted */
    const char *name; /* or NULL */
    const kedge_eval_opts *eval;
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
}

void kedge_sweep_free(kedge_sweep_result *r)
{
    if (r == NULL)
        return;
    mem_free(r->steps);
    mem_free(r->eigenvalues);
    *r = (kedge_sweep_result){0};
}

static kedge_status sweep_check(const uint64_t *topics, size_t count,
                                kedge_error *err)
{
    if (count < 1 || count > KEDGE_EVAL_MODELS_MOST)
        return kedge_fail(err, KEDGE_EINVAL, "%zu numbers of topics: 1 to %d "
                          "are tried at a time", count,
                          KEDGE_EVAL_MODELS_MOST);
    for (size_t i = 1; i < count; i++)
        if (topics[i] <= topics[i - 1])
            return kedge_fail(err, KEDGE_EINVAL, "numbers of topics are to "
                              "rise: %llu comes before %llu",
                              (unsigned long long)topics[i - 1],
                              (unsigned long long)topics[i]);
    return KEDGE_OK;
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
                           "would be replaced and then discarded: another "
                           "name was expected", name));
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
        gone = kedge_forget_model(j->s, name, &own);
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
    const fit_wish wish = {j->topics, j->count, &own, sweep_foresee, j};
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
            run_log(j->control, "models are measured in parts of %zu, as "
                    "memory allows: documents are read once for each", part);
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

/* How far the anchor that stands out least does, of one model: in the space of
 * that model alone, whatever else was fitted. */
static kedge_status sweep_residual(const sweep_job *j, kedge_sweep_step *step,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_model *m = NULL;

    TRY(store_begin_read(j->s, &txn, err));
    TRY(model_open(txn, step->fit.model, MODEL_TOPICS, &m, err));
    step->residual = fabs(kedge_model_residuals(m)[0]);
    for (uint64_t t = 1; t < step->fit.topics; t++)
        step->residual = fmin(step->residual,
                              fabs(kedge_model_residuals(m)[t]));
out:
    store_abort(&txn);
    kedge_model_free(m);
    return st;
}

/* ---- what stands out ----------------------------------------------------- */

/* Over the next one; NAN where one of them is not above 0, or not known. */
static double sweep_drop(double value, double next)
{
    return value > 0 && next > 0 ? value / next : NAN;
}

static kedge_status sweep_steps(const sweep_job *j, kedge_error *err)
{
    kedge_sweep_result *const out = j->out;

    out->spectrum = j->topics[j->count - 1] + 1;
    if (isnan(out->eigenvalues[out->spectrum - 1])) /* that was all of them */
        out->spectrum--;
    for (size_t i = 0; i < j->count; i++)
        PASS(sweep_residual(j, &out->steps[i], err));
    for (size_t i = 0; i < j->count; i++) {
        kedge_sweep_step *const s = &out->steps[i];
        const double *const value = out->eigenvalues + j->topics[i];
        s->eigenvalue = value[-1];
        s->gap = sweep_drop(value[-1], value[0]);
        s->residual_drop =
            i + 1 < j->count ? sweep_drop(s->residual, s[1].residual) : NAN;
    }
    return KEDGE_OK;
}

static void sweep_name(kedge_sweep_result *out, size_t step, const char *by,
                       const char *reason, double figure)
{
    if (step != ELBOW_NONE)
        out->candidate[out->candidates++] =
            (kedge_sweep_candidate){step, by, reason, figure};
}

/* Among how many; the largest of one says nothing. */
static size_t sweep_known(const double *values, size_t count)
{
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        known += isnan(values[i]) ? 0 : 1;
    return known;
}

static void sweep_by_gaps(kedge_sweep_result *out, const double *gap,
                          const double *drop)
{
    const size_t g = elbow_largest(gap, out->count);
    const size_t d = elbow_largest(drop, out->count);

    if (sweep_known(gap, out->count) > 1 && gap[g] >= GAP_LEAST)
        sweep_name(out, g, "spectrum", "the largest gap: the K-th eigenvalue "
                   "of the statistics over the next", gap[g]);
    if (sweep_known(drop, out->count) > 1 && drop[d] >= GAP_LEAST)
        sweep_name(out, d, "anchors", "the last anchor stands out, and that of "
                   "the next number tried far less: its residual over that "
                   "one's", drop[d]);
}

static void sweep_candidates(const sweep_job *j)
{
    kedge_sweep_result *const out = j->out;
    double gap[KEDGE_EVAL_MODELS_MOST], drop[KEDGE_EVAL_MODELS_MOST];
    double near[KEDGE_EVAL_MODELS_MOST], told[KEDGE_EVAL_MODELS_MOST];
    double spoken[KEDGE_EVAL_MODELS_MOST];
    size_t at;

    for (size_t i = 0; i < j->count; i++) {
        const double *const v = out->steps[i].eval.value;
        gap[i] = out->steps[i].gap;
        drop[i] = out->steps[i].residual_drop;
        near[i] = v[KEDGE_MEASURE_RELATIVE_APPROXIMATION];
        told[i] = v[KEDGE_MEASURE_HELD_OUT_LIKELIHOOD];
        spoken[i] = v[KEDGE_MEASURE_NPMI] * v[KEDGE_MEASURE_COVERAGE];
    }
    sweep_by_gaps(out, gap, drop);
    at = elbow_bend(j->topics, near, j->count, BEND_LEAST);
    sweep_name(out, at, "approximation", "relative_approximation bends here: "
               "more topics bring less", at != ELBOW_NONE ? near[at] : NAN);
    at = elbow_plateau(told, j->count, PLATEAU);
    sweep_name(out, at, "held-out", "the fewest topics that bring nine tenths "
               "of what held_out_likelihood gains",
               at != ELBOW_NONE ? told[at] : NAN);
    at = sweep_known(spoken, j->count) > 1 ? elbow_largest(spoken, j->count)
                                          : ELBOW_NONE;
    sweep_name(out, at, "first words", "the most coherent first words that "
               "documents have: npmi times coverage",
               at != ELBOW_NONE ? spoken[at] : NAN);
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
                   &opts->eval, control, out};
    bool begun = false;

    TRY(sweep_check(j.topics, j.count, err));
    TRY(eval_ready(s, &opts->eval, j.count, err));
    if (opts->discard)
        TRY(sweep_check_names(&j, err));
    TRY_MEM(out->steps = mem_new(j.count, sizeof *out->steps));
    TRY_MEM(out->eigenvalues = mem_new(j.topics[j.count - 1] + 1,
                                       sizeof *out->eigenvalues));
    begun = true;
    TRY(sweep_fit(&j, &opts->fit, err));
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
