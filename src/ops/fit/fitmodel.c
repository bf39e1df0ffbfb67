/* SPDX-License-Identifier: MIT */
/*
 * One model: from eigenpairs to topics, which every rank works on; then the
 * topics' numbers, and the arrays in the store, by the rank that stores models.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "metrics/ranking.h"
#include "ops/fit/fit.h"
#include "ops/infer/saved.h"
#include "cooccur/weights.h"

#define ADMM_STEPS 500
#define ADMM_TOLERANCE 1e-6
#define REFINE_HELPS 0.5 /* residual against the K-th eigenvalue */

/* Whether the eigenvalues are enough for so many topics. Some that are noise may
 * be below 0; where half of them are, the steps that take long with many topics
 * are not begun: they would find too few anchors in the end, unless these are
 * those of the co-occurrence before it is rectified. */
static kedge_status fit_check_rank(const fit *f, size_t k, const double *values,
                                   size_t count, kedge_error *err)
{
    const size_t rows = f->index.words;
    size_t positive = 0;
    char advice[48] = "more documents are needed";

    while (positive < k && positive < count && values[positive] > 0)
        positive++;
    if (positive > 1)
        snprintf(advice, sizeof advice, "fit %zu topics at most", positive);
    if (2 * positive < k && f->opts->anchors != KEDGE_ANCHORS_COUNTED)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "%zu topics are too many: the co-occurrence of %zu "
                          "words in %llu documents has %zu positive "
                          "eigenvalues; %s", k, rows,
                          (unsigned long long)f->index.documents,
                          positive, advice);
    return KEDGE_OK;
}

/* Eigenvectors into m->rectified (own rows x k), eigenvalues, and what they are
 * worth. */
static kedge_status fit_vectors(fit *f, kedge_model *m, kedge_fit_result *r,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = r->topics;
    spectrum_error e;

    if (f->exact == NULL && f->refined == NULL)
        TRY(fit_check_rank(f, k, f->spectrum.values, f->spectrum.count, err));
    TRY(fit_begin(f, err));
    TRY(fit_eigenpairs(f, k, m->rectified, m->eigenvalues, &e, err));
    TRY(fit_check_rank(f, k, m->eigenvalues, k, err));
    if (isinf(e.gap))
        run_log(f->control,
                "%zu topics are more than the co-occurrence has: its last "
                "eigenvalues are not positive; fit fewer topics", k);
    r->sketch_error = e.eigenspace;
    r->sketch_error_last = e.gap;
    r->unexplained = e.unexplained;
    r->power_iter_helps = e.gap > REFINE_HELPS && f->exact == NULL;
out:
    fit_end(f);
    return st;
}

/* Weights, sums and eigenvalues such that D C D adds up to one. */
static kedge_status fit_normalise(fit *f, size_t k, kedge_model *m,
                                  kedge_error *err)
{
    const size_t n = f->index.words;
    const weights_pairs known = {n, k, m->rectified, m->eigenvalues};
    const double *const sums = f->exact != NULL     ? f->exact->sums
                               : f->refined != NULL ? refine_sums(f->refined)
                                                    : NULL;

    if (f->weight == NULL)
        return KEDGE_OK;
    PASS_MEM(m->weights = mem_new(n, sizeof *m->weights));
    if (sums != NULL)
        memcpy(f->sums, sums, n * sizeof *f->sums);
    else
        PASS(weights_sums(f->p, f->weight, f->z.sums, &known, f->sums, err));
    f->total = weights_normalise(f->weight, f->sums, n, m->weights);
    for (size_t c = 0; c < k; c++)
        m->eigenvalues[c] /= f->total;
    return KEDGE_OK;
}

static kedge_status fit_topics(fit *f, size_t k, const kedge_model *m,
                               kedge_fit_result *r, law_output *out,
                               kedge_error *err)
{
    const size_t from = fit_own(f).from;
    const double *const sums = f->weight != NULL ? f->sums : f->z.sums;
    law_input in = {.rows = f->index.words, .k = k, .y = m->rectified,
                    .sums = sums + from,
                    .weight = m->weights != NULL ? m->weights + from : NULL,
                    .df = f->w.df + from,
                    .min_df = f->opts->anchor_min_df,
                    .diagonal = f->opts->topic_cooccurrence ==
                                KEDGE_TOPIC_COOCCURRENCE_DIAGONAL,
                    .ways = fit_ways(f), .banned = f->banned,
                    .counted = f->exact != NULL ? &f->exact->counted
                                             : NULL,
                    .steps = ADMM_STEPS, .tolerance = ADMM_TOLERANCE,
                    .control = f->control};

    if (in.min_df == 0)
        in.min_df = law_default_min_df(f->w.df, in.rows, f->index.documents, k);
    if (f->given.topics > 0)
        in.given = &f->given;
    PASS(law_fit(f->p, &in, out, err));
    r->anchors_given = f->given.topics;
    r->anchor_min_df = in.min_df;
    r->candidates = out->candidates;
    r->solver_iter = out->steps;
    if (out->unsettled > 0)
        run_log(f->control,
                "%zu of %zu words had not converged after the last step of the "
                "solver; their topics are approximate",
                out->unsettled, in.rows);
    PASS(fit_polish(f, &in, out, r->likelihood, err));
    r->topic_cooccurrence_sum = out->sum;
    r->topic_cooccurrence_negative = out->negative;
    return dirichlet_total(out->a, k, &r->dirichlet, &r->dirichlet_error, err);
}

