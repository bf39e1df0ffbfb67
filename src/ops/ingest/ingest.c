/* SPDX-License-Identifier: MIT */
/*
 * Ingestion: sources → batches → the log of documents, and the sketch of all
 * words where a vocabulary came along. Each step reads the next batch, commits
 * the one before in one transaction and adds it to the sketch, all at once. The
 * sketch is saved at the end, and now and then on long runs.
 */
#include "ops/models/model.h"
#include "ops/ingest/ingest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/index/index.h"
#include "ops/ingest/dedupe.h"
#include "ops/ingest/reading.h"
#include "ops/plan.h"
#include "io/vocabulary.h"
#include "cooccur/statistic.h"

typedef struct ingest {
    store *s;
    const kedge_ingest_opts *opts;
    const kedge_control *control;
    kedge_ingest_result *out;
    words vocabulary;
    size_t stored_words; /* of them committed */
    size_t ended;        /* sources that are committed whole */
    uint64_t *tf, *df;   /* of the first `counted` words */
    size_t counted, tf_capacity, df_capacity;
    store_totals totals;
    reading in;
    dedupe same;
    digests digests;     /* for documents that are replaced */
    open_index x;        /* of all words */
    /* The index as it began, declared with the first documents, so that its
     * width and seed hold for the runs to come, whatever becomes of this. */
    store_index declaration;
    bool no_first_index;  /* it was dropped: it does not come again */
    const text_settings *texts; /* what a feed's were cut by, or NULL */
    bool settled;        /* the store says how texts are cut */
    double start; /* seconds */
    ingest_plan plan;
    uint64_t logged; /* bytes of the plan that was logged last; 0: none was */
    doc_batch *coming, *current; /* that is read, and committed and added */
    kedge_status committed;      /* of the current one; its error */
    kedge_error error;
} ingest;

/* ---- options ------------------------------------------------------------- */

void kedge_ingest_opts_init(kedge_ingest_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_ingest_opts){0};
}

static kedge_status check_options(const kedge_ingest_opts *o, size_t count,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t kind;

    if (count == 0 && o->source == NULL)
        return kedge_fail(err, KEDGE_EINVAL, "no source to read");
    if (o->source != NULL && (count > 0 || o->vocabulary != NULL ||
                              o->format != KEDGE_FORMAT_AUTO))
        return kedge_fail(err, KEDGE_EINVAL, "documents come from memory: name "
                                             "no files, format or vocabulary");
    if (o->source != NULL)
        TRY(reader_given_check(o->source, err));
    if (o->sketch_size != 0 && (o->sketch_size < 16 || o->sketch_size > 8192))
        return kedge_fail(err, KEDGE_EINVAL,
                          "sketch size: %llu is not in 16 to 8192",
                          (unsigned long long)o->sketch_size);
    if (o->batch != NULL && (o->batch[0] == '\0' || strlen(o->batch) > 63))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a batch's name has 1 to 63 bytes");
    if (o->batch != NULL)
        PASS(naming_check("a batch's name", o->batch, err));
    if ((unsigned)o->digits > KEDGE_DIGITS_NO)
        return kedge_fail(err, KEDGE_EINVAL, "digits: unknown choice %d",
                          (int)o->digits);
    TRY(statistic_check_tokens(o->min_tokens, err));
    for (size_t i = 0; o->tf != NULL && st == KEDGE_OK; i++)
        st = statistic_listed(o->tf, i, &kind, err);
    if (st == KEDGE_ENOTFOUND) /* the end of the list */
        st = KEDGE_OK;
out:
    return st;
}

/* Whether a vocabulary comes along. */
static bool has_vocabulary(const kedge_ingest_opts *o)
{
    return vocabulary_comes(o->vocabulary, o->source);
}

/* Whether the documents have an index of all words; with no_sketch it is only
 * declared. */
static bool sketches(const ingest *g)
{
    return has_vocabulary(g->opts) && !g->no_first_index;
}

