/* SPDX-License-Identifier: MIT */
/*
 * The buffer holds what was read and not yet passed over; what is left of it
 * when more is read, less than a line unless somebody looked ahead, moves to
 * its front. It is filled in small pieces whatever its size, so that the bytes
 * are still in the cache when they are searched.
 */
#include "io/lines.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"

#define FIRST_BYTES ((size_t)256 << 10) /* of the buffer, and of one reading */

struct lines {
    stream *in; /* not owned */
    char *bytes;
    size_t capacity;
    size_t at, end;  /* of what is left in the buffer */
    size_t searched; /* bytes after `at` that are known to hold no line end */
    size_t most;     /* bytes of a line within the limit, with CR and LF */
    size_t widest;   /* capacity that there ever was */
    uint64_t number;
    uint64_t passed; /* line ends within the item given last */
    bool items;      /* it was one */
    char newline;    /* what a line ends with; 0: not known yet */
    bool ended; /* nothing comes after `end` */
    bool broken;
    kedge_error why; /* it is broken */
};

kedge_status lines_open(stream *in, size_t limit, lines **out,
                        kedge_error *err)
{
    lines *l = NULL;

    assert(limit > 0 && limit < SIZE_MAX / 4);
    *out = NULL;
    PASS_MEM(l = mem_new(1, sizeof *l));
    l->in = in;
    l->most = limit + 2;
    *out = l;
    return KEDGE_OK;
}

void lines_close(lines *l)
{
    if (l == NULL)
        return;
    mem_free(l->bytes);
    mem_free(l);
}

/* ---- the buffer ---------------------------------------------------------- */

/* Doubles it, and never holds more than `most` bytes: more may be reserved, but
 * is not touched. The last step begins at two thirds of the most or before, so
 * that the old buffer and its copy are at most four thirds. */
static kedge_status grow(lines *l, kedge_error *err)
{
    size_t wanted = l->capacity == 0 ? FIRST_BYTES : 2 * l->capacity;

    if (wanted > l->most / 3 * 2)
        wanted = l->most;
    if (!MEM_GROW(l->bytes, l->capacity, wanted))
        return kedge_fail(err, KEDGE_ENOMEM,
                          "%s: out of memory (a line of more than %zu bytes)",
                          stream_name(l->in), l->capacity);
    if (l->capacity > l->most)
        l->capacity = l->most;
    if (l->widest < l->capacity)
        l->widest = l->capacity;
    return KEDGE_OK;
}

/* Old files have CR where others have LF: those become LF. Which it is shows
 * in the first LINES_LOOK bytes, however they come. */
static void settle_newline(lines *l, size_t from)
{
    const size_t seen = l->end < LINES_LOOK ? l->end : LINES_LOOK;

    if (l->newline == 0 && memchr(l->bytes, '\n', seen) != NULL)
        l->newline = '\n';
    if (l->newline == 0 && (l->ended || l->end >= LINES_LOOK)) {
        l->newline = memchr(l->bytes, '\r', seen) != NULL ? '\r' : '\n';
        l->searched = from = 0;
    }
    for (size_t i = from; l->newline == '\r' && i < l->end; i++)
        if (l->bytes[i] == '\r')
            l->bytes[i] = '\n';
}

/* At least one byte more, or finds that there is none. There is room for it,
 * or the buffer can grow. A source that broke off stays so. */
static kedge_status fill(lines *l, kedge_error *err)
{
    const size_t left = l->end - l->at;
    kedge_status st = KEDGE_OK;
    size_t room, got = 0;

    assert(left < l->most && !l->ended);
    if (l->broken)
        return kedge_fail(err, l->why.status, "%s", l->why.text);
    if (left == l->capacity)
        TRY(grow(l, err));
    if (l->at > 0) {
        memmove(l->bytes, l->bytes + l->at, left);
        if (l->newline == 0) /* items came without any line end */
            l->newline = '\n';
    }
    l->at = 0;
    l->end = left;
    room = l->capacity - left;
    st = stream_read(l->in, l->bytes + left,
                     room < FIRST_BYTES ? room : FIRST_BYTES, &got, &l->why);
    if (st != KEDGE_OK) {
        l->broken = true;
        return kedge_fail(err, st, "%s", l->why.text);
    }
    l->end += got;
    l->ended = got == 0;
    settle_newline(l, left);
out:
    return st;
}

