/* SPDX-License-Identifier: MIT */
/*
 * Fitting: sketch → spectrum → rectification → topics → store, the first once
 * for all numbers of topics, the rest for each.
 */
#include "pipeline/fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/blas.h"
#include "pipeline/fit/anchoring.h"
#include "pipeline/fit/eigenpairs.h"
#include "pipeline/fit/fitcheck.h"
#include "pipeline/fit/fitwords.h"
#include "pipeline/fit/ncut.h"
#include "pipeline/fit/polishing.h"
#include "pipeline/fit/rectifying.h"
#include "pipeline/fit/refine.h"
#include "pipeline/fit/renumber.h"
#include "pipeline/fit/rowarrays.h"
#include "pipeline/fit/sketchrows.h"
#include "pipeline/fit/spectrumkeeping.h"
#include "pipeline/models/model.h"
#include "pipeline/parts/elsewhere.h"
#include "pipeline/plan.h"
#include "pipeline/shares/keeping.h"
#include "pipeline/views/views.h"
#include "sketch/statistic.h"
#include "sketch/weights.h"
#include "topics/anchorfree.h"
#include "topics/dirichlet.h"
#include "topics/law.h"

#define ADMM_STEPS 500
#define ADMM_TOLERANCE 1e-6
#define REFINE_HELPS 0.5 /* residual against the K-th eigenvalue */

typedef struct fit {
    store *s;
    const fit_wish *wish;
    const kedge_fit_opts *opts; /* of that */
    const kedge_control *control;
    pool *p;
    store_totals totals;
    store_view view;
    words all;               /* the store's */
    uint32_t number;         /* of the view */
    bool fresh;              /* it was made for this fit, */
    bool sketched;           /* and has its sketch now */
    uint64_t most;           /* topics of the largest model */
    size_t fitted;           /* models that are in the store */
    double *values;          /* eigenvalues that the caller wants, before */
                             /* that total; or NULL */
    lens lens;
    fitwords w;              /* of the models: rows of all of this */
    double *weight;          /* by rank, or NULL: none */
    double total;            /* of what weights make of C, before that */
    double *sums;            /* of one model's D C D, normalised, or NULL */
    fit_shape shape;
    fit_plan plan;
    sketchrows z;
    ncut *ncut;              /* or NULL: documents weigh as the view has it */
    spectrum spectrum;
    anchoring anchoring;
    refine *refined;
    exact *exact;            /* or NULL: C is known by its sketch */
    double spectrum_seconds; /* of what all models share */
} fit;

/* ---- names -------------------------------------------------------------- */

static void fit_name(const fit *f, uint64_t k, size_t count, char name[64])
{
    if (f->opts->name == NULL)
        snprintf(name, 64, "k%llu", (unsigned long long)k);
    else if (count == 1)
        snprintf(name, 64, "%s", f->opts->name);
    else
        snprintf(name, 64, "%.57s-k%llu", f->opts->name,
                 (unsigned long long)k);
}

/* The model whose numbers the topics of this one keep; without topics where
 * there is none. */
static kedge_status fit_like(fit *f, uint64_t k, size_t count,
                             kedge_model *like, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char own[64];

    *like = (kedge_model){0};
    if (f->opts->fresh)
        return KEDGE_OK;
    fit_name(f, k, count, own);
    TRY(store_begin_read(f->s, err));
    TRY(renumber_look(f->s, f->opts->like, own, like, err));
out:
    store_abort(f->s);
    return st;
}

/* ---- what all models share ----------------------------------------------- */

/* The view and its words, as they are now. */
static kedge_status fit_look(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    lens_close(&f->lens);
    TRY(store_begin_read(f->s, err));
    TRY(store_get_view_record(f->s, f->number, &f->view, err));
    TRY(statistic_check(f->view.statistic, f->view.weight_bits,
                        f->view.value_bits, err));
    TRY(lens_open(&f->lens, f->s, f->number, &f->view, &f->all, err));
out:
    store_abort(f->s);
    return st;
}

