/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/elsewhere.h"
#include "ops/fit/fit.h"
#include "ops/index/recount.h"
#include "cooccur/statistic.h"
#include "cooccur/weights.h"

void fit_name(const fit *f, uint64_t k, size_t count, char name[64])
{
    if (f->opts->name == NULL)
        snprintf(name, 64, "k%llu", (unsigned long long)k);
    else if (count == 1)
        snprintf(name, 64, "%s", f->opts->name);
    else
        snprintf(name, 64, "%.57s-k%llu", f->opts->name,
                 (unsigned long long)k);
}

/* ---- words and documents ------------------------------------------------ */

/* The index and its words, as they are now. */
static kedge_status fit_look(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    filter_close(&f->filter);
    TRY(store_begin_read(f->s, &txn, err));
    TRY(store_get_index_record(txn, f->number, &f->index, err));
    TRY(statistic_check(f->index.statistic, f->index.weight_bits,
                        f->index.value_bits, err));
    TRY(filter_open(&f->filter, txn, f->number, &f->index, &f->all, err));
    if (f->reduced)
        f->filter.out = &f->holdout;
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
    if (f->opts->align != NULL) {
        TRY(model_open(txn, f->opts->align, MODEL_HEADER, &m, err));
    } else {
        st = KEDGE_ENOTFOUND;
        for (size_t i = 0; st == KEDGE_ENOTFOUND && i < w->count; i++) {
            fit_name(f, w->topics[i], w->count, name);
            st = model_open(txn, name, MODEL_HEADER, &m, NULL);
        }
        if (st == KEDGE_ENOTFOUND)
            st = model_open(txn, NULL, MODEL_HEADER, &m, err);
        TRY(st);
    }
    memcpy(name, m->name, 64);
out:
    store_abort(&txn);
    kedge_model_free(m);
    return st;
}

/* How many words there are, and what is left out without those that are none of
 * the index's. Words of phrases are in these. */
static kedge_status fit_count_words(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const size_t n = f->all.count;
    const bool listed = f->index.listed;
    uint64_t *tf = NULL, *df = NULL, within = 0, all = 0;
    store_joins joins = {0};
    bool *in = NULL;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY_MEM(in = mem_new(n, sizeof *in));
    TRY(store_begin_read(f->s, &txn, err));
    TRY(store_get_counts(txn, tf, df, n, err));
    if (f->index.joined)
        TRY(store_get_joins(txn, f->number, &joins, err));
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
    mem_free_all(tf, df, in);
    return st;
}

kedge_status fit_choose(fit *f, kedge_error *err)
{
    const bool keeps = f->opts->freeze && f->opts->index == KEDGE_NO_INDEX;
    char frozen[64];

    PASS(plan_load_words(f->s, f->control, &f->totals, &f->all, err));
    PASS(fitcheck_totals(&f->totals, f->opts, err));
    if (keeps)
        PASS(fit_find_frozen(f, frozen, err));
    PASS(index_choose(f->s, &f->all, f->opts, keeps ? frozen : NULL,
                      f->comm != NULL, f->control, &f->choice, err));
    f->number = f->choice.number;
    PASS(fit_look(f, err));
    PASS(fit_count_words(f, err));
    if (f->comm == NULL)
        PASS(elsewhere_check_index(&f->totals, f->number, &f->index, err));
    return KEDGE_OK;
}

kedge_status fit_choose_reduced(fit *f, kedge_error *err)
{
    const fit_wish *const w = f->wish;

    PASS(plan_load_words(f->s, f->control, &f->totals, &f->all, err));
    PASS(holdout_open(&f->holdout, &f->all, w->held_out, w->seed, err));
    return fit_look(f, err);
}

static bool fit_is_behind(const fit *f)
{
    return f->index.blocks != f->totals.blocks ||
           f->index.removals != f->totals.removals;
}