/* How it was made, and the arrays that a model keeps of its words and anchors,
 * as doubles. */
static kedge_status fit_describe(const fit *f, const kedge_fit_result *r,
                                 const law_output *t, kedge_model *m,
                                 kedge_error *err)
{
    const size_t n = r->words, k = r->topics, c = t->characteristic_count;
    double sum = 0;

    memcpy(m->name, r->model, sizeof m->name);
    m->topics = k;
    m->words = n;
    m->serial = f->totals.models | (f->wish->sweep ? MODEL_SWEPT : 0);
    m->blocks = f->index.blocks;
    m->index = f->index;
    m->index_place = (uint64_t)f->number + 1;
    memcpy(m->digest, f->totals.digest, sizeof m->digest);
    m->correlations_kind = f->opts->topic_cooccurrence;
    m->ways = fit_ways(f);
    m->rounds_asked = fitcheck_rounds(f->opts);
    m->tolerance = f->opts->rectify_tol;
    m->figures = *r;
    m->characteristic_count = c;
    PASS_MEM(m->word_probability = mem_new(n, sizeof(double)));
    PASS_MEM(m->ids = mem_new(n, sizeof(double)));
    PASS_MEM(m->tf = mem_new(n, sizeof(double)));
    PASS_MEM(m->df = mem_new(n, sizeof(double)));
    PASS_MEM(m->small = mem_new2(k, 2 + c, sizeof *m->small));
    for (size_t i = 0; i < n; i++)
        sum += f->z.sums[i];
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = f->w.order[i];
        m->vocabulary_digest = hash_bytes( /* whatever the words' ids */
            m->vocabulary_digest, words_get(f->list, word),
            words_size(f->list, word));
        m->word_probability[i] = f->z.sums[i] / sum;
        m->ids[i] = f->w.ids[i];
        m->tf[i] = (double)f->w.tf[i];
        m->df[i] = (double)f->w.df[i];
    }
    for (size_t i = 0; i < k; i++) {
        m->small[i] = (double)t->anchor[i];
        m->small[k + i] = t->residual[i];
        for (size_t j = 0; j < c; j++)
            m->small[2 * k + i * c + j] =
                (double)t->characteristic[i * LAW_CHARACTERISTIC + j];
    }
    return KEDGE_OK;
}