/* Which view it is to be. */
static kedge_status fit_choose(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_load_words(f->s, &f->totals, &f->all, err));
    TRY(fitcheck_totals(&f->totals, f->opts, err));
    TRY(views_choose(f->s, &f->all, f->opts, f->control, &f->number,
                     &f->fresh, err));
    TRY(fit_look(f, err));
    TRY(elsewhere_check_view(&f->totals, f->number, &f->view, err));
out:
    return st;
}

static const words *fit_words(const fit *f)
{
    return lens_words(&f->lens);
}

/* Brings the sketch up to date when an interruption or --no-sketch left it
 * behind the documents. */
static kedge_status fit_catch_up(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view coming = f->view;

    coming.words = fit_words(f)->count;
    if (f->view.blocks == f->totals.blocks &&
        f->view.removals == f->totals.removals)
        return KEDGE_OK;
    run_log(f->control, "the sketch lacks %llu of %llu blocks of documents "
                        "and %llu removals; following",
            (unsigned long long)(f->totals.blocks - f->view.blocks),
            (unsigned long long)f->totals.blocks,
            (unsigned long long)(f->totals.removals - f->view.removals));
    TRY(views_follow_one(f->s, &f->all, f->number, &coming, f->control, f->p,
                         err));
    f->sketched = true;
    TRY(fit_look(f, err));
out:
    return st;
}

static kedge_status fit_refine(fit *f, kedge_error *err)
{
    const refine_input in = {.s = f->s, .view = &f->view,
                             .lens = &f->lens,
                             .order = f->w.order, .spectrum = &f->spectrum,
                             .rows = &f->z.rows, .sums = f->z.sums,
                             .scale = f->z.scale,
                             .degrees = ncut_degrees(f->ncut),
                             .block = f->plan.block,
                             .passes = f->opts->refine,
                             .control = f->control, .p = f->p};

    return f->opts->refine == 0 ? KEDGE_OK
                                : refine_create(&in, &f->refined, err);
}

/* One over all documents. */
static pass_input fit_pass(fit *f, const char *name)
{
    return (pass_input){.s = f->s, .view = &f->view, .lens = &f->lens,
                        .order = f->w.order,
                        .degrees = ncut_degrees(f->ncut),
                        .control = f->control, .stage = name, .passes = 1,
                        .start = clock_seconds()};
}

/* C itself, by the first of its steps or by the second. */
static exact_input fit_exact_input(fit *f, bool second)
{
    const bool sparse = f->shape.cooccurrence == KEDGE_COOCCURRENCE_SPARSE;
    exact_input in = {.pass = fit_pass(f, "co-occurrence"),
                      .weight = f->weight, .scale = f->z.scale,
                      .sparse = sparse, .p = f->p};

    in.pass.passes += sparse;
    in.pass.number = sparse && second;
    return in;
}

static kedge_status fit_plan_again(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool known = f->shape.pairs > 0 ||
                       f->shape.cooccurrence != KEDGE_COOCCURRENCE_SPARSE;
    char total[16], budget[16];

    TRY(plan_fit(&f->shape, f->control, &f->plan, err));
    run_log(f->control, "memory: %s %s, of a budget of %s",
            plan_size(f->plan.total, total),
            known ? "at most" : "and the pairs that are yet to be counted",
            plan_size(f->control->memory, budget));
out:
    return st;
}

/* How large a sparse C becomes is known once its pairs are counted. */
static kedge_status fit_open_exact(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const exact_input in = fit_exact_input(f, false);

    if (!fitcheck_exact(f->opts))
        return KEDGE_OK;
    TRY(exact_open(&in, &f->exact, err));
    f->shape.pairs = exact_pairs(f->exact);
    if (in.sparse)
        TRY(fit_plan_again(f, err));
out:
    return st;
}

static kedge_status fit_exact(fit *f, kedge_error *err)
{
    const exact_input in = fit_exact_input(f, true);

    return f->exact != NULL ? exact_make(f->exact, &in, err) : KEDGE_OK;
}

