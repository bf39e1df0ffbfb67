/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_JSONTEXT_H
#define EXPORT_JSONTEXT_H
/*
 * JSON in memory: values one after another, commas and indentation come by
 * themselves. What is written depends on the values alone, not on the locale.
 *
 * Strings may be any bytes: control characters are escaped and bytes that are
 * not UTF-8 become U+FFFD. Doubles are the shortest of 15 to 17 digits that
 * read back as the same double; what JSON has no number for is null.
 */
#include <stdbool.h>
#include <stdint.h>

#include "export/textbuf.h"

typedef struct jsontext {
    textbuf text;
    int lines;   /* nesting up to here gets a line per member */
    int depth;
    bool filled; /* something stands at this depth already */
    bool keyed;  /* a key was written, its value comes next */
    bool inside; /* of a page's script element: nothing in a string can end the
                    element, and there are no spaces */
} jsontext;

void jsontext_open(jsontext *j, char bracket); /* '{' or '[' */
void jsontext_close(jsontext *j, char bracket);
void jsontext_end(jsontext *j); /* the newline after the document */
void jsontext_key(jsontext *j, const char *key);
void jsontext_enter(jsontext *j, const char *key, char bracket); /* both */

void jsontext_string(jsontext *j, const char *bytes, size_t size);
void jsontext_count(jsontext *j, uint64_t n);
void jsontext_real(jsontext *j, double x);
/* With so many digits that count, 15 at most; -0 is 0. */
void jsontext_rounded(jsontext *j, double x, int digits);
void jsontext_bool(jsontext *j, bool value);

/* A member of an object. */
void jsontext_key_text(jsontext *j, const char *key, const char *text);
void jsontext_key_count(jsontext *j, const char *key, uint64_t n);
void jsontext_key_real(jsontext *j, const char *key, double x);
void jsontext_key_rounded(jsontext *j, const char *key, double x, int digits);
void jsontext_key_bool(jsontext *j, const char *key, bool value);

/* A finite double as above, in any text. */
void jsontext_add_real(textbuf *t, double x);

/* Reads one character of UTF-8, or one byte that belongs to none, which is
 * JSONTEXT_INVALID; gives its bytes. */
#define JSONTEXT_INVALID UINT32_MAX
size_t jsontext_character(const char *at, size_t left, uint32_t *c);

/* Makes what printf wrote for a finite double, under any locale, a number with
 * a decimal point; in place. */
void jsontext_plain(char *number);

#endif
