/* SPDX-License-Identifier: MIT */
/*
 * Rebuilding: all documents are read and counted before anything is changed, so
 * that damage among them leaves the store as it is. Then one transaction puts
 * counts, totals and, where they are not right, ids, and takes all sketches
 * away; each sketch is made again as a new view's is. Whoever is interrupted in
 * between leaves views without a sketch, which the next fit or the next
 * rebuilding makes.
 */
#include <kedge/life.h>

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "store/digest.h"
#include "pipeline/elsewhere.h"
#include "pipeline/plan.h"
#include "pipeline/index/recount.h"
#include "pipeline/index/index.h"

typedef struct rebuilding {
    store *s;
    store_txn *txn;
    const kedge_control *control;
    kedge_rebuild_result *out;
    words vocabulary;
    digests digests;
    uint64_t *tf, *df;   /* as the documents say */
    store_totals totals; /* as they are; then as the documents say */
    recount_sums *of;    /* by source */
    uint32_t source;     /* of the block at hand */
    uint64_t ids;        /* documents that have one */
    bool ids_differ;
    store_block scratch; /* of the block at hand */
    store_order order;
    store_gone gone;
    docs batch;
} rebuilding;

static void rebuilding_forget(rebuilding *r)
{
    digests_free(&r->digests);
    mem_free(r->tf);
    mem_free(r->df);
    mem_free(r->of);
    r->tf = r->df = NULL;
    r->of = NULL;
    store_block_free(&r->scratch);
    store_order_free(&r->order);
    store_gone_free(&r->gone);
    docs_free(&r->batch);
}

/* ---- what it takes ------------------------------------------------------- */

static kedge_status rebuilding_plan_walk(const rebuilding *r, uint64_t more,
                                         kedge_error *err)
{
    const size_t n = r->vocabulary.count;
    const walk_shape shape = {
        .what = "rebuilding",
        .vocabulary = n,
        .word_bytes = words_bytes(&r->vocabulary),
        .threads = r->control->threads,
        .blocks = 1,
        .more = memory_counts(n) + r->totals.sources * sizeof *r->of + more,
    };
    uint64_t total;

    return plan_walk(&shape, r->control, &total, err);
}

/* Words that a sketch is to have are not found again in the documents. */
static kedge_status rebuilding_check_list(rebuilding *r, uint32_t number,
                                          const store_view *record,
                                          kedge_error *err)
{
    store_list list = {0};
    kedge_status st = KEDGE_OK;

    if (record->listed)
        st = store_get_list(r->txn, number, &list, err);
    if (st == KEDGE_ENOTFOUND)
        st = kedge_fail(err, KEDGE_ECORRUPT,
                        "the list of words of view %u is gone", number);
    store_list_free(&list);
    return st;
}

static kedge_status rebuilding_plan_view(void *data, uint32_t number,
                                         store_view *record, kedge_error *err)
{
    rebuilding *const r = data;
    kedge_status st = KEDGE_OK;
    ingest_plan plan;

    TRY(rebuilding_check_list(r, number, record, err));
    /* what the totals tell is yet to be counted */
    TRY(index_plan(&r->vocabulary, &(store_totals){0}, number, record,
                       r->control, &plan, err));
out:
    return st;
}

/* Ids are told once it is known whether they have to be made. */
static kedge_status rebuilding_plan(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_read(r->s, &r->txn, err));
    TRY(rebuilding_plan_walk(r, 0, err));
    TRY(store_each_view(r->txn, rebuilding_plan_view, r, err));
out:
    store_abort(&r->txn);
    return st;
}

/* ---- documents ----------------------------------------------------------- */

/* The documents of a block that did not leave; none where there is no block. */
static kedge_status rebuilding_read(rebuilding *r, uint64_t block,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(&r->batch);
    /* the order too, though nothing is made of it: damage is told */
    st = store_read_block(r->txn, block, &r->scratch, &r->order, &r->source,
                          &r->batch, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    TRY(store_get_gone(r->txn, block, &r->gone, err));
    docs_drop(&r->batch, 0, r->gone.index, r->gone.count);
out:
    return st;
}

static void rebuilding_count(rebuilding *r, size_t m)
{
    const docs *d = &r->batch;
    store_totals *t = &r->totals;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        r->tf[d->word[k]] += d->tally[k];
        r->df[d->word[k]]++;
    }
    t->documents++;
    t->tokens += d->length[m];
    t->nonzeros += d->start[m + 1] - d->start[m];
    digest_add(t->digest, digest_document(&r->digests, d, m));
}

