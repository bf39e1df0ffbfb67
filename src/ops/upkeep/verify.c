/* SPDX-License-Identifier: MIT */
/*
 * First the store looks at each record by itself and at what it refers to
 * (store_scan). Only when all are whole the documents are counted again, held
 * against what is kept of them, and all is summed up.
 */
#include <kedge/verify.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/index/index.h"
#include "ops/index/recount.h"
#include "ops/models/model.h"
#include "ops/parts/parts.h"
#include "ops/plan.h"
#include "ops/infer/saved.h"

#define WORDS_NAMED 20 /* with wrong counts; the others are a number */

typedef struct verify {
    store_txn *txn;
    kedge_verify_found *found;
    void *data;
    const kedge_control *control;
    kedge_verify_result *out;
    store_totals totals;
    words all;
    uint32_t *order; /* of all words by their bytes */
    index_list indexes;
    recount now;
    double start;
    uint64_t *tf, *df; /* as they are kept */
    kedge_status stopped; /* by the caller, with its error */
    kedge_error why;
} verify;

KEDGE_PRINTF(3, 4)
static void report(verify *v, const char *what, const char *format, ...)
{
    char why[300];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    v->out->damaged++;
    if (v->found != NULL)
        v->found(v->data, what, why);
}

/* ---- records ------------------------------------------------------------- */

static bool goes_on(verify *v)
{
    if (v->stopped == KEDGE_OK)
        v->stopped = run_check(v->control, &v->why);
    return v->stopped == KEDGE_OK;
}

/* The reason may begin with the record's name, which is said already. */
static bool record_found(void *data, const char *what, const kedge_error *why)
{
    const size_t named = strlen(what);
    const bool again = strncmp(why->text, what, named) == 0 &&
                       strncmp(why->text + named, " is ", 4) == 0;

    report(data, what, "%s", again ? why->text + named + 1 : why->text);
    return goes_on(data);
}

static bool records_read(void *data, uint64_t done, uint64_t total)
{
    verify *v = data;

    run_progress(v->control,
                 &(kedge_progress){.stage = "records",
                                   .done = done,
                                   .total = total,
                                   .unit = "records",
                                   .seconds = clock_seconds() - v->start});
    return goes_on(v);
}

static kedge_status verify_records(verify *v, kedge_error *err)
{
    const store_watcher watcher = {record_found, records_read, v};
    store_scanned counts;

    PASS(store_scan(v->txn, &watcher, &counts, err));
    v->out->records = counts.records;
    return goes_on(v) ? KEDGE_OK
                      : kedge_fail(err, v->stopped, "%s", v->why.text);
}

/* ---- documents and words ------------------------------------------------- */

static void verify_totals(verify *v)
{
    const store_totals *const t = &v->totals;
    const struct {
        const char *name;
        uint64_t kept, counted;
    } totals[] = {
        {"documents", t->documents, v->now.all.documents},
        {"tokens", t->tokens, v->now.all.tokens},
        {"non-zeros", t->nonzeros, v->now.all.nonzeros},
        {"words", t->words, v->all.count},
        {"bytes of words", t->word_bytes, words_bytes(&v->all)},
    };

    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        if (totals[i].kept != totals[i].counted)
            report(v, "totals", "%" PRIu64 " %s, counted %" PRIu64,
                   totals[i].kept, totals[i].name, totals[i].counted);
    if (memcmp(t->digest, v->now.digest, sizeof t->digest) != 0)
        report(v, "totals",
               "digest %016" PRIx64 "%016" PRIx64
               ", of the documents %016" PRIx64 "%016" PRIx64,
               t->digest[0], t->digest[1], v->now.digest[0],
               v->now.digest[1]);
}

static kedge_status verify_sources(verify *v, kedge_error *err)
{
    store_source r;
    char what[40];

    for (uint64_t i = 0; i < v->totals.sources; i++) {
        const recount_sums *const now = &v->now.of[i];
        PASS(store_get_source_record(v->txn, i, &r, err));
        if (recount_is_told(now, &r))
            continue;
        snprintf(what, sizeof what, "source %" PRIu64, i);
        report(v, what,
               "%" PRIu64 " documents of %" PRIu64 " tokens and %" PRIu64
               " non-zeros, counted %" PRIu64 ", %" PRIu64 " and %" PRIu64,
               r.documents - r.removed_documents, r.tokens - r.removed_tokens,
               r.nonzeros - r.removed_nonzeros, now->documents, now->tokens,
               now->nonzeros);
    }
    return KEDGE_OK;
}

static void verify_words(verify *v)
{
    uint64_t wrong = 0;
    char what[120];

    for (size_t id = 0; id < v->all.count; id++) {
        const size_t size = words_size(&v->all, id);
        v->out->words += v->now.df[id] > 0;
        if ((v->tf[id] == v->now.tf[id] && v->df[id] == v->now.df[id]) ||
            wrong++ >= WORDS_NAMED)
            continue;
        snprintf(what, sizeof what, "word %zu, \"%.*s\"", id,
                 size < 80 ? (int)size : 80, words_get(&v->all, id));
        report(v, what,
               "tf %" PRIu64 " and df %" PRIu64 ", counted %" PRIu64
               " and %" PRIu64,
               v->tf[id], v->df[id], v->now.tf[id], v->now.df[id]);
    }
    if (wrong > WORDS_NAMED)
        report(v, "words", "%" PRIu64 " more with other counts",
               wrong - WORDS_NAMED);
}

