/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SLOT_H
#define PIPELINE_SLOT_H
/*
 * What travels through one turn of the pipeline: a batch of documents, as the
 * blocks that the store keeps and as the window that the sketch adds. Two slots
 * take turns: while one is stored and added, the next is being read. The batch
 * is of one source, or of several small ones; a block is of one.
 */
#include "base/docs.h"
#include "sketch/window.h"
#include "store/store.h"

#define SLOT_PARTS 1024 /* sources that share a turn at most */

/* The documents of one source: from `first` to the next part's. */
typedef struct slot_part {
    uint32_t source;     /* ledger number */
    store_source record; /* of the source, once this slot is committed */
    size_t first;        /* document of the batch */
    bool by_id; /* it may have been read before: ids tell which documents */
} slot_part;

/* A block, encoded and ready to be put: places in `bytes`. */
typedef struct slot_block {
    size_t first; /* its first document in the batch */
    size_t at, size;
    size_t order_at, order_size; /* of the order of its words; 0: none */
} slot_block;

typedef struct slot {
    docs batch;
    window w;
    slot_part *part; /* one at least, once it has been read */
    size_t parts, part_capacity;
    slot_block *block;
    size_t blocks, block_capacity;
    uint8_t *bytes; /* of all blocks and orders */
    size_t used, capacity;
    store_block block_scratch;
    store_order order_scratch;
    uint64_t digest[2];  /* sums over the batch's documents */
    uint32_t *left; /* documents of the batch that are not to be stored */
    size_t lefts, left_capacity;
    bool texts;          /* some document so far was cut into words */
    bool last;           /* nothing comes after it */
    bool negative;       /* documents that leave the sketch */
    kedge_status status; /* of making it; its error */
    kedge_error error;
} slot;

#define SLOT_BLOCK_ENTRIES STORE_BLOCK_ENTRIES /* of a stored block, about, */
#define SLOT_BLOCK_SYMBOLS STORE_BLOCK_SYMBOLS /* and of the order beside it   \
                                                */

/* What closes a turn. Where memory is short turns are smaller: what is made of
 * the documents is the same, whatever came together. */
typedef struct slot_limits {
    size_t documents, entries;
    uint64_t tokens;
} slot_limits;

#define SLOT_HALVINGS 3 /* at most: a block has to find room in a turn */

/* What sketch/window.h has, halved so many times. */
slot_limits slot_limits_of(unsigned halvings);

/* Chunks of a sketch's rows that are saved together, of so many words. */
#define SLOT_CHUNKS_SAVED 8 /* at most */
size_t slot_chunks_saved(unsigned halvings, uint64_t vocabulary);

void slot_free(slot *s);

/* Entries of document m as they are in a window, where long ones are split. */
static inline size_t slot_entries(const docs *d, size_t m)
{
    return docs_cut_entries(d, m, WINDOW_SPLIT_TOKENS);
}

/* Entries of the document that has most of them, in pieces. */
size_t slot_largest(const docs *d);

/* The end of part p's documents. */
static inline size_t slot_part_end(const slot *s, size_t p)
{
    return p + 1 < s->parts ? s->part[p + 1].first : s->batch.count;
}

/* Begins a part where the batch ends; false when there is no memory. */
bool slot_begin_part(slot *s, uint32_t source, const store_source *record);

/* Takes documents out of the batch, as docs_drop. */
void slot_drop(slot *s, const uint32_t *index, size_t count);

/* Makes the batch's blocks, each of whole documents of one part. */
kedge_status slot_encode(slot *s, kedge_error *err);

/* Puts them under the numbers from `first` on. */
kedge_status slot_put(slot *s, store_txn *txn, uint64_t first,
                      kedge_error *err);

#endif
