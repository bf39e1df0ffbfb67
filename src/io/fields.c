/* SPDX-License-Identifier: MIT */
#include "io/fields.h"

#include <assert.h>
#include <stdio.h>

#define SHOWN_MAX ((size_t)24)

size_t fields_split(const text_line *line, field *out, size_t most)
{
    const char *p = line->bytes, *const end = p + line->size;
    size_t count = 0;

    assert(most > 0);
    out[0] = (field){p, 0};
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        if (p == end)
            return count;
        const char *const from = p;
        while (p < end && !is_blank(*p))
            p++;
        if (count < most)
            out[count] = (field){from, (size_t)(p - from)};
        count++;
    }
}

bool fields_next(span *left, span *out)
{
    const char *p = left->bytes, *const end = p + left->size;
    const char *from;

    while (p < end && is_blank(*p))
        p++;
    from = p;
    while (p < end && !is_blank(*p))
        p++;
    *out = span_of(from, (size_t)(p - from));
    *left = span_of(p, (size_t)(end - p));
    return p > from;
}

bool field_number(const field *f, uint64_t *value)
{
    uint64_t v = 0;
    bool large = false;

    for (size_t i = 0; i < f->size; i++) {
        const unsigned digit = (unsigned)(unsigned char)f->bytes[i] - '0';
        if (digit > 9)
            return false;
        large |= v > (UINT64_MAX - 9) / 10;
        v = v * 10 + digit;
    }
    *value = large ? UINT64_MAX : v;
    return f->size > 0;
}

shown field_show(const field *f)
{
    const size_t n = f->size < SHOWN_MAX ? f->size : SHOWN_MAX;
    shown s;

    for (size_t i = 0; i < n; i++) {
        const char c = f->bytes[i];
        s.text[i] = c > ' ' && c <= '~' ? c : '?';
    }
    snprintf(s.text + n, sizeof s.text - n, "%s", n < f->size ? "..." : "");
    return s;
}