/* The words' weights, not yet normalised. */
static kedge_status fit_weigh(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = f->view.words;

    if (f->opts->weight == KEDGE_WEIGHT_NONE)
        return KEDGE_OK;
    TRY_MEM(f->weight = mem_new(n, sizeof *f->weight));
    TRY_MEM(f->sums = mem_new(n, sizeof *f->sums));
    if (f->opts->weight == KEDGE_WEIGHT_IDF) {
        weights_idf(f->w.df, n, f->totals.documents, f->weight);
    } else {
        TRY(sketchrows_sums(&f->z, f->p, err));
        weights_root(f->z.sums, n, f->weight);
    }
    sketchrows_weigh(&f->z, f->weight);
out:
    return st;
}

/* Documents weighed by their degrees, where the words' weights have a part in
 * these: rows are then those of a sketch of that. */
static kedge_status fit_balance(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const ncut_input in = {.s = f->s, .number = f->number, .view = &f->view,
                           .all = &f->all, .lens = &f->lens,
                           .order = f->w.order, .weight = f->weight,
                           .spilled = f->plan.spilled,
                           .halvings = f->plan.halvings,
                           .control = f->control, .p = f->p};

    if (!f->opts->ncut)
        return KEDGE_OK;
    store_abort(f->s); /* passes have transactions of their own */
    TRY(ncut_create(&in, &f->ncut, err));
    TRY(store_begin_read(f->s, err));
    sketchrows_take(&f->z, ncut_sketch(f->ncut), f->w.order);
out:
    return st;
}

static kedge_status fit_spectrum(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();

    TRY(fitwords_create(&f->w, f->s, &f->all, &f->lens, &f->view, f->control,
                        err));
    f->view.words = f->w.rows;
    TRY(fitcheck_most(f->most, f->w.rows, f->view.width, err));
    TRY(fit_open_exact(f, err));
    TRY(anchoring_read(&(anchoring_input){.all = &f->all, .ids = f->w.ids,
                                          .rows = f->view.words},
                       f->opts, &f->anchoring, err));
    TRY(sketchrows_create(&f->z, f->s, &f->view, fit_words(f), f->w.order,
                          f->control, err));
    if (f->w.rows < f->w.stored)
        TRY(sketchrows_pick(&f->z, f->w.place, f->w.stored, err));
    TRY(fit_weigh(f, err));
    TRY(fit_balance(f, err));
    TRY(spectrumkeeping_make(
        &(spectrumkeeping_input){f->s, f->number, &f->view, &f->z,
                                 f->opts->weight, f->control, f->p},
        &f->spectrum, err));
    TRY(run_check(f->control, err));
    TRY(fit_refine(f, err));
    TRY(fit_exact(f, err));
    f->spectrum_seconds = clock_seconds() - start;
out:
    return st;
}

/* ---- one model ----------------------------------------------------------- */

/* What all models' eigenpairs come from. */
static eigenpairs_source fit_pairs(const fit *f)
{
    return (eigenpairs_source){.spectrum = &f->spectrum, .rows = &f->z.rows,
                               .refined = f->refined, .exact = f->exact,
                               .p = f->p};
}

/* One eigenvalue more than the most topics, where the caller wants them: they
 * are divided by what weights make of C when a model tells that. */
static kedge_status fit_values(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const eigenpairs_source pairs = fit_pairs(f);

    if (f->opts->eigenvalues == NULL)
        return KEDGE_OK;
    TRY_MEM(f->values = mem_new(f->most + 1, sizeof *f->values));
    TRY(store_begin_read(f->s, err));
    TRY(eigenpairs_values(&pairs, f->most + 1, f->values, err));
out:
    store_abort(f->s);
    return st;
}

/* Eigenvectors into y (rows x k), eigenvalues, and what they are worth. */
static kedge_status fit_vectors(fit *f, size_t k, double *y, double *values,
                                kedge_fit_result *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const eigenpairs_source pairs = fit_pairs(f);
    spectrum_error e;

    TRY(store_begin_read(f->s, err));
    TRY(eigenpairs_find(&pairs, k, y, values, &e, err));
    r->eigenspace_error = e.eigenspace;
    r->eigen_gap_error = e.gap;
    r->unexplained = e.unexplained;
    r->refine_helps = e.gap > REFINE_HELPS && f->exact == NULL;
    if (isinf(e.gap))
        run_log(f->control,
                "%zu topics are more than the statistics hold: the last "
                "eigenvalues are not positive",
                k);
out:
    store_abort(f->s);
    return st;
}

