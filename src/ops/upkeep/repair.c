/* SPDX-License-Identifier: MIT */
/*
 * Rebuilding: all documents are read and counted before anything is changed, so
 * that damage among them leaves the store as it is. Then one transaction puts
 * counts, totals and, where they are not right, ids, and takes all sketches
 * away; each sketch is made again as a new index's is. An interruption in
 * between leaves indexes without a sketch, which the next fit or the next
 * repairing makes.
 */
#include <kedge/maintain.h>

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/elsewhere.h"
#include "ops/index/index.h"
#include "ops/index/recount.h"
#include "ops/plan.h"

typedef struct repairing {
    store *s;
    store_txn *txn;
    const kedge_control *control;
    kedge_repair_result *out;
    words vocabulary;
    store_totals totals; /* as they are; then as the documents say */
    recount now;         /* of the documents */
    uint64_t ids;        /* documents that have one */
    bool ids_differ;
    index_list indexes;
    filter filter; /* of all words, which reads blocks, */
    docs batch;    /* into this */
} repairing;

static void free_documents(repairing *r)
{
    recount_free(&r->now);
    filter_close(&r->filter);
    docs_free(&r->batch);
}

/* ---- what it takes ------------------------------------------------------- */

static kedge_status plan_counting(const repairing *r, uint64_t ids,
                                  kedge_error *err)
{
    const size_t n = r->vocabulary.count;
    const walk_shape shape = {
        .what = "rebuilding",
        .vocabulary = n,
        .word_bytes = words_bytes(&r->vocabulary),
        .threads = r->control->threads,
        .blocks = 1,
        .more = memory_counts(n) + r->totals.sources * sizeof *r->now.of + ids,
    };
    uint64_t total;

    return plan_walk(&shape, r->control, &total, err);
}

/* Without ids: whether they have to be made is known later. ECORRUPT where a
 * index's list is lost, as it does not follow from the documents. */
static kedge_status plan(repairing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list list = {0};
    ingest_plan sketching;

    TRY(store_begin_read(r->s, &r->txn, err));
    TRY(plan_counting(r, 0, err));
    TRY(index_list_load(&r->indexes, r->txn, err));
    for (size_t i = 0; i < r->indexes.count; i++) {
        const index_entry *const e = &r->indexes.at[i];
        if (e->record.listed)
            st = store_get_list(r->txn, e->number, &list, err);
        if (st == KEDGE_ENOTFOUND)
            st = kedge_fail(err, KEDGE_ECORRUPT,
                            "the list of words of index %u is gone", e->number);
        TRY(st);
        /* what the totals say is yet to be counted */
        TRY(index_plan(&r->vocabulary, &(store_totals){0}, e->number,
                       &e->record, r->control, &sketching, err));
    }
out:
    store_list_free(&list);
    store_abort(&r->txn);
    return st;
}

/* ---- ids ----------------------------------------------------------------- */

/* Whether the id leads to its document; a damaged one does not. */
static kedge_status check_id(repairing *r, span id, store_place place,
                             kedge_error *err)
{
    store_place found = {0};
    const kedge_status st = store_get_id(r->txn, id, &found, err);

    r->ids++;
    if (st != KEDGE_OK && st != KEDGE_ENOTFOUND && st != KEDGE_ECORRUPT)
        return st;
    r->ids_differ |= st != KEDGE_OK || found.block != place.block ||
                     found.position != place.position;
    return KEDGE_OK;
}

/* Checks the id of each document that has one, or puts it. Blocks are read with
 * the order of their words, though nothing is made of it, so that damage there
 * is found as well. */
static kedge_status each_id(repairing *r, bool put, kedge_error *err)
{
    const docs *const d = &r->batch;
    const stage progress = stage_begin(r->control,
                                       put ? "ids" : "checking ids",
                                       r->totals.blocks, "blocks");

    for (uint64_t b = 0;; b++) {
        PASS(store_next_block(r->txn, b, r->totals.blocks, &b, err));
        PASS(stage_reach(&progress, b, err));
        if (b == r->totals.blocks)
            return KEDGE_OK;
        docs_clear(&r->batch);
        PASS(filter_read_ordered(&r->filter, r->txn, b, &r->batch, err));
        for (size_t m = 0; m < d->count; m++) {
            const span id = docs_id(d, m);
            const store_place place = {b, d->position[m]};
            if (id.size > 0)
                PASS(put ? store_put_id(r->txn, id, place, err)
                         : check_id(r, id, place, err));
        }
    }
}

/* ---- what was there ------------------------------------------------------ */

