/* SPDX-License-Identifier: MIT */
#ifndef IO_ENTRIES_H
#define IO_ENTRIES_H
/*
 * Brings the entries of one document into the order of their words, where a
 * file gave them in any other, and finds words that came twice.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scratch memory; {0} is empty. */
typedef struct entries {
    uint64_t *key, *spare;
    size_t capacity;
} entries;

typedef struct entries_twins {
    size_t count; /* entries left out, since their word had come before */
    size_t first; /* where the first of them was, before sorting */
    uint32_t word; /* of that one */
    uint64_t tokens; /* of all of them */
} entries_twins;

/*
 * Sorts word[0 .. n-1], n below 2^32, with the tallies. Of entries with the
 * same word the first is kept; *left is how many are kept. false when there is
 * no memory, with the entries as they were.
 */
bool entries_sort(entries *e, uint32_t *word, uint32_t *tally, size_t n,
                  size_t *left, entries_twins *twins);

void entries_free(entries *e);

#endif
