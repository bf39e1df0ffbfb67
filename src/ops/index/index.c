/* SPDX-License-Identifier: MIT */
/*
 * Which index a model is made of: found among those that are there, or
 * declared; and what becomes of the others.
 */
#include "ops/index/index.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/elsewhere.h"
#include "ops/index/phrases.h"
#include "ops/models/model.h"
#include "cooccur/statistic.h"

#define PHRASE_DOCUMENTS_USUAL 10
#define PHRASE_SCORE_USUAL 0.5

typedef struct choosing {
    store *s;
    store_txn *txn; /* while one is chosen or written down */
    words *all;
    kedge_fit_opts opts;
    kedge_fit_opts given; /* without what is filled in */
    const kedge_control *control;
    bool together;
    index_list known;
    uint64_t width;    /* as asked for, or usual for the list */
    uint32_t statistic; /* that it is to have */
    store_list list;   /* that the rule gave */
    store_joins joins; /* its phrases */
    char rule[160];
    size_t held;    /* words of documents, that the rule chose from */
    uint64_t asked; /* the rule and the sketch, as they were asked for */
    index_choice *out;
} choosing;

store_index index_record(uint32_t kind, uint64_t width, uint64_t seed,
                         uint64_t min_tokens)
{
    return (store_index){.statistic = kind,
                         .weight_bits = statistic_weight_bits(kind),
                         .value_bits = statistic_value_bits(kind),
                         .width = width,
                         .seed = statistic_seed(seed),
                         .min_tokens = statistic_min_tokens(min_tokens)};
}

kedge_status index_check_sketch(const store_index *record, uint64_t width,
                                uint64_t seed, uint64_t min_tokens,
                                const char *what, const char *advice,
                                kedge_error *err)
{
    if ((width == 0 || width == record->width) &&
        (seed == 0 || seed == record->seed) &&
        (min_tokens == 0 || min_tokens == record->min_tokens))
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "%s was made with --sketch-size %llu, --seed %llu and "
                      "--min-tokens %llu; %s", what,
                      (unsigned long long)record->width,
                      (unsigned long long)record->seed,
                      (unsigned long long)record->min_tokens, advice);
}

/* ---- indexes that are there ---------------------------------------------- */

kedge_status index_list_load(index_list *l, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    index_entry d;

    TRY(store_get_totals(txn, &l->totals, err));
    l->next = INDEX_ALL_WORDS + 1;
    for (uint64_t from = 0; from <= UINT32_MAX;
         from = (uint64_t)d.number + 1) {
        st = store_next_index(txn, (uint32_t)from, &d.number, &d.record, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        TRY_GROW(l->at, l->capacity, l->count + 1);
        l->at[l->count++] = d;
        if (d.number >= l->next)
            l->next = d.number + 1;
    }
out:
    return st;
}

const store_index *index_list_find(const index_list *l, uint64_t number)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].number == number)
            return &l->at[i].record;
    return NULL;
}

/* What is not said is as in the index of all words, where there is one. */
static uint32_t choosing_statistic(const choosing *c)
{
    const char *const asked = c->opts.tf;
    const store_index *const first =
        index_list_find(&c->known, INDEX_ALL_WORDS);

    return asked != NULL   ? statistic_find(asked, strlen(asked))
           : first != NULL ? first->statistic
                           : STATISTIC_USUAL;
}

/* Whether its sketch was made with what is said of width, seed and tokens. */
static bool choosing_sketched(const choosing *c, const store_index *r)
{
    const kedge_fit_opts *const o = &c->opts;

    return index_check_sketch(r, o->sketch_size, o->seed, o->min_tokens, "",
                              "", NULL) == KEDGE_OK;
}

/* Where no words are asked for: the index of all words, which documents went
 * into while they were read, unless the sketch is to be another one, which is
 * made of the stored documents. Where documents are elsewhere, so that no other
 * words can be sketched, also the last index that has all parts; or else the
 * first that has none, whose error says what it lacks. All of the statistic
 * that is asked for, if one is. INDEX_NONE: there is none. */
