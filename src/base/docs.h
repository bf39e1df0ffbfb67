/* SPDX-License-Identifier: MIT */
#ifndef BASE_DOCS_H
#define BASE_DOCS_H
/*
 * A batch of documents as bags of words: the plain type that flows from the
 * reader to the store and the sketch, and back from the store.
 *
 * Document d holds the entries start[d] .. start[d + 1] - 1, words rising,
 * tallies at least 1. It is known by its position in its source, from 1;
 * positions rise within a batch but need not be dense (documents without words
 * are not carried). It may have an id and a label, of any bytes; empty: none.
 *
 * A document that was a text may have the order of its words: symbols, each of
 * them the place of a word among the document's entries plus one, or
 * DOCS_APART between two words that do not stand side by side. Those of very
 * long texts have none.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

typedef struct docs {
    size_t count;       /* documents */
    size_t *start;      /* count + 1 */
    uint64_t *position; /* count */
    uint64_t *length;   /* count: tokens, the sum of the tallies */
    uint32_t *word;     /* start[count] */
    uint32_t *tally;    /* start[count] */
    size_t *name_at;    /* 2 count + 1: document d's id is name[name_at[2 d] ..
                           name_at[2 d + 1]), its label follows it */
    char *name;
    size_t *order_at;   /* count + 1 */
    uint32_t *order;    /* order_at[count] symbols */
    size_t doc_capacity, entry_capacity, name_at_capacity, name_capacity;
    size_t order_capacity;
} docs;

#define DOCS_APART 0 /* the symbol */
#define DOCS_NO_WORD UINT32_MAX /* the number of a word that leaves */
#define DOCS_ORDER_MOST ((size_t)1 << 19) /* symbols of a document */

/* An empty batch is docs d = {0}; it grows as needed and is reused. */
void docs_clear(docs *d); /* keeps the memory */
void docs_free(docs *d);

/* Opens the next document; its entries follow with docs_push. false when
 * there is no memory. */
bool docs_begin(docs *d, uint64_t position);
bool docs_push(docs *d, uint32_t word, uint32_t tally);
/* Id and label of the document that was begun last; not set: none. */
bool docs_set_name(docs *d, span id, span label);

/* NULL + 0 has no meaning where no document has a name. */
static inline const char *docs_name(const docs *d, size_t at)
{
    return d->name == NULL ? NULL : d->name + at;
}

static inline span docs_id(const docs *d, size_t m)
{
    return span_of(docs_name(d, d->name_at[2 * m]),
                   d->name_at[2 * m + 1] - d->name_at[2 * m]);
}

static inline span docs_label(const docs *d, size_t m)
{
    return span_of(docs_name(d, d->name_at[2 * m + 1]),
                   d->name_at[2 * m + 2] - d->name_at[2 * m + 1]);
}

/* Appends to the order of the document that was begun last. */
bool docs_push_order(docs *d, const uint32_t *symbol, size_t count);

/* Symbols of the whole batch. */
static inline size_t docs_symbols(const docs *d)
{
    return d->count == 0 ? 0 : d->order_at[d->count];
}

/* Symbols of one document; 0: it has no order. */
static inline size_t docs_order_size(const docs *d, size_t m)
{
    return d->order_at[m + 1] - d->order_at[m];
}

/* Whether the documents from `first` on are what is said above: entries and
 * symbols lie one document after the other, and symbols are places among the
 * document's own entries. Debug builds assert it. */
bool docs_agree(const docs *d, size_t first);

/* The documents from `first` on are without an order then. */
void docs_drop_order(docs *d, size_t first);

/* Appends document m of another batch; false when there is no memory. */
bool docs_append(docs *d, const docs *from, size_t m);

/* Other ids for the words of the documents from `first` on: map[id], of which
 * no two are the same within a document. Entries rise again. False when there
 * is no memory: the batch is as it was. */
bool docs_renumber(docs *d, size_t first, const uint32_t *map);

/* The same, but only for the words that have a number: number[id], of `ids`.
 * Numbers rise with the ids. Words with DOCS_NO_WORD, and those whose id is
 * `ids` or more, leave; they do not count for the length. What is left has no
 * order: its symbols are places among the entries that were there. */
void docs_select(docs *d, size_t first, const uint32_t *number, size_t ids);

/* Entries that document m has in pieces of `longest` tokens at most (0: it
 * stays whole): a word is in no more pieces than it has tokens. */
size_t docs_cut_entries(const docs *d, size_t m, uint64_t longest);

/* Takes the documents from + index[0], from + index[1], ... out of the batch;
 * `index` rises. The others keep their order. */
void docs_drop(docs *d, size_t from, const uint32_t *index, size_t count);

/* Entries of the whole batch. */
static inline size_t docs_entries(const docs *d)
{
    return d->count == 0 ? 0 : d->start[d->count];
}

#endif
