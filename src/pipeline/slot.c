/* SPDX-License-Identifier: MIT */
#include "pipeline/slot.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/reader.h"

void slot_free(slot *s)
{
    store_block_free(&s->block_scratch);
    store_order_free(&s->order_scratch);
    mem_free(s->bytes);
    mem_free(s->block);
    mem_free(s->part);
    mem_free(s->left);
    window_free(&s->w);
    docs_free(&s->batch);
    *s = (slot){0};
}

bool slot_begin_part(slot *s, uint32_t source, const store_source *record)
{
    if (!mem_grow((void **)&s->part, &s->part_capacity, s->parts + 1,
                  sizeof *s->part))
        return false;
    s->part[s->parts++] = (slot_part){source, *record, s->batch.count, false};
    return true;
}

void slot_drop(slot *s, const uint32_t *index, size_t count)
{
    size_t before = 0;

    for (size_t p = 0; p < s->parts; p++) {
        while (before < count && index[before] < s->part[p].first)
            before++;
        s->part[p].first -= before;
    }
    docs_drop(&s->batch, 0, index, count);
}

/* Appends a record; *at is where. */
static kedge_status slot_keep(slot *s, const store_frame *f, size_t *at,
                              kedge_error *err)
{
    if (!mem_grow((void **)&s->bytes, &s->capacity, s->used + f->size, 1))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (blocks)");
    *at = s->used;
    if (f->size > 0)
        memcpy(s->bytes + s->used, f->bytes, f->size);
    s->used += f->size;
    return KEDGE_OK;
}

static kedge_status slot_add_block(slot *s, const slot_part *of, size_t from,
                                   size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    slot_block *b;

    TRY_MEM(mem_grow((void **)&s->block, &s->block_capacity, s->blocks + 1,
                     sizeof *s->block)
                ? s
                : NULL);
    b = &s->block[s->blocks];
    b->first = from;
    TRY(store_block_encode(&s->block_scratch, of->source, &s->batch, from,
                           count, err));
    TRY(store_order_encode(&s->order_scratch, &s->batch, from, count, err));
    b->size = s->block_scratch.size;
    b->order_size = s->order_scratch.size;
    TRY(slot_keep(s, &s->block_scratch, &b->at, err));
    TRY(slot_keep(s, &s->order_scratch, &b->order_at, err));
    s->blocks++;
out:
    return st;
}

size_t slot_largest(const docs *d)
{
    size_t most = 0;

    for (size_t m = 0; m < d->count; m++) {
        const size_t entries = slot_entries(d, m);
        most = most > entries ? most : entries;
    }
    return most;
}

static kedge_status slot_encode_part(slot *s, size_t p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *d = &s->batch;
    const size_t end = slot_part_end(s, p);
    size_t from = s->part[p].first, entries = 0;

    for (size_t m = from; m < end; m++) {
        entries += slot_entries(d, m);
        if (m + 1 < end && entries < SLOT_BLOCK_ENTRIES &&
            d->order_at[m + 1] - d->order_at[from] < SLOT_BLOCK_SYMBOLS &&
            m + 1 - from < WINDOW_DOCUMENTS)
            continue;
        TRY(slot_add_block(s, &s->part[p], from, m + 1 - from, err));
        from = m + 1;
        entries = 0;
    }
out:
    return st;
}

kedge_status slot_encode(slot *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    s->blocks = s->used = 0;
    for (size_t p = 0; p < s->parts; p++)
        TRY(slot_encode_part(s, p, err));
out:
    return st;
}

kedge_status slot_put(slot *s, store_txn *txn, uint64_t first, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < s->blocks; i++) {
        const slot_block *const b = &s->block[i];
        TRY(store_put_block(
            txn, first + i,
            &(store_block){.bytes = s->bytes + b->at, .size = b->size}, err));
        if (b->order_size > 0)
            TRY(store_put_order(txn, first + i,
                                &(store_order){.bytes = s->bytes + b->order_at,
                                               .size = b->order_size},
                                err));
    }
out:
    return st;
}

static_assert(WINDOW_DOCUMENTS <= STORE_BLOCK_DOCUMENTS,
              "a turn's documents fit a block");
static_assert(WINDOW_SPLIT_TOKENS == STORE_PIECE_TOKENS &&
                  READER_ENTRIES_MAX <= STORE_DOCUMENT_ENTRIES,
              "what is read is a document of a store");

/* A symbol before and after compression, about. */
#define SYMBOL_BYTES 3
/* The same of an entry after it, while what holds it grows. */
#define ENCODED_BYTES 8

slot_limits slot_limits_of(unsigned halvings)
{
    const size_t entries = (size_t)WINDOW_ENTRIES >> halvings;
    slot_limits l = {.documents = (size_t)WINDOW_DOCUMENTS >> halvings,
                     .entries = entries};

    if (l.entries < SLOT_BLOCK_ENTRIES)
        l.entries = SLOT_BLOCK_ENTRIES;
    l.tokens = WINDOW_TOKENS / WINDOW_ENTRIES * (uint64_t)l.entries;
    return l;
}

size_t slot_chunks_saved(unsigned halvings, uint64_t vocabulary)
{
    const size_t most = SLOT_CHUNKS_SAVED >> halvings;
    const size_t chunks = (vocabulary + STORE_CHUNK_ROWS - 1) / STORE_CHUNK_ROWS;

    return chunks > 0 && chunks < most ? chunks : most;
}
