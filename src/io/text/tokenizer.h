/* SPDX-License-Identifier: MIT */
#ifndef IO_TEXT_TOKENIZER_H
#define IO_TEXT_TOKENIZER_H
/*
 * Text into words. UTF-8 in, UTF-8 out: case folded as letters.h has it, in
 * NFC; texts that are canonically equivalent give the same words. Words joined
 * by spaces give themselves again, unless they were stemmed.
 *
 * A word is a run of letters and of marks after them. What is left out below is
 * between words.
 *
 * - Digits: with `digits` as letters; without, a run that holds one is left
 *   out whole: "b2b", "3rd", "2019".
 * - An apostrophe (' or U+2019, as ') stays between letters: "don't". A final
 *   's is cut off, and so is an article or the like that French and Italian
 *   put before a vowel: "dog's" dog, "l'amour" amour, "dell'arte" arte. In the
 *   same way the middle dot of Catalan and the marks of Hebrew stay.
 * - Dots stay between single letters: "U.S.A." is "u.s.a", "end.Next" is two.
 * - Hyphens, underscores, '@', '#' and all other signs are between words.
 * - Default ignorable characters (soft hyphen, zero-width joiners, BOM) are as
 *   if they were not there; bytes that are no UTF-8 are between words.
 * - Han and Hiragana are written without spaces: a run of them gives pairs of
 *   neighbours, "日本語" 日本 本語, or the one that it has. Limits of length
 *   and stemming are not for these. Katakana and Hangul are letters; the long
 *   vowel's sign goes with the Hiragana before it. Thai, Lao, Khmer and
 *   Burmese, which need a dictionary, stay in the runs they are written in:
 *   tokenizer_unbroken finds texts that are mostly such.
 * - Tags and comments of HTML are left out, entities are the characters that
 *   they stand for: markup.h.
 * - Addresses are left out whole: "any://...", "www. ...", "name@host.org".
 * - A capital sigma is the final one at the end of a word of two or more.
 */
#include <kedge/status.h>

#include <stdbool.h>

#include "base/span.h"
#include "base/words.h"

#define TOKENIZER_LONGEST 256 /* characters, of any word */

typedef struct tokenizer tokenizer;

typedef struct tokenizer_opts {
    unsigned shortest, longest; /* characters of a word; default 2 and 64;
                                   what is longer before 's and the like are
                                   cut off is left out whole */
    bool digits;                /* words may hold digits; default: no, and
                                   what holds a digit is left out whole */
    const words *stopwords;     /* folded already; copied; NULL: none */
    const char *stemmer;        /* a language of libstemmer, "english"; NULL */
} tokenizer_opts;

void tokenizer_opts_init(tokenizer_opts *opts);

/* EINVAL: a stemmer that there is none of, limits that are not from 1 to
 * TOKENIZER_LONGEST or not in order. Takes about ten milliseconds. */
kedge_status tokenizer_create(const tokenizer_opts *opts, tokenizer **out,
                              kedge_error *err);
void tokenizer_free(tokenizer *t); /* accepts NULL */

/* Begins a text, which must stay valid while its words are asked for. */
void tokenizer_begin(tokenizer *t, span text);

/* The next word, valid until the next call; false at the end. */
bool tokenizer_next(tokenizer *t, span *word);

/* Whether the word given last does not stand side by side with the one before:
 * more than blanks, the end of a line, or one hyphen is between them, or a word
 * that was left out. Pairs of ideographs are apart from all. */
bool tokenizer_apart(const tokenizer *t);

/* Whether more than half of the text, which has been read to its end, is in a
 * script without blanks between words that is not cut into any. */
bool tokenizer_unbroken(const tokenizer *t);

/* One word as tokenizer_next would fold it, of a list of stop words, say: its
 * folded form into `out` of `room` bytes; the size, 0 when it has no room or is
 * no word, or more than one. Any length, with digits, not stemmed. */
size_t tokenizer_fold(span word, char *out, size_t room);

/* Common words of a language ("english", "en" or "eng"), folded, a line each;
 * NULL when there is no list of it. */
const char *tokenizer_stopwords(const char *language);

/* EINVAL where a list is neither of a language nor in a file that is there. */
kedge_status tokenizer_check_stopwords(const char *name, kedge_error *err);

#endif
