/* SPDX-License-Identifier: MIT */
#include "pipeline/intake/slot.h"

#include "base/fail.h"
#include "base/mem.h"

void slot_free(slot *s)
{
    for (size_t i = 0; i < s->block_capacity; i++) {
        store_block_free(&s->block[i]);
        store_order_free(&s->order[i]);
    }
    mem_free(s->block);
    mem_free(s->order);
    mem_free(s->first);
    mem_free(s->left);
    window_free(&s->w);
    docs_free(&s->batch);
    *s = (slot){0};
}

/* Blocks that are new are empty, whatever comes after. */
static bool slot_grow_blocks(slot *s)
{
    const size_t before = s->block_capacity;
    size_t blocks = before, orders = before;

    if (!mem_grow((void **)&s->block, &blocks, s->blocks + 1,
                  sizeof *s->block) ||
        !mem_grow((void **)&s->order, &orders, s->blocks + 1,
                  sizeof *s->order))
        return false;
    for (size_t i = before; i < blocks; i++) {
        s->block[i] = (store_block){0};
        s->order[i] = (store_order){0};
    }
    s->block_capacity = blocks;
    return true;
}

static kedge_status slot_add_block(slot *s, size_t from, size_t count,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t at = s->blocks;

    if (!slot_grow_blocks(s) ||
        !mem_grow((void **)&s->first, &s->first_capacity, at + 1,
                  sizeof *s->first))
        TRY_MEM(NULL);
    s->first[at] = from;
    TRY(store_block_encode(&s->block[at], s->source, &s->batch, from, count,
                           err));
    TRY(store_order_encode(&s->order[at], &s->batch, from, count, err));
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

kedge_status slot_encode(slot *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *d = &s->batch;
    size_t from = 0, entries = 0;

    s->blocks = 0;
    for (size_t m = 0; m < d->count; m++) {
        entries += slot_entries(d, m);
        if (m + 1 < d->count && entries < SLOT_BLOCK_ENTRIES &&
            d->order_at[m + 1] - d->order_at[from] < SLOT_BLOCK_SYMBOLS &&
            m + 1 - from < WINDOW_DOCUMENTS)
            continue;
        TRY(slot_add_block(s, from, m + 1 - from, err));
        from = m + 1;
        entries = 0;
    }
out:
    return st;
}

/* A symbol before and after compression, about. */
#define SYMBOL_BYTES 3

uint64_t slot_encoded_size(const slot *s)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < s->blocks; i++)
        bytes += s->block[i].size + s->order[i].size;
    return bytes;
}

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

uint64_t slot_memusage(uint64_t vocabulary, unsigned halvings, bool damped)
{
    return slot_stored_memusage(halvings) +
           window_memusage(vocabulary, slot_limits_of(halvings).entries,
                           damped);
}

uint64_t slot_stored_memusage(unsigned halvings)
{
    const uint64_t entries = slot_limits_of(halvings).entries;
    const uint64_t blocks = entries / SLOT_BLOCK_ENTRIES + 1;
    const uint64_t symbols = slot_limits_of(halvings).tokens + DOCS_ORDER_MOST;

    /* half of the batch under inspection that two slots share; a block's
     * varints before and after compression, and the compressor */
    return blocks * (3 * 10 * SLOT_BLOCK_ENTRIES / 4 + (UINT64_C(3) << 20)) +
           docs_memusage(WINDOW_DOCUMENTS, entries) * 3 / 2 +
           docs_order_memusage(symbols) * 3 / 2 + SYMBOL_BYTES * symbols;
}

uint64_t slot_block_memusage(uint64_t vocabulary)
{
    const uint64_t entries = SLOT_BLOCK_ENTRIES + vocabulary;
    const uint64_t symbols = SLOT_BLOCK_SYMBOLS + DOCS_ORDER_MOST;
    const uint64_t names = 64; /* bytes of an id and a label, about */
    const uint64_t plain = 10 * entries +
                           (35 + names) * WINDOW_DOCUMENTS;

    return plain + plain / 2 + (UINT64_C(3) << 20) +
           docs_memusage(WINDOW_DOCUMENTS, entries) +
           names * WINDOW_DOCUMENTS + docs_order_memusage(symbols) +
           SYMBOL_BYTES * symbols;
}
