/* SPDX-License-Identifier: MIT */
#include "pipeline/views/views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/models/model.h"
#include "pipeline/elsewhere.h"
#include "pipeline/views/curate.h"
#include "pipeline/views/follow.h"
#include "pipeline/views/phrases.h"
#include "pipeline/plan.h"
#include "sketch/statistic.h"

#define PHRASE_DOCUMENTS_USUAL 10
#define PHRASE_SCORE_USUAL 0.5

typedef struct views {
    store *s;
    store_txn *txn; /* while one is chosen or written down */
    words *all;
    kedge_fit_opts opts;
    kedge_fit_opts given; /* without what is filled in */
    const kedge_control *control;
    bool together;
    store_totals totals;
    uint64_t width; /* as asked for, or usual for the list */
    uint32_t statistic; /* that it is to have */
    store_list list;   /* that the rule gave */
    store_joins joins; /* its phrases */
    store_list scratch;
    store_joins other;
    char rule[160];
    uint64_t asked; /* the rule and the sketch, as they were asked for */
    views_choice *out;
} views;

/* ---- views that are there ------------------------------------------------ */

/* What is not said is as in the view of all words, where there is one. */
static kedge_status views_statistic(views *v, kedge_error *err)
{
    const char *const asked = v->opts.statistic;
    store_view record;
    kedge_status st;

    v->statistic = STATISTIC_USUAL;
    if (asked != NULL) {
        v->statistic = statistic_find(asked, strlen(asked));
        return KEDGE_OK;
    }
    st = store_get_view_record(v->txn, FOLLOW_VIEW, &record, err);
    if (st == KEDGE_OK)
        v->statistic = record.statistic;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* The view that all words and documents went into while reading; of the
 * statistic that is asked for, if one is. Where documents are elsewhere, so
 * that no other words can be sketched, also the one made last; ENOTFOUND when
 * there is none. */
static kedge_status views_standing(views *v, uint32_t *number,
                                   kedge_error *err)
{
    const bool elsewhere = v->totals.parts > 0 && !v->together;
    kedge_status st = KEDGE_OK;
    uint32_t next = 0, found;
    store_view record;
    bool any = false;

    while ((st = store_next_view(v->txn, next, &found, &record, err)) ==
           KEDGE_OK) {
        next = found + 1;
        if (v->opts.statistic != NULL && record.statistic != v->statistic)
            continue;
        if (record.listed && !elsewhere)
            continue;
        if (elsewhere && record.parts != v->totals.parts) {
            if (!any && !store_view_has_rows(&record))
                *number = found; /* to be told what it lacks */
            any = any || *number == found;
            continue;
        }
        *number = found;
        any = true;
        if (!record.listed)
            return KEDGE_OK;
    }
    return st == KEDGE_ENOTFOUND && any ? KEDGE_OK : st;
}

/* The one that is asked for by its number. */
static kedge_status views_named(views *v, uint32_t *number, kedge_error *err)
{
    kedge_status st = KEDGE_ENOTFOUND;
    store_view record;

    if (v->opts.view <= UINT32_MAX)
        st =
            store_get_view_record(v->txn, (uint32_t)v->opts.view, &record, err);
    *number = (uint32_t)v->opts.view;
    if (st == KEDGE_ENOTFOUND)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no view %llu; 'kedge info STORE' "
                          "lists them",
                          (unsigned long long)v->opts.view);
    return st;
}

/* Options of a sketch that is there already ask for nothing, or for it. */
static kedge_status views_agree(views *v, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_fit_opts *o = &v->opts;
    store_view view;

    TRY(store_get_view_record(v->txn, number, &view, err));
    if (o->statistic != NULL && v->statistic != view.statistic)
        return kedge_fail(err, KEDGE_EINVAL,
                          "view %u is of the statistic %s, not %s", number,
                          statistic_name(view.statistic),
                          statistic_name(v->statistic));
    if ((o->width == 0 || o->width == view.width) &&
        (o->seed == 0 || o->seed == view.seed) &&
        (o->min_tokens == 0 || o->min_tokens == view.min_tokens))
        return KEDGE_OK;
    st = kedge_fail(err, KEDGE_EINVAL,
                    "the sketch that is there was made with width %llu, seed "
                    "%llu and documents of %llu tokens or more; to make "
                    "another, say of which words, as with --min-df 1",
                    (unsigned long long)view.width,
                    (unsigned long long)view.seed,
                    (unsigned long long)view.min_tokens);
out:
    return st;
}

