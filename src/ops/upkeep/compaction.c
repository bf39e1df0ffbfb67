/* SPDX-License-Identifier: MIT */
/*
 * Compaction: documents that left are taken out of their blocks, a few blocks a
 * transaction, and then the data file is copied without its free pages.
 *
 * The log of removals speaks of the old blocks, so it goes in the transaction
 * that writes the first new one. It is not needed any more: all sketches were
 * synced before, and those that are not made yet begin with the new blocks.
 */
#include <kedge/maintain.h>

#include <inttypes.h>

#include "base/fail.h"
#include "base/run.h"
#include "ops/batch.h"
#include "ops/index/index.h"
#include "ops/plan.h"
#include "ops/infer/saved.h"

#define BLOCKS_MOST 4 /* at once */

/* A block on its way from what it was to what is left of it. */
typedef struct rewrite {
    uint64_t number;
    store_limits limits;  /* of what it may hold */
    const uint8_t *bytes; /* the old record, in the map, */
    size_t size;
    span old_order; /* and that of its words' order */
    store_gone gone;
    docs batch;
    store_block made;
    store_order order;
    kedge_status status;
    kedge_error error;
} rewrite;

typedef struct compacting {
    store *s;
    store_txn *txn;
    const kedge_control *control;
    kedge_compact_result *out;
    pool *p;
    words vocabulary;
    store_totals totals;
    rewrite block[BLOCKS_MOST]; /* the first `count` are in use */
    size_t count, most;
    uint64_t next; /* block to look at */
    bool log_gone;
    stage copying;
    kedge_status stopped; /* the copying, by the caller, */
    kedge_error why;      /* with this error */
} compacting;

/* ---- what it takes ------------------------------------------------------- */

static bool needs_log(const compacting *c, const store_index *record)
{
    return record->blocks > 0 && record->removals < c->totals.removals;
}

/* A sketch that needs the log and cannot be synced would be lost. */
static kedge_status plan_index(void *data, uint32_t number, store_index *record,
                               kedge_error *err)
{
    const compacting *const c = data;
    ingest_plan plan;

    return needs_log(c, record)
               ? index_plan(&c->vocabulary, &c->totals, number, record,
                            c->control, &plan, err)
               : KEDGE_OK;
}

static kedge_status plan(compacting *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = c->vocabulary.count;
    const walk_shape shape = {
        .what = "compacting",
        .vocabulary = n,
        .word_bytes = words_bytes(&c->vocabulary),
        .threads = c->control->threads,
        .blocks = c->most,
        .more = memory_counts(n) + /* being put: */
                c->most * memory_block(n) / 4 +
                memory_keeping(0),
    };
    uint64_t total;

    TRY(plan_walk(&shape, c->control, &total, err));
    TRY(store_begin_read(c->s, &c->txn, err));
    TRY(store_each_index(c->txn, plan_index, c, err));
out:
    store_abort(&c->txn);
    return st;
}

/* ---- blocks without their tombstones ------------------------------------- */

/* The next few blocks that have some. */
static kedge_status gather(compacting *c, kedge_error *err)
{
    c->count = 0;
    for (;; c->next++) {
        PASS(store_next_block(c->txn, c->next, c->totals.blocks, &c->next,
                              err));
        if (c->next == c->totals.blocks || c->count == c->most)
            return KEDGE_OK;
        rewrite *const w = &c->block[c->count];
        PASS(store_get_gone(c->txn, c->next, &w->gone, err));
        if (w->gone.count == 0)
            continue;
        w->number = c->next;
        PASS(store_get_limits(c->txn, &w->limits, err));
        PASS(store_get_block(c->txn, c->next, &w->bytes, &w->size, err));
        PASS(store_get_order(c->txn, c->next, &w->old_order, err));
        c->count++;
    }
}

static kedge_status rewrite_make(rewrite *w, kedge_error *err)
{
    uint32_t source;

    docs_clear(&w->batch);
    PASS(store_block_decode(&w->made, w->number, w->bytes, w->size, &w->limits,
                            &source, &w->batch, err));
    PASS(store_order_decode(&w->order, &w->made, w->number, w->old_order,
                            &w->batch, 0, err));
    docs_drop(&w->batch, 0, w->gone.index, w->gone.count);
    if (w->batch.count == 0)
        return KEDGE_OK;
    PASS(store_block_encode(&w->made, source, &w->batch, 0, w->batch.count,
                            err));
    return store_order_encode(&w->order, &w->batch, 0, w->batch.count, err);
}

static void rewrite_task(void *data, size_t task, unsigned worker)
{
    compacting *const c = data;
    rewrite *const w = &c->block[task];

    (void)worker;
    w->status = rewrite_make(w, &w->error);
}

static kedge_status make(compacting *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_read(c->s, &c->txn, err));
    TRY(gather(c, err));
    pool_run(c->p, c->count, rewrite_task, c);
    for (size_t i = 0; i < c->count; i++)
        if (c->block[i].status != KEDGE_OK)
            TRY(kedge_fail(err, c->block[i].status, "%s",
                           c->block[i].error.text));
