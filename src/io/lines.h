/* SPDX-License-Identifier: MIT */
#ifndef IO_LINES_H
#define IO_LINES_H
/*
 * A stream as lines of any length up to a limit: for formats whose lines are
 * documents. CR before LF or the end is not part of a line, NUL is a byte like
 * any other. A last line need not be closed. Where CR comes, and no LF, in the
 * first LINES_LOOK bytes, lines end with CR.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "io/stream.h"

#define LINES_LIMIT ((size_t)256 << 20) /* bytes of a line, the usual limit */
#define LINES_LOOK  ((size_t)64 << 10)

typedef struct lines lines;

/* The stream is not owned. The buffer begins small and grows with the longest
 * line met, to `limit` bytes at most. */
kedge_status lines_open(stream *in, size_t limit, lines **out,
                        kedge_error *err);
void lines_close(lines *l); /* accepts NULL */

/* The next line, valid until the next call; *more is false at the end. A line
 * above the limit is EFORMAT, "file:line: ...", and passed over. A source that
 * broke off fails like that again at each further call. */
kedge_status lines_next(lines *l, span *line, bool *more, kedge_error *err);

/* The same without passing over it: lines_next gives it again. */
kedge_status lines_peek(lines *l, span *line, bool *more, kedge_error *err);

/* The next line where lines are short: what has more than LINES_SHORT bytes,
 * its end not counted, is cut off behind them, so that none needs more memory
 * than that. NULL bytes at the end; *closed: a line end follows. Nothing is
 * passed over; lines_skip passes over the line, however long it is. */
#define LINES_SHORT ((size_t)4096)
kedge_status lines_peek_short(lines *l, span *line, bool *closed,
                              kedge_error *err);
kedge_status lines_skip(lines *l, kedge_error *err);

/* For who goes faster than a line at a time: what the buffer holds, and
 * passing over a part of it that has so many line ends. */
span lines_ahead(const lines *l);
void lines_pass(lines *l, size_t size, uint64_t ends);

/* What comes next, without passing over it: `least` bytes, within the limit, or
 * all there is. */
kedge_status lines_look(lines *l, size_t least, span *out, kedge_error *err);

/* How many of these bytes belong to an item whose end is looked for, *whole
 * where it ends with them: all of them otherwise. What comes next follows the
 * bytes that the call before had. */
typedef size_t lines_cutter(void *state, const char *bytes, size_t size,
                            bool *whole);

/* As lines_next, of items that end where a cutter says, or with the source: any
 * number of lines, or a part of one. The number of the line given last is that
 * which the item begins on. Without a cutter all that is left is one item. One
 * above the limit, "the NOUN is longer than ...", is EFORMAT and passed over. */
kedge_status lines_next_item(lines *l, lines_cutter *cut, void *state,
                             const char *noun, span *item, bool *more,
                             kedge_error *err);

/* How what reads lines says what is wrong: EFORMAT, "name:line: what is wrong:
 * what was expected". */
KEDGE_PRINTF(4, 5)
kedge_status malformed_at(const char *name, uint64_t line, kedge_error *err,
                          const char *format, ...);

/* The number of the line given last, from 1; 0 before the first. */
uint64_t lines_number(const lines *l);

/* Bytes of a line at most. */
size_t lines_limit(const lines *l);

/* Bytes that the buffer had at its largest. */
size_t lines_widest(const lines *l);

/* How messages call the source (stream_name). */
const char *lines_name(const lines *l);

/* False: lines_next would have to wait for the source, for longer than this,
 * before it could give a whole line. */
bool lines_ready(lines *l, double seconds);

/* The source has broken off: what it is compressed by is damaged, or reading
 * failed. */
bool lines_broken(const lines *l);

#endif