static uint32_t choosing_standing(const choosing *c)
{
    const uint64_t parts = c->known.totals.parts;
    const bool elsewhere = parts > 0 && !c->together;
    uint32_t whole = INDEX_NONE, lacking = INDEX_NONE;

    for (size_t i = 0; i < c->known.count; i++) {
        const index_entry *const d = &c->known.at[i];
        const store_index *const r = &d->record;
        if ((c->opts.tf != NULL && r->statistic != c->statistic) ||
            (!elsewhere && (r->listed || !choosing_sketched(c, r))))
            continue;
        if (elsewhere && r->parts != parts) {
            if (lacking == INDEX_NONE && !store_index_has_rows(r))
                lacking = d->number;
            continue;
        }
        whole = d->number;
        if (!r->listed)
            break;
    }
    return whole != INDEX_NONE ? whole : lacking;
}

/* Options of a sketch that is there already ask for nothing, or for it. */
static kedge_status choosing_agree(const choosing *c, uint32_t number,
                                   kedge_error *err)
{
    const kedge_fit_opts *const o = &c->opts;
    const store_index *const r = index_list_find(&c->known, number);

    if (o->tf != NULL && c->statistic != r->statistic)
        return kedge_fail(err, KEDGE_EINVAL,
                          "index %u has --tf %s, not %s", number,
                          statistic_name(r->statistic),
                          statistic_name(c->statistic));
    return index_check_sketch(r, o->sketch_size, o->seed, o->min_tokens,
                              "the existing sketch",
                              "leave out --index and --freeze, and fit makes "
                              "another from the stored documents", err);
}

/* Whether it has the words and phrases of the list, in a sketch as it is asked
 * for. */
static kedge_status choosing_fits(const choosing *c, const index_entry *d,
                                  bool *fits, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_fit_opts *const o = &c->opts;
    const store_index *const r = &d->record;
    store_list list = {0};
    store_joins joins = {0};

    *fits = r->listed && r->statistic == c->statistic &&
            r->width == c->width && r->joined == (o->phrases > 1) &&
            r->seed == statistic_seed(o->seed) &&
            r->min_tokens == statistic_min_tokens(o->min_tokens) &&
            r->words == c->list.count;
    if (!*fits)
        return KEDGE_OK;
    TRY(filter_get_list(c->txn, d->number, &d->record, &list,
                        &joins, err));
    *fits = list.count == c->list.count &&
            memcmp(list.ids, c->list.ids,
                   list.count * sizeof *list.ids) == 0 &&
            joins.count == c->joins.count &&
            (joins.count == 0 ||
             memcmp(joins.join, c->joins.join,
                    joins.count * sizeof *joins.join) == 0);
out:
    store_list_free(&list);
    store_joins_free(&joins);
    return st;
}

/* One with the words of the list; INDEX_NONE: there is none. */
static kedge_status choosing_find(choosing *c, uint32_t *number,
                                  kedge_error *err)
{
    bool fits;

    c->width = c->opts.sketch_size != 0 ? c->opts.sketch_size
                                  : plan_width(c->list.count);
    *number = INDEX_NONE;
    for (size_t i = 0; i < c->known.count; i++) {
        const index_entry *const d = &c->known.at[i];
        if (c->asked != 0 && d->record.asked == c->asked)
            c->out->before = d->record.words;
        PASS(choosing_fits(c, d, &fits, err));
        if (fits)
            *number = d->number;
    }
    return KEDGE_OK;
}

/* How often the store's words come, by id: of those that it has, zeros for
 * phrases that are new. The caller frees both. */
static kedge_status get_counts(const choosing *c, uint64_t **tf, uint64_t **df,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(*tf = mem_new(c->all->count, sizeof **tf));
    TRY_MEM(*df = mem_new(c->all->count, sizeof **df));
    TRY(store_get_counts(c->txn, *tf, *df, c->known.totals.words, err));
out:
    return st;
}

/* ---- words that are kept ------------------------------------------------- */