out:
    store_abort(&c->txn);
    return st;
}

/* From now on the index says that it needs nothing of the log. */
static kedge_status end_log(void *data, uint32_t number, store_index *record,
                            kedge_error *err)
{
    const compacting *const c = data;

    if (needs_log(c, record))
        return kedge_fail(err, KEDGE_EBUDGET,
                          "index %u is not in sync; fit it or drop it first, "
                          "so that removed documents can leave the disk",
                          number);
    record->removals = c->totals.removals;
    return store_put_index(c->txn, number, record, err);
}

static kedge_status put(compacting *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t documents = 0;

    TRY(store_begin_write(c->s, &c->txn, err));
    if (!c->log_gone) {
        TRY(store_each_index(c->txn, end_log, c, err));
        TRY(store_drop_removals(c->txn, err));
    }
    for (size_t i = 0; i < c->count; i++) {
        const rewrite *const w = &c->block[i];
        documents += w->gone.count;
        if (w->batch.count == 0) {
            TRY(store_drop_block(c->txn, w->number, err));
            continue;
        }
        TRY(store_replace_block(c->txn, w->number, &w->made, err));
        if (w->order.size > 0)
            TRY(store_put_order(c->txn, w->number, &w->order, err));
    }
    TRY(store_commit(&c->txn, err));
    c->log_gone = true;
    c->out->documents += documents;
out:
    store_abort(&c->txn);
    return st;
}

static kedge_status rewrite_blocks(compacting *c, kedge_error *err)
{
    stage progress = stage_begin(c->control, "compacting", c->totals.blocks,
                                 "blocks");

    while (c->next < c->totals.blocks) {
        PASS(make(c, err));
        if (c->count > 0)
            PASS(put(c, err));
        progress.documents = c->out->documents;
        PASS(stage_reach(&progress, c->next, err));
    }
    return KEDGE_OK;
}

/* ---- the whole ----------------------------------------------------------- */

/* Drops rows that an interrupted saving left: each index has two numbers for
 * them, and neither counts where no document was added, here or elsewhere. */
static kedge_status sweep_index(void *data, uint32_t number,
                                store_index *record, kedge_error *err)
{
    const compacting *const c = data;

    (void)number;
    PASS(store_drop_rows(c->txn, index_other_rows(record->rows), err));
    return record->blocks == 0 && record->documents == 0
               ? store_drop_rows(c->txn, record->rows, err)
               : KEDGE_OK;
}

static kedge_status sweep(compacting *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_write(c->s, &c->txn, err));
    TRY(store_each_index(c->txn, sweep_index, c, err));
    TRY(store_clear_spectra(c->txn, err));
    TRY(store_commit(&c->txn, err));
out:
    store_abort(&c->txn);
    return st;
}

static bool goes_on(void *data, uint64_t done, uint64_t total)
{
    compacting *const c = data;

    c->copying.total = total;
    c->stopped = stage_reach(&c->copying, done, &c->why);
    return c->stopped == KEDGE_OK;
}

static kedge_status copy(compacting *c, kedge_error *err)
{
    const store_watcher watcher = {.goes_on = goes_on, .data = c};
    kedge_status st;

    c->copying = (stage){.control = c->control, .name = "copying",
                         .unit = "bytes", .start = clock_seconds()};
    st = store_compact(c->s, &watcher, err);
    return c->stopped == KEDGE_OK
               ? st
               : kedge_fail(err, c->stopped, "%s", c->why.text);
}

kedge_status kedge_compact(kedge_store *s, const kedge_control *control,
                           kedge_compact_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_compact_result){0};
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    compacting c = {.s = s, .control = control, .out = out,
                    .most = control->threads < BLOCKS_MOST ? control->threads
                                                           : BLOCKS_MOST};

    *out = (kedge_compact_result){.bytes_before = store_disk_bytes(s)};
    TRY(plan_load_words(s, control, &c.totals, &c.vocabulary, err));
    TRY(plan(&c, err));
    TRY(pool_open(control, &c.p, err));
    TRY(index_sync_all(s, &c.vocabulary, INDEX_NONE, control, c.p, NULL,
                       err));
    TRY(rewrite_blocks(&c, err));
    TRY(saved_sweep(s, err));
    TRY(saved_prune(s, err));
    TRY(run_check(control, err));
    TRY(sweep(&c, err));
    TRY(copy(&c, err));
out:
    out->bytes_after = store_disk_bytes(s);
    out->seconds = clock_seconds() - start;
    words_free(&c.vocabulary);
    for (size_t i = 0; i < BLOCKS_MOST; i++) {
        store_gone_free(&c.block[i].gone);
        docs_free(&c.block[i].batch);
        store_block_free(&c.block[i].made);
        store_order_free(&c.block[i].order);
    }
    pool_free(c.p);
    return api_leave(st, err);
}
