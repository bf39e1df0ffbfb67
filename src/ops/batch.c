/* SPDX-License-Identifier: MIT */
#include "ops/batch.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/reader.h"

void batch_free(doc_batch *b)
{
    store_block_free(&b->block_scratch);
    store_order_free(&b->order_scratch);
    mem_free(b->bytes);
    mem_free(b->block);
    mem_free(b->part);
    mem_free(b->left);
    window_free(&b->w);
    docs_free(&b->docs);
    *b = (doc_batch){0};
}

void batch_drop(doc_batch *b, const uint32_t *index, size_t count)
{
    size_t before = 0;

    for (size_t p = 0; p < b->parts; p++) {
        while (before < count && index[before] < b->part[p].first)
            before++;
        b->part[p].first -= before;
    }
    docs_drop(&b->docs, 0, index, count);
}

size_t batch_largest(const docs *d)
{
    size_t most = 0;

    for (size_t m = 0; m < d->count; m++) {
        const size_t entries = batch_entries(d, m);
        most = most > entries ? most : entries;
    }
    return most;
}

/* Appends a record; *at is where. */
static bool batch_append(doc_batch *b, const store_frame *f, size_t *at)
{
    if (!mem_grow((void **)&b->bytes, &b->capacity, b->used + f->size, 1))
        return false;
    *at = b->used;
    if (f->size > 0)
        memcpy(b->bytes + b->used, f->bytes, f->size);
    b->used += f->size;
    return true;
}

static kedge_status batch_add_block(doc_batch *b, uint32_t source, size_t from,
                                    size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    batch_block next = {.first = from};

    TRY(store_block_encode(&b->block_scratch, source, &b->docs, from, count,
                           err));
    TRY(store_order_encode(&b->order_scratch, &b->docs, from, count, err));
    next.size = b->block_scratch.size;
    next.order_size = b->order_scratch.size;
    TRY_MEM(batch_append(b, &b->block_scratch, &next.at));
    TRY_MEM(batch_append(b, &b->order_scratch, &next.order_at));
    TRY_GROW(b->block, b->block_capacity, b->blocks + 1);
    b->block[b->blocks++] = next;
out:
    return st;
}

kedge_status batch_encode(doc_batch *b, kedge_error *err)
{
    const docs *const d = &b->docs;

    b->blocks = b->used = 0;
    for (size_t p = 0; p < b->parts; p++) {
        const size_t end =
            p + 1 < b->parts ? b->part[p + 1].first : d->count;
        size_t from = b->part[p].first, entries = 0;
        for (size_t m = from; m < end; m++) {
            entries += batch_entries(d, m);
            if (m + 1 < end && entries < STORE_BLOCK_ENTRIES &&
                d->order_at[m + 1] - d->order_at[from] < STORE_BLOCK_SYMBOLS &&
                m + 1 - from < WINDOW_DOCUMENTS)
                continue;
            PASS(batch_add_block(b, b->part[p].source, from, m + 1 - from,
                                 err));
            from = m + 1;
            entries = 0;
        }
    }
    return KEDGE_OK;
}

kedge_status batch_put(const doc_batch *b, store_txn *txn, uint64_t first,
                       kedge_error *err)
{
    for (size_t i = 0; i < b->blocks; i++) {
        const batch_block *const k = &b->block[i];
        const store_block block = {.bytes = b->bytes + k->at,
                                   .size = k->size};
        const store_order order = {.bytes = b->bytes + k->order_at,
                                   .size = k->order_size};
        PASS(store_put_block(txn, first + i, &block, err));
        if (order.size > 0)
            PASS(store_put_order(txn, first + i, &order, err));
    }
    return KEDGE_OK;
}

static_assert(WINDOW_DOCUMENTS <= STORE_BLOCK_DOCUMENTS,
              "a batch's documents fit a block");
static_assert(WINDOW_SPLIT_TOKENS == STORE_PIECE_TOKENS &&
                  READER_ENTRIES_MAX <= STORE_DOCUMENT_ENTRIES,
              "what is read is a document of a store");

batch_limits batch_limits_of(unsigned halvings)
{
    const size_t entries = (size_t)WINDOW_ENTRIES >> halvings;
    batch_limits l = {.documents = (size_t)WINDOW_DOCUMENTS >> halvings,
                     .entries = entries};

    if (l.entries < STORE_BLOCK_ENTRIES)
        l.entries = STORE_BLOCK_ENTRIES;
    l.tokens = WINDOW_TOKENS / WINDOW_ENTRIES * (uint64_t)l.entries;
    return l;
}

size_t batch_chunks_saved(unsigned halvings, uint64_t vocabulary)
{
    const size_t most = BATCH_CHUNKS_SAVED >> halvings;
    const size_t chunks =
        (vocabulary + STORE_CHUNK_ROWS - 1) / STORE_CHUNK_ROWS;

    return chunks > 0 && chunks < most ? chunks : most;
}