/* Whether the id leads to its document; a damaged one does not. */
static kedge_status rebuilding_check_id(rebuilding *r, uint64_t block,
                                        size_t m, kedge_error *err)
{
    const span id = docs_id(&r->batch, m);
    store_place place = {0};
    kedge_status st;

    if (id.size == 0)
        return KEDGE_OK;
    r->ids++;
    st = store_get_id(r->txn, id, &place, err);
    if (st != KEDGE_OK && st != KEDGE_ENOTFOUND && st != KEDGE_ECORRUPT)
        return st;
    if (st != KEDGE_OK || place.block != block ||
        place.position != r->batch.position[m])
        r->ids_differ = true;
    return KEDGE_OK;
}

static kedge_status rebuilding_walk(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stage told = stage_begin(r->control, "counting", r->totals.blocks,
                             "blocks");
    uint64_t stored;

    TRY(store_begin_read(r->s, &r->txn, err));
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(r->txn, b, r->totals.blocks, &b, err));
        if (b == r->totals.blocks)
            break;
        TRY(rebuilding_read(r, b, err));
        if (r->batch.count > 0)
            recount_add(&r->of[r->source], &r->batch);
        for (size_t m = 0; m < r->batch.count; m++) {
            rebuilding_count(r, m);
            TRY(rebuilding_check_id(r, b, m, err));
        }
        told.documents = r->totals.documents;
        TRY(stage_reach(&told, b + 1, err));
    }
    TRY(store_count_ids(r->txn, &stored, err));
    r->ids_differ |= stored != r->ids;
out:
    store_abort(&r->txn);
    return st;
}

/* ---- what was there ------------------------------------------------------ */

static bool same_totals(const store_totals *a, const store_totals *b)
{
    return a->documents == b->documents && a->tokens == b->tokens &&
           a->nonzeros == b->nonzeros && a->words == b->words &&
           memcmp(a->digest, b->digest, sizeof a->digest) == 0;
}

/* Counts that cannot be read are not right either. */
static kedge_status rebuilding_compare(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = r->vocabulary.count, bytes = n * sizeof *r->tf;
    uint64_t *tf = NULL, *df = NULL;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_begin_read(r->s, &r->txn, err));
    st = store_get_counts(r->txn, tf, df, n, err);
    if (st == KEDGE_ENOTFOUND || st == KEDGE_ECORRUPT) {
        r->out->counts_changed = true;
        st = KEDGE_OK;
    }
    TRY(st);
    if (memcmp(tf, r->tf, bytes) != 0 || memcmp(df, r->df, bytes) != 0)
        r->out->counts_changed = true;
out:
    store_abort(&r->txn);
    mem_free(tf);
    mem_free(df);
    return st;
}

static kedge_status rebuilding_counts(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_totals before = r->totals;
    store_totals *t = &r->totals;

    TRY_MEM(r->tf = mem_new(r->vocabulary.count, sizeof *r->tf));
    TRY_MEM(r->df = mem_new(r->vocabulary.count, sizeof *r->df));
    TRY_MEM(r->of = mem_new(r->totals.sources, sizeof *r->of));
    TRY(digests_learn(&r->digests, &r->vocabulary, err));
    t->documents = t->tokens = t->nonzeros = 0;
    t->digest[0] = t->digest[1] = 0;
    t->words = r->vocabulary.count;
    t->word_bytes = words_bytes(&r->vocabulary);
    TRY(rebuilding_walk(r, err));
    TRY(rebuilding_compare(r, err));
    if (!same_totals(&before, t))
        r->out->counts_changed = true;
    if (r->ids_differ)
        TRY(rebuilding_plan_walk(r, memory_ids(r->ids, r->ids), err));
    r->out->documents = t->documents;
out:
    return st;
}