/* ---- memory -------------------------------------------------------------- */

/* What the next batch may be, and the next source. */
static void apply_plan(ingest *g)
{
    g->in.limits = batch_limits_of(g->plan.halvings);
    if (g->x.idle)
        g->in.limits.documents =
            plan_documents(&g->plan, g->totals.documents);
    g->in.room = g->plan.room;
    g->in.new_words = plan_new_words(&g->plan.input);
}

#define LOGGED_SHARE 4 /* it is logged again when it is so much more */

/* As much as was planned at any time, for what has come so far: `entries` of
 * the largest document. */
static void note_memory(ingest *g, uint64_t entries, bool first)
{
    const ingest_plan *const plan = &g->plan;
    const uint64_t planned = (g->x.idle ? plan->most : plan->total) +
                             plan_large(plan, g->in.counts.widest, entries);
    char total[16], budget[16], made[80];

    if (g->out->planned_memory < planned)
        g->out->planned_memory = planned;
    else if (!first)
        return;
    if (!first && planned <= g->logged + g->logged / LOGGED_SHARE)
        return;
    g->logged = g->out->planned_memory;
    if (!g->x.idle)
        snprintf(made, sizeof made, "sketch %zu words x %llu%s",
                 g->vocabulary.count, (unsigned long long)plan->width,
                 plan->spilled ? ", in a file-backed mapping" : "");
    run_log(g->control,
            "memory: %s at most, up to the budget of %s where documents are "
            "large or bring many words; %s",
            plan_size(g->out->planned_memory, total),
            plan_size(g->control->memory, budget),
            g->x.idle ? "documents only, without sketches" : made);
}

#define DOCUMENT_TEXT 1024 /* bytes of one, about; fewer are seen */

/* Before the first document: the index of all words as it is, or as it begins,
 * and the plan of memory. */
static kedge_status plan_memory(ingest *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_ingest_opts *const o = g->opts;
    store_index *const index = &g->x.index;
    uint32_t kind = STATISTIC_USUAL;
    store_txn *txn = NULL;
    plan_input input;

    if (o->tf != NULL)
        TRY(statistic_listed(o->tf, 0, &kind, err));
    *index = index_record(kind, o->sketch_size, o->seed, o->min_tokens);
    TRY(store_begin_read(g->s, &txn, err));
    st = store_get_index_record(txn, INDEX_ALL_WORDS, index, err);
    store_abort(&txn);
    if (st == KEDGE_OK)
        TRY(index_check_sketch(index, o->sketch_size, o->seed, o->min_tokens,
                               "the store's sketch", "leave these options "
                               "out, or begin a new store", err));
    else if (st != KEDGE_ENOTFOUND)
        goto out;
    else if (!sketches(g) && (o->tf != NULL || o->sketch_size != 0 ||
                              o->seed != 0 || o->min_tokens != 0))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "no sketch is made while reading, as %s: give --tf, "
                       "--sketch-size, --seed and --min-tokens to 'kedge fit', "
                       "which makes the sketch",
                       g->no_first_index ? "the index of all words was dropped"
                                        : "there is no vocabulary"));
    reading_measure(&g->in, &input);
    input.stored = g->totals.documents + input.text / DOCUMENT_TEXT;
    TRY(plan_ingest(
        &(sketch_shape){.input = input, .width = index->width,
                        .vocabulary = g->vocabulary.count,
                        .word_bytes = words_bytes(&g->vocabulary),
                        .damped = statistic_damped(index->statistic)},
        g->x.idle, g->control, &g->plan, err));
    index->width = g->plan.width;
    g->out->sketch_size = sketches(g) ? g->plan.width : 0;
    g->out->mapped = g->plan.spilled;
    apply_plan(g);
    note_memory(g, 0, true);
out:
    return st;
}

/* Texts bring words, and what they take was not known before: batches become
 * smaller, or there is no room for more. */
