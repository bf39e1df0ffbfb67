/* SPDX-License-Identifier: MIT */
#ifndef OPS_UPKEEP_BLOCKS_H
#define OPS_UPKEEP_BLOCKS_H
/*
 * Blocks of a store, decoded one at a time.
 */
#include "base/run.h"
#include "store/store.h"

/* An empty one is {0}. */
typedef struct block_reader {
    uint32_t source; /* of the block that was read last, */
    docs batch;      /* and its documents */
    store_block scratch;
    store_order order;
    store_gone gone;
} block_reader;

/* Without tombstones; the batch is empty where there is no such block. */
kedge_status block_read(block_reader *r, store_txn *txn, uint64_t number,
                        kedge_error *err);
void block_reader_free(block_reader *r);

/* What a block has, tombstones too. */
typedef struct block_extent {
    uint64_t block;
    uint32_t source;
    uint64_t first, last; /* positions */
} block_extent;

/* All blocks below `end` that are there; the caller frees *list, which is NULL
 * after a failure. */
kedge_status block_list(block_reader *r, store_txn *txn, uint64_t end,
                        const stage *told, block_extent **list, size_t *count,
                        kedge_error *err);

#endif
