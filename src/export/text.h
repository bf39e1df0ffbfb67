/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H
/*
 * Text in memory, and JSON of it. Running out of memory is remembered, so that
 * writers need not ask at every word: they ask once, at the end. What is
 * written depends on the values alone, not on the locale.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kedge/status.h>

typedef struct textbuf {
    char *bytes; /* zero-terminated; NULL while nothing was added */
    size_t size, capacity;
    bool failed; /* what is there is not whole */
} textbuf;

void textbuf_add(textbuf *t, const char *bytes, size_t size);
void textbuf_text(textbuf *t, const char *text);

/* As printf; not for doubles, which the locale changes. */
KEDGE_PRINTF(2, 3)
void textbuf_print(textbuf *t, const char *format, ...);

/* A finite double: the shortest of 15 to 17 digits that read back as it. */
void textbuf_real(textbuf *t, double x);

/* Adds a name with \\, \n and \r for backslashes and ends of lines; for what
 * is divided by blanks also \s for the blank, \t, \v and \f. */
void textbuf_escape(textbuf *t, const char *name, size_t size, bool blanks);

void textbuf_free(textbuf *t);

/* Reads one character of UTF-8, or one byte that belongs to none, which is
 * TEXTBUF_INVALID; gives its bytes. */
#define TEXTBUF_INVALID UINT32_MAX
size_t textbuf_character(const char *at, size_t left, uint32_t *c);

/* Makes what printf wrote for a finite double, under any locale, a number with
 * a decimal point; in place. */
void textbuf_plain(char *number);

/* ---- JSON --------------------------------------------------------------- */

/* Values one after another; commas and indentation come by themselves. */
typedef struct jsontext {
    textbuf text;
    int lines;   /* nesting up to here gets a line per member */
    int depth;
    bool filled; /* something stands at this depth already */
    bool inside; /* of a page's script element: nothing in a string can end the
                    element, and there are no spaces */
} jsontext;

/* Each value is a member of the object that is open, or with NULL for its key
 * an element of the array. Brackets are '{' or '[', '}' or ']'. */
void jsontext_open(jsontext *j, const char *key, char bracket);
void jsontext_close(jsontext *j, char bracket);

/* Strings may be any bytes: control characters are escaped and bytes that are
 * not UTF-8 become U+FFFD. What JSON has no number for is null. */
void jsontext_bytes(jsontext *j, const char *key, const char *bytes,
                    size_t size);
void jsontext_text(jsontext *j, const char *key, const char *text);
void jsontext_count(jsontext *j, const char *key, uint64_t n);
void jsontext_real(jsontext *j, const char *key, double x);
/* With so many digits that count, 15 at most; -0 is 0. */
void jsontext_rounded(jsontext *j, const char *key, double x, int digits);
void jsontext_bool(jsontext *j, const char *key, bool value);

/* The text becomes `out`; ENOMEM, with `what` named and nothing to free, where
 * it is not whole. */
kedge_status jsontext_end(jsontext *j, const char *what, textbuf *out,
                          kedge_error *err);

#endif