static kedge_status plan_again(ingest *g, size_t coming, kedge_error *err)
{
    plan_input *const in = &g->plan.input;
    const uint64_t stored = g->totals.documents + coming;

    if (!g->x.idle)
        return KEDGE_OK;
    in->stored = in->stored > stored ? in->stored : stored;
    PASS(plan_storing(g->vocabulary.count, words_bytes(&g->vocabulary),
                      g->control, &g->plan, err));
    apply_plan(g);
    return KEDGE_OK;
}

/* Zeros for the words that are not counted yet. */
static kedge_status count_more_words(ingest *g, kedge_error *err)
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

/* ---- a step -------------------------------------------------------------- */

static void read_batch(ingest *g, doc_batch *b)
{
    b->status = reading_next(&g->in, b, &b->error);
    if (b->status == KEDGE_OK)
        b->status = index_window(&g->x, b, &b->error);
}

/* What is not to be stored leaves the batch, before it is anywhere else. */
static kedge_status drop_duplicates(ingest *g, doc_batch *b, kedge_error *err)
{
    dedupe *const d = &g->same;

    if (d->by_content || dedupe_has_folder(b))
        PASS(digests_learn(&g->digests, &g->vocabulary, err));
    PASS(dedupe_check(d, b, err));
    if (d->outs == 0)
        return KEDGE_OK;
    reading_discount(&g->in, b, d->out, d->outs);
    batch_drop(b, d->out, d->outs);
    if (d->refused)
        b->parts = d->refused_part;
    PASS(digests_learn(&g->digests, &g->vocabulary, err));
    b->digest[0] = b->digest[1] = 0;
    for (size_t m = 0; m < b->docs.count; m++)
        digest_add(b->digest, digest_document(&g->digests, &b->docs, m));
    return index_window(&g->x, b, err);
}

static void add_counts(ingest *g, const doc_batch *b)
{
    const docs *const d = &b->docs;
    kedge_ingest_result *const o = g->out;
    store_totals *const t = &g->totals;
    const size_t entries = docs_entries(d);
    uint64_t tokens = 0;

    for (size_t k = 0; k < entries; k++) {
        g->tf[d->word[k]] += d->tally[k];
        g->df[d->word[k]]++;
    }
    for (size_t m = 0; m < d->count; m++) {
        tokens += d->length[m];
        o->too_short += d->length[m] < g->x.index.min_tokens;
    }
    t->documents += d->count;
    t->tokens += tokens;
    t->nonzeros += entries;
    t->words = g->vocabulary.count;
    t->word_bytes = words_bytes(&g->vocabulary);
    t->blocks += b->blocks;
    t->digest[0] += b->digest[0];
    t->digest[1] += b->digest[1];
    for (size_t p = 0; p < b->parts; p++)
        if (t->sources <= b->part[p].source)
            t->sources = b->part[p].source + 1;
    o->documents += d->count;
    o->tokens += tokens;
    o->nonzeros += entries;
    o->counted += b->w.counted;
}

/* Where each document with an id is. */
static kedge_status put_ids(store_txn *txn, const doc_batch *b, uint64_t first,
                            kedge_error *err)
{
    const docs *const d = &b->docs;

    for (size_t i = 0; i < b->blocks; i++) {
        const size_t end =
            i + 1 < b->blocks ? b->block[i + 1].first : d->count;
        for (size_t m = b->block[i].first; m < end; m++)
            if (docs_id(d, m).size > 0)
                PASS(store_put_id(txn, docs_id(d, m),
                                  (store_place){first + i, d->position[m]},
                                  err));
    }
    return KEDGE_OK;
}

