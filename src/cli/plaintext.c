/* SPDX-License-Identifier: MIT */
#include "plaintext.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define DEFAULT_COLUMNS 80
#define LEAST_COLUMNS   20
#define FLOW_MOST       100

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

/* What makes one of several emoji or changes one, to some terminals; others
 * show the parts side by side. A joiner also stands between letters, where it
 * takes no column anywhere. */
static bool is_disputed(uint32_t c, bool after_wide)
{
    const bool joiner = c == 0x200D;
    const bool variant = c == 0xFE0E || c == 0xFE0F;
    const bool colour = c >= 0x1F3FB && c <= 0x1F3FF;

    return variant || ((joiner || colour) && after_wide);
}

/* What is put for the character at s: bytes and their number, and columns. */
typedef struct glyph {
    const char *bytes;
    size_t size;
    int columns;
    bool wide; /* the last that was put took two columns */
} glyph;

/* Characters newer than the system's tables: most take one, but those among
 * the emoji. */
static int columns_of(uint32_t c)
{
    const int columns = c < 0x80 ? 1 : wcwidth((wchar_t)c);

    return columns >= 0                   ? columns
           : c >= 0x1F300 && c <= 0x1FAFF ? 2
                                          : 1;
}

/* g holds the one before, or nothing. */
static size_t next_glyph(const char *s, bool aligned, glyph *g)
{
    uint32_t c;
    const size_t length = text_next(s, &c);

    if (c == TEXT_INVALID)
        *g = (glyph){"\xEF\xBF\xBD", 3, 1, false};
    else if (is_control(c))
        *g = (glyph){"?", 1, 1, false};
    else if (aligned && is_disputed(c, g->wide))
        *g = (glyph){"", 0, 0, g->wide};
    else
        *g = (glyph){s, length, columns_of(c), columns_of(c) == 2};
    return length;
}

int text_width(const char *s)
{
    glyph g = {0};
    int width = 0;

    while (*s != '\0' && width < INT_MAX - 2) {
        s += next_glyph(s, true, &g);
        width += g.columns;
    }
    return width;
}

static int put_up_to(FILE *out, const char *s, bool aligned, int limit)
{
    glyph g = {0};
    int width = 0;

    while (*s != '\0') {
        s += next_glyph(s, aligned, &g);
        if (g.columns > limit - width)
            break;
        fwrite(g.bytes, 1, g.size, out);
        width += g.columns;
    }
    return width;
}

static int put_whole(FILE *out, const char *s)
{
    return put_up_to(out, s, false, INT_MAX);
}

/* Of "..." that there is room for. */
static int put_dots(FILE *out, int room)
{
    const int dots = room < 0 ? 0 : room < 3 ? room : 3;

    fwrite("...", 1, (size_t)dots, out);
    return dots;
}

int text_put(FILE *out, const char *s, int limit)
{
    int width;

    if (limit == TEXT_WHOLE)
        return put_whole(out, s);
    if (text_width(s) <= limit)
        return put_up_to(out, s, true, limit);
    width = put_up_to(out, s, true, limit - 3);
    return width + put_dots(out, limit - width);
}

void text_put_bytes(FILE *out, const char *s, size_t size)
{
    const char *const end = s + size;

    for (;; s++) {
        put_whole(out, s);
        s += strlen(s);
        if (s >= end)
            break;
        fputc('?', out);
    }
}

/* Marks that lost their letter, which would go to the dot before them. */
static size_t passed_marks(const char *s)
{
    size_t passed = 0;
    glyph g = {0};

    while (s[passed] != '\0') {
        const size_t length = next_glyph(s + passed, true, &g);

        if (g.columns > 0)
            break;
        passed += length;
    }
    return passed;
}

int text_put_tail(FILE *out, const char *s, int limit)
{
    int width = text_width(s), dots;
    glyph g = {0};

    if (limit == TEXT_WHOLE)
        return put_whole(out, s);
    if (width <= limit)
        return put_up_to(out, s, true, limit);
    while (*s != '\0' && width > limit - 3) {
        s += next_glyph(s, true, &g);
        width -= g.columns;
    }
    dots = put_dots(out, limit);
    s += passed_marks(s);
    return dots + put_up_to(out, s, true, width);
}

void text_pad(FILE *out, int columns)
{
    for (int i = 0; i < columns; i++)
        fputc(' ', out);
}

/* What COLUMNS says, or else `otherwise`. */
static int told_columns(int otherwise)
{
    const char *const told = getenv("COLUMNS");
    char *end;
    long n;

    if (told == NULL)
        return otherwise;
    n = strtol(told, &end, 10);
    return end != told && *end == '\0' && n > 0 && n <= 1000 ? (int)n
                                                            : otherwise;
}

int text_columns(int fd)
{
    struct winsize size;
    const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const int columns = known ? size.ws_col : told_columns(DEFAULT_COLUMNS);

    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
}

int text_line(FILE *out)
{
    const int fd = fileno(out);

    return isatty(fd) || told_columns(0) > 0 ? text_columns(fd) : 0;
}

int text_flow(FILE *out)
{
    const int line = text_line(out);

    return line == 0          ? DEFAULT_COLUMNS
           : line > FLOW_MOST ? FLOW_MOST
                              : line;
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
    if (f->whole)
        f->column += text_put(f->out, word, TEXT_WHOLE);
    else if (f->column < f->width)
        f->column += text_put(f->out, word, f->width - f->column);
}

void flow_part(flow *f, const char *text, size_t size)
{
    const char *const end = text + size;
    char word[1024];

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

flow flow_beside(FILE *out, const char *label, int column)
{
    flow f = {.out = out, .indent = column, .width = text_flow(out)};

    if (f.width >= 3 * column) {
        fprintf(out, "  %-*s", column - 2, label);
    } else {
        f.indent = 4;
        fprintf(out, "  %s\n%*s", label, f.indent, "");
    }
    f.column = f.indent;
    return f;
}

static void print_into(flow *f, const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    flow_text(f, text);
}

void flow_print(flow *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_into(f, format, args);
    va_end(args);
}

void flow_line(FILE *out, const char *label, int column, const char *format,
               ...)
{
    flow f = flow_beside(out, label, column);
    va_list args;

    va_start(args, format);
    print_into(&f, format, args);
    va_end(args);
    flow_end(&f);
}

const char *text_shell(shell_word *out, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:@%+-";
    char *to = out->text;
    const char *const end = to + sizeof out->text - 8;
    const bool bare = *s != '\0' && s[strspn(s, plain)] == '\0';

    if (!bare)
        *to++ = '\'';
    for (; *s != '\0' && to < end; s++)
        if (*s == '\'') { /* out of the quotes and in again */
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *s;
        }
    if (!bare)
        *to++ = '\'';
    *to = '\0';
    return out->text;
}
