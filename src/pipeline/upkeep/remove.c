/* SPDX-License-Identifier: MIT */
/*
 * Removing: which documents it is about is settled first, as a set of sources
 * and a list of places; then they leave, some blocks a transaction, and the
 * sketches follow.
 */
#include <kedge/life.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/elsewhere.h"
#include "pipeline/plan.h"
#include "pipeline/upkeep/documents.h"
#include "pipeline/ingest/removal.h"
#include "pipeline/index/index.h"
#include "io/vocabulary.h"

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
} removing;

void kedge_remove_opts_init(kedge_remove_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_remove_opts){0};
}

static void removing_free(removing *r)
{
    words_free(&r->vocabulary);
    words_free(&r->ids);
    mem_free(r->tf);
    mem_free(r->df);
    digests_free(&r->digests);
    mem_free(r->leaves);
    mem_free(r->place);
    mem_free(r->unknown);
}

/* Documents that leave in one transaction at most, as far as blocks are of
 * about one size. */
static uint64_t removing_at_once(const removing *r)
{
    const store_totals *t = &r->totals;
    const uint64_t all = r->own + t->removed;
    const uint64_t least = r->ids.count + r->opts->id_count;
    const uint64_t batch =
        t->blocks == 0 ? 0 : (all / t->blocks + 1) * BLOCKS_AT_ONCE;

    return r->opts->batch != NULL || batch < least ? batch : least;
}

static kedge_status removing_plan(const removing *r, kedge_error *err)
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
                memory_ids(removing_at_once(r), r->own),
    };
    uint64_t total;

    return plan_walk(&shape, r->control, &total, err);
}

static kedge_status removing_load(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    if (r->opts->ids_file != NULL)
        TRY(vocabulary_read_ids(r->opts->ids_file, &r->ids, err));
    TRY(store_begin_read(r->s, &txn, err));
    TRY(store_get_totals(txn, &r->totals, err));
    TRY(elsewhere_own(txn, &r->totals, &r->own, err));
    TRY(removing_plan(r, err));
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

static kedge_status removing_find_batch(removing *r, store_txn *txn,
                                        kedge_error *err)
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

static kedge_status removing_note(removing *r, store_place place,
                                  kedge_error *err)
{
    if (!mem_grow((void **)&r->place, &r->place_capacity, r->places + 1,
                  sizeof *r->place))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (places)");
    r->place[r->places++] = place;
    return KEDGE_OK;
}

static kedge_status removing_find_id(removing *r, store_txn *txn,
                                     const char *id, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_place place;

    st = store_get_id(txn, span_text(id), &place, err);
    if (st == KEDGE_OK)
        return removing_note(r, place, err);
    if (st != KEDGE_ENOTFOUND)
        return st;
    if (!mem_grow((void **)&r->unknown, &r->unknown_capacity,
                  r->unknowns + 1, sizeof *r->unknown))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ids)");
    r->unknown[r->unknowns++] = id;
    return KEDGE_OK;
}

static void removing_miss(removing *r, const char *id)
{
    const uint64_t n = r->out->missing++;

    if (n < KEDGE_MISSING_NAMED)
        snprintf(r->out->missing_ids[n], sizeof r->out->missing_ids[n],
                 "%.255s", id);
}

/* Documents without an id of their own are known by source and position. */
static kedge_status removing_find_unknown(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_documents *found = NULL;
    const kedge_document *document;

    if (r->unknowns == 0)
        return KEDGE_OK;
    TRY(kedge_documents_open(r->s, r->unknown, r->unknowns, r->control,
                             &found, err));
    for (size_t i = 0; i < r->unknowns; i++) {
        st = kedge_documents_next(found, &document, err);
        if (st == KEDGE_ENOTFOUND)
            removing_miss(r, r->unknown[i]);
        else
            TRY(st);
        if (st == KEDGE_OK)
            TRY(removing_note(r, documents_place(found), err));
    }
    st = KEDGE_OK;
out:
    kedge_documents_close(found);
    return st;
}

/* Ids of which none is there are a mistake where someone wrote them down. Those
 * of a file may have left with an earlier run: they are counted. */
