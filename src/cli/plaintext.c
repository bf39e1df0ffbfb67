/* SPDX-License-Identifier: MIT */
#include "plaintext.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wchar.h>

#define DEFAULT_COLUMNS 80
#define LEAST_COLUMNS   20

void text_setup(void)
{
    /* LC_CTYPE alone: numbers keep their decimal point. */
    if (setlocale(LC_CTYPE, "") == NULL ||
        strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* Length that the first byte announces, 0 where no character begins with it. */
static size_t announced_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

size_t text_next(const char *s, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    static const unsigned char mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const size_t length = announced_length((unsigned char)*s);
    uint32_t value = (unsigned char)*s & mask[length];

    *c = TEXT_INVALID;
    if (length == 0)
        return 1;
    for (size_t i = 1; i < length; i++) {
        const unsigned char byte = (unsigned char)s[i];

        if ((byte & 0xC0) != 0x80)
            return 1;
        value = value << 6 | (byte & 0x3F);
    }
    /* overlong forms, halves of surrogate pairs, beyond Unicode */
    if (value < least[length] || (value >= 0xD800 && value <= 0xDFFF) ||
        value > 0x10FFFF)
        return 1;
    *c = value;
    return length;
}

/* Characters that move, colour or reverse what stands around them, or end a
 * line for somebody. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* What is put for the character at s: bytes and their number, and columns. */
typedef struct glyph {
    const char *bytes;
    size_t size;
    int columns;
} glyph;

static size_t next_glyph(const char *s, glyph *g)
{
    uint32_t c;
    const size_t length = text_next(s, &c);
    int columns = 1;

    if (c == TEXT_INVALID) {
        *g = (glyph){"\xEF\xBF\xBD", 3, 1};
        return length;
    }
    if (c >= 0x80)
        columns = wcwidth((wchar_t)c);
    if (is_control(c))
        *g = (glyph){"?", 1, 1};
    else /* characters newer than the system's tables: most take one */
        *g = (glyph){s, length, columns < 0 ? 1 : columns};
    return length;
}

int text_width(const char *s)
{
    int width = 0;
    glyph g;

    while (*s != '\0' && width < INT_MAX - 2) {
        s += next_glyph(s, &g);
        width += g.columns;
    }
    return width;
}

static int put_up_to(FILE *out, const char *s, int limit)
{
    int width = 0;
    glyph g;

    while (*s != '\0') {
        s += next_glyph(s, &g);
        if (g.columns > limit - width)
            break;
        fwrite(g.bytes, 1, g.size, out);
        width += g.columns;
    }
    return width;
}

int text_put(FILE *out, const char *s, int limit)
{
    int width;

    if (limit == TEXT_WHOLE || text_width(s) <= limit)
        return put_up_to(out, s, INT_MAX);
    width = put_up_to(out, s, limit - 3);
    fputs("...", out);
    return width + 3;
}

void text_put_bytes(FILE *out, const char *s, size_t size)
{
    const char *const end = s + size;

    for (;; s++) {
        put_up_to(out, s, INT_MAX);
        s += strlen(s);
        if (s >= end)
            break;
        fputc('?', out);
    }
}

int text_put_tail(FILE *out, const char *s, int limit)
{
    int width = text_width(s);
    glyph g;

    if (limit == TEXT_WHOLE || width <= limit)
        return put_up_to(out, s, INT_MAX);
    while (width > limit - 3) {
        s += next_glyph(s, &g);
        width -= g.columns;
    }
    fputs("...", out);
    return 3 + put_up_to(out, s, INT_MAX);
}

void text_pad(FILE *out, int columns)
{
    for (int i = 0; i < columns; i++)
        fputc(' ', out);
}

int text_columns(int fd)
{
    const char *told = getenv("COLUMNS");
    struct winsize size;
    int columns = DEFAULT_COLUMNS;

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        columns = size.ws_col;
    } else if (told != NULL) {
        char *end;
        const long n = strtol(told, &end, 10);

        if (end != told && *end == '\0' && n > 0 && n <= 1000)
            columns = (int)n;
    }
    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
}

void flow_word(flow *f, const char *word)
{
    const int width = text_width(word);

    if (f->words > 0 && f->column + 1 + width > f->width) {
        fputc('\n', f->out);
        text_pad(f->out, f->indent);
        f->column = f->indent;
        f->words = 0;
    }
    if (f->words++ > 0) {
        fputc(' ', f->out);
        f->column++;
    }
    f->column += text_put(f->out, word, f->width - f->column);
}

void flow_part(flow *f, const char *text, size_t size)
{
    const char *const end = text + size;
    char word[128];

    for (const char *from = text; text <= end; text++) {
        if (text < end && *text != ' ')
            continue;
        if (text > from) {
            snprintf(word, sizeof word, "%.*s", (int)(text - from), from);
            flow_word(f, word);
        }
        from = text + 1;
    }
}

void flow_text(flow *f, const char *text)
{
    flow_part(f, text, strlen(text));
}

void flow_end(flow *f)
{
    fputc('\n', f->out);
    f->column = 0;
    f->words = 0;
}
