/* SPDX-License-Identifier: MIT */
#ifndef IO_TEXT_H
#define IO_TEXT_H
/*
 * A stream as lines: a window of the text that is moved along. Parsers may
 * look at bytes[at .. end-1] themselves and move `at` and `line` on, which is
 * how they go fast, or ask for one line at a time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/stream.h"

#define TEXT_LINE_MAX ((size_t)4096) /* bytes of a line, its end not counted */

typedef struct text_window {
    stream *in; /* not owned */
    char *bytes;
    size_t at, end;
    bool ended;    /* nothing comes after `end` */
    uint64_t line; /* number of the line at `at`, from 1 */
} text_window;

/* One line, CR and LF not counted. `bytes` is NULL at the end of the text,
 * `size` above TEXT_LINE_MAX stands for all lines that are too long. */
typedef struct text_line {
    const char *bytes;
    size_t size;
    bool closed; /* by a line end; the last line need not be */
} text_line;

kedge_status text_open(stream *in, text_window *out, kedge_error *err);
void text_close(text_window *t); /* the stream stays open */

/* Whether the window holds a line's end. */
bool text_holds_line(const text_window *t);

/* Moves the window on, so that it holds at least one byte more, or finds that
 * there is none. */
kedge_status text_fill(text_window *t, kedge_error *err);

/* The line at `at`; valid until the next call. It is not passed over. */
kedge_status text_peek(text_window *t, text_line *line, kedge_error *err);

/* Passes over the line at `at`, however long it is. */
kedge_status text_skip(text_window *t, kedge_error *err);

uint64_t text_memusage(void);

#endif
