/* SPDX-License-Identifier: MIT */
#include "export/textbuf.h"

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

void textbuf_escape(textbuf *t, const char *name, size_t size, bool blanks)
{
    static const char divides[] = "\\\n\r \t\v\f", letters[] = "\\nrstvf";
    const size_t kinds = blanks ? sizeof divides - 1 : 3;

    for (size_t i = 0, end; i < size; i = end + 1) {
        const char *kind = NULL;
        for (end = i; end < size; end++)
            if ((kind = memchr(divides, name[end], kinds)) != NULL)
                break;
        textbuf_add(t, name + i, end - i);
        if (kind != NULL) {
            textbuf_add(t, "\\", 1);
            textbuf_add(t, letters + (kind - divides), 1);
        }
    }
}

void textbuf_free(textbuf *t)
{
    mem_free(t->bytes);
    *t = (textbuf){0};
}
