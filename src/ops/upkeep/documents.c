/* SPDX-License-Identifier: MIT */
/*
 * Blocks are decoded one at a time, in one read transaction from open to close.
 * A document with an id of its own is found by the store. For those that are
 * known by source and position there is a list of what each block has, which is
 * made when the first of them is asked for.
 */
#include "ops/upkeep/documents.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/elsewhere.h"
#include "ops/ingest/sourcenames.h"
#include "ops/plan.h"

static_assert(DOCS_APART == KEDGE_APART, "what is stored is shown");

#define NO_BLOCK UINT64_MAX

struct kedge_documents {
    store *s;
    store_txn *txn; /* from opening to closing */
    const kedge_control *control;
    const char *const *ids;
    uint64_t count, next; /* of the ids asked for, or of the blocks */
    store_totals totals;
    words all;
    sourcenames names; /* of sources, made different, as ids have them */
    block_extent *extents; /* of the blocks that are there; NULL: not made */
    size_t extent_count;
    filter filter;  /* of all words, which reads the blocks */
    docs batch;     /* the documents of one of them, */
    uint64_t block; /* of this one, */
    store_source source; /* which is of this source */
    size_t at;      /* the next to be given */
    stage progress;
    uint64_t given;
    kedge_document document;
    char id[STORE_ID_MAX + 1];
    char *label;
    kedge_word_count *tally;
    size_t label_capacity, tally_capacity;
};

/* ---- blocks -------------------------------------------------------------- */

kedge_status block_list(filter *f, docs *batch, store_txn *txn, uint64_t end,
                        const stage *progress, block_extent **list,
                        size_t *count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t there, next = 0;

    *list = NULL;
    *count = 0;
    TRY(store_count_blocks(txn, &there, err));
    TRY_MEM(*list = mem_new(there, sizeof **list));
    while (filter_next(f, txn, &next, end, batch, &st, err)) {
        block_extent *const e = &(*list)[(*count)++];
        *e = (block_extent){next - 1, f->source, 1, 0};
        if (batch->count > 0) {
            e->first = batch->position[0];
            e->last = batch->position[batch->count - 1];
        }
        TRY(stage_reach(progress, next, err));
    }
out:
    if (st != KEDGE_OK) {
        mem_free(*list);
        *list = NULL;
    }
    return st;
}

static kedge_status documents_read(kedge_documents *d, uint64_t block,
                                   kedge_error *err)
{
    d->block = NO_BLOCK;
    d->at = 0;
    PASS(run_check(d->control, err));
    docs_clear(&d->batch);
    PASS(filter_read_ordered(&d->filter, d->txn, block, &d->batch, err));
    if (d->batch.count > 0)
        PASS(store_get_source_record(d->txn, d->filter.source, &d->source,
                                     err));
    d->block = block;
    return KEDGE_OK;
}

/* ---- the documents asked for --------------------------------------------- */

/* "SOURCE:POSITION" taken apart; false when it is nothing of the kind. */
static bool documents_parse(const kedge_documents *d, span id,
                            uint32_t *source, uint64_t *position)
{
    size_t colon = id.size;

    *position = 0;
    while (colon > 0 && id.bytes[colon - 1] != ':')
        colon--;
    if (colon == 0 || colon == id.size || id.size - colon > 20 ||
        id.bytes[colon] == '0')
        return false;
    for (size_t i = colon; i < id.size; i++) {
        const unsigned digit = (unsigned)(id.bytes[i] - '0');
        if (digit > 9 || *position > (UINT64_MAX - digit) / 10)
            return false;
        *position = 10 * *position + digit;
    }
    *source = sourcenames_find(&d->names, span_of(id.bytes, colon - 1));
    return *source != WORDMAP_NONE;
}

/* The document at a position of the block, which is read unless it is there;
 * *found is false when it was removed, or has an id of another kind. */
static kedge_status documents_seek(kedge_documents *d, store_place place,
                                   span own, bool *found, kedge_error *err)
{
    const docs *const b = &d->batch;
    size_t low = 0, high;

    if (d->block != place.block)
        PASS(documents_read(d, place.block, err));
    high = b->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (b->position[middle] < place.position)
            low = middle + 1;
        else
            high = middle;
    }
    d->at = low;
    *found = low < b->count && b->position[low] == place.position &&
             span_equal(docs_id(b, low), own);
    return KEDGE_OK;
}

static kedge_status documents_by_position(kedge_documents *d, span id,
                                          bool *found, kedge_error *err)
{
    uint64_t position;
    uint32_t source;

    *found = false;
    if (!documents_parse(d, id, &source, &position))
        return KEDGE_OK;
    if (d->extents == NULL) {
        const stage progress = stage_begin(d->control, "looking for documents",
                                           d->totals.blocks, "blocks");
        d->block = NO_BLOCK;
        PASS(block_list(&d->filter, &d->batch, d->txn, d->totals.blocks,
                        &progress, &d->extents, &d->extent_count, err));
    }
    for (size_t i = 0; i < d->extent_count && !*found; i++) {
        const block_extent *const e = &d->extents[i];
        if (e->source == source && e->first <= position &&
            position <= e->last)
            PASS(documents_seek(d, (store_place){e->block, position},
                                span_of("", 0), found, err));
    }
    return KEDGE_OK;
}

static kedge_status documents_find(kedge_documents *d, const char *text,
                                   kedge_error *err)
{
    const span id = span_text(text);
    store_place place;
    bool found = false;
    kedge_status st = store_get_id(d->txn, id, &place, err);

    if (st == KEDGE_OK)
        st = documents_seek(d, place, id, &found, err);
    else if (st == KEDGE_ENOTFOUND)
        st = documents_by_position(d, id, &found, err);
    if (st == KEDGE_OK && !found)
        st = kedge_fail(err, KEDGE_ENOTFOUND,
                        "the store has no document \"%.*s\"%s",
                        id.size < 80 ? (int)id.size : 80, text,
                        id.size < 80 ? "" : "...");
    return st;
}