kedge_status fit_follow(fit *f, kedge_error *err)
{
    if (!fit_is_behind(f))
        return KEDGE_OK;
    if (f->index.blocks == 0)
        run_log(f->control, "sketching the stored documents");
    else
        run_log(f->control, "bringing the sketch up to date with the stored "
                            "documents");
    PASS(index_sync(f->s, &f->all, f->number, &f->index, f->control, f->p,
                    err));
    f->sketched = true;
    return fit_look(f, err);
}

/* Leaves out words that no document has. Held-out documents count here: a fit
 * without them has the same words, with other counts. */
kedge_status fit_find_words(fit *f, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fitwords *const w = &f->w;
    const size_t n = f->index.words, all = f->all.count;
    uint64_t *tf = NULL, *df = NULL;
    words known = *filter_words(&f->filter);
    size_t twin;

    *w = (fitwords){.stored = n};
    known.count = n;
    TRY_MEM(w->order = words_order(&known, &twin));
    TRY_MEM(w->ids = mem_new(n, sizeof *w->ids));
    TRY_MEM(w->place = mem_new(n, sizeof *w->place));
    TRY_MEM(w->tf = mem_new(n, sizeof *w->tf));
    TRY_MEM(w->df = mem_new(n, sizeof *w->df));
    TRY_MEM(tf = mem_new(all, sizeof *tf));
    TRY_MEM(df = mem_new(all, sizeof *df));
    TRY(store_get_counts(txn, tf, df, all, err));
    for (size_t r = 0; r < n; r++) {
        const uint32_t id = filter_id(&f->filter, w->order[r]);
        if (df[id] == 0 && !f->index.listed)
            continue;
        w->order[w->rows] = w->order[r];
        w->place[w->rows] = (uint32_t)r;
        w->ids[w->rows++] = id;
    }
    if (f->index.joined || f->reduced)
        TRY(recount_seen(&f->filter, txn, f->index.blocks, f->control, tf, df,
                         f->reduced ? &f->totals.documents : NULL, err));
    for (size_t r = 0; r < w->rows; r++) {
        w->tf[r] = tf[w->ids[r]];
        w->df[r] = df[w->ids[r]];
    }
out:
    mem_free_all(tf, df);
    return st;
}

/* ---- rows and spectrum --------------------------------------------------- */

kedge_status fit_begin(fit *f, kedge_error *err)
{
    return f->s != NULL ? store_begin_read(f->s, &f->z.txn, err) : KEDGE_OK;
}

void fit_end(fit *f)
{
    store_abort(&f->z.txn);
}

pass_input fit_pass(fit *f, const char *name)
{
    return (pass_input){.txn = f->z.txn,
                        .index = &f->index,
                        .filter = &f->filter,
                        .order = f->w.order,
                        .degrees = f->ncut != NULL ? &f->ncut->degrees : NULL,
                        .control = f->control,
                        .stage = name,
                        .passes = 1,
                        .start = clock_seconds()};
}

void fit_count(fit *f, uint64_t *what)
{
    if (f->comm == NULL)
        return;
    *what += *f->comm->heard - f->heard;
    f->heard = *f->comm->heard;
}

tall_part fit_own(const fit *f)
{
    return tall_own(f->p, f->index.words);
}

/* The words' weights, not yet normalised. */
static kedge_status fit_weigh(fit *f, kedge_error *err)
{
    const size_t n = f->index.words;

    if (f->opts->term_weight == KEDGE_TERM_WEIGHT_NONE)
        return KEDGE_OK;
    PASS_MEM(f->weight = mem_new(n, sizeof *f->weight));
    PASS_MEM(f->sums = mem_new(n, sizeof *f->sums));
    if (f->opts->term_weight == KEDGE_TERM_WEIGHT_IDF) {
        weights_idf(f->w.df, n, f->totals.documents, f->weight);
    } else {
        PASS(sketchrows_sums(&f->z, f->p, err));
        weights_root(f->z.sums, n, f->weight);
    }
    f->z.rows.weight = f->weight; /* from now on; the sums are not */
    return KEDGE_OK;
}

