/* SPDX-License-Identifier: MIT */
#include "export/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/text/letters.h"

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

void textbuf_print(textbuf *t, const char *format, ...)
{
    char room[256];
    va_list args, again;
    size_t size;

    va_start(args, format);
    va_copy(again, args);
    size = (size_t)vsnprintf(room, sizeof room, format, args);
    if (size < sizeof room) {
        textbuf_add(t, room, size);
    } else if (t->failed || !mem_grow((void **)&t->bytes, &t->capacity,
                                      t->size + size + 1, 1)) {
        t->failed = true;
    } else {
        vsnprintf(t->bytes + t->size, size + 1, format, again);
        t->size += size;
    }
    va_end(again);
    va_end(args);
}

void textbuf_escape(textbuf *t, const char *name, size_t size, bool blanks)
{
    static const char divides[] = "\\\n\r \t\v\f", codes[] = "\\nrstvf";
    const size_t kinds = blanks ? sizeof divides - 1 : 3;

    for (size_t i = 0, end; i < size; i = end + 1) {
        const char *kind = NULL;
        for (end = i; end < size; end++)
            if ((kind = memchr(divides, name[end], kinds)) != NULL)
                break;
        textbuf_add(t, name + i, end - i);
        if (kind != NULL) {
            textbuf_add(t, "\\", 1);
            textbuf_add(t, codes + (kind - divides), 1);
        }
    }
}

void textbuf_free(textbuf *t)
{
    mem_free(t->bytes);
    *t = (textbuf){0};
}

size_t textbuf_character(const char *at, size_t left, uint32_t *c)
{
    const unsigned size = utf8_take(at, at + left, c);

    if (size > 0)
        return size;
    *c = TEXTBUF_INVALID;
    return 1;
}

/* Whatever is neither digit, sign nor exponent is the locale's decimal point,
 * which may be several bytes. */
void textbuf_plain(char *number)
{
    char *to = number;

    while (*number != '\0') {
        const size_t point = strcspn(number, "0123456789+-eE");
        if (point > 0)
            *to++ = '.';
        number += point;
        if (*number != '\0')
            *to++ = *number++;
    }
    *to = '\0';
}

void textbuf_real(textbuf *t, double x)
{
    char text[64];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    textbuf_plain(text);
    textbuf_text(t, text);
}

/* ---- JSON ---------------------------------------------------------------- */

static void add_character(jsontext *j, const char *at, size_t size, uint32_t c)
{
    textbuf *const t = &j->text;

    if (c == TEXTBUF_INVALID) {
        textbuf_text(t, "\xEF\xBF\xBD");
    } else if (c == '"' || c == '\\') {
        textbuf_text(t, "\\");
        textbuf_add(t, at, size);
    } else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c | 1) == 0x2029 ||
               (j->inside && (c == '<' || c == '>' || c == '&'))) {
        textbuf_print(t, "\\u%04" PRIx32, c);
    } else {
        textbuf_add(t, at, size);
    }
}

static void add_string(jsontext *j, const char *bytes, size_t size)
{
    textbuf_text(&j->text, "\"");
    for (size_t at = 0; at < size;) {
        uint32_t c;
        const size_t length = textbuf_character(bytes + at, size - at, &c);
        add_character(j, bytes + at, length, c);
        at += length;
    }
    textbuf_text(&j->text, "\"");
}

static void new_line(jsontext *j)
{
    textbuf_print(&j->text, "\n%*s", 2 * j->depth, "");
}

/* What stands before a value. */
static void begin_value(jsontext *j, const char *key)
{
    if (j->filled)
        textbuf_text(&j->text, ",");
    if (j->depth > 0 && j->depth <= j->lines)
        new_line(j);
    else if (j->filled && !j->inside)
        textbuf_text(&j->text, " ");
    j->filled = true;
    if (key == NULL)
        return;
    add_string(j, key, strlen(key));
    textbuf_text(&j->text, j->inside ? ":" : ": ");
}

void jsontext_open(jsontext *j, const char *key, char bracket)
{
    begin_value(j, key);
    textbuf_add(&j->text, &bracket, 1);
    j->depth++;
    j->filled = false;
}

void jsontext_close(jsontext *j, char bracket)
{
    const bool broken = j->filled && j->depth <= j->lines;

    j->depth--;
    if (broken)
        new_line(j);
    textbuf_add(&j->text, &bracket, 1);
    j->filled = true;
}

void jsontext_bytes(jsontext *j, const char *key, const char *bytes,
                    size_t size)
{
    begin_value(j, key);
    add_string(j, bytes, size);
}

void jsontext_text(jsontext *j, const char *key, const char *text)
{
    jsontext_bytes(j, key, text, strlen(text));
}

void jsontext_count(jsontext *j, const char *key, uint64_t n)
{
    begin_value(j, key);
    textbuf_print(&j->text, "%" PRIu64, n);
}

void jsontext_real(jsontext *j, const char *key, double x)
{
    begin_value(j, key);
    if (isfinite(x))
        textbuf_real(&j->text, x);
    else
        textbuf_text(&j->text, "null");
}

void jsontext_rounded(jsontext *j, const char *key, double x, int digits)
{
    char text[64];

    begin_value(j, key);
    snprintf(text, sizeof text, "%.*g", digits, x == 0 ? 0 : x);
    textbuf_plain(text);
    textbuf_text(&j->text, isfinite(x) ? text : "null");
}

void jsontext_bool(jsontext *j, const char *key, bool value)
{
    begin_value(j, key);
    textbuf_text(&j->text, value ? "true" : "false");
}

kedge_status jsontext_end(jsontext *j, const char *what, textbuf *out,
                          kedge_error *err)
{
    *out = (textbuf){0};
    if (j->text.failed) {
        textbuf_free(&j->text);
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", what);
    }
    *out = j->text;
    return KEDGE_OK;
}