/* Weights, sums and eigenvalues such that D C D adds up to one. */
static kedge_status fit_normalise(fit *f, size_t k, const double *vectors,
                                  double *values, kedge_model *m,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = f->view.words;
    const weights_pairs known = {n, k, vectors, values};
    double total;

    if (f->weight == NULL)
        return KEDGE_OK;
    TRY_MEM(m->weights = mem_new(n, sizeof *m->weights));
    if (f->exact != NULL)
        memcpy(f->sums, exact_sums(f->exact), n * sizeof *f->sums);
    else if (f->refined != NULL)
        memcpy(f->sums, refine_sums(f->refined), n * sizeof *f->sums);
    else
        TRY(weights_sums(f->weight, f->z.sums, &known, f->sums, err));
    total = weights_normalise(f->weight, f->sums, n, m->weights);
    f->total = total;
    for (size_t c = 0; c < k; c++)
        values[c] /= total;
out:
    return st;
}

static kedge_status fit_rectify(fit *f, size_t k, kedge_model *m,
                                kedge_fit_result *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const rectifying_input in = {
        .kind = f->opts->rectify,
        .opts = {.rounds = rectifying_rounds(f->opts),
                 .tolerance = f->opts->tolerance,
                 .budget = f->plan.entries},
        .rows = f->view.words, .k = k, .exact = f->exact,
        .product = {.pass = fit_pass(f, "rectify"), .weight = m->weights,
                    .sums = f->z.sums, .scale = f->z.scale, .p = f->p},
        .total = f->weight != NULL ? f->total : 1};
    rectify_result rectified;

    TRY(rectifying_run(&in, m->eigenvalues, m->rectified, &rectified, err));
    r->rounds = rectified.rounds;
    r->last_change = rectified.change;
    r->negative_share = rectified.negative_share;
out:
    return st;
}

static kedge_status fit_polish(fit *f, const law_input *law,
                               kedge_fit_result *r, law_output *out,
                               kedge_error *err)
{
    return polishing_run(
        &(polishing_input){.s = f->s, .view = &f->view, .lens = &f->lens,
                           .order = f->w.order, .law = law,
                           .passes = f->opts->polish,
                           .control = f->control, .p = f->p},
        out, r->likelihood, err);
}

/* The anchors of the model whose numbers topics keep. */
static kedge_status fit_keep_anchors(fit *f, size_t k, size_t count,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const anchoring_input in = {.s = f->s, .control = f->control,
                                .all = &f->all, .ids = f->w.ids,
                                .rows = f->view.words};
    kedge_model like;

    if (f->opts->anchors != KEDGE_ANCHORS_MODEL)
        return KEDGE_OK;
    TRY(fit_like(f, k, count, &like, err));
    TRY(anchoring_take(&in, like.name, k, &f->anchoring, err));
out:
    return st;
}

static kedge_status fit_topics(fit *f, size_t k, const kedge_model *m,
                               kedge_fit_result *r, law_output *out,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    law_input in = {.rows = f->view.words, .k = k, .y = m->rectified,
                    .sums = f->weight != NULL ? f->sums : f->z.sums,
                    .weight = m->weights, .df = f->w.df,
                    .min_df = f->opts->anchor_min_df,
                    .diagonal = f->opts->correlations ==
                                KEDGE_CORRELATIONS_DIAGONAL,
                    .ways = anchoring_ways(&f->anchoring, f->opts,
                                           f->view.seed),
                    .banned = f->anchoring.banned,
                    .counted = exact_counted(f->exact),
                    .steps = ADMM_STEPS, .tolerance = ADMM_TOLERANCE,
                    .control = f->control};

    if (in.min_df == 0)
        in.min_df = law_default_min_df(f->w.df, in.rows, f->view.documents, k);
    if (f->anchoring.given.topics > 0)
        in.given = &f->anchoring.given;
    if (f->opts->recover == KEDGE_RECOVER_ANCHOR_FREE)
        TRY(anchorfree_fit(f->p, &in, f->control, out, err));
    else
        TRY(law_fit(f->p, &in, out, err));
    r->anchors_given = f->anchoring.given.topics;
    r->anchor_min_df = in.min_df;
    r->candidates = out->candidates;
    r->admm_steps = out->steps;
    if (out->unsettled > 0)
        run_log(f->control,
                "%zu of %zu words had not settled after the last step of the "
                "solver; their shares of topics are approximate",
                out->unsettled, in.rows);
    TRY(fit_polish(f, &in, r, out, err));
    r->sum_correlations = out->sum;
    r->negative_correlations = out->negative;
    TRY(dirichlet_total(out->a, k, &r->dirichlet, &r->dirichlet_misfit, err));
out:
    return st;
}

