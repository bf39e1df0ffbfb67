/* SPDX-License-Identifier: MIT */
/*
 * Ingestion: sources → slots → the log of documents and the sketch, all in one
 * loop of turns (follow.h). The sketch is saved at the end, and now and then on
 * long runs; the documents are committed with every turn.
 */
#include "pipeline/intake/ingest.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/intake/beside.h"
#include "pipeline/intake/identity.h"
#include "pipeline/intake/intake.h"
#include "pipeline/plan.h"
#include "pipeline/views/follow.h"
#include "pipeline/plan.h"
#include "pipeline/views/views.h"
#include "io/reader.h"
#include "io/vocabulary.h"
#include "sketch/statistic.h"

typedef struct ingest {
    store *s;
    const kedge_ingest_opts *opts;
    const kedge_control *control;
    kedge_ingest_result *out;
    words vocabulary;
    size_t stored_words; /* of them committed */
    uint64_t *tf, *df;   /* of the first `counted` words */
    size_t counted, tf_capacity, df_capacity;
    store_totals totals;
    intake in;
    identity same;
    digests digests;     /* for documents that are replaced */
    follow f;
    /* The view as it began, written down with the first documents, so that its
     * width and seed hold for the runs to come, whatever becomes of this. */
    store_view declaration;
    bool declared;
    bool no_first_view;    /* it was dropped: it does not come again */
    const cutting *texts;  /* what a feed's were cut by, or NULL */
    bool settled;          /* the store has it, or it is not known yet */
    double start; /* seconds */
    ingest_plan plan;
    uint64_t told; /* bytes, of the plan; 0: nothing yet */
} ingest;

void kedge_ingest_opts_init(kedge_ingest_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_ingest_opts){0};
}

/* Whether a vocabulary comes along. */
static bool ingest_has_words(const kedge_ingest_opts *o)
{
    return vocabulary_comes(o->vocabulary, o->source);
}

