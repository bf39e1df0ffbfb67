/* SPDX-License-Identifier: MIT */
/*
 * Rebuilding: all documents are read and counted before anything is changed, so
 * that damage among them leaves the store as it is. Then one transaction puts
 * counts, totals and, where they are not right, ids, and takes all sketches
 * away; each sketch is made again as a new view's is. Whoever is interrupted in
 * between leaves views without a sketch, which the next fit or the next
 * rebuilding makes.
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
#include "ops/upkeep/blocks.h"

typedef struct rebuilding {
    store *s;
    store_txn *txn;
    const kedge_control *control;
    kedge_repair_result *out;
    words vocabulary;
    store_totals totals; /* as they are; then as the documents say */
    recount now;         /* what they say */
    uint64_t ids;        /* documents that have one */
    bool ids_differ;
    block_reader blocks;
} rebuilding;

static void forget_documents(rebuilding *r)
{
    recount_free(&r->now);
    block_reader_free(&r->blocks);
    r->blocks = (block_reader){0};
}

/* ---- what it takes ------------------------------------------------------- */

static kedge_status plan_counting(const rebuilding *r, uint64_t more,
                                  kedge_error *err)
{
    const size_t n = r->vocabulary.count;
    const walk_shape shape = {
        .what = "rebuilding",
        .vocabulary = n,
        .word_bytes = words_bytes(&r->vocabulary),
        .threads = r->control->threads,
        .blocks = 1,
        .more = memory_counts(n) + r->totals.sources * sizeof *r->now.of +
                more,
    };
    uint64_t total;

    return plan_walk(&shape, r->control, &total, err);
}

/* Words that a sketch is to have are not found again in the documents. */
static kedge_status plan_view(void *data, uint32_t number, store_view *record,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    rebuilding *const r = data;
    store_list list = {0};
    ingest_plan plan;

    if (record->listed)
        st = store_get_list(r->txn, number, &list, err);
    if (st == KEDGE_ENOTFOUND)
        st = kedge_fail(err, KEDGE_ECORRUPT,
                        "the list of words of view %u is gone", number);
    TRY(st);
    /* what the totals tell is yet to be counted */
    TRY(index_plan(&r->vocabulary, &(store_totals){0}, number, record,
                   r->control, &plan, err));
out:
    store_list_free(&list);
    return st;
}

/* Ids are told once it is known whether they have to be made. */
static kedge_status plan(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_read(r->s, &r->txn, err));
    TRY(plan_counting(r, 0, err));
    TRY(store_each_view(r->txn, plan_view, r, err));
out:
    store_abort(&r->txn);
    return st;
}

/* ---- ids ----------------------------------------------------------------- */

/* Each document that has an id, in the transaction that is open. */
static kedge_status each_id(rebuilding *r, const char *name,
                            kedge_status (*visit)(rebuilding *r, span id,
                            store_place place, kedge_error *err),
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *const d = &r->blocks.batch;
    const stage told = stage_begin(r->control, name, r->totals.blocks,
                                   "blocks");

    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(r->txn, b, r->totals.blocks, &b, err));
        TRY(stage_reach(&told, b, err));
        if (b == r->totals.blocks)
            break;
        TRY(block_read(&r->blocks, r->txn, b, err));
        for (size_t m = 0; m < d->count; m++)
            if (docs_id(d, m).size > 0)
                TRY(visit(r, docs_id(d, m), (store_place){b, d->position[m]},
                          err));
    }
out:
    return st;
}

