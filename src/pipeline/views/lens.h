/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_LENS_H
#define PIPELINE_VIEWS_LENS_H
/*
 * What a view sees of the store: documents that were not removed, and of these
 * the words on its list, numbered from 0 in the order of their ids, once its
 * phrases are joined. A view without a list sees all words under their own ids.
 */
#include "base/words.h"
#include "pipeline/views/joining.h"
#include "store/store.h"

#define LENS_NONE DOCS_NO_WORD

typedef struct lens {
    const words *all;  /* the store's; not owned */
    words listed;      /* those on the list */
    uint32_t *number;  /* by id: place on the list, or LENS_NONE; NULL: all */
    size_t ids;        /* that have a number; later words are not on the list */
    store_list list;
    uint32_t source;   /* of the block that was read last */
    uint64_t *said;    /* of documents read or shown last: tokens, those of
                          words that are not on the list as well */
    size_t said_capacity;
    bool joined;       /* there are phrases: */
    joining joining;
    docs batch;        /* of one block, before they are joined */
    store_block scratch;
    store_order order;
    store_gone gone;
} lens;

/* Of a view that the store has, in a read transaction; `all` outlives it and
 * may grow. */
kedge_status lens_open(lens *l, store_txn *txn, uint32_t view,
                       const store_view *record, const words *all,
                       kedge_error *err);
void lens_close(lens *l);

/* The same without a view: of the words `ids` of `all` in the store, rising,
 * and where `joins` is not NULL of phrases. */
kedge_status lens_open_words(lens *l, const uint32_t *ids, size_t count,
                             size_t all, const store_joins *joins,
                             kedge_error *err);

/* The words that there are rows for. */
const words *lens_words(const lens *l);

/* The id of one of these. */
static inline uint32_t lens_id(const lens *l, size_t number)
{
    return l->number == NULL ? (uint32_t)number : l->list.ids[number];
}

/* Appends a block's documents, as they are seen; none where there is no block
 * any more. */
kedge_status lens_read(lens *l, store_txn *txn, uint64_t block, docs *out,
                       kedge_error *err);

/* Appends documents that are not in the store, but have its words' ids: what
 * is none, `all` or more, is not on the list. */
kedge_status lens_show(lens *l, const docs *batch, docs *out,
                       kedge_error *err);

/* The same of the documents that one removal took out. */
kedge_status lens_read_removed(lens *l, store_txn *txn, uint64_t removal,
                               uint64_t *block, docs *out, kedge_error *err);

/* The block's documents as they are stored, in the order of their words. */
kedge_status lens_read_ordered(lens *l, store_txn *txn, uint64_t block,
                               docs *out, kedge_error *err);

#endif
