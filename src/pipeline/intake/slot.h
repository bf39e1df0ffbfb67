/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_SLOT_H
#define PIPELINE_INTAKE_SLOT_H
/*
 * What travels through one turn of the pipeline: a batch of documents, as the
 * blocks that the store keeps and as the window that the sketch adds. Two slots
 * take turns: while one is stored and added, the next is being read.
 */
#include "base/docs.h"
#include "sketch/window.h"
#include "store/store.h"

typedef struct slot {
    docs batch;
    window w;
    store_block *block; /* encoded, ready to be put */
    store_order *order; /* of each block: that of its words */
    size_t *first; /* of each block: its first document in the batch */
    size_t blocks, block_capacity, first_capacity;
    uint32_t source;     /* ledger number */
    store_source record; /* of the source, once this slot is committed */
    uint64_t digest[2];  /* sums over the batch's documents */
    uint32_t *left; /* documents of the batch that are not to be stored */
    size_t lefts, left_capacity;
    bool texts;          /* some document so far was cut into words */
    bool last;           /* nothing comes after it */
    bool negative;       /* documents that leave the sketch */
    kedge_status status; /* of making it; its error */
    kedge_error error;
} slot;

#define SLOT_BLOCK_ENTRIES ((size_t)1 << 18) /* of a stored block, about, */
#define SLOT_BLOCK_SYMBOLS ((size_t)1 << 19) /* and of the order beside it */

/* What closes a turn. Where memory is short turns are smaller: what is made of
 * the documents is the same, whatever came together. */
typedef struct slot_limits {
    size_t documents, entries;
    uint64_t tokens;
} slot_limits;

#define SLOT_HALVINGS 3 /* at most: a block has to find room in a turn */

/* What sketch/window.h has, halved so many times. */
slot_limits slot_limits_of(unsigned halvings);

void slot_free(slot *s);

/* Entries of document m as they are in a window, where long ones are split. */
static inline size_t slot_entries(const docs *d, size_t m)
{
    return docs_cut_entries(d, m, WINDOW_SPLIT_TOKENS);
}

/* Entries of the document that has most of them, in pieces. */
size_t slot_largest(const docs *d);

/* Makes the batch's blocks, each of whole documents. */
kedge_status slot_encode(slot *s, kedge_error *err);

/* Bytes of all of them. */
uint64_t slot_encoded_size(const slot *s);

/* Bytes at most of turns that are halved so many times, by a damped statistic
 * or not; and of one whose documents are stored and not sketched. */
uint64_t slot_memusage(uint64_t vocabulary, unsigned halvings, bool damped);
uint64_t slot_stored_memusage(unsigned halvings);

/* Bytes of one block's documents and of its record being made or read. The last
 * of its documents may have all words. */
uint64_t slot_block_memusage(uint64_t vocabulary);

#endif
