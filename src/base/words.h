/* SPDX-License-Identifier: MIT */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H
/*
 * A list of words with their bytes in one arena: a vocabulary. A word's id is
 * its place in the list; its rank is its place among all words in the order of
 * their bytes, which is the order in which everything after the sketch walks.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define WORD_MAX ((size_t)4096) /* bytes of a word that is read or stored */

typedef struct words {
    size_t count;
    size_t *offset; /* count + 1; word i is bytes[offset[i] .. offset[i+1]-2],
                       closed by a zero */
    char *bytes;
    size_t capacity, byte_capacity;
} words;

void words_free(words *w);

/* Appends a word of `size` bytes; false when there is no memory. */
bool words_add(words *w, const char *word, size_t size);

/* Appends the words of another list, from number `first` on; false when there
 * is no memory. */
bool words_add_all(words *w, const words *from, size_t first);

/* Room for so many words, with so many bytes in all (words_bytes). */
bool words_reserve(words *w, size_t count, size_t bytes);

static inline const char *words_get(const words *w, size_t id)
{
    return w->bytes + w->offset[id];
}

static inline size_t words_size(const words *w, size_t id)
{
    return w->offset[id + 1] - w->offset[id] - 1;
}

static inline span words_span(const words *w, size_t id)
{
    return span_of(words_get(w, id), words_size(w, id));
}

/* Of the whole text. */
static inline size_t words_bytes(const words *w)
{
    return w->count == 0 ? 0 : w->offset[w->count];
}

/* Below, at or above 0 as word a is before b, the same, or after it. */
int words_compare(const words *w, size_t a, size_t b);

/* order[r] is the id of the word with rank r. Words are compared as unsigned
 * bytes. *twin is a rank whose word equals the next one's, or SIZE_MAX. NULL
 * when there is no memory; the caller frees it with mem_free. */
uint32_t *words_order(const words *w, size_t *twin);

#endif
