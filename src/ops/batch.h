/* SPDX-License-Identifier: MIT */
#ifndef OPS_BATCH_H
#define OPS_BATCH_H
/*
 * What goes through one step of ingesting or syncing: documents, as the blocks
 * that the store keeps and as the window that the sketch adds. While one batch
 * is stored and added, the next is being read. A batch is of one source, or of
 * several small ones; a block is of one.
 */
#include "base/docs.h"
#include "cooccur/window.h"
#include "store/store.h"

#define BATCH_PARTS 1024 /* sources that share a batch at most */

/* The documents of one source: from `first` to the next part's. */
typedef struct batch_part {
    uint32_t source;     /* ledger number */
    store_source record; /* of the source, once this batch is committed */
    size_t first;        /* its first document */
    bool by_id; /* it may have been read before: ids tell which documents */
    size_t ended; /* sources, with its last document */
} batch_part;

/* A block, encoded and ready to be put: places in `bytes`. */
typedef struct batch_block {
    size_t first; /* its first document in the batch */
    size_t at, size;
    size_t order_at, order_size; /* of the order of its words; 0: none */
} batch_block;

typedef struct doc_batch {
    docs docs;
    window w;
    batch_part *part; /* one at least, once it has been read */
    size_t parts, part_capacity;
    batch_block *block;
    size_t blocks, block_capacity;
    uint8_t *bytes; /* of all blocks and orders */
    size_t used, capacity;
    store_block block_scratch;
    store_order order_scratch;
    uint64_t digest[2]; /* sums over the documents */
    uint32_t *left; /* documents that are not to be stored, rising */
    size_t lefts, left_capacity;
    size_t ended;        /* sources, with its last document */
    bool texts;          /* some document so far was cut into words */
    bool last;           /* nothing comes after it, nor in it */
    bool negative;       /* documents that leave the sketch */
    kedge_status status; /* of reading it; its error */
    kedge_error error;
} doc_batch;

/* What closes a batch. Where memory is short batches are smaller: what is made
 * of the documents is the same, whatever came together. */
typedef struct batch_limits {
    size_t documents, entries;
    uint64_t tokens;
} batch_limits;

#define BATCH_HALVINGS 3 /* at most: a block has to find room in a batch */

/* What cooccur/window.h has, halved so many times. */
batch_limits batch_limits_of(unsigned halvings);

/* Chunks of a sketch's rows that are saved together, of so many words. */
#define BATCH_CHUNKS_SAVED 8 /* at most */
size_t batch_chunks_saved(unsigned halvings, uint64_t vocabulary);

void batch_free(doc_batch *b);

/* Entries of document m as they are in a window, where long ones are split. */
static inline size_t batch_entries(const docs *d, size_t m)
{
    return docs_cut_entries(d, m, WINDOW_SPLIT_TOKENS);
}

/* Entries of the document that has most of them, in pieces. */
size_t batch_largest(const docs *d);

/* Takes documents out of the batch, as docs_drop. */
void batch_drop(doc_batch *b, const uint32_t *index, size_t count);

/* Makes the batch's blocks, each of whole documents of one part. */
kedge_status batch_encode(doc_batch *b, kedge_error *err);

/* Puts them under the numbers from `first` on. */
kedge_status batch_put(const doc_batch *b, store_txn *txn, uint64_t first,
                       kedge_error *err);

#endif
