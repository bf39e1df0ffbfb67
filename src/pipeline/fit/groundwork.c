/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/groundwork.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/fit/fitcheck.h"
#include "pipeline/fit/renumber.h"
#include "pipeline/fit/spectrumkeeping.h"
#include "pipeline/elsewhere.h"
#include "pipeline/plan.h"
#include "pipeline/index/index.h"
#include "sketch/statistic.h"
#include "sketch/weights.h"

/* ---- names -------------------------------------------------------------- */

void groundwork_name(const fit *f, uint64_t k, size_t count, char name[64])
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
kedge_status groundwork_like(fit *f, uint64_t k, size_t count,
                             kedge_model *like, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    char own[64];

    *like = (kedge_model){0};
    if (f->opts->fresh || f->s == NULL)
        return KEDGE_OK;
    groundwork_name(f, k, count, own);
    TRY(store_begin_read(f->s, &txn, err));
    TRY(renumber_look(txn, f->opts->like, own, like, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- words and documents ------------------------------------------------ */

/* The view and its words, as they are now. */
static kedge_status fit_look(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    filter_close(&f->filter);
    TRY(store_begin_read(f->s, &txn, err));
    TRY(store_get_view_record(txn, f->number, &f->view, err));
    TRY(statistic_check(f->view.statistic, f->view.weight_bits,
                        f->view.value_bits, err));
    TRY(filter_open(&f->filter, txn, f->number, &f->view, &f->all, err));
    f->list = filter_words(&f->filter);
out:
    store_abort(&txn);
    return st;
}

/* The model whose words stay: that which topics are to be like, else the first
 * that is about to be replaced, else the one fitted last. */
static kedge_status fit_find_frozen(fit *f, char name[64], kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const fit_wish *const w = f->wish;
    kedge_model *m = NULL;

    TRY(store_begin_read(f->s, &txn, err));
    st = KEDGE_ENOTFOUND;
    if (f->opts->like != NULL)
        st = model_open(txn, f->opts->like, &m, err);
    for (size_t i = 0; f->opts->like == NULL && st == KEDGE_ENOTFOUND &&
                       i < w->count; i++) {
        groundwork_name(f, w->topics[i], w->count, name);
        st = model_open(txn, name, &m, NULL);
    }
    if (st == KEDGE_ENOTFOUND && f->opts->like == NULL) {
        st = model_open(txn, NULL, &m, NULL);
        if (st == KEDGE_ENOTFOUND)
            st = kedge_fail(err, st, "--freeze keeps the words of a model, and "
                            "the store has none yet; leave it out");
    }
    TRY(st);
    memcpy(name, m->name, 64);
    run_log(f->control, "the words are those of model %s", name);
out:
    store_abort(&txn);
    kedge_model_free(m);
    return st;
}

/* How many words there are, and what is left out without those that are none of
 * the view's. Words of phrases are in these. */
static kedge_status fit_look_outside(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const size_t n = f->all.count;
    const bool listed = f->view.listed;
    uint64_t *tf = NULL, *df = NULL, within = 0, all = 0;
    store_joins joins = {0};
    bool *in = NULL;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY_MEM(in = mem_new(n, sizeof *in));
    TRY(store_begin_read(f->s, &txn, err));
    TRY(store_get_counts(txn, tf, df, n, err));
    if (f->view.joined)
        TRY(store_get_joins(txn, f->number, &joins, err));
    f->stored_words = f->absent_words = f->phrases = 0;
    for (size_t i = 0; listed && i < f->list->count; i++) {
        const uint32_t id = filter_id(&f->filter, i);
        in[id] = true;
        f->absent_words += df[id] == 0;
    }
    for (size_t i = 0; i < joins.count; i++)
        if (in[joins.join[i].whole]) {
            f->phrases++;
            f->absent_words -= df[joins.join[i].whole] == 0;
        }
    for (size_t i = 0; i < joins.count; i++)
        in[joins.join[i].left] = in[joins.join[i].right] = true;
    for (size_t i = 0; i < n; i++) {
        f->stored_words += df[i] > 0;
        all += tf[i];
        within += listed && !in[i] ? 0 : tf[i];
    }
    f->tokens_left_out = all > 0 ? (double)(all - within) / (double)all : 0;
out:
    store_abort(&txn);
    store_joins_free(&joins);
    mem_free(tf);
    mem_free(df);
    mem_free(in);
    return st;
}

/* Which view it is to be. */
kedge_status groundwork_choose(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool keeps = f->opts->freeze && f->opts->view == KEDGE_NO_VIEW;
    char frozen[64];

    TRY(plan_load_words(f->s, f->control, &f->totals, &f->all, err));
    TRY(fitcheck_totals(&f->totals, f->opts, err));
    if (keeps)
        TRY(fit_find_frozen(f, frozen, err));
    TRY(index_choose(f->s, &f->all, f->opts, keeps ? frozen : NULL,
                     f->team != NULL, f->control, &f->choice, err));
    f->number = f->choice.number;
    TRY(fit_look(f, err));
    TRY(fit_look_outside(f, err));
    if (f->team == NULL)
        TRY(elsewhere_check_view(&f->totals, f->number, &f->view, err));
out:
    return st;
}

/* Brings the sketch up to date when an interruption or --no-sketch left it
 * behind the documents. */
kedge_status groundwork_follow(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view coming = f->view;

    coming.words = f->list->count;
    if (f->view.blocks == f->totals.blocks &&
        f->view.removals == f->totals.removals)
        return KEDGE_OK;
    if (f->view.blocks == 0)
        run_log(f->control, "sketching the stored documents");
    else
        run_log(f->control, "bringing the sketch up to date with the stored "
                            "documents");
    TRY(index_sync(f->s, &f->all, f->number, &coming, f->control, f->p,
                         err));
    f->sketched = true;
    TRY(fit_look(f, err));
out:
    return st;
}

static kedge_status fit_refine(fit *f, kedge_error *err)
{
    const refine_input in = {.txn = f->z.txn, .view = &f->view,
                             .filter = &f->filter,
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
pass_input groundwork_pass(fit *f, const char *name)
{
    return (pass_input){.txn = f->z.txn, .view = &f->view, .filter = &f->filter,
                        .order = f->w.order,
                        .degrees = ncut_degrees(f->ncut),
                        .control = f->control, .stage = name, .passes = 1,
                        .start = clock_seconds()};
}

/* C itself, by the first of its steps or by the second. */
static exact_input fit_exact_input(fit *f, bool second)
{
    const bool sparse = f->shape.cooccurrence == KEDGE_COOCCURRENCE_SPARSE;
    exact_input in = {.pass = groundwork_pass(f, "co-occurrence"),
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
static kedge_status fit_open_exact(fit *f, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    exact_input in = fit_exact_input(f, false);

    if (!fitcheck_exact(f->opts))
        return KEDGE_OK;
    in.pass.txn = txn;
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
                           .all = &f->all, .filter = &f->filter,
                           .order = f->w.order, .weight = f->weight,
                           .spilled = f->plan.spilled,
                           .halvings = f->plan.halvings,
                           .control = f->control, .p = f->p};

    if (!f->opts->ncut)
        return KEDGE_OK;
    TRY(ncut_create(&in, &f->ncut, err));
    sketchrows_take(&f->z, ncut_sketch(f->ncut), f->w.order,
                    1 / sketch_total(ncut_sketch(f->ncut)));
out:
    return st;
}

/* Of rows with their weights. */
static kedge_status fit_decompose(fit *f, kedge_error *err)
{
    return spectrumkeeping_make(
        &(spectrumkeeping_input){f->s, f->number, &f->view, &f->z,
                                 f->opts->weight, f->control, f->p},
        &f->spectrum, err);
}

static kedge_status fit_find_words(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(f->s, &txn, err));
    TRY(fitwords_create(&f->w, txn, &f->all, &f->filter, &f->view, f->control,
                        err));
    f->view.words = f->w.rows;
    TRY(fitcheck_most(f->most, f->w.rows, f->view.width, err));
    TRY(fit_open_exact(f, txn, err));
out:
    store_abort(&txn);
    return st;
}

kedge_status groundwork_lay(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();

    TRY(fit_find_words(f, err));
    TRY(anchoring_read(&(anchoring_input){.all = &f->all, .ids = f->w.ids,
                                          .rows = f->view.words},
                       f->opts, &f->anchoring, err));
    TRY(sketchrows_create(&f->z, &f->view, f->list, f->w.order, f->control,
                          err));
    if (f->w.rows < f->w.stored)
        TRY(sketchrows_pick(&f->z, f->w.place, f->w.stored, err));
    TRY(groundwork_begin(f, err));
    TRY(fit_weigh(f, err));
    groundwork_end(f);
    TRY(fit_balance(f, err));
    TRY(fit_decompose(f, err));
    TRY(run_check(f->control, err));
    TRY(groundwork_begin(f, err));
    TRY(fit_refine(f, err));
    TRY(fit_exact(f, err));
    f->spectrum_seconds = clock_seconds() - start;
out:
    groundwork_end(f);
    return st;
}

/* Dealt rows are numbered from the first own one on. */
kedge_status groundwork_lay_dealt(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    const tall_part own = groundwork_own(f);

    TRY(fitcheck_most(f->most, f->w.rows, f->view.width, err));
    TRY(sketchrows_create(&f->z, &f->view, f->list, f->w.order, f->control,
                          err));
    TRY_MEM(f->place = mem_new(f->w.rows, sizeof *f->place));
    for (size_t i = 0; i < own.count; i++)
        f->place[own.from + i] = (uint32_t)i;
    sketchrows_take(&f->z, f->dealt, f->place, sketchrows_scale(&f->view));
    TRY(fit_weigh(f, err));
    TRY(fit_decompose(f, err));
    TRY(run_check(f->control, err));
    groundwork_count(f, &f->traffic->spectrum);
    f->spectrum_seconds = clock_seconds() - start;
out:
    return st;
}

/* ---- processes that work together --------------------------------------- */

kedge_status groundwork_begin(fit *f, kedge_error *err)
{
    return f->s != NULL ? store_begin_read(f->s, &f->z.txn, err) : KEDGE_OK;
}

void groundwork_end(fit *f)
{
    store_abort(&f->z.txn);
}

void groundwork_count(fit *f, uint64_t *what)
{
    if (f->team == NULL)
        return;
    *what += *f->team->heard - f->heard;
    f->heard = *f->team->heard;
}

tall_part groundwork_own(const fit *f)
{
    return tall_own(f->p, f->view.words);
}

/* ---- what models take of it --------------------------------------------- */

/* What all models' eigenpairs come from. */
eigenpairs_source groundwork_pairs(const fit *f)
{
    return (eigenpairs_source){.spectrum = &f->spectrum, .rows = &f->z.rows,
                               .refined = f->refined, .exact = f->exact,
                               .p = f->p};
}

/* One eigenvalue more than the most topics, where the caller wants them: they
 * are divided by what weights make of C when a model tells that. */
kedge_status groundwork_values(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const eigenpairs_source pairs = groundwork_pairs(f);

    if (f->opts->eigenvalues == NULL)
        return KEDGE_OK;
    TRY_MEM(f->values = mem_new(f->most + 1, sizeof *f->values));
    TRY(groundwork_begin(f, err));
    TRY(eigenpairs_values(&pairs, f->most + 1, f->values, err));
out:
    groundwork_end(f);
    return st;
}

/* ---- memory ------------------------------------------------------------- */

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

/* Where the sketch has to be made, or to follow documents. */
static kedge_status fit_plan_sketch(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view coming = f->view;
    ingest_plan plan;

    if (f->team != NULL || (f->view.blocks == f->totals.blocks &&
                            f->view.removals == f->totals.removals))
        return KEDGE_OK;
    coming.words = f->list->count;
    TRY(index_plan(&f->all, &f->totals, f->number, &coming, f->control,
                       &plan, err));
    f->shape.sketching = plan.total;
out:
    return st;
}

kedge_status groundwork_plan(fit *f, const uint64_t *topics,
                                    size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = f->team != NULL ? f->w.rows : f->list->count;
    uint64_t most = 0, like_words = 0, like_topics = 0;

    for (size_t i = 0; i < count; i++) {
        kedge_model like;
        TRY(groundwork_like(f, topics[i], count, &like, err));
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
    f->shape = (fit_shape){.opts = f->opts,
                           .cooccurrence = fitcheck_cooccurrence(f->opts),
                           .width = f->view.width, .vocabulary = n,
                           .word_bytes = words_bytes(&f->all),
                           .topics = most + (f->opts->eigenvalues != NULL),
                           .like_words = like_words, .like_topics = like_topics,
                           .damped = statistic_damped(f->view.statistic),
                           .joined = f->view.joined,
                           .entries = f->view.joined
                                          ? 0 : index_entries(&f->totals),
                           .all = f->all.count};
    if (f->team != NULL) {
        f->shape.processes = f->team->size;
        f->shape.rank = f->team->rank;
        f->shape.dealing = f->dealing;
        f->shape.word_bytes = words_bytes(f->list);
    }
    TRY(fit_plan_sketch(f, err));
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

void groundwork_free(fit *f)
{
    refine_free(f->refined);
    exact_free(f->exact);
    spectrum_free(&f->spectrum);
    sketchrows_free(&f->z);
    anchoring_free(&f->anchoring);
    ncut_free(f->ncut);
    filter_close(&f->filter);
    words_free(&f->all);
    fitwords_free(&f->w);
    mem_free(f->place);
    mem_free(f->weight);
    mem_free(f->sums);
    mem_free(f->values);
}