/* Documents that are elsewhere cannot be counted again, only added; the words'
 * counts of all parts have to be as many as the parts say. */
static kedge_status add_parts(verify *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = v->all.count;
    uint64_t *tf = NULL, *df = NULL, tokens = 0, nonzeros = 0;
    store_part sum;

    TRY(store_sum_parts(v->txn, &v->totals, &sum, err));
    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_get_part_counts(v->txn, tf, df, n, err));
    for (size_t id = 0; id < n; id++) {
        tokens += tf[id];
        nonzeros += df[id];
        v->now.tf[id] += tf[id];
        v->now.df[id] += df[id];
    }
    if (tokens != sum.tokens || nonzeros != sum.nonzeros)
        report(v, "counts of parts",
               "%" PRIu64 " tokens and %" PRIu64 " non-zeros, the parts have %"
               PRIu64 " and %" PRIu64, tokens, nonzeros, sum.tokens,
               sum.nonzeros);
    v->out->elsewhere = sum.documents;
    v->now.all.documents += sum.documents;
    v->now.all.tokens += sum.tokens;
    v->now.all.nonzeros += sum.nonzeros;
    v->now.digest[0] += sum.digest[0];
    v->now.digest[1] += sum.digest[1];
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

static kedge_status verify_documents(verify *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = v->all.count;
    kedge_verify_result *const out = v->out;

    TRY_MEM(v->tf = mem_new(n, sizeof *v->tf));
    TRY_MEM(v->df = mem_new(n, sizeof *v->df));
    TRY(store_get_counts(v->txn, v->tf, v->df, n, err));
    TRY(recount_documents(&v->now, v->txn, &v->all, &v->totals, v->control,
                          err));
    if (v->totals.parts > 0)
        TRY(add_parts(v, err));
    verify_totals(v);
    TRY(verify_sources(v, err));
    verify_words(v);
    out->documents = v->now.all.documents;
    out->tokens = v->now.all.tokens;
    out->nonzeros = v->now.all.nonzeros;
    memcpy(out->documents_digest, v->now.digest, sizeof v->now.digest);
    out->vocabulary_digest = recount_vocabulary_digest(&v->now, &v->all);
out:
    return st;
}

/* ---- indexes, models, saved proportions ---------------------------------- */

/* Documents that are very long count more than once in a sketch, and none less
 * than once. */
static void verify_marks(verify *v, uint32_t number, const store_index *index,
                         bool current)
{
    const store_totals *const t = &v->totals;
    const struct {
        const char *name;
        uint64_t mark, most;
        bool checked;
    } marks[] = {
        {"blocks", index->blocks, t->blocks, true},
        {"removals", index->removals, t->removals, true},
        {"parts", index->parts, t->parts, true},
        {"words", index->words, t->words, true},
        {"documents that are too short", index->skipped, t->documents, current},
        {"tokens", index->tokens, t->tokens, current},
    };
    char what[40];

    snprintf(what, sizeof what, "index %" PRIu32, number);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i].mark > marks[i].most && marks[i].checked)
            report(v, what, "%" PRIu64 " %s, the store has %" PRIu64,
                   marks[i].mark, marks[i].name, marks[i].most);
    if (current && index->documents + index->skipped < t->documents)
        report(v, what,
               "%" PRIu64 " documents and %" PRIu64
               " that are too short, the store has %" PRIu64,
               index->documents, index->skipped, t->documents);
}

static kedge_status verify_indexes(verify *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_verify_result *const out = v->out;

    TRY_MEM(out->indexes = mem_new(v->indexes.count, sizeof *out->indexes));
    for (size_t i = 0; i < v->indexes.count; i++) {
        const uint32_t number = v->indexes.at[i].number;
        const store_index *const index = &v->indexes.at[i].record;
        const bool current = store_index_is_current(index, &v->totals);
        out->indexes[i] = (kedge_verified_index){.number = number,
                                                 .current = current};
        verify_marks(v, number, index, current);
        TRY(rows_digest(v->txn, &v->all, v->order, number, index, v->control,
                        &out->indexes[i].digest, err));
        out->index_count++;
    }
out:
    return st;
}