/* What left the source since its record was read stays in it. */
static kedge_status put_source(store_txn *txn, const batch_part *part,
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

static kedge_status put_batch(ingest *g, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const doc_batch *const b = g->current;
    removal r = {.txn = txn, .digests = &g->digests, .tf = g->tf, .df = g->df,
                 .totals = &g->totals};

    if (g->same.olds > 0) { /* documents that have a newer one here leave */
        TRY(digests_learn(&g->digests, &g->vocabulary, err));
        TRY(dedupe_replace(&g->same, &r, err));
    }
    if (g->stored_words < g->vocabulary.count)
        TRY(store_put_words(txn, &g->vocabulary, g->stored_words, err));
    TRY(batch_put(b, txn, g->totals.blocks, err));
    TRY(put_ids(txn, b, g->totals.blocks, err));
    add_counts(g, b);
    TRY(store_put_counts(txn, g->tf, g->df, g->vocabulary.count, err));
    for (size_t p = 0; p < b->parts; p++)
        TRY(put_source(txn, &b->part[p], err));
    TRY(store_put_totals(txn, &g->totals, err));
    if (!g->x.exists && sketches(g))
        TRY(store_put_index(txn, INDEX_ALL_WORDS, &g->declaration, err));
    /* how texts are cut is settled by the first */
    if ((!g->settled || g->in.tokenizing.renamed) &&
        (g->texts != NULL || b->texts)) {
        TRY(text_settings_put(g->texts != NULL ? g->texts
                                               : &g->in.tokenizing,
                              txn, err));
        g->in.tokenizing.renamed = false;
        g->settled = true;
    }
out:
    removal_free(&r);
    return st;
}

/* One transaction: documents, counts, ledger and totals, or nothing. What is
 * encoded here does not keep the thread that reads. */
static void commit_batch(ingest *g)
{
    kedge_error *const err = &g->error;
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(batch_encode(g->current, err));
    TRY(store_begin_write(g->s, &txn, err));
    TRY(put_batch(g, txn, err));
    TRY(store_commit(&txn, err));
    g->stored_words = g->vocabulary.count;
    g->x.exists |= sketches(g);
out:
    store_abort(&txn);
    g->committed = st;
}

/* Of files what was read; of other stores' documents, those that came. */
static void progress(const ingest *g)
{
    const feed *const from = g->in.from;
    const uint64_t came =
        g->out->documents + g->in.resumed + g->same.skipped;
    kedge_progress now = {.stage = "reading", .done = g->in.counts.bytes_read,
                          .total = g->in.counts.bytes_total, .unit = "bytes",
                          .documents = g->out->documents,
                          .seconds = clock_seconds() - g->start};

    if (from != NULL) {
        now.unit = "documents";
        now.total = from->documents;
        now.done = came < now.total ? came : now.total;
    }
    run_progress(g->control, &now);
}

/* What is done at once: the current batch is committed, and added to the sketch
 * tile by tile, while the one after it is read. The commit comes first, so that
 * it does not wait for a slow source where there is one thread; the caller's
 * own thread reads, for reading may call back into the program. */
enum { STEP_COMMIT, STEP_READ, STEP_TILES };

static void step_task(void *data, size_t task, unsigned worker)
{
    ingest *const g = data;

    if (task == STEP_COMMIT)
        commit_batch(g);
    else if (task == STEP_READ)
        read_batch(g, g->coming);
    else
        index_tile(&g->x, g->current, task - STEP_TILES, worker);
}

/* Read, commit, add: step by step, until all sources are read. On failure or a
 * stop, what was read before is committed. */
static kedge_status read_all(ingest *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    doc_batch two[2] = {{.used = 0}};
    size_t tiles;

    progress(g);
    g->coming = &two[0];
    read_batch(g, g->coming);
    for (;;) {
        doc_batch *const b = g->current = g->coming;
        g->coming = b == &two[0] ? &two[1] : &two[0];
        if (b->last || b->status != KEDGE_OK)
            g->ended = b->ended;
        if (b->status != KEDGE_OK)
            TRY(kedge_fail(err, b->status, "%s", b->error.text));
        if (b->last)
            break;
        /* while nothing is being read: the words that the batch brought, room
         * to count them, and whether the store has its documents */
        TRY(reading_learn(&g->in, err));
        TRY(plan_again(g, b->docs.count, err));
        TRY(count_more_words(g, err));
        note_memory(g, batch_largest(&b->docs), false);
        TRY(drop_duplicates(g, b, err));
        TRY(index_begin(&g->x, b, &tiles, err));
        pool_run_own(g->x.p, STEP_TILES + tiles, STEP_READ, step_task, g);
        if (g->committed != KEDGE_OK)
            TRY(kedge_fail(err, g->committed, "%s", g->error.text));
        TRY(index_finish(&g->x, b, err));
        progress(g);
        g->ended = g->same.refused ? b->part[b->parts - 1].ended : b->ended;
        if (g->same.refused)
            TRY(kedge_fail(err, KEDGE_EFORMAT, "%s", g->same.why.text));
        if (!g->x.idle) {
            g->x.index.blocks = g->totals.blocks;
            TRY(index_save_at_times(&g->x, err));
        }
        TRY(run_check(g->control, err));
    }
out:
    batch_free(&two[0]);
    batch_free(&two[1]);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

/* Words, counts and settings of the store. */
static kedge_status load_store(ingest *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_settings settings;

    TRY(store_begin_read(g->s, &txn, err));
    TRY(store_get_totals(txn, &g->totals, err));
    if (g->x.idle && g->totals.words > 0)
        TRY(plan_storing(g->totals.words, g->totals.word_bytes, g->control,
                         &(ingest_plan){0}, err));
    TRY(plan_get_words(txn, g->control, &g->vocabulary, err));
    TRY(store_get_settings(txn, &settings, NULL, err));
    g->no_first_index = settings.no_first_index;
    g->x.idle |= g->no_first_index;
    g->settled = settings.texts;
    g->stored_words = g->vocabulary.count;
    TRY(count_more_words(g, err));
    TRY(store_get_counts(txn, g->tf, g->df, g->stored_words, err));
out:
    store_abort(&txn);
    return st;
}

/* The sketch of all words, as it is or as it begins. */
static kedge_status open_first_index(ingest *g, pool *p, kedge_error *err)
{
    open_index *const x = &g->x;

    x->s = g->s;
    x->control = g->control;
    x->p = p;
    x->vocabulary = &g->vocabulary;
    x->halvings = g->plan.halvings;
    PASS(index_open(x, g->plan.spilled, err));
    g->declaration = x->index;
    if (!x->idle && x->index.blocks < g->totals.blocks)
        PASS(index_catch_up(x, err));
    return KEDGE_OK;
}

/* Frees what only reading needed, before indexes are synced. */
static void ingest_rest(ingest *g)
{
    index_close(&g->x);
    reading_rest(&g->in);
    digests_free(&g->digests);
    mem_free(g->tf);
    mem_free(g->df);
    g->tf = g->df = NULL;
}

/* How much was passed over, and the first of it. */
static void log_notes(const ingest *g, const notes *n, const char *noun,
                      const char *what)
{
    if (n->count > 0)
        run_log(g->control, "%llu %s%s %s%s:", (unsigned long long)n->count,
                noun, n->count == 1 ? "" : "s", what,
                n->count > NOTES_LINES ? ", the first" : "");
    for (size_t i = 0; i < NOTES_LINES && n->line[i][0] != '\0'; i++)
        run_log(g->control, "  %s", n->line[i]);
}

static void report(ingest *g)
{
    const reading *const in = &g->in;
    const reader_counts *const c = &in->closed;
    kedge_ingest_result *const o = g->out;

    reading_report(&g->in);
    o->sources = in->sources;
    o->sources_known = in->sources_known;
    o->sources_unchanged = in->sources_unchanged;
    o->resumed = in->resumed + g->same.unchanged;
    o->duplicates = g->same.skipped;
    o->replaced = g->same.replaced;
    o->emptied = g->same.emptied;
    o->same = g->same.same;
    o->empty = c->empty;
    o->taken_back = c->taken_back;
    o->unnamed = c->unnamed;
    o->bad = c->bad.count;
    o->unread = c->unread.count;
    memcpy(o->first_unread, c->unread.line[0], sizeof o->first_unread);
    o->not_text = c->not_text;
    o->not_utf8 = c->not_utf8;
    memcpy(o->first_not_utf8, c->first_not_utf8, sizeof o->first_not_utf8);
    o->hidden = c->hidden;
    o->files = c->files;
    o->tables = in->tables;
    o->to_come = paths_count(&in->path) - g->ended;
    o->unbroken = c->unbroken;
    o->special = c->others;
    o->words = g->vocabulary.count;
    o->min_tokens = g->x.index.min_tokens;
    if (o->documents > 0)
        o->too_short_share = (double)o->too_short / (double)o->documents;
    o->bytes_read = in->counts.bytes_read;
    o->bytes_text = in->counts.bytes_text;
    o->seconds = clock_seconds() - g->start;
    o->peak_memory = memory_peak();
    log_notes(g, &c->bad, "malformed record", "skipped");
    log_notes(g, &c->unread, "file", "not read to the end");
    log_notes(g, &c->partial, "table", "to check");
}

/* Words that nobody cut are reported: a model of them would be of phrases. */
static void report_texts(const ingest *g)
{
    const reader_counts *const c = &g->in.counts;

    if (!g->settled && g->in.from == NULL)
        text_settings_log_unused(&g->in.tokenizing, g->control);
    if (c->unbroken > 0)
        run_log(g->control,
                "%llu of %llu texts (%.1f %%) are in Thai, Lao, Khmer or "
                "Burmese, which have no blanks between words, and are split "
                "only at blanks: put blanks between their words first (as "
                "ICU's word breaks do), or they give no topics",
                (unsigned long long)c->unbroken,
                (unsigned long long)c->texts,
                100 * (double)c->unbroken / (double)c->texts);
}

kedge_status ingest_sources(kedge_store *s, const ingest_input *input,
                            const kedge_ingest_opts *opts,
                            const kedge_control *control,
                            kedge_ingest_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    /* Where the words are only found while reading, the sketch is made from
     * the store, of those that are worth it. */
    ingest g = {.s = s, .opts = opts, .control = control, .out = out,
                .start = clock_seconds(),
                .texts = input->texts,
                .in = {.path = {.given = input->paths, .count = input->count},
                       .from = input->from},
                .same = {.s = s, .rule = opts->on_duplicate,
                         .by_content = opts->dedupe, .digests = &g.digests},
                .x.idle = opts->no_sketch || !has_vocabulary(opts)};
    pool *p = NULL;

    *out = (kedge_ingest_result){0};
    TRY(load_store(&g, err));
    TRY(reading_open(&g.in, s, &g.vocabulary, opts, control, err));
    if (input->prepare != NULL)
        TRY(input->prepare(input->data, &g.in.ids, err));
    TRY(plan_memory(&g, err));
    if (opts->dedupe) {
        TRY(digests_learn(&g.digests, &g.vocabulary, err));
        TRY(dedupe_learn(&g.same, err));
    }
    TRY(pool_open(control, &p, err));
    TRY(open_first_index(&g, p, err));
    TRY(read_all(&g, err));
    if (!g.x.idle) {
        g.x.index.blocks = g.totals.blocks;
        TRY(index_catch_up(&g.x, err)); /* what was replaced */
        if (index_is_ahead(&g.x))
            TRY(index_save(&g.x, err));
    }
    report_texts(&g);
    ingest_rest(&g);
    if (opts->tf != NULL)
        TRY(index_add_weightings(s, opts->tf, err));
    if (!opts->no_sketch)
        TRY(index_sync_all(s, &g.vocabulary,
                           g.x.idle ? INDEX_NONE : INDEX_ALL_WORDS, control, p,
                           &out->planned_memory, err));
out:
    report(&g);
    ingest_rest(&g);
    reading_close(&g.in);
    dedupe_free(&g.same);
    words_free(&g.vocabulary);
    pool_free(p);
    return st;
}

/* What a store holds is no text. */
static kedge_status refuse_stores(const char *const *sources, size_t count,
                                  kedge_error *err)
{
    char data[PATH_MAX], lock[PATH_MAX];

    for (size_t i = 0; i < count; i++) {
        const char *const name = sources[i];
        if (snprintf(data, PATH_MAX, "%s/data.mdb", name) < PATH_MAX &&
            snprintf(lock, PATH_MAX, "%s/writer.lock", name) < PATH_MAX &&
            access(data, F_OK) == 0 && access(lock, F_OK) == 0)
            return kedge_fail(err, KEDGE_EINVAL,
                              "%s is a store: kedge merge adds it", name);
    }
    return KEDGE_OK;
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

    TRY(check_options(opts, count, err));
    if (opts->source != NULL) {
        name = reader_given_name(opts->source);
        input = (ingest_input){.paths = &name, .count = 1};
    }
    TRY(reader_find(sources, count, err));
    TRY(refuse_stores(sources, count, err));
    TRY(ingest_sources(s, &input, opts, control, out, err));
out:
    return api_leave(st, err);
}

/* ---- what the store has -------------------------------------------------- */

/* Which entry of the ledger the i-th path is, or something that is found in it,
 * if it is a directory. A pipe is not looked into: it would be the less for
 * it. What is wrong with a source is said by who reads it. */
static kedge_status find_source(reading *in, size_t i, uint64_t *found,
                                const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t number = 0;
    bool known = false;

    words_free(&in->path.found);
    for (size_t next = i; !known && next < paths_count(&in->path);
         next = next == i ? in->path.count : next + 1) {
        const char *const path = paths_get(&in->path, next);
        TRY(run_check(control, err));
        if (strcmp(path, "-") == 0 || !path_is_file(path))
            continue;
        in->next = next;
        st = reading_find(in, &known, &number, err);
        if (st != KEDGE_EIO && st != KEDGE_EFORMAT && st != KEDGE_EINVAL &&
            st != KEDGE_EBUDGET)
            TRY(st);
        st = KEDGE_OK;
    }
    if (known)
        *found = number;
out:
    return st;
}

kedge_status kedge_ingest_find(kedge_store *s, const char *const *sources,
                               size_t count, const kedge_ingest_opts *opts,
                               const kedge_control *control, uint64_t *found,
                               kedge_error *err)
{
    API_ENTER(err, {"store", s});
    API_TEXTS(err, "sources", sources, count);
    API_ARRAY(err, "found", found, count);
    API_USUAL(kedge_ingest_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    reading in = {.path = {.given = sources, .count = count}};
    kedge_control silent = *control;
    ingest_plan plan = {0};
    store_totals totals;
    words all = {0};

    silent.log = NULL; /* what there is to say is said when it is read */
    for (size_t i = 0; i < count; i++)
        found[i] = KEDGE_NO_SOURCE;
    TRY(check_options(opts, count, err));
    if (opts->source != NULL)
        TRY(kedge_fail(err, KEDGE_EINVAL, "documents from memory cannot be "
                                          "planned for before they are read"));
    TRY(plan_load_words(s, control, &totals, &all, err));
    TRY(reading_open(&in, s, &all, opts, &silent, err));
    TRY(plan_storing(all.count, words_bytes(&all), control, &plan, err));
    in.limits = batch_limits_of(plan.halvings);
    in.room = plan.room;
    for (size_t i = 0; i < count; i++)
        TRY(find_source(&in, i, &found[i], control, err));
out:
    reading_close(&in);
    words_free(&all);
    return api_leave(st, err);
}
