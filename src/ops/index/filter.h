/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_FILTER_H
#define OPS_INDEX_FILTER_H
/*
 * The stored documents as an index sees them: those that were not removed, and
 * of these the words on its list, numbered from 0 in the order of their ids,
 * once its phrases are joined. An index without a list sees all words under
 * their own ids.
 */
#include "base/docs.h"
#include "base/words.h"
#include "ops/index/holdout.h"
#include "store/store.h"

/* ---- phrases ------------------------------------------------------------- */

/* A word of a document or, with symbol 0, a phrase. */
typedef struct joining_unit {
    uint32_t id;     /* JOINING_APART: not side by side */
    uint32_t symbol; /* its own in the order of words */
} joining_unit;

#define JOINING_APART UINT32_MAX

/* Joins words that stand side by side and are a phrase, in rounds, from left to
 * right. An empty one is {0}. */
typedef struct joining {
    struct joining_pair *slot;
    size_t slots; /* a power of two, or 0: no phrases */
    uint32_t rounds;
    joining_unit *unit;
    size_t units, unit_capacity;
    uint32_t *phrase, *tally; /* of the document being made */
    size_t phrase_capacity, tally_capacity;
} joining;

kedge_status joining_open(joining *j, const store_joins *joins,
                          kedge_error *err);
void joining_close(joining *j);

/* What document m is made of, in order, into j->unit; none when it has no
 * order. */
kedge_status joining_units(joining *j, const docs *d, size_t m,
                           kedge_error *err);

/* Appends document m to another batch, without an order. */
kedge_status joining_append(joining *j, const docs *d, size_t m, docs *out,
                            kedge_error *err);

/* ---- documents ----------------------------------------------------------- */

#define FILTER_NONE DOCS_NO_WORD

typedef struct filter {
    const words *all;  /* the store's; not owned */
    words listed;      /* those on the list */
    uint32_t *number;  /* by id: place on the list, or FILTER_NONE; NULL: all */
    size_t ids;        /* that have a number; later words are not on the list */
    store_list list;
    uint32_t source;   /* of the block that was read last */
    uint64_t *lengths; /* of documents read or shown last: tokens, those of
                          words that are not on the list as well */
    size_t length_capacity;
    const holdout *out; /* NULL: shows all documents; else, with `held`, the */
    bool held;          /* held-out ones, and without it the others */
    bool joined;       /* there are phrases: */
    joining joining;
    docs batch;        /* of one block, before they are joined */
    store_block scratch;
    store_order order;
    store_gone gone;
} filter;

/* An index's list, and its phrases, where it has any: the caller frees both. */
kedge_status filter_get_list(store_txn *txn, uint32_t number,
                             const store_index *record, store_list *list,
                             store_joins *joins, kedge_error *err);

/* Of an index that the store has, in a read transaction; `all` outlives it and
 * may grow. A filter of all words needs no opening: {.all = all}. */
kedge_status filter_open(filter *f, store_txn *txn, uint32_t number,
                         const store_index *record, const words *all,
                         kedge_error *err);
void filter_close(filter *f);

/* The same without an index: of the words `ids`, rising, of the store's `all`
 * words, and of the phrases `joins`, unless it is NULL. */
kedge_status filter_open_words(filter *f, const uint32_t *ids, size_t count,
                               size_t all, const store_joins *joins,
                               kedge_error *err);

/* The words that there are rows for. */
const words *filter_words(const filter *f);

/* The id of one of these. */
static inline uint32_t filter_id(const filter *f, size_t number)
{
    return f->number == NULL ? (uint32_t)number : f->list.ids[number];
}

/* Appends a block's documents as the index sees them; nothing where the block
 * was dropped. */
kedge_status filter_read(filter *f, store_txn *txn, uint64_t block, docs *out,
                         kedge_error *err);

/* Goes from block to block: clears the batch, reads the first block from *next
 * on that is there, and moves *next behind it. False at `end` and after a
 * failure. */
bool filter_next(filter *f, store_txn *txn, uint64_t *next, uint64_t end,
                 docs *out, kedge_status *st, kedge_error *err);

/* Appends documents that are not in the store but have the ids of its words; an
 * id that the store does not have is not on the list. */
kedge_status filter_apply(filter *f, const docs *batch, docs *out,
                          kedge_error *err);

/* The same of the documents that one removal took out. */
kedge_status filter_read_removed(filter *f, store_txn *txn, uint64_t removal,
                                 uint64_t *block, docs *out, kedge_error *err);

/* The block's documents as they are stored, in the order of their words. */
kedge_status filter_read_ordered(filter *f, store_txn *txn, uint64_t block,
                                 docs *out, kedge_error *err);

#endif