static kedge_status ingest_check_statistics(const kedge_ingest_opts *o,
                                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t kind;

    for (size_t i = 0; o->statistics != NULL && st == KEDGE_OK; i++)
        st = statistic_listed(o->statistics, i, &kind, err);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

kedge_status ingest_check(const kedge_ingest_opts *o, size_t count,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (count == 0 && o->source == NULL)
        return kedge_fail(err, KEDGE_EINVAL, "no source to read");
    if (o->source != NULL && (count > 0 || o->vocabulary != NULL ||
                              o->format != KEDGE_FORMAT_AUTO))
        return kedge_fail(err, KEDGE_EINVAL, "beside documents from memory "
                          "no files, formats and vocabularies are read");
    if (o->source != NULL)
        TRY(reader_given_check(o->source, err));
    if (o->width != 0 && (o->width < 16 || o->width > 8192))
        return kedge_fail(err, KEDGE_EINVAL,
                          "width of the sketch: %llu is not in 16 to 8192",
                          (unsigned long long)o->width);
    if (o->batch != NULL && (o->batch[0] == '\0' || strlen(o->batch) > 63))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a batch's name has 1 to 63 bytes");
    if ((unsigned)o->digits > KEDGE_DIGITS_NO)
        return kedge_fail(err, KEDGE_EINVAL, "digits: there is no choice %d",
                          (int)o->digits);
    TRY(statistic_check_tokens(o->min_tokens, err));
    TRY(ingest_check_statistics(o, err));
out:
    return st;
}

static kedge_status ingest_load(ingest *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_settings settings;

    TRY(store_begin_read(g->s, &txn, err));
    TRY(store_get_totals(txn, &g->totals, err));
    if (g->f.idle && g->totals.words > 0)
        TRY(plan_storing(g->totals.words, g->totals.word_bytes, g->control,
                         &(ingest_plan){0}, err));
    TRY(plan_get_words(txn, g->control, &g->vocabulary, err));
    TRY(store_get_settings(txn, &settings, NULL, err));
    g->no_first_view = settings.no_first_view;
    g->settled = settings.texts;
    g->stored_words = g->vocabulary.count;
out:
    store_abort(&txn);
    return st;
}

/* Zeros for the words that are not counted yet. */
static kedge_status ingest_count_more(ingest *g, kedge_error *err)
{
    const size_t from = g->counted, count = g->vocabulary.count;

    if (!mem_grow((void **)&g->tf, &g->tf_capacity, count, sizeof *g->tf) ||
        !mem_grow((void **)&g->df, &g->df_capacity, count, sizeof *g->df))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    for (size_t id = from; id < count; id++)
        g->tf[id] = g->df[id] = 0;
    g->counted = count;
    return KEDGE_OK;
}

static kedge_status ingest_counts(ingest *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(ingest_count_more(g, err));
    TRY(store_begin_read(g->s, &txn, err));
    TRY(store_get_counts(txn, g->tf, g->df, g->stored_words, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- turns --------------------------------------------------------------- */

static kedge_status ingest_next(void *data, slot *out, kedge_error *err)
{
    ingest *g = data;

    return intake_next(&g->in, out, err);
}

/* What the next turn may be, and the next source. */
static void ingest_limit(ingest *g)
{
    g->in.limits = slot_limits_of(g->plan.halvings);
    if (g->f.idle)
        g->in.limits.documents =
            plan_documents(&g->plan, g->totals.documents);
    g->in.room = g->plan.room;
}

static void ingest_tell_plan(const ingest *g)
{
    const ingest_plan *const plan = &g->plan;
    char total[16], budget[16], made[80];

    if (!g->f.idle)
        snprintf(made, sizeof made, "sketch %zu words x %llu%s",
                 g->vocabulary.count, (unsigned long long)plan->width,
                 plan->spilled ? ", in a file-backed mapping" : "");
    run_log(g->control,
            "memory: %s at most, up to the budget of %s where documents are "
            "large or bring many words; %s",
            plan_size(g->out->planned_memory, total),
            plan_size(g->control->memory, budget),
            g->f.idle ? "documents only; fit makes the sketch" : made);
}

#define TOLD_SHARE 4 /* it is told again when it is so much more */

/* As much as was planned at any time, for what has come so far. */
static void ingest_tell_memory(ingest *g, uint64_t entries)
{
    const uint64_t planned =
        (g->f.idle ? g->plan.most : g->plan.total) +
        plan_large(&g->plan, g->in.widest, entries);

    if (g->out->planned_memory >= planned)
        return;
    g->out->planned_memory = planned;
    if (g->told > 0 && planned > g->told + g->told / TOLD_SHARE) {
        ingest_tell_plan(g);
        g->told = planned;
    }
}

/* Texts bring words, and what they take was not known before: turns become
 * smaller, or there is no room for more. */
static kedge_status ingest_plan_again(ingest *g, size_t coming,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *w = &g->vocabulary;
    plan_input *const in = &g->plan.input;
    const uint64_t stored = g->totals.documents + coming;

    if (!g->f.idle)
        return KEDGE_OK;
    if (in->stored < stored)
        in->stored = stored;
    TRY(plan_storing(w->count, words_bytes(w), g->control, &g->plan,
                     err));
    ingest_limit(g);
out:
    return st;
}

static uint64_t batch_tokens(const docs *d)
{
    uint64_t tokens = 0;

    for (size_t m = 0; m < d->count; m++)
        tokens += d->length[m];
    return tokens;
}

/* What is not to be stored leaves the slot, before it is anywhere else. */
static kedge_status ingest_tell_apart(ingest *g, slot *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    docs *d = &s->batch;
    identity *const i = &g->same;

    i->part = s->part;
    i->parts = s->parts;
    if (i->dedupe || identity_has_folder(i))
        TRY(digests_learn(&g->digests, &g->vocabulary, err));
    i->left = s->left;
    i->lefts = s->lefts;
    TRY(identity_check(i, d, err));
    if (i->outs == 0)
        return KEDGE_OK;
    intake_discount(&g->in, s, i->out, i->outs);
    slot_drop(s, i->out, i->outs);
    if (i->refused)
        s->parts = i->refused_part;
    TRY(digests_learn(&g->digests, &g->vocabulary, err));
    s->digest[0] = s->digest[1] = 0;
    for (size_t m = 0; m < d->count; m++)
        digest_add(s->digest, digest_document(&g->digests, d, m));
    if (!g->f.idle)
        TRY(window_fill(&s->w, d, g->vocabulary.count, g->f.view.min_tokens,
                        err));
out:
    return st;
}

/* The words that the slot brought, room to count them, and whether the store
 * has its documents. */
static kedge_status ingest_begin(void *data, slot *coming, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ingest *g = data;

    TRY(intake_learn(&g->in, err));
    TRY(ingest_plan_again(g, coming->batch.count, err));
    TRY(ingest_count_more(g, err));
    ingest_tell_memory(g, slot_largest(&coming->batch));
    TRY(ingest_tell_apart(g, coming, err));
out:
    return st;
}

static void ingest_add_counts(ingest *g, const docs *d)
{
    const size_t entries = docs_entries(d);

    for (size_t k = 0; k < entries; k++) {
        g->tf[d->word[k]] += d->tally[k];
        g->df[d->word[k]]++;
    }
}

static void ingest_add_totals(ingest *g, const slot *done)
{
    store_totals *t = &g->totals;
    const uint64_t tokens = batch_tokens(&done->batch);

    t->documents += done->batch.count;
    t->tokens += tokens;
    t->nonzeros += docs_entries(&done->batch);
    t->words = g->vocabulary.count;
    t->word_bytes = words_bytes(&g->vocabulary);
    t->blocks += done->blocks;
    t->digest[0] += done->digest[0];
    t->digest[1] += done->digest[1];
    for (size_t p = 0; p < done->parts; p++)
        if (t->sources <= done->part[p].source)
            t->sources = done->part[p].source + 1;
    g->out->documents += done->batch.count;
    g->out->tokens += tokens;
    g->out->nonzeros += docs_entries(&done->batch);
    g->out->counted += done->w.counted;
    for (size_t m = 0; m < done->batch.count; m++)
        g->out->too_short += done->batch.length[m] < g->f.view.min_tokens;
}

/* Documents that have a newer one in this slot leave the store. */
static kedge_status ingest_replace(ingest *g, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    removal r = {.txn = txn, .digests = &g->digests, .tf = g->tf, .df = g->df,
                 .totals = &g->totals};

    if (g->same.olds == 0)
        return KEDGE_OK;
    TRY(digests_learn(&g->digests, &g->vocabulary, err));
    TRY(identity_replace(&g->same, &r, err));
out:
    removal_free(&r);
    return st;
}

static kedge_status ingest_put_ids(ingest *g, store_txn *txn, const slot *done,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *d = &done->batch;

    for (size_t b = 0; b < done->blocks; b++) {
        const size_t end =
            b + 1 < done->blocks ? done->block[b + 1].first : d->count;
        for (size_t m = done->block[b].first; m < end; m++)
            if (docs_id(d, m).size > 0)
                TRY(store_put_id(
                    txn, docs_id(d, m),
                    (store_place){g->totals.blocks + b, d->position[m]}, err));
    }
out:
    return st;
}

/* How texts are cut is settled by the first. */
static kedge_status ingest_settle(ingest *g, store_txn *txn, const slot *done,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if ((g->settled && !g->in.cutting.renamed) ||
        !(g->texts != NULL || done->texts))
        return KEDGE_OK;
    TRY(cutting_put(g->texts != NULL ? g->texts : &g->in.cutting, txn, err));
    g->in.cutting.renamed = false;
    g->settled = true;
out:
    return st;
}

/* What left the source since its record was read stays told. */
static kedge_status ingest_put_source(store_txn *txn, const slot_part *part,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_source record = part->record, stored = {0};

    st = store_get_source_record(txn, part->source, &stored, err);
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    record.when = (uint64_t)time(NULL);
    record.removed_documents = stored.removed_documents;
    record.removed_tokens = stored.removed_tokens;
    record.removed_nonzeros = stored.removed_nonzeros;
    TRY(store_put_source(txn, part->source, &record, err));
out:
    return st;
}

static kedge_status ingest_put(ingest *g, store_txn *txn, slot *done,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(ingest_replace(g, txn, err));
    if (g->stored_words < g->vocabulary.count)
        TRY(store_put_words(txn, &g->vocabulary, g->stored_words, err));
    TRY(slot_put(done, txn, g->totals.blocks, err));
    TRY(ingest_put_ids(g, txn, done, err));
    ingest_add_counts(g, &done->batch);
    TRY(store_put_counts(txn, g->tf, g->df, g->vocabulary.count, err));
    for (size_t p = 0; p < done->parts; p++)
        TRY(ingest_put_source(txn, &done->part[p], err));
    ingest_add_totals(g, done);
    TRY(store_put_totals(txn, &g->totals, err));
    if (!g->declared)
        TRY(store_put_view(txn, FOLLOW_VIEW, &g->declaration, err));
    TRY(ingest_settle(g, txn, done, err));
out:
    return st;
}

/* One transaction: documents, counts, ledger and totals, or nothing. What is
 * encoded here does not keep the thread that reads. */
static kedge_status ingest_commit(void *data, slot *done, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    ingest *g = data;

    TRY(slot_encode(done, err));
    TRY(store_begin_write(g->s, &txn, err));
    TRY(ingest_put(g, txn, done, err));
    TRY(store_commit(&txn, err));
    g->stored_words = g->vocabulary.count;
    g->declared = true;
out:
    store_abort(&txn);
    return st;
}

/* Of files what was read; of other stores' documents, those that came. */
static void ingest_tell(const ingest *g)
{
    const feed *const from = g->in.from;
    const uint64_t came =
        g->out->documents + g->in.resumed + g->same.skipped;
    kedge_progress now = {.stage = "reading", .done = g->in.bytes_read,
                          .total = g->in.bytes_total, .unit = "bytes",
                          .documents = g->out->documents,
                          .seconds = clock_seconds() - g->start};

    if (from != NULL) {
        now.unit = "documents";
        now.total = from->documents;
        now.done = came < now.total ? came : now.total;
    }
    run_progress(g->control, &now);
}

static kedge_status ingest_after(void *data, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ingest *g = data;

    ingest_tell(g);
    if (g->same.refused)
        TRY(kedge_fail(err, KEDGE_EFORMAT, "%s", g->same.why.text));
    if (g->f.z == NULL)
        return KEDGE_OK;
    g->f.view.blocks = g->totals.blocks;
    TRY(follow_save_at_times(&g->f, err));
out:
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

/* What is asked for must be what the store's sketch is; 0 asks for nothing. */
static kedge_status ingest_agree(const kedge_ingest_opts *asked,
                                 const store_view *view, kedge_error *err)
{
    if ((asked->width != 0 && asked->width != view->width) ||
        (asked->seed != 0 && asked->seed != view->seed) ||
        (asked->min_tokens != 0 && asked->min_tokens != view->min_tokens))
        return kedge_fail(err, KEDGE_EINVAL,
                          "the store's sketch was made with width %llu, seed "
                          "%llu and documents of %llu tokens or more; leave "
                          "these options out, or begin a new store",
                          (unsigned long long)view->width,
                          (unsigned long long)view->seed,
                          (unsigned long long)view->min_tokens);
    return KEDGE_OK;
}

/* The view as it begins, where there is none yet. */
static kedge_status ingest_first_view(const ingest *g, store_view *view,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t kind = STATISTIC_USUAL;

    if (g->opts->statistics != NULL)
        TRY(statistic_listed(g->opts->statistics, 0, &kind, err));
    *view = (store_view){.statistic = kind,
                         .weight_bits = statistic_weight_bits(kind),
                         .value_bits = statistic_value_bits(kind),
                         .width = g->opts->width,
                         .seed = statistic_seed(g->opts->seed),
                         .min_tokens =
                             statistic_min_tokens(g->opts->min_tokens)};
out:
    return st;
}

static bool ingest_asks_for_sketch(const kedge_ingest_opts *o)
{
    return o->statistics != NULL || o->width != 0 || o->seed != 0 ||
           o->min_tokens != 0;
}

#define DOCUMENT_TEXT 1024 /* bytes of one, about; fewer are seen */

static kedge_status ingest_plan_memory(ingest *g, store_view *view,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    ingest_plan *const plan = &g->plan;
    plan_input input;
    const size_t words_count = g->vocabulary.count;

    TRY(ingest_first_view(g, view, err));
    TRY(store_begin_read(g->s, &txn, err));
    st = store_get_view_record(txn, FOLLOW_VIEW, view, err);
    store_abort(&txn);
    if (st == KEDGE_OK)
        TRY(ingest_agree(g->opts, view, err));
    if (st != KEDGE_OK && st != KEDGE_ENOTFOUND)
        goto out;
    if (st == KEDGE_ENOTFOUND && ingest_asks_for_sketch(g->opts) &&
        (!ingest_has_words(g->opts) || g->no_first_view))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "nothing is sketched while reading, for %s: say "
                       "--statistic, --sketch, --seed and --min-tokens to "
                       "'kedge fit', which makes the sketch",
                       g->no_first_view ? "the view of all words was dropped"
                                        : "no vocabulary came along"));
    intake_measure(&g->in, &input);
    input.stored = g->totals.documents + input.text / DOCUMENT_TEXT;
    TRY(plan_ingest(
        &(sketch_shape){.input = input, .width = view->width,
                          .vocabulary = words_count,
                          .word_bytes = words_bytes(&g->vocabulary),
                          .damped = statistic_damped(view->statistic)},
        g->f.idle, g->control, plan, err));
    view->width = plan->width;
    ingest_tell_memory(g, 0);
    g->out->width =
        ingest_has_words(g->opts) && !g->no_first_view ? plan->width : 0;
    g->out->mapped = plan->spilled;
    g->f.halvings = plan->halvings;
    ingest_limit(g);
    g->told = g->out->planned_memory;
    ingest_tell_plan(g);
out:
    return st;
}

static kedge_status ingest_run(ingest *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const follow_turns turns = {.data = g, .begin = ingest_begin,
                                .next = ingest_next,
                                .commit = ingest_commit,
                                .after = ingest_after};

    if (!g->f.idle && g->f.view.blocks < g->totals.blocks)
        TRY(follow_catch_up(&g->f, err));
    ingest_tell(g);
    TRY(follow_run(&g->f, &turns, err));
    if (g->f.idle)
        goto out;
    g->f.view.blocks = g->totals.blocks;
    TRY(follow_catch_up(&g->f, err));
    if (follow_is_ahead(&g->f))
        TRY(follow_save(&g->f, err));
out:
    return st;
}

/* How much was passed over, and the first of it. */
static void ingest_tell_notes(const ingest *g, const notes *n,
                              const char *noun, const char *what)
{
    if (n->count > 0)
        run_log(g->control, "%llu %s%s %s%s:", (unsigned long long)n->count,
                noun, n->count == 1 ? "" : "s", what,
                n->count > NOTES_LINES ? ", the first" : "");
    for (size_t i = 0; i < NOTES_LINES && n->line[i][0] != '\0'; i++)
        run_log(g->control, "  %s", n->line[i]);
}

static void ingest_report(ingest *g, double start)
{
    kedge_ingest_result *o = g->out;

    intake_tell(&g->in);
    o->sources = g->in.sources;
    o->sources_known = g->in.sources_known;
    o->resumed = g->in.resumed + g->same.unchanged;
    o->duplicates = g->same.skipped;
    o->replaced = g->same.replaced;
    o->emptied = g->same.emptied;
    o->same = g->same.same;
    o->empty = g->in.empty;
    o->taken_back = g->in.taken_back;
    o->bad = g->in.bad.count;
    o->unread = g->in.unread.count;
    memcpy(o->first_unread, g->in.unread.line[0], sizeof o->first_unread);
    o->not_text = g->in.not_text;
    o->not_utf8 = g->in.not_utf8;
    memcpy(o->first_not_utf8, g->in.first_not_utf8,
           sizeof o->first_not_utf8);
    o->hidden = g->in.hidden;
    o->files = g->in.files;
    o->tables = g->in.tables;
    o->unbroken = g->in.unbroken;
    o->special = g->in.others;
    o->words = g->vocabulary.count;
    o->min_tokens = g->f.view.min_tokens;
    o->bytes_read = g->in.bytes_read;
    o->bytes_text = g->in.bytes_text;
    o->seconds = clock_seconds() - start;
    o->peak_memory = memory_peak();
    ingest_tell_notes(g, &g->in.bad, "malformed record", "skipped");
    ingest_tell_notes(g, &g->in.unread, "file", "not read, or cut short");
}

/* Words that nobody cut are told of: a model of them would be of phrases. */
static void ingest_tell_unbroken(const ingest *g)
{
    if (g->in.unbroken > 0)
        run_log(g->control,
                "%llu of %llu texts (%.1f %%) are in Thai, Lao, Khmer or "
                "Burmese, which have no blanks between words, and are cut at "
                "blanks alone: put blanks between their words first (ICU's "
                "word breaks do), or they make no topics",
                (unsigned long long)g->in.unbroken,
                (unsigned long long)g->in.texts_read,
                100 * (double)g->in.unbroken / (double)g->in.texts_read);
}

/* What only reading needed, so that views that follow have its room. */
static void ingest_rest(ingest *g)
{
    follow_close(&g->f);
    intake_rest(&g->in);
    digests_free(&g->digests);
    mem_free(g->tf);
    mem_free(g->df);
    g->tf = g->df = NULL;
}

static void ingest_free(ingest *g)
{
    ingest_rest(g);
    intake_close(&g->in);
    identity_free(&g->same);
    words_free(&g->vocabulary);
}

kedge_status ingest_sources(kedge_store *s, const ingest_input *input,
                            const kedge_ingest_opts *opts,
                            const kedge_control *control,
                            kedge_ingest_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    /* Where the words are only found while reading, the sketch is made from
     * the store, of those that are worth it. */
    ingest g = {.s = s, .opts = opts, .control = control, .out = out,
                .start = start,
                .texts = input->texts,
                .in = {.path = {.given = input->paths, .count = input->count},
                       .from = input->from},
                .same = {.s = s, .rule = opts->on_duplicate,
                         .dedupe = opts->dedupe, .digests = &g.digests},
                .f.idle = opts->no_sketch || !ingest_has_words(opts)};
    pool *p = NULL;

    *out = (kedge_ingest_result){0};
    TRY(ingest_load(&g, err));
    g.f.idle |= g.no_first_view;
    TRY(intake_open(&g.in, s, &g.vocabulary, opts, control, err));
    if (input->prepare != NULL)
        TRY(input->prepare(input->data, &g.in.ids, err));
    TRY(ingest_counts(&g, err));
    TRY(ingest_plan_memory(&g, &g.f.view, err));
    if (opts->dedupe) {
        TRY(digests_learn(&g.digests, &g.vocabulary, err));
        TRY(identity_learn(&g.same, err));
    }
    TRY(pool_open(control, &p, err));
    g.f = (follow){.s = s, .control = control, .p = p, .view = g.f.view,
                   .vocabulary = &g.vocabulary, .idle = g.f.idle,
                   .halvings = g.plan.halvings};
    TRY(follow_open(&g.f, g.plan.spilled, err));
    g.declaration = g.f.view;
    g.declared = g.f.exists || g.no_first_view || !ingest_has_words(opts);
    TRY(ingest_run(&g, err));
    if (!g.settled && input->from == NULL)
        cutting_tell_unused(&g.in.cutting, control);
    ingest_tell_unbroken(&g);
    if (g.totals.documents == 0)
        run_log(control, "no documents came, and the store has none");
    ingest_rest(&g);
    if (opts->statistics != NULL)
        TRY(beside_add(s, opts->statistics, err));
    if (!opts->no_sketch)
        TRY(views_follow(s, &g.vocabulary,
                         g.f.idle ? VIEWS_ALL : FOLLOW_VIEW, control, p, err));
out:
    ingest_report(&g, start);
    ingest_free(&g);
    pool_free(p);
    return st;
}

kedge_status kedge_ingest(kedge_store *s, const char *const *sources,
                          size_t count, const kedge_ingest_opts *opts,
                          const kedge_control *control,
                          kedge_ingest_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_ingest_result){0};
    API_ENTER(err, {"store", s}, {"out", out});
    API_TEXTS(err, "sources", sources, count);
    API_USUAL(kedge_ingest_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    ingest_input input = {.paths = sources, .count = count};
    const char *name;

    TRY(ingest_check(opts, count, err));
    if (opts->source != NULL) {
        name = reader_given_name(opts->source);
        input = (ingest_input){.paths = &name, .count = 1};
    }
    TRY(reader_find(sources, count, err));
    TRY(ingest_sources(s, &input, opts, control, out, err));
out:
    return api_leave(st, err);
}
