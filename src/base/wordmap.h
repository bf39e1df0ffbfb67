/* SPDX-License-Identifier: MIT */
#ifndef BASE_WORDMAP_H
#define BASE_WORDMAP_H
/*
 * A hash index of a list of words. While it is open, words are added to the
 * list through the map alone.
 */
#include "base/span.h"
#include "base/words.h"

#define WORDMAP_NONE UINT32_MAX

typedef struct wordmap {
    words *list;    /* not owned */
    uint64_t *slot; /* 0: empty; else upper half of the hash, id + 1 */
    size_t slots;   /* a power of two, or 0 */
} wordmap;

/* Of the words that the list has; one that comes twice is found by its first
 * id. false when there is no memory. */
bool wordmap_open(wordmap *m, words *list);
void wordmap_close(wordmap *m);

/* Its id, or WORDMAP_NONE. */
uint32_t wordmap_find(const wordmap *m, span word);

/* Its id, which is the next one when the word is new; false when there is no
 * memory. */
bool wordmap_add(wordmap *m, span word, uint32_t *id);

#endif
