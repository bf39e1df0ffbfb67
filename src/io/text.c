/* SPDX-License-Identifier: MIT */
/*
 * The window is small enough to stay in the cache between the decompressor,
 * which writes it, and the parser, which reads it. What is left of it when it
 * runs out, less than a line, moves to its front.
 */
#include "io/text.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

#define TEXT_BYTES ((size_t)256 << 10)

kedge_status text_open(stream *in, text_window *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (text_window){.in = in, .line = 1};
    TRY_MEM(out->bytes = mem_new(TEXT_BYTES, 1));
out:
    return st;
}

void text_close(text_window *t)
{
    mem_free(t->bytes);
    *t = (text_window){0};
}

bool text_holds_line(const text_window *t)
{
    return t->at < t->end &&
           memchr(t->bytes + t->at, '\n', t->end - t->at) != NULL;
}

kedge_status text_fill(text_window *t, kedge_error *err)
{
    const size_t left = t->end - t->at;
    kedge_status st = KEDGE_OK;
    size_t got;

    if (t->ended)
        return KEDGE_OK;
    assert(left < TEXT_BYTES);
    memmove(t->bytes, t->bytes + t->at, left);
    t->at = 0;
    t->end = left;
    TRY(stream_read(t->in, t->bytes + left, TEXT_BYTES - left, &got, err));
    t->end += got;
    t->ended = got == 0;
out:
    return st;
}

kedge_status text_peek(text_window *t, text_line *line, kedge_error *err)
{
    const size_t most = TEXT_LINE_MAX + 2; /* with CR and LF */
    kedge_status st = KEDGE_OK;
    const char *newline;
    size_t left;

    for (;;) {
        left = t->end - t->at;
        newline = left == 0 ? NULL
                            : memchr(t->bytes + t->at, '\n',
                                     left < most ? left : most);
        if (newline != NULL || left >= most || t->ended)
            break;
        TRY(text_fill(t, err));
    }
    line->closed = newline != NULL;
    line->bytes = left == 0 ? NULL : t->bytes + t->at;
    line->size = newline != NULL ? (size_t)(newline - line->bytes)
                 : left < most   ? left
                                 : most;
    if (line->size > 0 && line->bytes[line->size - 1] == '\r')
        line->size--;
out:
    return st;
}

kedge_status text_skip(text_window *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (;;) {
        const size_t left = t->end - t->at;
        const char *newline =
            left == 0 ? NULL : memchr(t->bytes + t->at, '\n', left);
        if (newline != NULL) {
            t->at = (size_t)(newline + 1 - t->bytes);
            break;
        }
        t->at = t->end;
        if (t->ended)
            break;
        TRY(text_fill(t, err));
    }
    t->line++;
out:
    return st;
}

uint64_t text_memusage(void)
{
    return TEXT_BYTES;
}