/* Whether the documents have no other words than the list. */
static kedge_status list_has_all(const choosing *c, bool *has, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t *tf = NULL, *df = NULL;
    size_t held = 0;

    TRY(get_counts(c, &tf, &df, err));
    for (size_t i = 0; i < c->all->count; i++)
        held += df[i] > 0;
    *has = held == c->list.count; /* each of which was held, or is a row */
    for (size_t i = 0; *has && i < c->list.count; i++)
        *has = df[c->list.ids[i]] > 0;
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* The model's words, as a list that rises. */
static kedge_status choosing_take_words(choosing *c, const char *name,
                                        const kedge_model *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *order = NULL;

    TRY(model_order(m, c->all->count, &order, err));
    qsort(order, m->words, sizeof *order, compare_u32);
    TRY_GROW(c->list.ids, c->list.capacity, m->words + 1);
    memcpy(c->list.ids, order, m->words * sizeof *order);
    c->list.count = m->words;
    if (m->index.listed)
        memcpy(c->rule, m->index.rule, sizeof c->rule);
    else
        snprintf(c->rule, sizeof c->rule, "those of model %s", name);
out:
    mem_free(order);
    return st;
}

/* The index of a model's words: its own, or another one of these, as long as
 * there is one; else *number is INDEX_NONE. */
static kedge_status choosing_frozen(choosing *c, const char *name,
                                    uint32_t *number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_fit_opts *const o = &c->opts;
    const store_index *own;
    kedge_model *m = NULL;
    bool same = true;

    TRY(model_open(c->txn, name, MODEL_IDS, &m, err));
    own = m->index_place == 0
              ? NULL
              : index_list_find(&c->known, m->index_place - 1);
    if (own != NULL && (own->listed != m->index.listed ||
                        strcmp(own->rule, m->index.rule) != 0 ||
                        (own->listed && own->words != m->words)))
        own = NULL; /* it went, and another one has its number */
    if (own == NULL && strstr(m->index.rule, "phrases of ") != NULL)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "the phrases of model %s were dropped with its index "
                       "and cannot be kept: leave out --freeze",
                       name));
    TRY(choosing_take_words(c, name, m, err));
    if (own != NULL && !own->listed)
        TRY(list_has_all(c, &same, err));
    if (own != NULL && same) {
        *number = (uint32_t)(m->index_place - 1);
        TRY(choosing_agree(c, *number, err));
        goto out;
    }
    if (o->tf == NULL) /* what is not said is as the model's was */
        c->statistic = m->index.statistic;
    o->sketch_size = o->sketch_size != 0 ? o->sketch_size : m->index.width;
    o->seed = o->seed != 0 ? o->seed : m->index.seed;
    o->min_tokens = o->min_tokens != 0 ? o->min_tokens : m->index.min_tokens;
    TRY(choosing_find(c, number, err));
out:
    kedge_model_free(m);
    return st;
}

/* ---- words by a rule ----------------------------------------------------- */

/* Whether an index has the phrases that would be found: those of the same rule
 * and the same documents. Then they and its list are taken. */
static kedge_status choosing_know_phrases(choosing *c, bool *known,
                                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_joins *const want = &c->joins;
    store_list list = {0};
    store_joins joins = {0};

    *known = false;
    for (size_t i = 0; !*known && i < c->known.count; i++) {
        const index_entry *const d = &c->known.at[i];
        if (!d->record.joined || strcmp(d->record.rule, c->rule) != 0)
            continue;
        TRY(filter_get_list(c->txn, d->number, &d->record, &list, &joins,
                            err));
        *known = joins.blocks == want->blocks &&
                 joins.removals == want->removals &&
                 joins.words == want->words &&
                 joins.documents == want->documents &&
                 joins.score == want->score;
    }
    if (*known) {
        store_list_free(&c->list);
        c->list = list;
        c->joins = joins;
        return KEDGE_OK;
    }
out:
    store_list_free(&list);
    store_joins_free(&joins);
    return st;
}

static kedge_status choosing_phrases(choosing *c, kedge_error *err)
{
    uint64_t bytes;
    bool known;

    c->joins = (store_joins){.blocks = c->known.totals.blocks,
                             .removals = c->known.totals.removals,
                             .words = c->opts.phrases,
                             .documents = c->opts.phrase_df,
                             .score = c->opts.phrase_score};
    PASS(choosing_know_phrases(c, &known, err));
    if (known)
        return KEDGE_OK;
    PASS(plan_phrases(c->all->count, words_bytes(c->all), c->control, &bytes,
                      err));
    PASS(phrases_find(c->txn, c->all, bytes, c->opts.drop_words, c->control,
                      &c->list, &c->joins, err));
    run_log(c->control, "phrases found: %zu", c->joins.count);
    return KEDGE_OK;
}

/* The rule as it was asked for, and the sketch: what follows of the counts, as
 * the least df where none is said, is no part of it. */