/* Counts that cannot be read are not right either. */
static kedge_status compare_counts(repairing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = r->vocabulary.count, bytes = n * sizeof(uint64_t);
    uint64_t *tf = NULL, *df = NULL;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    st = store_get_counts(r->txn, tf, df, n, err);
    if (st == KEDGE_ENOTFOUND || st == KEDGE_ECORRUPT) {
        r->out->counts_changed = true;
        st = KEDGE_OK;
    }
    TRY(st);
    if (memcmp(tf, r->now.tf, bytes) != 0 || memcmp(df, r->now.df, bytes) != 0)
        r->out->counts_changed = true;
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

static kedge_status count_documents(repairing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_totals before = r->totals;
    store_totals *const t = &r->totals;
    uint64_t ids;

    TRY(store_begin_read(r->s, &r->txn, err));
    TRY(recount_documents(&r->now, r->txn, &r->vocabulary, t, r->control,
                          err));
    TRY(each_id(r, false, err));
    TRY(store_count_ids(r->txn, &ids, err));
    r->ids_differ |= ids != r->ids;
    TRY(compare_counts(r, err));
    t->documents = r->now.all.documents;
    t->tokens = r->now.all.tokens;
    t->nonzeros = r->now.all.nonzeros;
    memcpy(t->digest, r->now.digest, sizeof t->digest);
    t->words = r->vocabulary.count;
    t->word_bytes = words_bytes(&r->vocabulary);
    if (t->documents != before.documents || t->tokens != before.tokens ||
        t->nonzeros != before.nonzeros || t->words != before.words ||
        memcmp(t->digest, before.digest, sizeof t->digest) != 0)
        r->out->counts_changed = true;
    if (r->ids_differ)
        TRY(plan_counting(r, memory_ids(r->ids, r->ids), err));
    r->out->documents = t->documents;
out:
    store_abort(&r->txn);
    return st;
}

/* ---- what is put in its place -------------------------------------------- */

/* Settings that are damaged are open again, as they do not follow from the
 * documents. */
static kedge_status mend_settings(repairing *r, kedge_error *err)
{
    store_settings settings;
    const kedge_status st = store_get_settings(r->txn, &settings, NULL, err);

    if (st != KEDGE_ECORRUPT)
        return st;
    PASS(store_put_settings(r->txn, &(store_settings){0}, NULL, err));
    run_log(r->control, "the text options of the store are lost: the next "
                        "ingest of texts sets them again");
    return KEDGE_OK;
}

/* From here on the index is one that nothing was added to yet. */
static kedge_status drop_sketch(repairing *r, index_entry *e, kedge_error *err)
{
    store_index *const v = &e->record;

    PASS(store_drop_rows(r->txn, v->rows, err));
    PASS(store_drop_rows(r->txn, index_other_rows(v->rows), err));
    v->blocks = v->documents = v->skipped = v->tokens = 0;
    v->removals = r->totals.removals;
    v->total = 0;
    return store_put_index(r->txn, e->number, v, err);
}

/* Documents of a source that are not there are said to have been removed. */
static kedge_status put_source(repairing *r, uint64_t number,
                               kedge_error *err)
{
    const recount_sums *const now = &r->now.of[number];
    store_source s;

    PASS(store_get_source_record(r->txn, number, &s, err));
    if (recount_is_told(now, &s))
        return KEDGE_OK;
    r->out->counts_changed = true;
    if (s.documents < now->documents)
        s.documents = now->documents;
    if (s.tokens < now->tokens)
        s.tokens = now->tokens;
    if (s.nonzeros < now->nonzeros)
        s.nonzeros = now->nonzeros;
    s.removed_documents = s.documents - now->documents;
    s.removed_tokens = s.tokens - now->tokens;
    s.removed_nonzeros = s.nonzeros - now->nonzeros;
    return store_put_source(r->txn, number, &s, err);
}

static kedge_status put_all(repairing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_write(r->s, &r->txn, err));
    TRY(store_put_counts(r->txn, r->now.tf, r->now.df, r->vocabulary.count,
                         err));
    TRY(store_put_totals(r->txn, &r->totals, err));
    for (uint64_t i = 0; i < r->totals.sources; i++)
        TRY(put_source(r, i, err));
    if (r->ids_differ) {
        /* all of them: ids that lead nowhere cannot be found one by one */
        TRY(store_drop_ids(r->txn, err));
        TRY(each_id(r, true, err));
        run_log(r->control, "the ids of %" PRIu64 " documents were recomputed",
                r->ids);
    }
    TRY(mend_settings(r, err));
    for (size_t i = 0; i < r->indexes.count; i++)
        TRY(drop_sketch(r, &r->indexes.at[i], err));
    TRY(store_clear_spectra(r->txn, err));
    TRY(store_commit(&r->txn, err));
out:
    store_abort(&r->txn);
    return st;
}

/* ---- what is left -------------------------------------------------------- */

static bool tell_damaged(void *data, const char *what, const kedge_error *why)
{
    repairing *const r = data;
    const size_t named = strlen(what);

    r->out->damaged++;
    if (strncmp(why->text, what, named) == 0)
        run_log(r->control, "still damaged: %s", why->text);
    else
        run_log(r->control, "still damaged: %s: %s", what, why->text);
    return true;
}

/* Models do not follow from the documents. */
static kedge_status find_damaged(repairing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_watcher watcher = {.found = tell_damaged, .data = r};
    store_scanned counts;

    TRY(store_begin_read(r->s, &r->txn, err));
    TRY(store_scan(r->txn, &watcher, &counts, err));
out:
    store_abort(&r->txn);
    return st;
}

kedge_status kedge_repair(kedge_store *s, const kedge_control *control,
                          kedge_repair_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_repair_result){0};
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    repairing r = {.s = s, .control = control, .out = out};
    pool *p = NULL;

    TRY(plan_load_words(s, control, &r.totals, &r.vocabulary, err));
    TRY(elsewhere_refuse(&r.totals, "rebuilding", err));
    TRY(plan(&r, err));
    TRY(count_documents(&r, err));
    TRY(put_all(&r, err));
    free_documents(&r);
    TRY(pool_open(control, &p, err));
    for (size_t i = 0; i < r.indexes.count; i++) {
        const index_entry *const e = &r.indexes.at[i];
        TRY(index_sync(s, &r.vocabulary, e->number, &e->record, control, p,
                       err));
        out->indexes++;
    }
    TRY(find_damaged(&r, err));
out:
    out->seconds = clock_seconds() - start;
    free_documents(&r);
    words_free(&r.vocabulary);
    mem_free(r.indexes.at);
    pool_free(p);
    return api_leave(st, err);
}