static kedge_status removing_check_any(const removing *r, kedge_error *err)
{
    const uint64_t n = r->out->missing;

    if (n == 0 || r->places > 0 || r->opts->batch != NULL ||
        r->opts->ids_file != NULL)
        return KEDGE_OK;
    if (n == 1)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no document \"%.80s\"; 'kedge cat "
                          "STORE' shows those there are",
                          r->out->missing_ids[0]);
    return kedge_fail(err, KEDGE_ENOTFOUND,
                      "the store has no document of any of the %llu ids, as "
                      "\"%.80s\" and \"%.80s\"; 'kedge cat STORE' shows "
                      "those there are",
                      (unsigned long long)n, r->out->missing_ids[0],
                      r->out->missing_ids[1]);
}

static kedge_status removing_find(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const kedge_remove_opts *o = r->opts;
    const words *file = &r->ids;

    TRY(store_begin_read(r->s, &txn, err));
    TRY(removing_find_batch(r, txn, err));
    for (size_t i = 0; i < file->count; i++)
        TRY(removing_find_id(r, txn, words_get(file, i), err));
    for (size_t i = 0; i < o->id_count; i++)
        TRY(removing_find_id(r, txn, o->ids[i], err));
    store_abort(&txn);
    TRY(removing_find_unknown(r, err));
    TRY(removing_check_any(r, err));
    if (r->places > 0)
        qsort(r->place, r->places, sizeof *r->place, store_place_compare);
out:
    store_abort(&txn);
    return st;
}

/* ---- leaving ------------------------------------------------------------- */

/* The block at hand, for removing_leaves. */
typedef struct at_hand {
    const removing *r;
    uint64_t block;
} at_hand;

static bool removing_leaves(void *data, const docs *d, size_t m,
                            uint32_t source)
{
    const at_hand *h = data;
    const store_place key = {h->block, d->position[m]};

    return (source < h->r->totals.sources && h->r->leaves[source]) ||
           (h->r->places > 0 &&
            bsearch(&key, h->r->place, h->r->places, sizeof key,
                    store_place_compare) != NULL);
}

/* Some blocks, in one transaction. */
static kedge_status removing_blocks(removing *r, uint64_t from, uint64_t to,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    removal leave = {
        .digests = &r->digests, .tf = r->tf, .df = r->df, .totals = &r->totals};

    TRY(store_begin_write(r->s, &txn, err));
    leave.txn = txn;
    for (uint64_t b = from;; b++) {
        at_hand h = {r, b};
        TRY(store_next_block(txn, b, to, &b, err));
        if (b == to)
            break;
        h.block = b;
        TRY(removal_take(&leave, b, removing_leaves, &h, err));
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

/* Whether a block can hold any of them, as far as that is known without a
 * look: batches may be anywhere. */
static bool removing_concerns(const removing *r, uint64_t from, uint64_t to)
{
    size_t low = 0, high = r->places;

    if (r->opts->batch != NULL)
        return true;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->place[middle].block < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->places && r->place[low].block < to;
}

/* To the next block that is there. */
static kedge_status removing_seek(removing *r, uint64_t *block,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(r->s, &txn, err));
    TRY(store_next_block(txn, *block, r->totals.blocks, block, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status removing_take(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stage told = stage_begin(r->control, "removing", r->totals.blocks,
                             "blocks");

    for (uint64_t b = 0, end; b < r->totals.blocks; b = end) {
        TRY(removing_seek(r, &b, err));
        end = r->totals.blocks - b > BLOCKS_AT_ONCE ? b + BLOCKS_AT_ONCE
                                                    : r->totals.blocks;
        if (removing_concerns(r, b, end))
            TRY(removing_blocks(r, b, end, err));
        told.documents = r->out->documents;
        TRY(stage_reach(&told, end, err));
    }
out:
    return st;
}

/* The batch's sources are not known any more: they may be read again. */
static kedge_status removing_close_batch(removing *r, kedge_error *err)
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

static kedge_status removing_follow(removing *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pool *p = NULL;

    if (r->opts->no_sketch)
        return KEDGE_OK;
    TRY(pool_open(r->control, &p, err));
    TRY(index_sync_all(r->s, &r->vocabulary, INDEX_NONE, r->control, p, err));
out:
    pool_free(p);
    return st;
}

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

    if (opts->batch == NULL && opts->ids_file == NULL && opts->id_count == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "nothing is said to be removed: a batch or ids are "
                          "needed");
    TRY(removing_load(&r, err));
    TRY(removing_find(&r, err));
    TRY(removing_take(&r, err));
    TRY(removing_close_batch(&r, err));
    TRY(removing_follow(&r, err));
out:
    out->left = r.own - out->documents;
    out->seconds = clock_seconds() - start;
    removing_free(&r);
    return api_leave(st, err);
}