static kedge_status verify_models(verify *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_verify_result *const out = v->out;
    size_t capacity = 0;
    char name[64];

    for (;;) {
        TRY(run_check(v->control, err));
        st = store_get_model_name(v->txn, out->model_count, name, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        TRY_GROW(out->models, capacity, out->model_count + 1);
        kedge_verified_model *const to = &out->models[out->model_count];
        *to = (kedge_verified_model){0};
        memcpy(to->name, name, sizeof name);
        TRY(model_digest(v->txn, name, &to->digest, err));
        out->model_count++;
    }
out:
    return st;
}

/* Saved proportions: each is of a document that is there or gone, and none is
 * missing. */
static kedge_status verify_kept(verify *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    saved_walk walk = {.txn = NULL};
    saved_set set;
    char model[64];

    for (uint64_t i = 0;; i++) {
        bool more = true;
        st = store_get_kept_name(v->txn, i, model, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        st = saved_find(v->txn, model, &set, err);
        if (st == KEDGE_ENOTFOUND) /* of a model that is gone, or another */
            continue;
        TRY(st);
        walk = (saved_walk){.txn = v->txn, .set = &set, .documents = true};
        while (more) {
            TRY(run_check(v->control, err));
            TRY(saved_walk_next(&walk, &more, err));
        }
        saved_walk_close(&walk);
        walk = (saved_walk){.txn = NULL};
    }
out:
    saved_walk_close(&walk);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

/* What cannot be read here is what the scan reports. */
static kedge_status pass_damage(kedge_status st)
{
    return st == KEDGE_ECORRUPT || st == KEDGE_EVERSION ||
                   st == KEDGE_ENOTFOUND
               ? KEDGE_OK
               : st;
}

/* ENOTFOUND past the last model. */
static kedge_status largest_model(store_txn *txn, uint64_t *largest,
                                  kedge_error *err)
{
    kedge_model m;
    char name[64];

    for (uint64_t i = 0;; i++) {
        PASS(store_get_model_name(txn, i, name, err));
        PASS(model_get_header(txn, name, &m, err));
        if (m.words * m.topics > *largest)
            *largest = m.words * m.topics;
    }
}

static kedge_status plan(verify *v, kedge_error *err)
{
    const uint64_t n = v->totals.words;
    uint64_t width = 0, largest = 0;

    PASS(pass_damage(index_list_load(&v->indexes, v->txn, err)));
    for (size_t i = 0; i < v->indexes.count; i++)
        if (v->indexes.at[i].record.width > width)
            width = v->indexes.at[i].record.width;
    PASS(pass_damage(largest_model(v->txn, &largest, err)));
    return plan_walk(&(walk_shape){.what = "verifying", .threads = 1,
                                   .vocabulary = n,
                                   .word_bytes = v->totals.word_bytes,
                                   .blocks = 1,
                                   .more = v->totals.sources *
                                               sizeof *v->now.of +
                                           64 * n +
                                           memory_rows_digest(width, n) +
                                           8 * largest +
                                           memory_portion()},
                     v->control, &v->out->planned_memory, err);
}

static kedge_status load(verify *v, kedge_error *err)
{
    const kedge_status whole = store_get_totals(v->txn, &v->totals, err);
    kedge_status st = pass_damage(whole);
    store_part first;
    size_t twin;

    TRY(st);
    v->out->has_parts = v->totals.parts > 0;
    if (whole != KEDGE_OK) { /* then there may be something of a part */
        st = store_get_part(v->txn, 0, &first, err);
        v->out->has_parts = st != KEDGE_ENOTFOUND;
        TRY(pass_damage(st));
    }
    TRY(plan(v, err));
    TRY(pass_damage(store_get_words(v->txn, &v->all, err)));
    TRY_MEM(v->order = words_order(&v->all, &twin));
out:
    return st;
}

/* Damage that is met here, after a scan without any, is reported as well. */
static kedge_status verify_contents(verify *v, kedge_error *err)
{
    kedge_error why = {0};
    kedge_status st = verify_documents(v, &why);

    if (st == KEDGE_OK)
        st = verify_indexes(v, &why);
    if (st == KEDGE_OK)
        st = verify_models(v, &why);
    if (st == KEDGE_OK)
        st = verify_kept(v, &why);
    v->out->counted = st == KEDGE_OK;
    if (st == KEDGE_OK)
        return KEDGE_OK;
    if (pass_damage(st) != KEDGE_OK)
        return kedge_fail(err, st, "%s", why.text);
    report(v, "contents", "%s", why.text);
    return KEDGE_OK;
}

kedge_status kedge_verify(kedge_store *s, kedge_verify_found *found,
                          void *data, const kedge_control *control,
                          kedge_verify_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_verify_result){0};
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    verify v = {.found = found, .data = data, .control = control,
                .out = out, .start = start};

    TRY(store_check_pages(s, err));
    TRY(store_begin_read(s, &v.txn, err));
    TRY(load(&v, err));
    TRY(verify_records(&v, err));
    if (out->damaged == 0)
        TRY(verify_contents(&v, err));
    out->seconds = clock_seconds() - start;
out:
    store_abort(&v.txn);
    recount_free(&v.now);
    words_free(&v.all);
    mem_free(v.indexes.at);
    mem_free(v.order);
    mem_free(v.tf);
    mem_free(v.df);
    if (st != KEDGE_OK)
        kedge_verify_free(out);
    return api_leave(st, err);
}

void kedge_verify_free(kedge_verify_result *result)
{
    if (result == NULL)
        return;
    mem_free(result->indexes);
    mem_free(result->models);
    *result = (kedge_verify_result){0};
}
