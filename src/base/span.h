/* SPDX-License-Identifier: MIT */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H
/* Bytes that somebody else owns: any bytes, nothing closes them. */
#include <stddef.h>
#include <string.h>

typedef struct span {
    const char *bytes;
    size_t size;
} span;

static inline span span_of(const char *bytes, size_t size)
{
    return (span){bytes, size};
}

static inline span span_text(const char *text)
{
    return (span){text, strlen(text)};
}

static inline int span_equal(span a, span b)
{
    return a.size == b.size &&
           (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* A word is a line of each vocabulary that is written: none has this. */
static inline int span_has_line_end(span s)
{
    return s.size > 0 && (memchr(s.bytes, '\n', s.size) != NULL ||
                          memchr(s.bytes, '\r', s.size) != NULL);
}

#endif
