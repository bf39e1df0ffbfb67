/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_TEXTBUF_H
#define EXPORT_TEXTBUF_H
/*
 * A text that grows. Running out of memory is remembered, so that writers need
 * not ask at every word: they ask once, at the end.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct textbuf {
    char *bytes; /* zero-terminated; NULL while nothing was added */
    size_t size, capacity;
    bool failed; /* what is there is not whole */
} textbuf;

void textbuf_add(textbuf *t, const char *bytes, size_t size);
void textbuf_text(textbuf *t, const char *text);
void textbuf_count(textbuf *t, uint64_t n);

/* Adds a name with \\, \n and \r for backslashes and ends of lines; for what
 * is divided by blanks also \s for the blank, \t, \v and \f. */
void textbuf_escape(textbuf *t, const char *name, size_t size, bool blanks);

void textbuf_free(textbuf *t);

#endif