/* Of a width that is asked for, or usual. */
static bool views_fits(const views *v, const store_view *record)
{
    const kedge_fit_opts *o = &v->opts;

    return record->listed && record->statistic == v->statistic &&
           record->width == v->width &&
           record->joined == (o->phrases > 1) &&
           record->seed == statistic_seed(o->seed) &&
           record->min_tokens == statistic_min_tokens(o->min_tokens);
}

static bool views_same_list(const views *v)
{
    return v->scratch.count == v->list.count &&
           memcmp(v->scratch.ids, v->list.ids,
                  v->list.count * sizeof *v->list.ids) == 0;
}

static bool views_same_joins(const views *v)
{
    return v->other.count == v->joins.count &&
           (v->joins.count == 0 ||
            memcmp(v->other.join, v->joins.join,
                   v->joins.count * sizeof *v->joins.join) == 0);
}

static kedge_status views_load(views *v, uint32_t number,
                               const store_view *record, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    v->other.count = 0;
    TRY(store_get_list(v->txn, number, &v->scratch, err));
    if (record->joined)
        TRY(store_get_joins(v->txn, number, &v->other, err));
out:
    return st;
}

/* One with the same words; *number is UINT32_MAX when there is none, *next a
 * number that is free. */
static kedge_status views_find(views *v, uint32_t *number, uint32_t *next,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view record;
    uint32_t found;

    v->width = v->opts.width != 0 ? v->opts.width
                                  : plan_width(v->list.count);
    *number = UINT32_MAX;
    *next = FOLLOW_VIEW + 1;
    for (uint32_t from = 0;; from = found + 1) {
        st = store_next_view(v->txn, from, &found, &record, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        if (found >= *next)
            *next = found + 1;
        if (v->asked != 0 && record.asked == v->asked)
            v->out->before = record.words;
        if (!views_fits(v, &record))
            continue;
        TRY(views_load(v, found, &record, err));
        if (views_same_list(v) && views_same_joins(v))
            *number = found;
    }
out:
    return st;
}

/* ---- words that are kept ------------------------------------------------- */

/* The view that the model was made of; ENOTFOUND when it went. */
static kedge_status views_of_model(views *v, const kedge_model *m,
                                   uint32_t *number, store_view *record,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_ENOTFOUND;

    *number = (uint32_t)(m->view_place - 1);
    if (m->view_place == 0 || m->view_place > UINT32_MAX)
        return st;
    st = store_get_view_record(v->txn, *number, record, err);
    if (st != KEDGE_OK)
        return st;
    return record->listed == m->view.listed &&
                   strcmp(record->rule, m->view.rule) == 0 &&
                   (!record->listed || record->words == m->words)
               ? KEDGE_OK
               : KEDGE_ENOTFOUND;
}

/* Whether the documents have no other words than the list. */
static kedge_status views_has_all(views *v, bool *has, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = v->all->count;
    uint64_t *tf = NULL, *df = NULL;
    size_t held = 0;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_get_counts(v->txn, tf, df, n, err));
    for (size_t i = 0; i < n; i++)
        held += df[i] > 0;
    *has = held == v->list.count; /* each of which was held, or is a row */
    for (size_t i = 0; *has && i < v->list.count; i++)
        *has = df[v->list.ids[i]] > 0;
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* The model's words, as a list that rises. */
static kedge_status views_take_words(views *v, const char *name,
                                     kedge_model *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *order = NULL;

    TRY(model_order(m, v->all->count, &order, err));
    qsort(order, m->words, sizeof *order, compare_u32);
    v->list.count = 0;
    if (!mem_grow((void **)&v->list.ids, &v->list.capacity, m->words + 1,
                  sizeof *v->list.ids))
        TRY_MEM(NULL);
    memcpy(v->list.ids, order, m->words * sizeof *order);
    v->list.count = m->words;
    if (m->view.listed)
        memcpy(v->rule, m->view.rule, sizeof v->rule);
    else
        snprintf(v->rule, sizeof v->rule, "those of model %s", name);
out:
    mem_free(order);
    return st;
}

/* What is not said of the sketch is as the model's was. */
static void views_take_sketch(views *v, const kedge_model *m)
{
    kedge_fit_opts *const o = &v->opts;

    if (o->statistic == NULL)
        v->statistic = m->view.statistic;
    if (o->width == 0)
        o->width = m->view.width;
    if (o->seed == 0)
        o->seed = m->view.seed;
    if (o->min_tokens == 0)
        o->min_tokens = m->view.min_tokens;
}

/* The view of a model's words: its own, or another one of these, as long as
 * there is one; else *number is UINT32_MAX. */
static kedge_status views_frozen(views *v, const char *name, uint32_t *number,
                                 uint32_t *next, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_model *m = NULL;
    store_view record = {0};
    bool there, same = true;

    TRY(model_open_ids(v->txn, name, &m, err));
    st = views_of_model(v, m, number, &record, err);
    there = st == KEDGE_OK;
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    st = KEDGE_OK;
    if (!there && strstr(m->view.rule, "phrases of ") != NULL)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "the phrases of model %s went with the view that it was "
                       "made of: they cannot be kept; leave --freeze out",
                       name));
    TRY(views_take_words(v, name, m, err));
    if (there && !record.listed)
        TRY(views_has_all(v, &same, err));
    if (there && same) {
        TRY(views_agree(v, *number, err));
        goto out;
    }
    views_take_sketch(v, m);
    TRY(views_find(v, number, next, err));
