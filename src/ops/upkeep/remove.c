/* SPDX-License-Identifier: MIT */
/*
 * Removing: the documents are found first, as a set of sources and a list of
 * places; then they leave, some blocks a transaction, and the sketches are
 * synced.
 */
#include <kedge/maintain.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/vocabulary.h"
#include "ops/elsewhere.h"
#include "ops/index/index.h"
#include "ops/ingest/removal.h"
#include "ops/plan.h"
#include "ops/upkeep/documents.h"

#define BLOCKS_AT_ONCE 16
#define BLOCK_BYTES (UINT64_C(1) << 20) /* put for one, at most */

typedef struct removing {
    store *s;
    const kedge_remove_opts *opts;
    const kedge_control *control;
    kedge_remove_result *out;
    words vocabulary;
    words ids; /* of the file */
    uint64_t *tf, *df;
    store_totals totals;
    uint64_t own; /* documents that were here, not elsewhere */
    digests digests;
    bool *leaves;       /* by source: it is of the batch */
    store_place *place; /* of the ids, in order */
    size_t places, place_capacity;
    const char **unknown; /* ids that no document has as its own */
    size_t unknowns, unknown_capacity;
    uint64_t block;       /* at hand */
} removing;

void kedge_remove_opts_init(kedge_remove_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_remove_opts){0};
}

/* Documents that leave in one transaction at most, where blocks are of about
 * one size. */
static uint64_t most_at_once(const removing *r)
{
    const store_totals *t = &r->totals;
    const uint64_t all = r->own + t->removed;
    const uint64_t least = r->ids.count + r->opts->id_count;
    const uint64_t batch =
        t->blocks == 0 ? 0 : (all / t->blocks + 1) * BLOCKS_AT_ONCE;

    return r->opts->batch != NULL || batch < least ? batch : least;
}

static kedge_status plan(const removing *r, kedge_error *err)
{
    const size_t n = r->totals.words, ids = r->ids.count;
    const walk_shape shape = {
        .what = "removing",
        .vocabulary = n,
        .word_bytes = r->totals.word_bytes,
        .threads = r->control->threads,
        .blocks = 1,
        .more = memory_counts(n) + words_bytes(&r->ids) * 4 / 3 +
                (ids + r->opts->id_count) *
                    (16 + (sizeof(store_place) + sizeof(char *)) * 4 / 3) +
                BLOCKS_AT_ONCE * BLOCK_BYTES +
                memory_ids(most_at_once(r), r->own),
    };
    uint64_t total;

    return plan_walk(&shape, r->control, &total, err);
}