/* Whether the id leads to its document; a damaged one does not. */
static kedge_status check_id(rebuilding *r, span id, store_place place,
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

static kedge_status put_id(rebuilding *r, span id, store_place place,
                           kedge_error *err)
{
    return store_put_id(r->txn, id, place, err);
}

/* ---- what was there ------------------------------------------------------ */

/* Counts that cannot be read are not right either. */
static kedge_status compare_counts(rebuilding *r, kedge_error *err)
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

/* Damage among the documents is told here, of their orders too, though nothing
 * is made of these. */
static kedge_status count_documents(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_totals before = r->totals;
    store_totals *const t = &r->totals;
    uint64_t ids;

    TRY(store_begin_read(r->s, &r->txn, err));
    TRY(recount_documents(&r->now, r->txn, &r->vocabulary, t, r->control,
                          err));
    TRY(each_id(r, "checking ids", check_id, err));
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

/* What documents do not tell is open again. */
static kedge_status mend_settings(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_settings settings;

    st = store_get_settings(r->txn, &settings, NULL, err);
    if (st != KEDGE_ECORRUPT)
        return st;
    TRY(store_put_settings(r->txn, &(store_settings){0}, NULL, err));
    run_log(r->control, "how texts were cut into words is lost: the next "
                        "texts settle it anew");
out:
    return st;
}

/* From here on the view is one that nothing was added to yet. */
static kedge_status drop_sketch(void *data, uint32_t number,
                                store_view *record, kedge_error *err)
{
    const rebuilding *const r = data;
    kedge_status st = KEDGE_OK;

    TRY(store_drop_rows(r->txn, record->rows, err));
    TRY(store_drop_rows(r->txn, record->rows ^ 1, err));
    record->blocks = record->documents = record->skipped = record->tokens = 0;
    record->removals = r->totals.removals;
    record->total = 0;
    TRY(store_put_view(r->txn, number, record, err));
out:
    return st;
}

/* What is not there of a source has left. */
static kedge_status put_source(rebuilding *r, uint64_t number,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const recount_sums *const now = &r->now.of[number];
    store_source s;

    TRY(store_get_source_record(r->txn, number, &s, err));
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
    TRY(store_put_source(r->txn, number, &s, err));
out:
    return st;
}

/* Ids all at once, as nobody can tell which of those that are there lead
 * nowhere. */
static kedge_status put_all(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_write(r->s, &r->txn, err));
    TRY(store_put_counts(r->txn, r->now.tf, r->now.df, r->vocabulary.count,
                         err));
    TRY(store_put_totals(r->txn, &r->totals, err));
    for (uint64_t i = 0; i < r->totals.sources; i++)
        TRY(put_source(r, i, err));
    if (r->ids_differ) {
        TRY(store_drop_ids(r->txn, err));
        TRY(each_id(r, "ids", put_id, err));
        run_log(r->control, "the ids of %" PRIu64 " documents were made again",
                r->ids);
    }
    TRY(mend_settings(r, err));
    TRY(store_each_view(r->txn, drop_sketch, r, err));
    TRY(store_clear_spectra(r->txn, err));
    TRY(store_commit(&r->txn, err));
out:
    store_abort(&r->txn);
    return st;
}

/* ---- sketches ------------------------------------------------------------ */

static kedge_status follow_views(rebuilding *r, pool *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view record;
    uint32_t number;

    for (uint32_t from = 0;; from = number + 1) {
        TRY(store_begin_read(r->s, &r->txn, err));
        st = store_next_view(r->txn, from, &number, &record, err);
        store_abort(&r->txn);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        TRY(index_sync(r->s, &r->vocabulary, number, &record, r->control, p,
                       err));
        r->out->indexes++;
    }
out:
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
    rebuilding r = {.s = s, .control = control, .out = out};
    pool *p = NULL;

    TRY(plan_load_words(s, control, &r.totals, &r.vocabulary, err));
    TRY(elsewhere_refuse(&r.totals, "rebuilding", err));
    TRY(plan(&r, err));
    TRY(count_documents(&r, err));
    TRY(put_all(&r, err));
    forget_documents(&r);
    TRY(pool_open(control, &p, err));
    TRY(follow_views(&r, p, err));
out:
    out->seconds = clock_seconds() - start;
    forget_documents(&r);
    words_free(&r.vocabulary);
    pool_free(p);
    return api_leave(st, err);
}