static kedge_status fit_number(fit *f, size_t count, kedge_fit_result *r,
                               kedge_model *m, law_output *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_model like;
    renumber_input in = {.s = f->s, .like = like.name,
                         .needed = f->opts->like != NULL,
                         .vocabulary = &f->all, .order = f->w.ids,
                         .rows = r->words, .k = r->topics,
                         .control = f->control, .p = f->p};

    TRY(fit_like(f, r->topics, count, &like, err));
    if (like.topics > 0)
        TRY(renumber(&in, t, &m->names, r, err));
out:
    return st;
}

static void fit_describe(const fit *f, const kedge_fit_result *r,
                         kedge_model *m)
{
    memcpy(m->name, r->model, sizeof m->name);
    m->topics = r->topics;
    m->words = r->words;
    m->serial = f->totals.models;
    m->blocks = f->view.blocks;
    m->view = f->view;
    m->view_place = (uint64_t)f->number + 1;
    memcpy(m->digest, f->totals.digest, sizeof m->digest);
    m->vocabulary_digest = rowarrays_digest(fit_words(f), f->w.order,
                                            f->view.words);
    m->refined = f->opts->refine;
    m->polished = f->opts->polish;
    m->rectify = f->opts->rectify;
    m->cooccurrence = r->cooccurrence;
    m->correlations_kind = f->opts->correlations;
    m->ways = anchoring_ways(&f->anchoring, f->opts, f->view.seed);
    m->weight = f->opts->weight;
    m->ncut = f->opts->ncut;
    m->rounds_asked = rectifying_rounds(f->opts);
    m->tolerance = f->opts->tolerance;
    m->figures = *r;
}

static kedge_status fit_store(fit *f, kedge_model *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    store_kept kept;
    bool had;

    TRY(store_begin_write(f->s, model_reserve(m), err));
    TRY(store_get_totals(f->s, &totals, err));
    had = store_get_kept(f->s, m->name, &kept, NULL) == KEDGE_OK;
    TRY(model_put(f->s, m, err));
    totals.models = ++f->totals.models;
    TRY(store_put_totals(f->s, &totals, err));
    TRY(store_commit(f->s, err));
    keeping_forget(f->s, m->name);
    if (had)
        run_log(f->control, "the compositions that were kept with the model "
                "%s before are gone with it: kedge infer --keep makes them "
                "again", m->name);
out:
    store_abort(f->s);
    return st;
}

static double lap(double *since)
{
    const double now = clock_seconds(), seconds = now - *since;

    *since = now;
    return seconds;
}

/* y, values and vectors belong to m from the start, so that freeing m frees
 * all; what the model does not keep is taken out before it is stored. */