static kedge_status fit_plan_again(fit *f, kedge_error *err)
{
    const bool known = f->shape.pairs > 0 ||
                       f->shape.cooccurrence != KEDGE_COOCCURRENCE_SPARSE;
    char total[16], budget[16];

    fit_shape reduced = f->shape;
    fit_plan later;

    PASS(plan_fit(&f->shape, f->control, &f->plan, err));
    reduced.held_out = true;
    reduced.sketching = 0;
    if (f->wish->held_out > 0 && !f->reduced)
        PASS(plan_fit(&reduced, f->control, &later, err));
    run_log(f->control, "memory: %s %s, of a budget of %s",
            plan_size(f->plan.total, total),
            known ? "at most" : "and the pairs not counted yet",
            plan_size(f->control->memory, budget));
    return KEDGE_OK;
}

/* From here on the sketch and its counts are without the held-out documents. */
static kedge_status fit_hold_out(fit *f, kedge_error *err)
{
    const uint64_t rows = f->index.words;
    open_index *const x = &f->rest;

    *x = (open_index){.s = f->s, .control = f->control, .p = f->p,
                      .vocabulary = &f->all, .number = f->number,
                      .halvings = f->plan.halvings, .out = &f->holdout};
    PASS(index_open(x, f->plan.spilled, err));
    PASS(index_hold_out(x, err));
    f->index = x->index;
    f->index.words = rows;
    PASS(fitcheck_index(&f->index, err));
    sketchrows_take(&f->z, x->z, f->w.order, sketchrows_scale(&f->index));
    return KEDGE_OK;
}

kedge_status fit_prepare(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const double start = clock_seconds();

    TRY(store_begin_read(f->s, &txn, err));
    TRY(fit_find_words(f, txn, err));
    f->index.words = f->w.rows;
    TRY(fitcheck_most(f->most, f->w.rows, f->index.width, err));
    if (fitcheck_exact(f->opts)) {
        TRY(exact_open(f, txn, &f->exact, err));
        f->shape.pairs = f->exact->pairs;
        if (f->shape.cooccurrence == KEDGE_COOCCURRENCE_SPARSE)
            TRY(fit_plan_again(f, err)); /* its size is known by now */
    }
    store_abort(&txn);
    TRY(fit_read_anchors(f, err));
    TRY(sketchrows_create(&f->z, &f->index, f->list, f->w.order, f->control,
                          err));
    if (f->w.rows < f->w.stored)
        TRY(sketchrows_pick(&f->z, f->w.place, f->w.stored, err));
    if (f->reduced)
        TRY(fit_hold_out(f, err));
    TRY(fit_begin(f, err));
    TRY(fit_weigh(f, err));
    fit_end(f);
    if (f->opts->ncut) { /* words' weights have a part in documents' */
        index_close(&f->rest);
        TRY(ncut_create(f, &f->ncut, err));
        sketchrows_take(&f->z, f->ncut->index.z, f->w.order,
                        1 / sketch_total(f->ncut->index.z));
    }
    TRY(fit_make_spectrum(f, err));
    TRY(run_check(f->control, err));
    mem_give_back(); /* before what is largest */
    TRY(fit_begin(f, err));
    if (f->opts->power_iter > 0)
        TRY(refine_create(f, &f->refined, err));
    if (f->exact != NULL)
        TRY(exact_make(f->exact, err));
    f->spectrum_seconds = clock_seconds() - start;
out:
    store_abort(&txn);
    fit_end(f);
    return st;
}

/* Dealt rows are numbered from the first own one on. */
kedge_status fit_prepare_dealt(fit *f, kedge_error *err)
{
    const double start = clock_seconds();
    const tall_part own = fit_own(f);

    PASS(fitcheck_most(f->most, f->w.rows, f->index.width, err));
    PASS(sketchrows_create(&f->z, &f->index, f->list, f->w.order, f->control,
                           err));
    PASS_MEM(f->place = mem_new(f->w.rows, sizeof *f->place));
    for (size_t i = 0; i < own.count; i++)
        f->place[own.from + i] = (uint32_t)i;
    sketchrows_take(&f->z, f->dealt, f->place, sketchrows_scale(&f->index));
    PASS(fit_weigh(f, err));
    PASS(fit_make_spectrum(f, err));
    PASS(run_check(f->control, err));
    fit_count(f, &f->traffic->spectrum);
    f->spectrum_seconds = clock_seconds() - start;
    return KEDGE_OK;
}