/* ---- lines --------------------------------------------------------------- */

span lines_ahead(const lines *l)
{
    return l->end == l->at ? span_of(NULL, 0)
                           : span_of(l->bytes + l->at, l->end - l->at);
}

void lines_pass(lines *l, size_t size, uint64_t ends)
{
    assert(size <= l->end - l->at);
    l->at += size;
    l->searched = 0;
    l->number += ends;
}

/* The next line, and the bytes up to the one behind it: 0 at the end of the
 * text. *fits is false where it does not end within the limit. */
static kedge_status find_line(lines *l, span *line, size_t *bytes, bool *fits,
                              kedge_error *err)
{
    const char *newline = NULL;
    size_t left;

    for (;;) {
        left = l->end - l->at;
        if (left > l->searched)
            newline = memchr(l->bytes + l->at + l->searched, '\n',
                             left - l->searched);
        if (newline != NULL || l->ended || left >= l->most)
            break;
        l->searched = left;
        PASS(fill(l, err));
    }
    *line = lines_ahead(l);
    *bytes = left;
    if (newline != NULL) {
        line->size = (size_t)(newline - line->bytes);
        *bytes = line->size + 1;
    }
    if (line->size > 0 && line->bytes[line->size - 1] == '\r')
        line->size--;
    *fits = (newline != NULL || l->ended) && line->size <= l->most - 2;
    return KEDGE_OK;
}

kedge_status malformed_at(const char *name, uint64_t line, kedge_error *err,
                          const char *format, ...)
{
    char reason[600];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return kedge_fail(err, KEDGE_EFORMAT, "%s:%" PRIu64 ": %s", name, line,
                      reason);
}

static kedge_status too_long(const lines *l, uint64_t number, const char *noun,
                             kedge_error *err)
{
    const size_t most = lines_limit(l);

    return malformed_at(lines_name(l), number, err,
                        "the %s is longer than %zu bytes: expected a shorter "
                        "one%s", noun, most,
                        most < LINES_LIMIT
                            ? " (more --memory allows more)" : "");
}

/* Passes over all that the buffer holds, and gives back what a long line made
 * it take. */
static void drop_all(lines *l)
{
    l->at = l->end = 0;
    if (l->capacity > FIRST_BYTES) {
        mem_free(l->bytes);
        l->bytes = NULL;
        l->capacity = 0;
    }
}

kedge_status lines_skip(lines *l, kedge_error *err)
{
    for (;;) {
        const size_t left = l->end - l->at;
        const char *const newline =
            left == 0 ? NULL : memchr(l->bytes + l->at, '\n', left);
        if (newline != NULL) {
            l->at = (size_t)(newline + 1 - l->bytes);
            break;
        }
        drop_all(l);
        if (l->ended)
            break;
        PASS(fill(l, err));
    }
    l->searched = 0;
    l->number++;
    return KEDGE_OK;
}

/* The next line, passed over where `pass`. */
static kedge_status take_line(lines *l, bool pass, span *line, bool *more,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t bytes = 0;
    bool fits = true;

    *more = false;
    TRY(find_line(l, line, &bytes, &fits, err));
    *more = bytes > 0 && fits;
    if (*more && pass)
        lines_pass(l, bytes, 1);
    if (!fits && pass)
        TRY(lines_skip(l, err));
    if (!fits)
        st = too_long(l, l->number + !pass, "line", err);
out:
    if (!*more)
        *line = span_of(NULL, 0);
    return st;
}

kedge_status lines_next(lines *l, span *line, bool *more, kedge_error *err)
{
    return take_line(l, true, line, more, err);
}

kedge_status lines_peek(lines *l, span *line, bool *more, kedge_error *err)
{
    return take_line(l, false, line, more, err);
}

kedge_status lines_peek_short(lines *l, span *line, bool *closed,
                              kedge_error *err)
{
    const size_t most = LINES_SHORT + 2; /* with CR and LF */
    const char *newline = NULL;
    span ahead = {NULL, 0};

    /* No more is waited for than the line needs. */
    for (size_t least = 1; newline == NULL; least = ahead.size + 1) {
        PASS(lines_look(l, least, &ahead, err));
        if (ahead.size > 0)
            newline = memchr(ahead.bytes, '\n',
                             ahead.size < most ? ahead.size : most);
        if (ahead.size >= most || ahead.size < least)
            break;
    }
    *closed = newline != NULL;
    *line = ahead;
    if (line->size > most)
        line->size = most;
    if (*closed)
        line->size = (size_t)(newline - line->bytes);
    if (line->size > 0 && line->bytes[line->size - 1] == '\r')
        line->size--;
    return KEDGE_OK;
}