static kedge_status load(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    if (r->opts->ids_file != NULL)
        TRY(vocabulary_read_ids(r->opts->ids_file, &r->ids, err));
    TRY(store_begin_read(r->s, &txn, err));
    TRY(store_get_totals(txn, &r->totals, err));
    TRY(elsewhere_own(txn, &r->totals, &r->own, err));
    TRY(plan(r, err));
    TRY(store_get_words(txn, &r->vocabulary, err));
    TRY_MEM(r->tf = mem_new(r->vocabulary.count, sizeof *r->tf));
    TRY_MEM(r->df = mem_new(r->vocabulary.count, sizeof *r->df));
    TRY(store_get_counts(txn, r->tf, r->df, r->vocabulary.count, err));
    TRY(digests_learn(&r->digests, &r->vocabulary, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- what is to leave ---------------------------------------------------- */

static kedge_status find_batch(removing *r, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *name = r->opts->batch;
    store_source source;
    bool any = false;

    TRY_MEM(r->leaves = mem_new(r->totals.sources, sizeof *r->leaves));
    for (uint64_t i = 0; name != NULL && i < r->totals.sources; i++) {
        TRY(store_get_source_record(txn, i, &source, err));
        r->leaves[i] = strcmp(source.batch, name) == 0;
        any |= r->leaves[i];
    }
    if (name != NULL && !any)
        st = kedge_fail(err, KEDGE_ENOTFOUND,
                        "the store has no batch \"%.63s\"; 'kedge info STORE "
                        "--batches' lists them",
                        name);
out:
    return st;
}

static kedge_status find_id(removing *r, store_txn *txn, const char *id,
                            kedge_error *err)
{
    store_place place;
    kedge_status st = store_get_id(txn, span_text(id), &place, err);

    if (st == KEDGE_ENOTFOUND) {
        TRY_GROW(r->unknown, r->unknown_capacity, r->unknowns + 1);
        r->unknown[r->unknowns++] = id;
        return KEDGE_OK;
    }
    TRY(st);
    TRY_GROW(r->place, r->place_capacity, r->places + 1);
    r->place[r->places++] = place;
out:
    return st;
}

/* Documents without an id of their own are known by source and position. */
static kedge_status find_unknown(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_remove_result *const out = r->out;
    kedge_documents *found = NULL;
    const kedge_document *document;

    if (r->unknowns == 0)
        return KEDGE_OK;
    TRY(kedge_documents_open(r->s, r->unknown, r->unknowns, r->control,
                             &found, err));
    for (size_t i = 0; i < r->unknowns; i++) {
        st = kedge_documents_next(found, &document, err);
        if (st == KEDGE_ENOTFOUND) {
            st = KEDGE_OK;
            if (out->missing < KEDGE_MISSING_NAMED)
                snprintf(out->missing_ids[out->missing],
                         sizeof *out->missing_ids, "%.255s", r->unknown[i]);
            out->missing++;
            continue;
        }
        TRY(st);
        TRY_GROW(r->place, r->place_capacity, r->places + 1);
        r->place[r->places++] = documents_place(found);
    }
out:
    kedge_documents_close(found);
    return st;
}

/* Ids of which none is there are a mistake where someone typed them. Those of a
 * file may have left with an earlier run: they are counted. */
static kedge_status check_any(const removing *r, kedge_error *err)
{
    const uint64_t n = r->out->missing;

    if (n == 0 || r->places > 0 || r->opts->batch != NULL ||
        r->opts->ids_file != NULL)
        return KEDGE_OK;
    if (n == 1)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no document \"%.80s\"; 'kedge cat "
                          "STORE' shows all documents",
                          r->out->missing_ids[0]);
    return kedge_fail(err, KEDGE_ENOTFOUND,
                      "the store has no document of any of the %llu ids, as "
                      "\"%.80s\" and \"%.80s\"; 'kedge cat STORE' shows all "
                      "documents",
                      (unsigned long long)n, r->out->missing_ids[0],
                      r->out->missing_ids[1]);
}

static kedge_status find_all(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const kedge_remove_opts *o = r->opts;
    const words *file = &r->ids;

    TRY(store_begin_read(r->s, &txn, err));
    TRY(find_batch(r, txn, err));
    for (size_t i = 0; i < file->count; i++)
        TRY(find_id(r, txn, words_get(file, i), err));
    for (size_t i = 0; i < o->id_count; i++)
        TRY(find_id(r, txn, o->ids[i], err));
    store_abort(&txn);
    TRY(find_unknown(r, err));
    TRY(check_any(r, err));
    if (r->places > 0)
        qsort(r->place, r->places, sizeof *r->place, store_place_compare);
out:
    store_abort(&txn);
    return st;
}

/* ---- leaving ------------------------------------------------------------- */

/* Of the block at hand. */
static bool leaves(void *data, const docs *d, size_t m, uint32_t source)
{
    const removing *const r = data;
    const store_place key = {r->block, d->position[m]};

    return (source < r->totals.sources && r->leaves[source]) ||
           (r->places > 0 &&
            bsearch(&key, r->place, r->places, sizeof key,
                    store_place_compare) != NULL);
}

/* Some blocks, in one transaction. */
static kedge_status remove_blocks(removing *r, uint64_t from, uint64_t to,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    removal leave = {
        .digests = &r->digests, .tf = r->tf, .df = r->df, .totals = &r->totals};

    TRY(store_begin_write(r->s, &txn, err));
    leave.txn = txn;
    for (uint64_t b = from;; b++) {
        TRY(store_next_block(txn, b, to, &b, err));
        if (b == to)
            break;
        r->block = b;
        TRY(removal_take(&leave, b, leaves, r, err));
    }
    if (leave.documents > 0) {
        TRY(store_put_counts(txn, r->tf, r->df, r->vocabulary.count, err));
        TRY(store_put_totals(txn, &r->totals, err));
        TRY(store_commit(&txn, err));
    }
    r->out->documents += leave.documents;
    r->out->tokens += leave.tokens;
out:
    store_abort(&txn);
    removal_free(&leave);
    return st;
}

/* To the next block with documents that leave, by their places, or the next
 * that is there, where all may have documents of the batch. */
static kedge_status next_block(const removing *r, size_t *place,
                               uint64_t *block, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    if (r->opts->batch == NULL) {
        while (*place < r->places && r->place[*place].block < *block)
            ++*place;
        *block = *place < r->places ? r->place[*place].block
                                    : r->totals.blocks;
        return KEDGE_OK;
    }
    TRY(store_begin_read(r->s, &txn, err));
    TRY(store_next_block(txn, *block, r->totals.blocks, block, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status remove_all(removing *r, kedge_error *err)
{
    stage progress = stage_begin(r->control, "removing", r->totals.blocks,
                                 "blocks");
    size_t place = 0;

    for (uint64_t b = 0, end; b < r->totals.blocks; b = end) {
        PASS(next_block(r, &place, &b, err));
        end = r->totals.blocks - b > BLOCKS_AT_ONCE ? b + BLOCKS_AT_ONCE
                                                    : r->totals.blocks;
        if (b < end)
            PASS(remove_blocks(r, b, end, err));
        progress.documents = r->out->documents;
        PASS(stage_reach(&progress, end, err));
    }
    return KEDGE_OK;
}

/* The batch's sources are not known any more: they may be read again. */
static kedge_status close_batch(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_source source;

    if (r->opts->batch == NULL)
        return KEDGE_OK;
    TRY(store_begin_write(r->s, &txn, err));
    for (uint64_t i = 0; i < r->totals.sources; i++) {
        if (!r->leaves[i])
            continue;
        TRY(store_get_source_record(txn, i, &source, err));
        source.removed = true;
        TRY(store_put_source(txn, i, &source, err));
    }
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

kedge_status kedge_remove(kedge_store *s, const kedge_remove_opts *opts,
                          const kedge_control *control,
                          kedge_remove_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_remove_result){0};
    API_ENTER(err, {"store", s}, {"out", out});
    API_USUAL(kedge_remove_opts, opts);
    API_TEXTS(err, "ids", opts->ids, opts->id_count);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    removing r = {.s = s, .opts = opts, .control = control, .out = out};
    pool *p = NULL;

    if (opts->batch == NULL && opts->ids_file == NULL && opts->id_count == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "give the batch or the ids to remove");
    TRY(load(&r, err));
    TRY(find_all(&r, err));
    TRY(remove_all(&r, err));
    TRY(close_batch(&r, err));
    if (opts->no_sketch)
        goto out;
    TRY(pool_open(control, &p, err));
    TRY(index_sync_all(s, &r.vocabulary, INDEX_NONE, control, p, NULL, err));
out:
    out->left = r.own - out->documents;
    out->seconds = clock_seconds() - start;
    pool_free(p);
    words_free(&r.vocabulary);
    words_free(&r.ids);
    mem_free(r.tf);
    mem_free(r.df);
    digests_free(&r.digests);
    mem_free(r.leaves);
    mem_free(r.place);
    mem_free(r.unknown);
    return api_leave(st, err);
}
