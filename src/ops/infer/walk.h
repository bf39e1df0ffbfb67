/* SPDX-License-Identifier: MIT */
#ifndef OPS_INFER_WALK_H
#define OPS_INFER_WALK_H
/*
 * The documents of a store as a model sees them, a block after the other: rows
 * of its words, after phrases were joined where it has any, and how many tokens
 * are none of these. Whatever goes over documents with a model goes this way;
 * so do documents from outside, a batch at a time.
 */
#include "ops/ingest/sourcenames.h"
#include "ops/models/model.h"
#include "ops/index/filter.h"

/* An id of a model from elsewhere: of a word that the store has not. */
#define WALK_UNKNOWN (-1.0)

typedef struct walk {
    uint64_t next, blocks; /* the next one to be read, of so many */
    sourcenames names;     /* documents without ids are known by */
    filter filter;
    uint32_t *row;         /* by number of the filter */
} walk;

/* Documents of a stored block or of a batch. */
typedef struct walk_part {
    docs seen;         /* rows of the model's words, rising */
    uint64_t *outside; /* of each: tokens that are none of these */
    size_t capacity;
    uint64_t block;    /* of stored documents */
    uint32_t source;
} walk_part;

/* Over the first `blocks` of a store of these totals, in the open transaction,
 * or over none: then its sources have no names. Phrases are those of the index
 * that the model was fitted of; where that is gone and had any, which is
 * logged, words are seen one by one. */
kedge_status walk_open(walk *w, store_txn *txn, const kedge_model *m,
                       const store_totals *totals, uint64_t blocks,
                       const kedge_control *control, kedge_error *err);
void walk_close(walk *w);

/* The next block that has documents; none after the last. ECORRUPT. */
kedge_status walk_next(walk *w, store_txn *txn, walk_part *out,
                       kedge_error *err);

/* A batch of a source, with the store's ids. */
kedge_status walk_show(walk *w, const docs *batch, uint32_t source,
                       walk_part *out, kedge_error *err);

void walk_part_free(walk_part *p);

/* What document m of a source is called: its own id, or the source's name and
 * its position. ECORRUPT where there is no such source. */
kedge_status walk_id(const sourcenames *names, const docs *d, size_t m,
                     uint32_t source, char out[STORE_ID_MAX + 1], size_t *size,
                     kedge_error *err);

#endif