/* ---- items --------------------------------------------------------------- */

kedge_status lines_look(lines *l, size_t least, span *out, kedge_error *err)
{
    const size_t most = least < l->most ? least : l->most;

    while (l->end - l->at < most && !l->ended)
        PASS(fill(l, err));
    *out = lines_ahead(l);
    return KEDGE_OK;
}

static uint64_t count_line_ends(const char *bytes, size_t size)
{
    uint64_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '\n';
    return count;
}

/* How many of the bytes belong to the item. */
static size_t cut_item(lines_cutter *cut, void *state, const char *bytes,
                       size_t size, bool *whole)
{
    return cut == NULL ? size : cut(state, bytes, size, whole);
}

/* Passes over an item that is too long, of which the cutter has seen all that
 * the buffer holds. */
static kedge_status skip_item(lines *l, lines_cutter *cut, void *state,
                              const char *noun, kedge_error *err)
{
    bool whole = false;

    for (;;) {
        l->passed += count_line_ends(l->bytes + l->at, l->end - l->at);
        drop_all(l);
        if (l->ended)
            break;
        PASS(fill(l, err));
        const size_t size = cut_item(cut, state, l->bytes, l->end,
                                     &whole);
        if (whole) {
            l->passed += count_line_ends(l->bytes, size);
            l->at = size;
            break;
        }
    }
    return too_long(l, l->number, noun, err);
}

kedge_status lines_next_item(lines *l, lines_cutter *cut, void *state,
                             const char *noun, span *item, bool *more,
                             kedge_error *err)
{
    bool whole = false;
    size_t size = 0;

    *item = span_of(NULL, 0);
    *more = false;
    l->number += l->items ? l->passed : 1;
    l->passed = 0;
    l->items = true;
    l->searched = 0;
    for (;;) {
        const size_t left = l->end - l->at;
        if (left > size)
            size += cut_item(cut, state, l->bytes + l->at + size, left - size,
                             &whole);
        assert(whole ? size <= left : size == left);
        if (whole || l->ended)
            break;
        if (left >= l->most)
            return skip_item(l, cut, state, noun, err);
        PASS(fill(l, err));
    }
    if (size == 0)
        return KEDGE_OK;
    *item = span_of(l->bytes + l->at, size);
    l->passed = count_line_ends(item->bytes, size);
    l->at += size;
    if (size > l->most - 2)
        return too_long(l, l->number, noun, err);
    *more = true;
    return KEDGE_OK;
}

uint64_t lines_number(const lines *l)
{
    return l->number;
}

size_t lines_limit(const lines *l)
{
    return l->most - 2;
}

size_t lines_widest(const lines *l)
{
    return l->widest;
}

const char *lines_name(const lines *l)
{
    return stream_name(l->in);
}

/* ---- waiting ------------------------------------------------------------- */

/* Whether the buffer holds a line's end; what was searched stays so. */
static bool holds_line(lines *l)
{
    const size_t left = l->end - l->at;

    if (left > l->searched &&
        memchr(l->bytes + l->at + l->searched, '\n', left - l->searched) !=
            NULL)
        return true;
    l->searched = left;
    return false;
}

bool lines_ready(lines *l, double seconds)
{
    const double deadline = clock_seconds() + seconds;

    if (l->items) /* where one ends, nobody knows before it is cut */
        return l->ended || l->broken || l->end > l->at ||
               stream_ready(l->in, seconds);
    while (!l->ended && !l->broken && l->end - l->at < l->most) {
        if (holds_line(l))
            return true;
        if (!stream_ready(l->in, deadline - clock_seconds()))
            return false;
        /* lines_next meets the same failure again, and returns it. */
        if (fill(l, NULL) != KEDGE_OK)
            break;
    }
    return true;
}

bool lines_broken(const lines *l)
{
    return l->broken;
}
