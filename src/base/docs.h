/* SPDX-License-Identifier: MIT */
#ifndef BASE_DOCS_H
#define BASE_DOCS_H
/*
 * A batch of documents as bags of words: the type that the reader, the store
 * and the sketch pass to each other.
 *
 * Document d has the entries start[d] .. start[d + 1] - 1: words, rising, with
 * tallies (counts) of at least 1. Its position is that in its source, from 1.
 * Positions rise within a batch and may have gaps, as documents without words
 * are left out. Ids and labels are optional and of any bytes; empty: none.
 *
 * A document that was a text may have the order of its words, as a sequence of
 * symbols: the place of a word among the document's entries plus 1, or
 * DOCS_APART between words that were not side by side. Very long texts have no
 * order.
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
#define DOCS_NO_WORD UINT32_MAX /* docs_select drops the word */
#define DOCS_ORDER_MOST ((size_t)1 << 19) /* symbols of a document */

/* An empty batch is docs d = {0}; it grows as needed and is reused. */
void docs_clear(docs *d); /* keeps the memory */
void docs_free(docs *d);

/* Begins the next document; docs_push adds its entries. Functions that return
 * bool return false when there is no memory. */
bool docs_begin(docs *d, uint64_t position);
bool docs_push(docs *d, uint32_t word, uint32_t tally);
/* Sets id and label of the document begun last. */
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

/* Appends to the order of the document begun last. */
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

/* Whether the documents from `first` on keep the rules above: entries and
 * symbols of one document follow those of the one before, and symbols are
 * places among the document's own entries. Debug builds assert it. */
bool docs_agree(const docs *d, size_t first);

/* Deletes the order of the documents from `first` on. */
void docs_drop_order(docs *d, size_t first);

/* Appends document m of another batch. */
bool docs_append(docs *d, const docs *from, size_t m);

/* Replaces each word id by map[id] in the documents from `first` on and sorts
 * their entries. No two words of a document may get the same id. After false
 * the batch is unchanged. */
bool docs_renumber(docs *d, size_t first, const uint32_t *map);

/* Replaces each id below `ids` by number[id], which rises with the id, and
 * drops the words with DOCS_NO_WORD or an id of `ids` or more, also from the
 * length. Deletes the order, whose symbols were places among the old
 * entries. */
void docs_select(docs *d, size_t first, const uint32_t *number, size_t ids);

/* The number of entries of document m after cutting it into pieces of at most
 * `longest` tokens (0: not cut). A word is in at most as many pieces as it has
 * tokens. */
size_t docs_cut_entries(const docs *d, size_t m, uint64_t longest);

/* Removes the documents from + index[0], from + index[1], ... from the batch;
 * `index` rises. The others keep their order. */
void docs_drop(docs *d, size_t from, const uint32_t *index, size_t count);

/* Entries of the whole batch. */
static inline size_t docs_entries(const docs *d)
{
    return d->count == 0 ? 0 : d->start[d->count];
}

#endif