static kedge_status fit_store(fit *f, kedge_model *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;
    store_kept kept;
    bool had;

    TRY(store_begin_write(f->s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    had = store_get_kept(txn, m->name, &kept, NULL) == KEDGE_OK;
    TRY(model_put(txn, m, err));
    totals.models = ++f->totals.models;
    TRY(store_put_totals(txn, &totals, err));
    TRY(store_commit(&txn, err));
    saved_drop(f->s, m->name);
    if (had)
        run_log(f->control, "the topic proportions saved with the replaced "
                            "model %s are deleted: 'kedge infer --save' saves "
                            "new ones", m->name);
out:
    store_abort(&txn);
    return st;
}

static double lap(double *since)
{
    const double now = clock_seconds(), seconds = now - *since;

    *since = now;
    return seconds;
}

/* Rows of a model come to who stores it, and are then nowhere else. */
static kedge_status fit_bring(fit *f, size_t k, double **rows,
                              kedge_error *err)
{
    double *all = NULL;

    if (f->comm == NULL || *rows == NULL)
        return KEDGE_OK;
    if (f->comm->rank == 0)
        PASS_MEM(all = mem_new2(f->index.words, k, sizeof *all));
    tall_bring(f->p, f->index.words, *rows, k, all);
    mem_free(*rows);
    *rows = all;
    return KEDGE_OK;
}

/* m->rectified holds the scaled eigenvectors until they are rectified in place.
 * All arrays belong to m from the start, so that freeing m frees them. */
static kedge_status fit_compute(fit *f, kedge_fit_result *r, kedge_model *m,
                                law_output *t, kedge_error *err)
{
    const size_t k = r->topics, own = fit_own(f).count;
    double since = clock_seconds();

    PASS_MEM(m->rectified = mem_new2(own, k, sizeof(double)));
    PASS_MEM(m->eigenvalues = mem_new(k, sizeof(double)));
    PASS(fit_vectors(f, m, r, err));
    PASS(fit_normalise(f, k, m, err));
    if (f->values != NULL)
        for (size_t c = 0; c <= f->most; c++)
            f->opts->eigenvalues[c] =
                f->weight != NULL ? f->values[c] / f->total : f->values[c];
    if (f->opts->save_spectrum) {
        PASS_MEM(m->eigenvectors = mem_new2(own, k, sizeof(double)));
        memcpy(m->eigenvectors, m->rectified, own * k * sizeof(double));
    }
    r->seconds_spectrum += lap(&since);
    fit_count(f, &f->traffic->spectrum);
    PASS(fit_rectify(f, m, r, err));
    r->seconds_rectify = lap(&since);
    fit_count(f, &f->traffic->rectify);
    PASS(fit_topics(f, k, m, r, t, err));
    r->seconds_topics = lap(&since);
    fit_count(f, &f->traffic->topics);
    return KEDGE_OK;
}

/* Topics that tell documents apart by little. */
static kedge_status fit_background(const kedge_model *m, kedge_fit_result *r,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;
    double *share = NULL, *mix = NULL, sum = 0;

    TRY_MEM(share = mem_new(k, sizeof *share));
    TRY_MEM(mix = mem_new(m->words, sizeof *mix));
    for (size_t t = 0; t < k; t++) {
        for (size_t l = 0; l < k; l++)
            share[t] += m->correlations[t * k + l];
        sum += share[t];
    }
    ranking_mix(m->probabilities, share, m->words, k, mix);
    const ranking of = {.rows = m->words, .topics = k,
                        .b = m->probabilities, .share = share, .mix = mix};
    for (size_t t = 0; t < k; t++) {
        if (!ranking_background(&of, m->correlations, t))
            continue;
        r->background++;
        r->background_prevalence += share[t] / sum;
    }
out:
    mem_free_all(share, mix);
    return st;
}

/* What the model does not keep is taken out before it is stored. */
static kedge_status fit_complete(fit *f, size_t count, kedge_fit_result *r,
                                 kedge_model *m, law_output *t,
                                 kedge_error *err)
{
    double since = clock_seconds();

    PASS(fit_number(f, count, r, m, t, err));
    r->seconds_topics += lap(&since);
    PASS(fit_describe(f, r, t, m, err));
    PASS(fit_lost_labels(f, m, r, err));
    m->probabilities = t->b;
    m->correlations = t->a;
    t->b = t->a = NULL;
    PASS(fit_background(m, r, err));
    PASS(fit_store(f, m, err));
    f->fitted++;
    r->seconds_store = lap(&since);
    return KEDGE_OK;
}

/* A model that is not stored: no labels, and topics in any order. */
static kedge_status fit_show(fit *f, const kedge_fit_result *r, kedge_model *m,
                             law_output *t, kedge_error *err)
{
    PASS(fit_describe(f, r, t, m, err));
    m->probabilities = t->b;
    m->correlations = t->a;
    t->b = t->a = NULL;
    return f->wish->take(f->wish->data, f, m, err);
}

kedge_status fit_model(fit *f, uint64_t k, size_t count, kedge_fit_result *r,
                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_fit_opts *const o = f->opts;
    const double start = clock_seconds();
    law_output topics = {0};
    kedge_model *m = NULL;

    *r = (kedge_fit_result){
        .preset = o->preset, .topics = k, .words = f->index.words,
        .sketch_size = f->index.width,
        .documents = f->index.documents, .too_short = f->index.skipped,
        .min_tokens = f->index.min_tokens, .index = f->number,
        .vocabulary = f->choice.how, .words_before = f->choice.before,
        .stored_words = f->stored_words, .absent_words = f->absent_words,
        .phrases = f->phrases, .tokens_left_out = f->tokens_left_out,
        .power_iter = o->power_iter, .em_iter = o->em_iter,
        .term_weight = o->term_weight, .ncut = o->ncut,
        .cooccurrence = fitcheck_cooccurrence(o), .rectify = o->rectify,
        .anchors = fitcheck_anchors(o), .solver = fitcheck_solver(o),
        .recover = o->recover, .legal = o->legal,
        .seconds_spectrum = f->spectrum_seconds};
    if (r->too_short > 0)
        r->too_short_share = (double)r->too_short /
                             (double)(r->documents + r->too_short);
    fit_name(f, k, count, r->model);
    if (o->preset != KEDGE_PRESET_NONE)
        fit_settings(o, r->settings);
    TRY(run_check(f->control, err));
    TRY(fit_keep_anchors(f, k, count, err));
    TRY_MEM(m = mem_new(1, sizeof *m));
    TRY(fit_compute(f, r, m, &topics, err));
    m->keep_spectrum = o->save_spectrum;
    if (!m->keep_spectrum) {
        mem_free_all(m->rectified, m->eigenvalues);
        m->rectified = m->eigenvalues = NULL;
    }
    if (f->reduced) {
        TRY(fit_show(f, r, m, &topics, err));
        goto out;
    }
    TRY(fit_bring(f, k, &topics.b, err));
    TRY(fit_bring(f, k, &m->rectified, err));
    TRY(fit_bring(f, k, &m->eigenvectors, err));
    pool_set_comm(f->p, NULL);
    if (comm_rank(f->comm) == 0)
        st = fit_complete(f, count, r, m, &topics, err);
    pool_set_comm(f->p, f->comm);
    fit_count(f, &f->traffic->model);
    TRY(st);
    r->seconds = clock_seconds() - start + f->spectrum_seconds;
    r->peak_memory = memory_peak();
    f->spectrum_seconds = 0; /* counted with the first model */
out:
    law_free(&topics);
    kedge_model_free(m);
    return st;
}