static kedge_status fit_stages(fit *f, size_t count, kedge_fit_result *r,
                               kedge_model *m, law_output *t,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = r->topics, n = r->words;
    double since = clock_seconds();

    TRY_MEM(m->rectified = mem_new2(n, k, sizeof(double)));
    TRY_MEM(m->eigenvalues = mem_new(k, sizeof(double)));
    TRY(fit_vectors(f, k, m->rectified, m->eigenvalues, r, err));
    TRY(fit_normalise(f, k, m->rectified, m->eigenvalues, m, err));
    for (size_t c = 0; f->values != NULL && c <= f->most; c++)
        f->opts->eigenvalues[c] =
            f->weight != NULL ? f->values[c] / f->total : f->values[c];
    if (f->opts->keep_spectrum) {
        TRY_MEM(m->eigenvectors = mem_new2(n, k, sizeof(double)));
        memcpy(m->eigenvectors, m->rectified, n * k * sizeof(double));
    }
    r->seconds_spectrum += lap(&since);
    TRY(fit_rectify(f, k, m, r, err));
    r->seconds_rectify = lap(&since);
    TRY(fit_topics(f, k, m, r, t, err));
    TRY(fit_number(f, count, r, m, t, err));
    r->seconds_topics = lap(&since);
    fit_describe(f, r, m);
    TRY(rowarrays_make(&(rowarrays_input){f->z.sums, f->w.ids, f->w.tf,
                                          f->w.df}, m, err));
    TRY(rowarrays_small(t, m, err));
    m->probabilities = t->b;
    m->correlations = t->a;
    t->b = t->a = NULL;
    m->keep_spectrum = f->opts->keep_spectrum;
    if (!m->keep_spectrum) {
        mem_free(m->rectified);
        mem_free(m->eigenvalues);
        m->rectified = m->eigenvalues = NULL;
    }
    TRY(fit_store(f, m, err));
    f->fitted++;
    r->seconds_store = lap(&since);
out:
    return st;
}

