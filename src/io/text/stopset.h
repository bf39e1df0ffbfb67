/* SPDX-License-Identifier: MIT */
#ifndef IO_TEXT_STOPSET_H
#define IO_TEXT_STOPSET_H
/* A set of words, for asking of every word of a text whether it is in it, and
 * lists of such words for many languages. */
#include <kedge/status.h>

#include <stdbool.h>

#include "base/span.h"
#include "base/words.h"

/* `head` is the word's first eight bytes, zeros behind. */
typedef struct stopword {
    uint64_t head;
    size_t size; /* 0: no word here */
    size_t at;   /* in the bytes of the list */
} stopword;

typedef struct stopset {
    size_t mask; /* a power of two, less one */
    stopword *slot;
    char *bytes;
} stopset;

/* Of a list, which is copied; NULL: of none. Empty words are none. */
kedge_status stopset_create(stopset *s, const words *list, kedge_error *err);
void stopset_free(stopset *s);

/* One without words, that takes no memory and needs no stopset_free. */
stopset stopset_empty(void);

bool stopset_has(const stopset *s, uint64_t head, span word);

/* A language, its codes between blanks, and its words, a line each: made of
 * stopwords.txt. The last one has no name. */
typedef struct stopword_list {
    const char *name, *codes, *words;
} stopword_list;

extern const stopword_list stopword_lists[];

#endif
