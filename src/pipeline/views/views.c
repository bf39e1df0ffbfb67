/* SPDX-License-Identifier: MIT */
#include "pipeline/views/views.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/parts/elsewhere.h"
#include "pipeline/plan.h"
#include "pipeline/views/curate.h"
#include "pipeline/views/follow.h"
#include "pipeline/views/phrases.h"
#include "sketch/statistic.h"

#define PHRASE_DOCUMENTS_USUAL 10
#define PHRASE_SCORE_USUAL 0.5

typedef struct views {
    store *s;
    words *all;
    kedge_fit_opts opts;
    const kedge_control *control;
    bool together;
    store_totals totals;
    uint32_t statistic; /* that it is to have */
    store_list list;   /* that the rule gave */
    store_joins joins; /* its phrases */
    store_list scratch;
    store_joins other;
    char rule[160];
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
    st = store_get_view_record(v->s, FOLLOW_VIEW, &record, err);
    if (st == KEDGE_OK)
        v->statistic = record.statistic;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* The view that all words and documents went into while reading, else the one
 * made last; of the statistic that is asked for, if one is. */
static kedge_status views_last(views *v, uint32_t *number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t next = 0, found;
    store_view record;
    bool any = false;

    while ((st = store_next_view(v->s, next, &found, &record, err)) ==
           KEDGE_OK) {
        next = found + 1;
        if (v->opts.statistic != NULL && record.statistic != v->statistic)
            continue;
        if (record.parts != v->totals.parts && !v->together) {
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
        st = store_get_view_record(v->s, (uint32_t)v->opts.view, &record, err);
    *number = (uint32_t)v->opts.view;
    if (st == KEDGE_ENOTFOUND)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no view %llu; 'kedge info STORE' "
                          "lists them",
                          (unsigned long long)v->opts.view);
    return st;
}

/* How many words of the view's list no document holds any more. */
static kedge_status views_count_gone(views *v, uint32_t number, size_t *gone,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t all = v->all->count;
    uint64_t *tf = NULL, *df = NULL;

    *gone = 0;
    TRY_MEM(tf = mem_new(all, sizeof *tf));
    TRY_MEM(df = mem_new(all, sizeof *df));
    TRY(store_get_counts(v->s, tf, df, all, err));
    TRY(store_get_list(v->s, number, &v->scratch, err));
    for (size_t i = 0; i < v->scratch.count; i++)
        *gone += v->scratch.ids[i] < all && df[v->scratch.ids[i]] == 0;
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* A list stays as it was chosen, while documents come and go. */
static kedge_status views_tell(views *v, uint32_t number,
                               const store_view *view, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t gone;

    if (!view->listed)
        return KEDGE_OK;
    run_log(v->control, "view %u: %llu words, when it was made: %.159s",
            number, (unsigned long long)view->words, view->rule);
    if (view->joined)
        return KEDGE_OK;
    TRY(views_count_gone(v, number, &gone, err));
    if (gone > 0)
        run_log(v->control,
                "%zu of these words are in no document any more; a rule, as "
                "--min-df 5, chooses words anew, in a view of their own",
                gone);
out:
    return st;
}

/* Options of a sketch that is there already ask for nothing, or for it. */
static kedge_status views_agree(views *v, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_fit_opts *o = &v->opts;
    store_view view;

    TRY(store_get_view_record(v->s, number, &view, err));
    TRY(views_tell(v, number, &view, err));
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

static bool views_fits(const views *v, const store_view *record)
{
    const kedge_fit_opts *o = &v->opts;

    return record->listed && record->statistic == v->statistic &&
           (o->width == 0 || o->width == record->width) &&
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
    TRY(store_get_list(v->s, number, &v->scratch, err));
    if (record->joined)
        TRY(store_get_joins(v->s, number, &v->other, err));
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

    *number = UINT32_MAX;
    *next = FOLLOW_VIEW + 1;
    for (uint32_t from = 0;; from = found + 1) {
        st = store_next_view(v->s, from, &found, &record, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        if (found >= *next)
            *next = found + 1;
        if (!views_fits(v, &record))
            continue;
        TRY(views_load(v, found, &record, err));
        if (views_same_list(v) && views_same_joins(v))
            *number = found;
    }
out:
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
        st = store_next_view(v->s, from, &found, &record, err);
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
    phrases_input in = {v->s, v->all, v->control, 0, v->opts.drop};
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

static kedge_status views_curate(views *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = v->all->count;
    uint64_t *tf = NULL, *df = NULL;
    store_settings settings;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_get_counts(v->s, tf, df, n, err));
    TRY(store_get_settings(v->s, &settings, NULL, err));
    TRY(curate_list(&(curate_input){v->all, tf, df, v->totals.documents,
                                    settings.stemmer},
                    &v->opts, &v->list, v->rule, err));
    if (v->opts.phrases > 1)
        TRY(views_find_phrases(v, err));
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* Each view has two numbers for its rows. */
static kedge_status views_take_out(store *s, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (uint32_t side = 0; side < 2; side++)
        TRY(store_drop_rows(s, 2 * number + side, err));
    TRY(store_drop_view(s, number, err));
out:
    return st;
}

/* Otherwise the next ingest with a vocabulary would make it anew. */
static kedge_status views_end_first(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_settings settings;
    words stop = {0};

    TRY(store_get_settings(s, &settings, &stop, err));
    settings.no_first_view = true;
    TRY(store_put_settings(s, &settings, &stop, err));
out:
    words_free(&stop);
    return st;
}

kedge_status views_drop(store *s, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_write(s, UINT64_C(16) << 20, err));
    TRY(views_take_out(s, number, err));
    if (number == FOLLOW_VIEW)
        TRY(views_end_first(s, err));
    TRY(store_commit(s, err));
out:
    store_abort(s);
    return st;
}

/* The view that stays, and what the others are looked at with. */
typedef struct keeping {
    views *v;
    uint32_t number;
    store_view own;
} keeping;

static kedge_status views_drop_old(void *data, uint32_t number,
                                   store_view *record, kedge_error *err)
{
    const keeping *const k = data;

    return number != k->number && record->listed && views_fits(k->v, record) &&
                   strcmp(record->rule, k->own.rule) == 0
               ? views_take_out(k->v->s, number, err)
               : KEDGE_OK;
}

kedge_status views_keep(store *s, const kedge_fit_opts *opts, uint32_t number,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    views v = {.s = s, .opts = *opts};
    keeping k = {.v = &v, .number = number};

    TRY(store_begin_write(s, UINT64_C(4) << 20, err));
    TRY(store_get_view_record(s, number, &k.own, err));
    v.statistic = k.own.statistic;
    TRY(store_each_view(s, views_drop_old, &k, err));
    TRY(store_commit(s, err));
out:
    store_abort(s);
    return st;
}

static uint64_t views_reserve(const views *v)
{
    return (UINT64_C(4) << 20) + 16 * v->list.count + 40 * v->joins.count +
           32 * v->all->count + words_bytes(v->all);
}

/* Phrases are words of the store that no document has. */
static kedge_status views_put_phrases(views *v, uint32_t number,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = v->all->count;
    uint64_t *tf = NULL, *df = NULL;

    TRY(store_put_joins(v->s, number, &v->joins, err));
    if (n == v->totals.words)
        goto out;
    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_get_counts(v->s, tf, df, v->totals.words, err));
    TRY(store_put_words(v->s, v->all, v->totals.words, err));
    TRY(store_put_counts(v->s, tf, df, n, err));
    v->totals.words = n;
    v->totals.word_bytes = words_bytes(v->all);
    TRY(store_put_totals(v->s, &v->totals, err));
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* What was removed is in its block yet, or in a log, and in no total. */
static uint64_t views_entries(const store_totals *totals)
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
                         .rows = 2 * number};
    ingest_plan plan;

    TRY(plan_view(&(plan_shape){.width = o->width,
                                .vocabulary = v->list.count,
                                .word_bytes = words_bytes(v->all),
                                .damped = statistic_damped(v->statistic),
                                .joined = record.joined,
                                .all = v->all->count,
                                .entries = views_entries(&v->totals)},
                  v->control, &plan, err));
    record.width = plan.width;
    memcpy(record.rule, v->rule, sizeof record.rule);
    TRY(store_begin_write(v->s, views_reserve(v), err));
    TRY(store_put_view(v->s, number, &record, err));
    TRY(store_put_list(v->s, number, v->list.ids, v->list.count, err));
    if (record.joined)
        TRY(views_put_phrases(v, number, err));
    TRY(store_commit(v->s, err));
    run_log(v->control, "view %u, a new one, %s: %zu words, %s", number,
            statistic_name(v->statistic), v->list.count, v->rule);
out:
    store_abort(v->s);
    return st;
}

/* What is not said is as usual, unless all words are a view already: then they
 * were chosen by who made the vocabulary. */
static kedge_status views_fill_in(views *v, kedge_error *err)
{
    store_view record;
    const kedge_status st =
        store_get_view_record(v->s, FOLLOW_VIEW, &record, err);

    if (st == KEDGE_ENOTFOUND)
        curate_usual(&v->totals, &v->opts);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* One that is there, where no words are asked for. */
static kedge_status views_present(views *v, uint32_t *number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(v->opts.view != KEDGE_NO_VIEW ? views_named(v, number, err)
                                      : views_last(v, number, err));
    TRY(views_agree(v, *number, err));
out:
    return st;
}

static kedge_status views_pick(views *v, uint32_t *number, uint32_t *next,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_get_totals(v->s, &v->totals, err));
    TRY(views_statistic(v, err));
    if (!curate_is_asked(&v->opts)) {
        st = views_present(v, number, err);
        if (st != KEDGE_ENOTFOUND || v->opts.view != KEDGE_NO_VIEW)
            goto out;
    }
    *number = UINT32_MAX;
    TRY(views_fill_in(v, err));
    TRY(views_curate(v, err));
    TRY(views_find(v, number, next, err));
    if (*number == UINT32_MAX && !v->together)
        TRY(elsewhere_refuse(&v->totals, "a sketch of other words", err));
out:
    return st;
}

static kedge_status views_choose_for(views *v, uint32_t *number, bool *fresh,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *const all = v->all;
    const kedge_fit_opts asked = v->opts;
    uint32_t next = UINT32_MAX;

    *number = UINT32_MAX;
    *fresh = false;
    if (v->opts.phrase_documents == 0)
        v->opts.phrase_documents = PHRASE_DOCUMENTS_USUAL;
    if (isnan(v->opts.phrase_score))
        v->opts.phrase_score = PHRASE_SCORE_USUAL;
    TRY(plan_choosing(all->count, words_bytes(all),
                      views_choose_memusage(&asked, all->count), v->control,
                      err));
    TRY(store_begin_read(v->s, err));
    st = views_pick(v, number, &next, err);
    store_abort(v->s);
    TRY(st);
    if (*number == UINT32_MAX) {
        TRY(views_declare(v, next, err));
        *number = next;
        *fresh = true;
    } else if (curate_is_asked(&asked)) {
        run_log(v->control, "view %u has these words already: %zu, %s",
                *number, v->list.count, v->rule);
    }
out:
    store_list_free(&v->list);
    store_list_free(&v->scratch);
    store_joins_free(&v->joins);
    store_joins_free(&v->other);
    return st;
}

kedge_status views_choose(store *s, words *all,
                          const kedge_fit_opts *opts,
                          const kedge_control *control, uint32_t *number,
                          bool *fresh, kedge_error *err)
{
    views v = {.s = s, .all = all, .opts = *opts, .control = control};

    return views_choose_for(&v, number, fresh, err);
}

kedge_status views_choose_together(store *s, words *all,
                                   const kedge_fit_opts *opts,
                                   const kedge_control *control,
                                   uint32_t *number, bool *fresh,
                                   kedge_error *err)
{
    views v = {.s = s, .all = all, .opts = *opts, .control = control,
               .together = true};

    return views_choose_for(&v, number, fresh, err);
}

/* Counts of all words, and what is chosen by them. */
uint64_t views_choose_memusage(const kedge_fit_opts *opts, uint64_t all)
{
    return 2 * 8 * all + curate_memusage(opts, all);
}

/* ---- following ----------------------------------------------------------- */

kedge_status views_plan_one(const words *all, const store_totals *totals,
                            uint32_t number,
                            const store_view *record,
                            const kedge_control *control, ingest_plan *plan,
                            kedge_error *err)
{
    const plan_shape shape = {.width = record->width,
                              .vocabulary = record->words,
                              .word_bytes = words_bytes(all),
                              .damped = statistic_damped(record->statistic),
                              .joined = record->joined, .all = all->count,
                              .entries = views_entries(totals)};
    const kedge_status st = plan_view(&shape, control, plan, err);

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
    follow f = {.s = s, .control = control, .p = p, .vocabulary = all,
                .number = number};
    store_totals totals;
    ingest_plan plan;

    TRY(store_begin_read(s, err));
    st = store_get_totals(s, &totals, err);
    store_abort(s);
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
    store_totals totals;
    store_view record;
    uint32_t number;

    for (uint32_t from = 0;; from = number + 1) {
        TRY(store_begin_read(s, err));
        TRY(store_get_totals(s, &totals, err));
        st = store_next_view(s, from, &number, &record, err);
        store_abort(s);
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
    store_abort(s);
    return st;
}
