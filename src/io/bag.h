/* SPDX-License-Identifier: MIT */
#ifndef IO_BAG_H
#define IO_BAG_H
/*
 * The words of one document, spelt or as numbers, with their counts, while a
 * format gathers them for a record. {0} is empty; the memory is used again.
 */
#include "io/format.h"

#define BAG_ENTRIES_MAX ((size_t)1 << 24) /* of a document */
#define BAG_TOKENS_MAX (UINT64_C(1) << 40)

/* Entries that a bag may have, when so many were asked for. */
static inline size_t bag_most(size_t asked)
{
    return asked == 0 || asked > BAG_ENTRIES_MAX ? BAG_ENTRIES_MAX : asked;
}

typedef struct bag {
    size_t count;
    size_t most;     /* entries; 0: BAG_ENTRIES_MAX */
    uint64_t tokens; /* the sum of the tallies */
    span *word;       /* not owned */
    uint32_t *number, *tally;
    size_t word_capacity, number_capacity, tally_capacity;
} bag;

void bag_clear(bag *b); /* keeps the memory */
void bag_free(bag *b);

/* One entry more, all of them of the same kind. ENOMEM; EFORMAT above the
 * limits, told of the line given last. */
kedge_status bag_add_word(bag *b, const lines *in, span word, uint32_t tally,
                          kedge_error *err);
kedge_status bag_add_number(bag *b, const lines *in, uint32_t number,
                            uint32_t tally, kedge_error *err);

/* Lends the entries to a record that has nothing yet. */
void bag_give(const bag *b, record_kind kind, record *out);

/* Bytes at most, of a bag of this kind. */
uint64_t bag_memusage(record_kind kind);

#endif