/* ---- what is put in its place -------------------------------------------- */

/* All at once, as nobody can tell which of those that are there lead
 * nowhere. */
static kedge_status rebuilding_put_ids(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const stage told = stage_begin(r->control, "ids", r->totals.blocks,
                                   "blocks");

    TRY(store_drop_ids(r->txn, err));
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(r->txn, b, r->totals.blocks, &b, err));
        if (b == r->totals.blocks)
            break;
        TRY(stage_reach(&told, b, err));
        TRY(rebuilding_read(r, b, err));
        for (size_t m = 0; m < r->batch.count; m++)
            if (docs_id(&r->batch, m).size > 0)
                TRY(store_put_id(r->txn, docs_id(&r->batch, m),
                                 (store_place){b, r->batch.position[m]}, err));
    }
    TRY(stage_reach(&told, r->totals.blocks, err));
    run_log(r->control, "the ids of %" PRIu64 " documents were made again",
            r->ids);
out:
    return st;
}

/* What documents do not tell is open again. */
static kedge_status rebuilding_mend_settings(rebuilding *r, kedge_error *err)
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
static kedge_status rebuilding_drop_sketch(void *data, uint32_t number,
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

static uint64_t rebuilding_left(uint64_t *kept, uint64_t there)
{
    *kept = *kept > there ? *kept : there;
    return *kept - there;
}

/* What is not there of a source has left. */
static kedge_status rebuilding_put_source(rebuilding *r, uint64_t number,
                                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const recount_sums *const now = &r->of[number];
    store_source s;

    TRY(store_get_source_record(r->txn, number, &s, err));
    if (recount_is_told(now, &s))
        return KEDGE_OK;
    r->out->counts_changed = true;
    s.removed_documents = rebuilding_left(&s.documents, now->documents);
    s.removed_tokens = rebuilding_left(&s.tokens, now->tokens);
    s.removed_nonzeros = rebuilding_left(&s.nonzeros, now->nonzeros);
    TRY(store_put_source(r->txn, number, &s, err));
out:
    return st;
}

static kedge_status rebuilding_put(rebuilding *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_write(r->s, &r->txn, err));
    TRY(store_put_counts(r->txn, r->tf, r->df, r->vocabulary.count, err));
    TRY(store_put_totals(r->txn, &r->totals, err));
    for (uint64_t i = 0; i < r->totals.sources; i++)
        TRY(rebuilding_put_source(r, i, err));
    if (r->ids_differ)
        TRY(rebuilding_put_ids(r, err));
    TRY(rebuilding_mend_settings(r, err));
    TRY(store_each_view(r->txn, rebuilding_drop_sketch, r, err));
    TRY(store_clear_spectra(r->txn, err));
    TRY(store_commit(&r->txn, err));
out:
    store_abort(&r->txn);
    return st;
}

/* ---- sketches ------------------------------------------------------------ */

static kedge_status rebuilding_follow(rebuilding *r, pool *p, kedge_error *err)
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
        TRY(index_sync(r->s, &r->vocabulary, number, &record,
                             r->control, p, err));
        r->out->views++;
    }
out:
    return st;
}

kedge_status kedge_rebuild(kedge_store *s, const kedge_control *control,
                           kedge_rebuild_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_rebuild_result){0};
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    rebuilding r = {.s = s, .control = control, .out = out};
    pool *p = NULL;

    TRY(plan_load_words(s, control, &r.totals, &r.vocabulary, err));
    TRY(elsewhere_refuse(&r.totals, "rebuilding", err));
    TRY(rebuilding_plan(&r, err));
    TRY(rebuilding_counts(&r, err));
    TRY(rebuilding_put(&r, err));
    rebuilding_forget(&r);
    TRY(pool_open(control, &p, err));
    TRY(rebuilding_follow(&r, p, err));
out:
    out->seconds = clock_seconds() - start;
    rebuilding_forget(&r);
    words_free(&r.vocabulary);
    pool_free(p);
    return api_leave(st, err);
}
