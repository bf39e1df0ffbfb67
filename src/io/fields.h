/* SPDX-License-Identifier: MIT */
#ifndef IO_FIELDS_H
#define IO_FIELDS_H
/* A line as fields between blanks and tabs, fields as numbers, and as words
 * that can be shown to people. The careful way, for lines one at a time. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "io/text.h"

typedef struct field {
    const char *bytes;
    size_t size;
} field;

/* A field as messages show it: plain ASCII, cut when long. */
typedef struct shown {
    char text[32];
} shown;

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Finds up to `most` fields, at least 1, and returns how many the line has.
 * out[0] is always set, to nothing when there is none. */
size_t fields_split(const text_line *line, field *out, size_t most);

/* The first field of what is left of a line, which begins behind it then;
 * false, and an empty field, when there is none. */
bool fields_next(span *left, span *out);

/* A decimal number without a sign; false when it is none. UINT64_MAX stands
 * for all that are too large. */
bool field_number(const field *f, uint64_t *value);

shown field_show(const field *f);

static inline shown span_show(span text)
{
    const field f = {text.bytes, text.size};

    return field_show(&f);
}

#endif
