/* SPDX-License-Identifier: MIT */
#include "jsonout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plaintext.h"

static void new_line(const jsonout *j)
{
    fputc('\n', j->out);
    text_pad(j->out, 2 * j->depth);
}

/* What stands between the value before and the next one. */
static void separate(jsonout *j)
{
    if (j->keyed) {
        j->keyed = false;
        return;
    }
    if (j->filled)
        fputc(',', j->out);
    if (j->depth > 0 && j->depth <= j->lines)
        new_line(j);
    else if (j->filled)
        fputc(' ', j->out);
    j->filled = true;
}

void json_begin(jsonout *j, char bracket)
{
    separate(j);
    fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

void json_close(jsonout *j, char bracket)
{
    const bool broken = j->filled && j->depth <= j->lines;

    j->depth--;
    if (broken)
        new_line(j);
    fputc(bracket, j->out);
    j->filled = true;
}

static void put_character(FILE *out, const char *bytes, size_t size, uint32_t c)
{
    if (c == TEXT_INVALID)
        fputs("\xEF\xBF\xBD", out);
    else if (c == '"' || c == '\\')
        fprintf(out, "\\%c", (int)c);
    else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c | 1) == 0x2029)
        fprintf(out, "\\u%04" PRIx32, c); /* the last: line ends to some */
    else
        fwrite(bytes, 1, size, out);
}

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

/* Most text is plain, and goes out in one piece. */
static void put_string(FILE *out, const char *text, size_t length)
{
    const char *const end = text + length;

    fputc('"', out);
    while (text < end) {
        size_t size = 0;
        uint32_t c;

        while (text + size < end && is_plain(text[size]))
            size++;
        if (size > 0) {
            fwrite(text, 1, size, out);
        } else {
            size = text_next(text, &c);
            put_character(out, text, size, c);
        }
        text += size;
    }
    fputc('"', out);
}

static void put_count(FILE *out, uint64_t n)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    fwrite(digits + at, 1, sizeof digits - at, out);
}

void json_key(jsonout *j, const char *key)
{
    separate(j);
    put_string(j->out, key, strlen(key));
    fputs(": ", j->out);
    j->keyed = true;
}

void json_text(jsonout *j, const char *text)
{
    json_bytes(j, text, strlen(text));
}

void json_bytes(jsonout *j, const char *text, size_t size)
{
    separate(j);
    put_string(j->out, text, size);
}

void json_tally(jsonout *j, const char *key, size_t size, uint64_t count)
{
    separate(j);
    put_string(j->out, key, size);
    fputc(':', j->out);
    put_count(j->out, count);
}

void json_count(jsonout *j, uint64_t n)
{
    separate(j);
    put_count(j->out, n);
}

void json_real(jsonout *j, double x)
{
    char text[40] = "null";

    separate(j);
    for (int digits = 15; isfinite(x) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, j->out);
}

void json_bool(jsonout *j, bool value)
{
    separate(j);
    fputs(value ? "true" : "false", j->out);
}

void json_end(jsonout *j)
{
    fputc('\n', j->out);
}

void json_key_text(jsonout *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text(j, text);
}

void json_key_count(jsonout *j, const char *key, uint64_t n)
{
    json_key(j, key);
    json_count(j, n);
}

void json_key_real(jsonout *j, const char *key, double x)
{
    json_key(j, key);
    json_real(j, x);
}

void json_key_bool(jsonout *j, const char *key, bool value)
{
    json_key(j, key);
    json_bool(j, value);
}
