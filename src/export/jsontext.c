/* SPDX-License-Identifier: MIT */
#include "export/jsontext.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/letters.h"

static void separate(jsontext *j)
{
    if (j->keyed) {
        j->keyed = false;
        return;
    }
    if (j->filled)
        textbuf_text(&j->text, ",");
    if (j->depth > 0 && j->depth <= j->lines) {
        textbuf_text(&j->text, "\n");
        for (int i = 0; i < j->depth; i++)
            textbuf_text(&j->text, "  ");
    } else if (j->filled && !j->inside) {
        textbuf_text(&j->text, " ");
    }
    j->filled = true;
}

void jsontext_open(jsontext *j, char bracket)
{
    separate(j);
    textbuf_add(&j->text, &bracket, 1);
    j->depth++;
    j->filled = false;
}

void jsontext_close(jsontext *j, char bracket)
{
    const bool broken = j->filled && j->depth <= j->lines;

    j->depth--;
    if (broken) {
        textbuf_text(&j->text, "\n");
        for (int i = 0; i < j->depth; i++)
            textbuf_text(&j->text, "  ");
    }
    textbuf_add(&j->text, &bracket, 1);
    j->filled = true;
}

void jsontext_end(jsontext *j)
{
    textbuf_text(&j->text, "\n");
}

/* ---- strings ------------------------------------------------------------- */

size_t jsontext_character(const char *at, size_t left, uint32_t *c)
{
    const unsigned size = utf8_take(at, at + left, c);

    if (size > 0)
        return size;
    *c = JSONTEXT_INVALID;
    return 1;
}

static bool is_markup(uint32_t c)
{
    return c == '<' || c == '>' || c == '&';
}

static void add_character(jsontext *j, const char *at, size_t size, uint32_t c)
{
    textbuf *const t = &j->text;
    char escape[16];

    if (c == JSONTEXT_INVALID) {
        textbuf_text(t, "\xEF\xBF\xBD");
    } else if (c == '"' || c == '\\') {
        textbuf_text(t, "\\");
        textbuf_add(t, at, size);
    } else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c | 1) == 0x2029 ||
               (j->inside && is_markup(c))) {
        snprintf(escape, sizeof escape, "\\u%04" PRIx32, c);
        textbuf_text(t, escape);
    } else {
        textbuf_add(t, at, size);
    }
}

static void add_string(jsontext *j, const char *bytes, size_t size)
{
    textbuf *const t = &j->text;
    size_t at = 0;

    textbuf_text(t, "\"");
    while (at < size) {
        uint32_t c;
        const size_t length = jsontext_character(bytes + at, size - at, &c);
        add_character(j, bytes + at, length, c);
        at += length;
    }
    textbuf_text(t, "\"");
}

void jsontext_string(jsontext *j, const char *bytes, size_t size)
{
    separate(j);
    add_string(j, bytes, size);
}

void jsontext_key(jsontext *j, const char *key)
{
    jsontext_string(j, key, strlen(key));
    textbuf_text(&j->text, j->inside ? ":" : ": ");
    j->keyed = true;
}

void jsontext_enter(jsontext *j, const char *key, char bracket)
{
    jsontext_key(j, key);
    jsontext_open(j, bracket);
}

/* ---- numbers ------------------------------------------------------------- */

void jsontext_count(jsontext *j, uint64_t n)
{
    separate(j);
    textbuf_count(&j->text, n);
}

/* Whatever is neither digit, sign nor exponent is the locale's decimal point,
 * which may be several bytes. */
void jsontext_plain(char *number)
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

void jsontext_add_real(textbuf *t, double x)
{
    char text[64];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    jsontext_plain(text);
    textbuf_text(t, text);
}

void jsontext_real(jsontext *j, double x)
{
    separate(j);
    if (isfinite(x))
        jsontext_add_real(&j->text, x);
    else
        textbuf_text(&j->text, "null");
}

void jsontext_rounded(jsontext *j, double x, int digits)
{
    char text[64];

    separate(j);
    snprintf(text, sizeof text, "%.*g", digits, x == 0 ? 0 : x);
    jsontext_plain(text);
    textbuf_text(&j->text, isfinite(x) ? text : "null");
}

void jsontext_bool(jsontext *j, bool value)
{
    separate(j);
    textbuf_text(&j->text, value ? "true" : "false");
}

/* ---- members ------------------------------------------------------------- */

void jsontext_key_text(jsontext *j, const char *key, const char *text)
{
    jsontext_key(j, key);
    jsontext_string(j, text, strlen(text));
}

void jsontext_key_count(jsontext *j, const char *key, uint64_t n)
{
    jsontext_key(j, key);
    jsontext_count(j, n);
}

void jsontext_key_real(jsontext *j, const char *key, double x)
{
    jsontext_key(j, key);
    jsontext_real(j, x);
}

void jsontext_key_rounded(jsontext *j, const char *key, double x, int digits)
{
    jsontext_key(j, key);
    jsontext_rounded(j, x, digits);
}

void jsontext_key_bool(jsontext *j, const char *key, bool value)
{
    jsontext_key(j, key);
    jsontext_bool(j, value);
}
