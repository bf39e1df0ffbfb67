/* SPDX-License-Identifier: MIT */
#include "report/textbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void textbuf_add(textbuf *t, const char *bytes, size_t size)
{
    if (t->failed || !mem_grow((void **)&t->bytes, &t->capacity,
                               t->size + size + 1, 1)) {
        t->failed = true;
        return;
    }
    if (size > 0)
        memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
}

void textbuf_text(textbuf *t, const char *text)
{
    textbuf_add(t, text, strlen(text));
}

void textbuf_count(textbuf *t, uint64_t n)
{
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, n);

    textbuf_add(t, digits, (size_t)size);
}

void textbuf_free(textbuf *t)
{
    mem_free(t->bytes);
    *t = (textbuf){0};
}