/* ---- memory ------------------------------------------------------------- */

kedge_status fit_plan_models(fit *f, const uint64_t *topics, size_t count,
                             kedge_error *err)
{
    const size_t n = f->comm != NULL ? f->w.rows : f->list->count;
    uint64_t most = 0, like_words = 0, like_topics = 0;

    for (size_t i = 0; i < count; i++) {
        kedge_model like;
        char own[64];
        PASS(fit_like(f, topics[i], count, &like, err));
        most = most > topics[i] ? most : topics[i];
        fit_name(f, topics[i], count, own);
        if (f->opts->anchors == KEDGE_ANCHORS_MODEL && like.topics == 0)
            return kedge_fail(err, KEDGE_ENOTFOUND,
                              "--anchors model keeps the anchors of model %s, "
                              "and there is none: name another with --align",
                              own);
        like_words = like_words > like.words ? like_words : like.words;
        like_topics = like_topics > like.topics ? like_topics : like.topics;
    }
    f->most = most;
    PASS(fitcheck_most(most, n, f->index.width, err));
    if (f->wish->foresee != NULL)
        PASS(f->wish->foresee(f->wish->data,
                              &(kedge_model){
                                  .topics = most, .words = f->index.words,
                                  .index = f->index,
                                  .figures.term_weight = f->opts->term_weight,
                                  .keep_spectrum = f->opts->save_spectrum,
                                  .characteristic_count = LAW_CHARACTERISTIC},
                              err));
    f->shape = (fit_shape){.opts = f->opts,
                           .cooccurrence = fitcheck_cooccurrence(f->opts),
                           .width = f->index.width, .vocabulary = n,
                           .word_bytes = words_bytes(&f->all),
                           .topics = most + (f->opts->eigenvalues != NULL),
                           .like_words = like_words, .like_topics = like_topics,
                           .damped = statistic_damped(f->index.statistic),
                           .joined = f->index.joined,
                           .entries = f->index.joined
                                          ? 0 : index_entries(&f->totals),
                           .held_out = f->reduced,
                           .all = f->all.count};
    if (f->comm != NULL) {
        f->shape.processes = f->comm->size;
        f->shape.rank = f->comm->rank;
        f->shape.gathering = f->dealing;
        f->shape.word_bytes = words_bytes(f->list);
    }
    if (f->comm == NULL && fit_is_behind(f)) {
        ingest_plan plan;
        PASS(index_plan(&f->all, &f->totals, f->number, &f->index, f->control,
                        &plan, err));
        f->shape.sketching = plan.total;
    }
    PASS(fit_plan_again(f, err));
    if (!f->reduced && 10 * most > f->index.width && !fitcheck_exact(f->opts) &&
        f->index.words > f->index.width)
        run_log(f->control,
                "%llu topics from a sketch of %llu columns: ten columns per "
                "topic are better, or --power-iter 1",
                (unsigned long long)most, (unsigned long long)f->index.width);
    return KEDGE_OK;
}

void fit_free(fit *f)
{
    refine_free(f->refined);
    exact_free(f->exact);
    spectrum_free(&f->spectrum);
    sketchrows_free(&f->z);
    given_free(&f->given);
    ncut_free(f->ncut);
    index_close(&f->rest);
    holdout_close(&f->holdout);
    filter_close(&f->filter);
    words_free(&f->all);
    mem_free_all(f->w.order, f->w.ids, f->w.place, f->w.tf, f->w.df);
    mem_free_all(f->banned, f->place, f->weight, f->sums, f->values);
    pool_free(f->p);
    *f = (fit){0};
}