out:
    kedge_model_free(m);
    return st;
}

/* ---- phrases ------------------------------------------------------------- */

/* Those of a view that were found in the documents that are there now, by the
 * same rule: they would be found again. */
static kedge_status views_know_phrases(views *v, bool *known, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_joins *const o = &v->other, *const j = &v->joins;
    store_view record;
    uint32_t found;

    *known = false;
    for (uint32_t from = 0; !*known; from = found + 1) {
        st = store_next_view(v->txn, from, &found, &record, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        if (!record.joined || strcmp(record.rule, v->rule) != 0)
            continue;
        TRY(views_load(v, found, &record, err));
        *known = o->blocks == j->blocks && o->removals == j->removals &&
                 o->words == j->words && o->documents == j->documents &&
                 o->score == j->score;
    }
out:
    return st;
}

static kedge_status views_find_phrases(views *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    phrases_input in = {v->txn, v->all, v->control, 0, v->opts.drop};
    store_joins joins = {.blocks = v->totals.blocks,
                         .removals = v->totals.removals,
                         .words = v->opts.phrases,
                         .documents = v->opts.phrase_documents,
                         .score = v->opts.phrase_score};
    bool known;

    v->joins = joins;
    TRY(views_know_phrases(v, &known, err));
    if (known) {
        const store_list list = v->list;
        v->list = v->scratch;
        v->scratch = list;
        joins = v->joins;
        v->joins = v->other;
        v->other = joins;
        return KEDGE_OK;
    }
    TRY(plan_phrases(v->all->count, words_bytes(v->all), v->control,
                         &in.bytes, err));
    TRY(phrases_find(&in, &v->list, &v->joins, err));
    run_log(v->control, "phrases found: %zu", v->joins.count);
out:
    return st;
}

/* ---- a new one ----------------------------------------------------------- */

/* The rule as it was asked for, and the sketch: what follows of the counts, as
 * the least df where none is said, is no part of it. */
static void views_digest(views *v, uint64_t lists)
{
    const kedge_fit_opts *const o = &v->opts;
    const bool phrases = o->phrases > 1;
    const double score = phrases ? o->phrase_score : 0;
    uint64_t field[12] = {
        v->given.min_df, 0, o->vocabulary_size, lists,
        phrases ? o->phrases : 0, phrases ? o->phrase_documents : 0, 0,
        v->statistic, v->given.width, statistic_seed(o->seed),
        statistic_min_tokens(o->min_tokens), o->min_df == 0,
    };

    memcpy(&field[1], &o->max_df, sizeof o->max_df);
    memcpy(&field[6], &score, sizeof score);
    v->asked = 0;
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        v->asked = hash_mix(v->asked + HASH_GOLDEN) ^ hash_mix(field[i] + i);
    v->asked += v->asked == 0;
}

static kedge_status views_curate(views *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = v->all->count;
    uint64_t *tf = NULL, *df = NULL;
    store_settings settings;
    uint64_t lists;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_get_counts(v->txn, tf, df, n, err));
    TRY(store_get_settings(v->txn, &settings, NULL, err));
    TRY(curate_list(&(curate_input){v->all, tf, df, v->totals.documents,
                                    &settings},
                    &v->opts, &v->list, v->rule, &lists, err));
    views_digest(v, lists);
    if (v->opts.phrases > 1)
        TRY(views_find_phrases(v, err));
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* Each view has two numbers for its rows. */
static kedge_status views_take_out(store_txn *txn, uint32_t number,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (uint32_t side = 0; side < 2; side++)
        TRY(store_drop_rows(txn, 2 * number + side, err));
    TRY(store_drop_view(txn, number, err));
out:
    return st;
}

/* Otherwise the next ingest with a vocabulary would make it anew. */
static kedge_status views_end_first(store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_settings settings;
    words stop = {0};

    TRY(store_get_settings(txn, &settings, &stop, err));
    settings.no_first_view = true;
    TRY(store_put_settings(txn, &settings, &stop, err));
out:
    words_free(&stop);
    return st;
}

kedge_status views_drop(store *s, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_write(s, &txn, err));
    TRY(views_take_out(txn, number, err));
    if (number == FOLLOW_VIEW)
        TRY(views_end_first(txn, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- views that were before ---------------------------------------------- */

/* Whether a model was made of it. One that is damaged tells nothing. */
static kedge_status views_has_model(store_txn *txn, uint32_t number,
                                    const store_view *record, bool *has,
                                    kedge_error *err)
{
    char name[64];

    *has = false;
    for (uint64_t i = 0; !*has; i++) {
        kedge_model m;
        kedge_status st = store_get_model_name(txn, i, name, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        if (st == KEDGE_OK)
            st = model_get_header(txn, name, &m, err);
        if (st == KEDGE_ECORRUPT)
            continue;
        if (st != KEDGE_OK)
            return st;
        *has = m.view_place == (uint64_t)number + 1 && m.view.listed &&
               m.words == record->words &&
               strcmp(m.view.rule, record->rule) == 0;
    }
    return KEDGE_OK;
}

/* As it was when it was written down. */
static kedge_status views_strip(store_txn *txn, uint32_t number,
                                store_view *record, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;

    TRY(store_get_totals(txn, &totals, err));
    for (uint32_t side = 0; side < 2; side++)
        TRY(store_drop_rows(txn, 2 * number + side, err));
    TRY(store_drop_spectra(txn, number, err));
    record->blocks = record->parts = 0;
    record->documents = record->skipped = record->tokens = 0;
    record->total = 0;
    record->removals = totals.removals;
    TRY(store_put_view(txn, number, record, err));
out:
    return st;
}

typedef struct keeping {
    store_txn *txn;
    const views_choice *choice;
    bool looking; /* whether there is anything to do: */
    bool any;
} keeping;

static kedge_status views_settle(void *data, uint32_t number,
                                 store_view *record, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    keeping *const k = data;
    const views_choice *const c = k->choice;
    const bool own = number == c->number;
    const bool freezes = own && c->how == KEDGE_VOCABULARY_FROZEN &&
                         record->listed && !record->frozen;
    const bool old = !own && record->listed &&
                     (record->asked != 0 ? record->asked == c->asked
                                         : record->frozen);
    bool needed = false;

    if (old && (record->joined || record->frozen))
        TRY(views_has_model(k->txn, number, record, &needed, err));
    if (!freezes && (!old || (needed && (record->frozen ||
                                         !store_view_has_rows(record)))))
        return KEDGE_OK;
    k->any = true;
    if (k->looking)
        return KEDGE_OK;
    record->frozen |= freezes;
    TRY(freezes  ? store_put_view(k->txn, number, record, err)
        : needed ? views_strip(k->txn, number, record, err)
                 : views_take_out(k->txn, number, err));
out:
    return st;
}

kedge_status views_keep(store *s, const views_choice *choice,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    keeping k = {.choice = choice, .looking = true};

    TRY(store_begin_read(s, &k.txn, err));
    st = store_each_view(k.txn, views_settle, &k, err);
    store_abort(&k.txn);
    TRY(st);
    if (!k.any)
        return KEDGE_OK;
    k.looking = false;
    TRY(store_begin_write(s, &k.txn, err));
    TRY(store_each_view(k.txn, views_settle, &k, err));
    TRY(store_commit(&k.txn, err));
out:
    store_abort(&k.txn);
    return st;
}

/* Phrases are words of the store that no document has. */
static kedge_status views_put_phrases(views *v, uint32_t number,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = v->all->count;
    uint64_t *tf = NULL, *df = NULL;

    TRY(store_put_joins(v->txn, number, &v->joins, err));
    if (n == v->totals.words)
        goto out;
    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_get_counts(v->txn, tf, df, v->totals.words, err));
    TRY(store_put_words(v->txn, v->all, v->totals.words, err));
    TRY(store_put_counts(v->txn, tf, df, n, err));
    v->totals.words = n;
    v->totals.word_bytes = words_bytes(v->all);
    TRY(store_put_totals(v->txn, &v->totals, err));
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* What was removed is in its block yet, or in a log, and in no total. */
uint64_t views_entries(const store_totals *totals)
{
    return totals->removals == 0 ? totals->nonzeros : 0;
}

static kedge_status views_declare(views *v, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_fit_opts *o = &v->opts;
    store_view record = {.statistic = v->statistic,
                         .weight_bits = statistic_weight_bits(v->statistic),
                         .value_bits = statistic_value_bits(v->statistic),
                         .seed = statistic_seed(o->seed),
                         .min_tokens = statistic_min_tokens(o->min_tokens),
                         .words = v->list.count,
                         .removals = v->totals.removals,
                         .listed = true,
                         .joined = o->phrases > 1,
                         .asked = v->asked,
                         .rows = 2 * number};
    ingest_plan plan;

    TRY(plan_sketch(
        &(sketch_shape){.width = o->width, .vocabulary = v->list.count,
                          .word_bytes = words_bytes(v->all),
                          .damped = statistic_damped(v->statistic),
                          .joined = record.joined, .all = v->all->count,
                          .entries = views_entries(&v->totals)},
        v->control, &plan, err));
    record.width = plan.width;
    memcpy(record.rule, v->rule, sizeof record.rule);
    TRY(store_begin_write(v->s, &v->txn, err));
    TRY(store_put_view(v->txn, number, &record, err));
    TRY(store_put_list(v->txn, number, v->list.ids, v->list.count, err));
    if (record.joined)
        TRY(views_put_phrases(v, number, err));
    TRY(store_commit(&v->txn, err));
    run_log(v->control, "view %u, a new one, %s: %zu words, %s", number,
            statistic_name(v->statistic), v->list.count, v->rule);
out:
    store_abort(&v->txn);
    return st;
}

/* What is not said is as usual, unless all words are a view already: then they
 * were chosen by who made the vocabulary. */
static kedge_status views_fill_in(views *v, kedge_error *err)
{
    store_view record;
    const kedge_status st =
        store_get_view_record(v->txn, FOLLOW_VIEW, &record, err);

    if (st == KEDGE_ENOTFOUND)
        curate_usual(&v->totals, &v->opts);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* By the rule that is asked for, or the usual one; or all words, where these
 * are a view and no rule is asked for. */
static kedge_status views_by_rule(views *v, uint32_t *number, uint32_t *next,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (!curate_is_asked(&v->opts)) {
        st = views_standing(v, number, err);
        if (st == KEDGE_OK)
            return views_agree(v, *number, err);
        if (st != KEDGE_ENOTFOUND)
            return st;
    }
    v->out->how = KEDGE_VOCABULARY_RULE;
    TRY(views_fill_in(v, err));
    TRY(views_curate(v, err));
    TRY(views_find(v, number, next, err));
    v->out->asked = v->asked;
out:
    return st;
}

static kedge_status views_pick(views *v, const char *model, uint32_t *next,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *const number = &v->out->number;

    TRY(store_get_totals(v->txn, &v->totals, err));
    TRY(views_statistic(v, err));
    if (v->opts.view != KEDGE_NO_VIEW || model != NULL)
        v->out->how = KEDGE_VOCABULARY_FROZEN;
    if (v->opts.view != KEDGE_NO_VIEW) {
        TRY(views_named(v, number, err));
        TRY(views_agree(v, *number, err));
    } else if (model != NULL) {
        TRY(views_frozen(v, model, number, next, err));
    } else {
        TRY(views_by_rule(v, number, next, err));
    }
    if (*number == UINT32_MAX && !v->together)
        TRY(elsewhere_refuse(&v->totals, "a sketch of other words", err));
out:
    return st;
}

/* What is new is what the rule did not give before. */
static kedge_status views_tell(views *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    views_choice *const c = v->out;
    store_view record;

    TRY(store_begin_read(v->s, &txn, err));
    st = store_get_view_record(txn, c->number, &record, err);
    store_abort(&txn);
    TRY(st);
    if (!record.listed)
        c->how = KEDGE_VOCABULARY_ALL;
    if (c->how == KEDGE_VOCABULARY_RULE && record.asked == c->asked &&
        !c->fresh)
        c->before = 0;
    if (c->how == KEDGE_VOCABULARY_RULE && c->before > 0)
        c->how = KEDGE_VOCABULARY_CHANGED;
    if (!c->fresh)
        run_log(v->control, "view %u: %llu words, %.159s", c->number,
                (unsigned long long)record.words,
                record.listed ? record.rule : "all");
out:
    return st;
}

static kedge_status views_choose_for(views *v, const char *model,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *const all = v->all;
    views_choice *const c = v->out;
    uint32_t next = UINT32_MAX;
    uint64_t total;

    *c = (views_choice){.number = UINT32_MAX};
    v->given = v->opts;
    if (v->opts.phrase_documents == 0)
        v->opts.phrase_documents = PHRASE_DOCUMENTS_USUAL;
    if (isnan(v->opts.phrase_score))
        v->opts.phrase_score = PHRASE_SCORE_USUAL;
    TRY(plan_choosing(all->count, words_bytes(all),
                          memory_choosing(&v->given, all->count),
                          v->control, &total, err));
    TRY(store_begin_read(v->s, &v->txn, err));
    st = views_pick(v, model, &next, err);
    store_abort(&v->txn);
    TRY(st);
    if (c->number == UINT32_MAX) {
        TRY(views_declare(v, next, err));
        c->number = next;
        c->fresh = true;
    }
    TRY(views_tell(v, err));
out:
    store_list_free(&v->list);
    store_list_free(&v->scratch);
    store_joins_free(&v->joins);
    store_joins_free(&v->other);
    return st;
}

kedge_status views_choose(store *s, words *all, const kedge_fit_opts *opts,
                          const char *model, const kedge_control *control,
                          views_choice *out, kedge_error *err)
{
    views v = {.s = s, .all = all, .opts = *opts, .control = control,
               .out = out};

    return views_choose_for(&v, model, err);
}

kedge_status views_choose_together(store *s, words *all,
                                   const kedge_fit_opts *opts,
                                   const char *model,
                                   const kedge_control *control,
                                   views_choice *out, kedge_error *err)
{
    views v = {.s = s, .all = all, .opts = *opts, .control = control,
               .together = true, .out = out};

    return views_choose_for(&v, model, err);
}

/* ---- following ----------------------------------------------------------- */

kedge_status views_plan_one(const words *all, const store_totals *totals,
                            uint32_t number,
                            const store_view *record,
                            const kedge_control *control, ingest_plan *plan,
                            kedge_error *err)
{
    const sketch_shape shape = {.width = record->width,
                                  .vocabulary = record->words,
                                  .word_bytes = words_bytes(all),
                                  .damped = statistic_damped(record->statistic),
                                  .joined = record->joined, .all = all->count,
                                  .entries = views_entries(totals)};
    const kedge_status st = plan_sketch(&shape, control, plan, err);

    if (st != KEDGE_OK)
        kedge_fail_context(err, "the sketch of view %u", number);
    return st;
}

kedge_status views_follow_one(store *s, const words *all, uint32_t number,
                              const store_view *record,
                              const kedge_control *control, pool *p,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    follow f = {.s = s, .control = control, .p = p, .vocabulary = all,
                .number = number};
    store_totals totals;
    ingest_plan plan;

    TRY(store_begin_read(s, &txn, err));
    st = store_get_totals(txn, &totals, err);
    store_abort(&txn);
    TRY(st);
    TRY(views_plan_one(all, &totals, number, record, control, &plan, err));
    f.halvings = plan.halvings;
    TRY(follow_open(&f, plan.spilled, err));
    TRY(follow_catch_up(&f, err));
    TRY(follow_save(&f, err));
out:
    follow_close(&f);
    return st;
}

/* One that was only written down is made by the fit that needs it; but views of
 * all words are not waited for. */
static bool views_is_behind(const store_view *record,
                            const store_totals *totals)
{
    return (store_view_has_rows(record) || !record->listed) &&
           (record->blocks < totals->blocks ||
            record->removals < totals->removals);
}

kedge_status views_follow(store *s, const words *all, uint32_t except,
                          const kedge_control *control, pool *p,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;
    store_view record;
    uint32_t number;

    for (uint32_t from = 0;; from = number + 1) {
        TRY(store_begin_read(s, &txn, err));
        TRY(store_get_totals(txn, &totals, err));
        st = store_next_view(txn, from, &number, &record, err);
        store_abort(&txn);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        if (number == except || !views_is_behind(&record, &totals))
            continue;
        st = views_follow_one(s, all, number, &record, control, p, err);
        if (st == KEDGE_EBUDGET)
            run_log(control, "view %u does not fit the budget: it follows "
                    "with the next fit", number);
        else
            TRY(st);
    }
out:
    store_abort(&txn);
    return st;
}