static kedge_status fit_one(fit *f, uint64_t k, size_t count,
                            kedge_fit_result *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    law_output topics = {0};
    kedge_model *m = NULL;

    *r = (kedge_fit_result){.topics = k, .words = f->view.words,
                            .width = f->view.width,
                            .refined = f->opts->refine,
                            .polished = f->opts->polish,
                            .weight = f->opts->weight,
                            .ncut = f->opts->ncut,
                            .anchors = f->opts->anchors,
                            .solver = f->opts->solver,
                            .legal = f->opts->legal,
                            .cooccurrence = fitcheck_cooccurrence(f->opts),
                            .rectify = f->opts->rectify,
                            .recover = f->opts->recover,
                            .seconds_spectrum = f->spectrum_seconds};
    fit_name(f, k, count, r->model);
    TRY(run_check(f->control, err));
    TRY(fit_keep_anchors(f, k, count, err));
    TRY(anchoring_check(&f->anchoring, f->opts, k, err));
    TRY_MEM(m = mem_new(1, sizeof *m));
    TRY(fit_stages(f, count, r, m, &topics, err));
    r->seconds = clock_seconds() - start + f->spectrum_seconds;
    r->peak_memory = memory_peak();
    f->spectrum_seconds = 0; /* counted with the first model */
out:
    law_free(&topics);
    kedge_model_free(m);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static void fit_free(fit *f)
{
    refine_free(f->refined);
    exact_free(f->exact);
    spectrum_free(&f->spectrum);
    sketchrows_free(&f->z);
    anchoring_free(&f->anchoring);
    ncut_free(f->ncut);
    lens_close(&f->lens);
    words_free(&f->all);
    fitwords_free(&f->w);
    mem_free(f->weight);
    mem_free(f->sums);
    mem_free(f->values);
}

static kedge_status fit_foresee(const fit *f, kedge_error *err)
{
    const kedge_model largest = {.topics = f->most, .words = f->view.words,
                                 .view = f->view, .weight = f->opts->weight,
                                 .keep_spectrum = f->opts->keep_spectrum,
                                 .characteristic_count = LAW_CHARACTERISTIC};

    return f->wish->foresee != NULL
               ? f->wish->foresee(f->wish->data, &largest, err)
               : KEDGE_OK;
}

static kedge_status fit_plan_memory(fit *f, const uint64_t *topics,
                                    size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = fit_words(f)->count;
    const law_ways ways = anchoring_ways(&f->anchoring, f->opts, f->view.seed);
    uint64_t most = 0, like_words = 0, like_topics = 0;

    for (size_t i = 0; i < count; i++) {
        kedge_model like;
        TRY(fit_like(f, topics[i], count, &like, err));
        most = most > topics[i] ? most : topics[i];
        if (f->opts->anchors == KEDGE_ANCHORS_MODEL && like.topics == 0)
            TRY(kedge_fail(err, KEDGE_ENOTFOUND,
                           "there is no earlier model of %llu topics whose "
                           "anchors could be kept: name one with --like",
                           (unsigned long long)topics[i]));
        like_words = like_words > like.words ? like_words : like.words;
        like_topics = like_topics > like.topics ? like_topics : like.topics;
    }
    f->most = most;
    TRY(fitcheck_most(most, n, f->view.width, err));
    TRY(fit_foresee(f, err));
    f->shape = (fit_shape){.width = f->view.width, .vocabulary = n,
                           .word_bytes = words_bytes(&f->all),
                           .topics = most + (f->opts->eigenvalues != NULL),
                           .passes = f->opts->refine, .polish = f->opts->polish,
                           .like_words = like_words, .like_topics = like_topics,
                           .damped = statistic_damped(f->view.statistic),
                           .weighted = f->opts->weight != KEDGE_WEIGHT_NONE,
                           .joined = f->view.joined, .ncut = f->opts->ncut,
                           .ways = law_ways_memusage(&ways, n, most,
                                                     f->control->threads),
                           .cooccurrence = fitcheck_cooccurrence(f->opts),
                           .rectify = f->opts->rectify, .all = f->all.count,
                           .choosing = views_choose_memusage(f->opts,
                                                             f->all.count)};
    TRY(fit_plan_again(f, err));
    if (10 * most > f->view.width && !fitcheck_exact(f->opts) &&
        f->view.words > f->view.width)
        run_log(f->control,
                "%llu topics from a sketch of %llu columns: ten columns a "
                "topic are better; --refine 1 makes up for it",
                (unsigned long long)most, (unsigned long long)f->view.width);
out:
    return st;
}

static kedge_status fit_all(fit *f, const uint64_t *topics, size_t count,
                            kedge_fit_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(fit_choose(f, err));
    TRY(fit_plan_memory(f, topics, count, err));
    TRY(pool_create(f->control->threads, &f->p, err));
    TRY(blas_claim_buffers(f->p, err));
    TRY(fit_catch_up(f, err));
    TRY(fitcheck_view(&f->view, err));
    TRY(store_begin_read(f->s, err));
    TRY(fit_spectrum(f, err));
    store_abort(f->s);
    TRY(fit_values(f, err));
    for (size_t i = 0; i < count; i++)
        TRY(fit_one(f, topics[i], count, &out[i], err));
out:
    store_abort(f->s);
    return st;
}

/* A view that was made for a fit which comes to nothing goes with it; but a
 * sketch stays for the same fit again where only something outside failed. */
static kedge_status fit_settle_view(fit *f, kedge_status st, kedge_error *err)
{
    const bool useless = st == KEDGE_EINVAL || st == KEDGE_ENOTFOUND;
    const bool stays = f->fitted > 0 || (f->sketched && !useless);
    kedge_error why = {0};
    kedge_status then;

    if (!f->fresh)
        return st;
    then = stays ? views_keep(f->s, f->opts, f->number, &why)
                 : views_drop(f->s, f->number, &why);
    if (st == KEDGE_OK && then != KEDGE_OK)
        return kedge_fail(err, then, "%s", why.text);
    return st;
}

kedge_status fit_models(kedge_store *s, const fit_wish *wish,
                        const kedge_control *control, kedge_fit_result *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fit f = {.s = s, .wish = wish, .opts = wish->opts, .control = control};

    blas_single_thread();
    TRY(fitcheck_topics(wish->topics, wish->count, err));
    TRY(fitcheck_opts(wish->opts, wish->count, err));
    memset(out, 0, wish->count * sizeof *out);
    st = fit_all(&f, wish->topics, wish->count, out, err);
    st = fit_settle_view(&f, st, err);
out:
    fit_free(&f);
    pool_free(f.p);
    blas_restore_threads();
    return st;
}

kedge_status kedge_fit(kedge_store *s, const uint64_t *topics, size_t count,
                       const kedge_fit_opts *opts,
                       const kedge_control *control, kedge_fit_result *out,
                       kedge_error *err)
{
    return fit_models(s, &(fit_wish){topics, count, opts, NULL, NULL}, control,
                      out, err);
}