static uint64_t rule_digest(const choosing *c, uint64_t lists)
{
    const kedge_fit_opts *const o = &c->opts;
    const bool phrases = o->phrases > 1;
    const double score = phrases ? o->phrase_score : 0;
    uint64_t digest = 0, field[12] = {
        c->given.min_df, 0, o->vocab_size, lists,
        phrases ? o->phrases : 0, phrases ? o->phrase_df : 0, 0,
        c->statistic, c->given.sketch_size, statistic_seed(o->seed),
        statistic_min_tokens(o->min_tokens), o->min_df == 0,
    };

    memcpy(&field[1], &o->max_df, sizeof o->max_df);
    memcpy(&field[6], &score, sizeof score);
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        digest = hash_mix(digest + HASH_GOLDEN) ^ hash_mix(field[i] + i);
    return digest + (digest == 0);
}

static kedge_status choosing_select(choosing *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    selection_input in = {.all = c->all,
                          .documents = c->known.totals.documents};
    uint64_t *tf = NULL, *df = NULL;
    store_settings settings;
    uint64_t lists;

    TRY(get_counts(c, &tf, &df, err));
    TRY(store_get_settings(c->txn, &settings, NULL, err));
    in.tf = tf;
    in.df = df;
    in.settings = &settings;
    for (size_t i = 0; i < c->all->count; i++)
        c->held += df[i] > 0;
    TRY(selection_list(&in, &c->opts, &c->list, c->rule, &lists, err));
    c->asked = rule_digest(c, lists);
    if (c->opts.phrases > 1)
        TRY(choosing_phrases(c, err));
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* By the rule that is asked for, or the usual one; or all words, where these
 * are an index and no rule is asked for. */
static kedge_status choosing_by_rule(choosing *c, uint32_t *number,
                                     kedge_error *err)
{
    if (!index_asks_for_words(&c->opts))
        *number = choosing_standing(c);
    if (*number != INDEX_NONE)
        return choosing_agree(c, *number, err);
    c->out->how = KEDGE_VOCABULARY_RULE;
    /* all words are an index already where who made the vocabulary chose them:
     * then nothing is usual */
    if (index_list_find(&c->known, INDEX_ALL_WORDS) == NULL)
        selection_usual(&c->known.totals, &c->opts);
    PASS(choosing_select(c, err));
    PASS(choosing_find(c, number, err));
    c->out->asked = c->asked;
    return KEDGE_OK;
}

static kedge_status choosing_pick(choosing *c, const char *model,
                                  kedge_error *err)
{
    uint32_t *const number = &c->out->number;

    PASS(index_list_load(&c->known, c->txn, err));
    c->statistic = choosing_statistic(c);
    if (c->opts.index != KEDGE_NO_INDEX || model != NULL)
        c->out->how = KEDGE_VOCABULARY_FROZEN;
    if (c->opts.index != KEDGE_NO_INDEX) {
        if (index_list_find(&c->known, c->opts.index) == NULL)
            return kedge_fail(err, KEDGE_ENOTFOUND,
                              "the store has no index %llu; 'kedge info STORE' "
                              "lists them",
                              (unsigned long long)c->opts.index);
        *number = (uint32_t)c->opts.index;
        PASS(choosing_agree(c, *number, err));
    } else if (model != NULL) {
        PASS(choosing_frozen(c, model, number, err));
    } else {
        PASS(choosing_by_rule(c, number, err));
    }
    if (*number == INDEX_NONE && !c->together)
        PASS(elsewhere_refuse(&c->known.totals, "a sketch of other words",
                              err));
    return KEDGE_OK;
}

/* ---- a new one ----------------------------------------------------------- */

/* Phrases are words of the store that no document has. */
static kedge_status put_phrases(choosing *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals *const t = &c->known.totals;
    uint64_t *tf = NULL, *df = NULL;

    TRY(store_put_joins(c->txn, c->known.next, &c->joins, err));
    if (c->all->count == t->words)
        goto out;
    TRY(get_counts(c, &tf, &df, err));
    TRY(store_put_words(c->txn, c->all, t->words, err));
    t->words = c->all->count;
    t->word_bytes = words_bytes(c->all);
    TRY(store_put_counts(c->txn, tf, df, t->words, err));
    TRY(store_put_totals(c->txn, t, err));
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

/* Under the number that is next. */
static kedge_status index_declare(choosing *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_fit_opts *const o = &c->opts;
    store_index record =
        index_record(c->statistic, 0, o->seed, o->min_tokens);
    const sketch_shape shape = {
        .width = o->sketch_size, .vocabulary = c->list.count,
        .word_bytes = words_bytes(c->all),
        .damped = statistic_damped(c->statistic), .joined = o->phrases > 1,
        .all = c->all->count, .entries = index_entries(&c->known.totals)};
    ingest_plan plan;

    TRY(plan_sketch(&shape, c->control, &plan, err));
    record.width = plan.width;
    record.words = c->list.count;
    record.removals = c->known.totals.removals;
    record.listed = true;
    record.joined = o->phrases > 1;
    record.asked = c->asked;
    record.rows = index_first_rows(c->known.next);
    memcpy(record.rule, c->rule, sizeof record.rule);
    TRY(store_begin_write(c->s, &c->txn, err));
    TRY(store_put_index(c->txn, c->known.next, &record, err));
    TRY(store_put_list(c->txn, c->known.next, c->list.ids, c->list.count, err));
    if (record.joined)
        TRY(put_phrases(c, err));
    TRY(store_commit(&c->txn, err));
    c->out->number = c->known.next;
    c->out->fresh = true;
out:
    store_abort(&c->txn);
    return st;
}

/* What is new is what the rule did not give before. */
static void choosing_report(const choosing *c)
{
    index_choice *const out = c->out;
    const store_index *const r =
        out->fresh ? NULL : index_list_find(&c->known, out->number);

    if (r != NULL && !r->listed)
        out->how = KEDGE_VOCABULARY_ALL;
    if (out->how == KEDGE_VOCABULARY_RULE && r != NULL &&
        r->asked == out->asked)
        out->before = 0;
    if (out->how == KEDGE_VOCABULARY_RULE && out->before > 0)
        out->how = KEDGE_VOCABULARY_CHANGED;
}

/* Which words a model is made of, and why these. */
static void choosing_say(const choosing *c, const char *model)
{
    const index_choice *const out = c->out;
    const store_index *const r =
        out->fresh ? NULL : index_list_find(&c->known, out->number);
    const char *const rule = r == NULL ? c->rule : r->listed ? r->rule : "all";
    const bool whole = strcmp(rule, "all") == 0;
    const size_t count = r == NULL ? c->list.count : r->words;
    char of[32] = "", why[96] = "";

    if (c->held > 0 && !whole)
        snprintf(of, sizeof of, " of %zu", c->held);
    if (model != NULL)
        snprintf(why, sizeof why, "--freeze: model %s, ", model);
    else if (c->held > 0 && !index_asks_for_words(&c->given))
        snprintf(why, sizeof why, "the default; ");
    run_log(c->control, "words: %zu%s, %.159s (%sindex %u%s)", count, of,
            whole ? "all of the vocabulary" : rule, why, out->number,
            out->fresh ? ", new" : "");
}

kedge_status index_choose(store *s, words *all, const kedge_fit_opts *opts,
                          const char *model, bool together,
                          const kedge_control *control, index_choice *out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    choosing c = {.s = s, .all = all, .opts = *opts, .given = *opts,
                  .control = control, .together = together, .out = out};
    uint64_t total;

    *out = (index_choice){.number = INDEX_NONE};
    if (c.opts.phrase_df == 0)
        c.opts.phrase_df = PHRASE_DOCUMENTS_USUAL;
    if (isnan(c.opts.phrase_score))
        c.opts.phrase_score = PHRASE_SCORE_USUAL;
    TRY(plan_choosing(all->count, words_bytes(all),
                          memory_choosing(opts, all->count), control,
                          &total, err));
    TRY(store_begin_read(s, &c.txn, err));
    st = choosing_pick(&c, model, err);
    store_abort(&c.txn);
    TRY(st);
    if (out->number == INDEX_NONE)
        TRY(index_declare(&c, err));
    choosing_report(&c);
    choosing_say(&c, model);
out:
    mem_free(c.known.at);
    store_list_free(&c.list);
    store_joins_free(&c.joins);
    return st;
}

kedge_status index_add_weightings(store *s, const char *statistics,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    index_list l = {0};
    const store_index *first;

    TRY(store_begin_write(s, &txn, err));
    TRY(index_list_load(&l, txn, err));
    first = index_list_find(&l, INDEX_ALL_WORDS);
    for (size_t i = 0; first != NULL; i++) {
        store_index record;
        uint32_t kind;
        bool has = false;
        st = statistic_listed(statistics, i, &kind, err);
        if (st == KEDGE_ENOTFOUND) /* the end of the list */
            break;
        TRY(st);
        for (size_t k = 0; k < l.count; k++)
            has |= !l.at[k].record.listed && l.at[k].record.statistic == kind;
        if (has)
            continue;
        record = index_record(kind, first->width, first->seed,
                              first->min_tokens);
        record.words = first->words;
        record.rows = index_first_rows(l.next);
        TRY(store_put_index(txn, l.next++, &record, err));
    }
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    mem_free(l.at);
    return st;
}

/* ---- what goes ----------------------------------------------------------- */

static kedge_status drop_rows(store_txn *txn, uint32_t number, kedge_error *err)
{
    const uint32_t rows = index_first_rows(number);

    PASS(store_drop_rows(txn, rows, err));
    return store_drop_rows(txn, index_other_rows(rows), err);
}

static kedge_status drop_whole(store_txn *txn, uint32_t number,
                               kedge_error *err)
{
    const kedge_status st = drop_rows(txn, number, err);

    return st == KEDGE_OK ? store_drop_index(txn, number, err) : st;
}

/* As it was when it was declared. */
static kedge_status drop_sketch(store_txn *txn, uint32_t number,
                                store_index *record, kedge_error *err)
{
    store_totals totals;

    PASS(store_get_totals(txn, &totals, err));
    PASS(drop_rows(txn, number, err));
    PASS(store_drop_spectra(txn, number, err));
    record->blocks = record->parts = 0;
    record->documents = record->skipped = record->tokens = 0;
    record->total = 0;
    record->removals = totals.removals;
    return store_put_index(txn, number, record, err);
}

kedge_status index_drop(store *s, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_settings settings;
    words stop = {0};

    TRY(store_begin_write(s, &txn, err));
    TRY(drop_whole(txn, number, err));
    if (number == INDEX_ALL_WORDS) {
        /* else the next ingest with a vocabulary would make it again */
        TRY(store_get_settings(txn, &settings, &stop, err));
        settings.no_first_index = true;
        TRY(store_put_settings(txn, &settings, &stop, err));
    }
    TRY(store_commit(&txn, err));
out:
    words_free(&stop);
    store_abort(&txn);
    return st;
}

/* Whether a model was made of it. One that is damaged tells nothing. */
static kedge_status has_model(store_txn *txn, const index_entry *d, bool *has,
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
        *has = m.index_place == (uint64_t)d->number + 1 && m.index.listed &&
               m.words == d->record.words &&
               strcmp(m.index.rule, d->record.rule) == 0;
    }
    return KEDGE_OK;
}

/* What is to become of one, now that a model was made of the chosen one. */
static kedge_status keep_one(store_txn *txn, const index_choice *choice,
                             index_entry *d, bool *changes, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_index *const r = &d->record;
    bool needed = false;

    if (d->number == choice->number) {
        if (choice->how != KEDGE_VOCABULARY_FROZEN || !r->listed || r->frozen)
            return KEDGE_OK;
        *changes = r->frozen = true;
        return store_put_index(txn, d->number, r, err);
    }
    if (!r->listed || (r->asked != 0 ? r->asked != choice->asked : !r->frozen))
        return KEDGE_OK;
    if (r->joined || r->frozen)
        TRY(has_model(txn, d, &needed, err));
    if (needed && (r->frozen || !store_index_has_rows(r)))
        return KEDGE_OK;
    *changes = true;
    st = needed ? drop_sketch(txn, d->number, r, err)
                : drop_whole(txn, d->number, err);
out:
    return st;
}

kedge_status index_keep(store *s, const index_choice *choice, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    index_list l = {0};
    bool changes = false;

    TRY(store_begin_write(s, &txn, err));
    TRY(index_list_load(&l, txn, err));
    for (size_t i = 0; i < l.count; i++)
        TRY(keep_one(txn, choice, &l.at[i], &changes, err));
    if (changes)
        TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    mem_free(l.at);
    return st;
}