/* The next id. All documents may have to be looked at first, which is a stage
 * of its own. */
static kedge_status documents_find_next(kedge_documents *d, kedge_error *err)
{
    kedge_status st = documents_find(d, d->ids[d->next++], err);

    if (d->next == 1)
        d->progress = stage_begin(d->control, "documents", d->count,
                                  "documents");
    KEEP_FIRST(st, stage_reach(&d->progress, d->next,
                               st == KEDGE_OK ? err : NULL));
    return st;
}

/* ---- what is given ------------------------------------------------------- */

static void documents_give_id(kedge_documents *d, span own)
{
    kedge_document *const out = &d->document;

    if (own.size > 0) {
        out->id_size = own.size < STORE_ID_MAX ? own.size : STORE_ID_MAX;
        memcpy(d->id, own.bytes, out->id_size);
        d->id[out->id_size] = '\0';
    } else {
        out->id_size = sourcenames_id(&d->names, d->filter.source,
                                      out->position, d->id);
    }
    out->id = d->id;
}

/* Document m of the batch. */
static kedge_status documents_give(kedge_documents *d, size_t m,
                                   const kedge_document **out,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *const b = &d->batch;
    const span label = docs_label(b, m);
    const size_t from = b->start[m], count = b->start[m + 1] - from;

    TRY_GROW(d->label, d->label_capacity, label.size + 1);
    TRY_GROW(d->tally, d->tally_capacity, count + 1);
    if (label.size > 0)
        memcpy(d->label, label.bytes, label.size);
    d->label[label.size] = '\0';
    for (size_t k = 0; k < count; k++) {
        const uint32_t id = b->word[from + k];
        d->tally[k] = (kedge_word_count){words_get(&d->all, id),
                                         words_size(&d->all, id),
                                         b->tally[from + k]};
    }
    d->document = (kedge_document){
        .source = d->source.name,
        .batch = d->source.batch,
        .position = b->position[m],
        .tokens = b->length[m],
        .label = d->label,
        .label_size = label.size,
        .words = d->tally,
        .count = count,
        .order_size = docs_order_size(b, m)};
    if (d->document.order_size > 0)
        d->document.order = b->order + b->order_at[m];
    documents_give_id(d, docs_id(b, m));
    *out = &d->document;
out:
    return st;
}

kedge_status kedge_documents_next(kedge_documents *d,
                                  const kedge_document **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"documents", d}, {"out", out});

    kedge_status st = KEDGE_OK;

    if (d->ids != NULL) {
        if (d->next == d->count)
            return api_leave(KEDGE_OK, err);
        TRY(documents_find_next(d, err));
    }
    while (d->ids == NULL && d->at == d->batch.count) {
        TRY(store_next_block(d->txn, d->next, d->totals.blocks, &d->next, err));
        if (d->next == d->totals.blocks)
            return api_leave(stage_reach(&d->progress, d->given, err), err);
        TRY(documents_read(d, d->next++, err));
        TRY(stage_reach(&d->progress, d->given, err));
    }
    TRY(documents_give(d, d->at++, out, err));
    d->given++;
out:
    return api_leave(st, err);
}

/* ---- the whole ----------------------------------------------------------- */

kedge_status kedge_documents_open(kedge_store *s, const char *const *ids,
                                  uint64_t count, const kedge_control *control,
                                  kedge_documents **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});
    API_TEXTS(err, "ids", ids, count);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    kedge_documents *d = NULL;
    uint64_t memory, own, blocks;

    TRY_MEM(d = mem_new(1, sizeof *d));
    *d = (kedge_documents){.control = control, .block = NO_BLOCK,
                           .ids = count > 0 ? ids : NULL, .count = count};
    d->s = store_share(s);
    TRY(store_begin_read(s, &d->txn, err));
    TRY(store_get_totals(d->txn, &d->totals, err));
    TRY(store_count_blocks(d->txn, &blocks, err));
    TRY(plan_walk(&(walk_shape){.what = "showing documents", .threads = 1,
                                .vocabulary = d->totals.words,
                                .word_bytes = d->totals.word_bytes,
                                .blocks = 1,
                                .more = blocks * sizeof *d->extents +
                                        memory_sources(d->totals.sources)},
                  control, &memory, err));
    TRY(store_get_words(d->txn, &d->all, err));
    TRY(sourcenames_open(&d->names, d->txn, d->totals.sources, err));
    TRY(elsewhere_own(d->txn, &d->totals, &own, err));
    if (d->ids == NULL)
        d->progress = stage_begin(control, "documents", own, "documents");
    if (d->ids == NULL && d->totals.parts > 0)
        run_log(control, "the documents of %" PRIu64 " part%s are elsewhere: "
                         "only %" PRIu64 " documents are here", d->totals.parts,
                d->totals.parts == 1 ? "" : "s", own);
    *out = d;
    d = NULL;
out:
    kedge_documents_close(d);
    return api_leave(st, err);
}

store_place documents_place(const kedge_documents *d)
{
    return (store_place){d->block, d->document.position};
}

void kedge_documents_close(kedge_documents *d)
{
    if (d == NULL)
        return;
    store_abort(&d->txn);
    words_free(&d->all);
    sourcenames_close(&d->names);
    filter_close(&d->filter);
    docs_free(&d->batch);
    mem_free(d->extents);
    mem_free(d->label);
    mem_free(d->tally);
    store_release(d->s);
    mem_free(d);
}
