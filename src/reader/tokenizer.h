/* SPDX-License-Identifier: MIT */
#ifndef READER_TOKENIZER_H
#define READER_TOKENIZER_H
/*
 * Text into words. UTF-8 in, UTF-8 out: case folded, composed (NFC), invalid
 * bytes between words. A word is a run of letters, combining marks and, where
 * asked for, digits; an apostrophe, a hyphen or the like may stand within it as
 * described in tokenizer.c, where a table has the hard cases. Words outside the
 * limits of length, and stop words, are left out; what is left may be stemmed.
 */
#include <kedge/status.h>

#include <stdbool.h>

#include "base/span.h"
#include "base/words.h"

typedef struct tokenizer tokenizer;

typedef struct tokenizer_opts {
    unsigned shortest, longest; /* characters of a word; default 2 and 64 */
    bool digits;                /* words may hold digits; default: no, and
                                   what holds a digit is left out whole */
    const words *stopwords;     /* folded already; not owned; NULL: none */
    const char *stemmer;        /* a language of libstemmer, "english"; NULL */
} tokenizer_opts;

void tokenizer_opts_init(tokenizer_opts *opts);

/* EINVAL: a stemmer that there is none of. */
kedge_status tokenizer_create(const tokenizer_opts *opts, tokenizer **out,
                              kedge_error *err);
void tokenizer_free(tokenizer *t); /* accepts NULL */

/* Begins a text, which must stay valid while its words are asked for. */
void tokenizer_begin(tokenizer *t, span text);

/* The next word, valid until the next call; false at the end. */
bool tokenizer_next(tokenizer *t, span *word);

/* One word as tokenizer_next would fold it, of a list of stop words, say: its
 * folded form into `out` of `room` bytes; the size, 0 when it has no room or is
 * no word. */
size_t tokenizer_fold(span word, char *out, size_t room);

/* Bytes at most, beside the stop words. */
uint64_t tokenizer_memusage(void);

#endif
