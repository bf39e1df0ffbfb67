/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

/* Decimal digits and nothing else: strtoull would take "-1" and " 1". */
static bool read_digits(const char *text, size_t size, uint64_t *out)
{
    uint64_t n = 0;

    for (size_t i = 0; i < size; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');

        if (digit > 9 || n > (UINT64_MAX - digit) / 10)
            return false;
        n = 10 * n + digit;
    }
    *out = n;
    return size > 0;
}

static bool in_range(const option *o, uint64_t n)
{
    return o->most == 0 || (n >= o->least && n <= o->most);
}

static bool read_count(const option *o, const char *text, size_t size,
                       uint64_t *out, char *why, size_t room)
{
    if (!read_digits(text, size, out)) {
        snprintf(why, room, "'%.*s' is not a whole number", (int)size, text);
        return false;
    }
    if (!in_range(o, *out) && o->most == UINT64_MAX) {
        snprintf(why, room, "%.*s is less than %" PRIu64, (int)size, text,
                 o->least);
        return false;
    }
    if (!in_range(o, *out)) {
        snprintf(why, room, "%.*s is not within %" PRIu64 " to %" PRIu64,
                 (int)size, text, o->least, o->most);
        return false;
    }
    if (o->multiple > 0 && *out % o->multiple != 0) {
        snprintf(why, room, "%.*s is not a multiple of %" PRIu64, (int)size,
                 text, o->multiple);
        return false;
    }
    return true;
}

static bool read_size(const char *text, uint64_t *out, char *why, size_t room)
{
    static const char suffixes[] = "KMGTkmgt";
    size_t size = strlen(text);
    unsigned shift = 0;
    uint64_t n;

    if (size > 0) {
        const char *suffix = strchr(suffixes, text[size - 1]);

        if (suffix != NULL) {
            shift = 10 * (unsigned)((suffix - suffixes) % 4 + 1);
            size--;
        }
    }
    if (!read_digits(text, size, &n) || n > UINT64_MAX >> shift || n == 0) {
        snprintf(why, room, "'%s' is not a size; write 500M or 2G", text);
        return false;
    }
    *out = n << shift;
    return true;
}

/* 0 stands for what is usual, where an option says what that is and NAN does
 * not. */
static bool read_real(const option *o, const char *text, double *out,
                      char *why, size_t room)
{
    char *end;

    errno = 0;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*out) ||
        strpbrk(text, "xX \t\n\v\f\r") != NULL) {
        snprintf(why, room, "'%s' is not a number; write 1e-7 or 0.001", text);
        return false;
    }
    if (o->unset != NULL && !o->zero && *out <= 0) {
        snprintf(why, room, "%s is not above 0", text);
        return false;
    }
    if (o->from == o->to || (*out >= o->from && *out <= o->to))
        return true;
    if (isinf(o->to))
        snprintf(why, room, "%s is less than %g", text, o->from);
    else
        snprintf(why, room, "%s is not within %g to %g", text, o->from, o->to);
    return false;
}

static bool read_choice(const char *choices, const char *text, unsigned *out,
                        char *why, size_t room)
{
    const size_t size = strlen(text);
    unsigned place = 0;

    for (const char *from = choices; *from != '\0'; place++) {
        const size_t length = strcspn(from, "|");

        if (length == size && memcmp(from, text, size) == 0) {
            *out = place;
            return true;
        }
        from += length + (from[length] == '|');
    }
    snprintf(why, room, "'%s' is not one of %s", text, choices);
    return false;
}

/* Where the name is among those between bars, up to a bracket; or NULL. */
static const char *find_name(const char *names, const char *name, size_t size)
{
    for (;;) {
        const size_t length = strcspn(names, "|[");

        if (length == size && memcmp(names, name, size) == 0)
            return names;
        if (names[length] != '|')
            return NULL;
        names += length + 1;
    }
}

/* Of an argument "a|b|c" one, of "a|b|c[,...]" several, each once. */
static bool read_names(const option *o, const char *text, char *why,
                       size_t room)
{
    const bool several = strchr(o->argument, '[') != NULL;
    const int choices = (int)strcspn(o->argument, "[");

    for (const char *at = text; at != NULL;) {
        const size_t size = several ? strcspn(at, ",") : strlen(at);
        const int shown = size < 80 ? (int)size : 80;

        if (find_name(o->argument, at, size) == NULL) {
            snprintf(why, room, "'%.*s' is not one of %.*s", shown, at,
                     choices, o->argument);
            return false;
        }
        for (const char *earlier = text; earlier < at;
             earlier += strcspn(earlier, ",") + 1)
            if (strcspn(earlier, ",") == size &&
                memcmp(earlier, at, size) == 0) {
                snprintf(why, room, "'%.*s' is named twice", shown, at);
                return false;
            }
        at = at[size] == ',' ? at + size + 1 : NULL;
    }
    return true;
}

/* Whether there are no values but the names that the argument shows. */
static bool has_names_alone(const option *o)
{
    return strpbrk(o->argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
}

/* Appends, so that -k 5 -k 10 is -k 5,10. */
static bool read_counts(const option *o, const char *text, counts *out,
                        char *why, size_t room)
{
    for (;;) {
        const size_t size = strcspn(text, ",");

        if (out->count == COUNTS_MOST) {
            snprintf(why, room, "more than %d values", COUNTS_MOST);
            return false;
        }
        if (!read_count(o, text, size, &out->values[out->count], why, room))
            return false;
        out->count++;
        if (text[size] == '\0')
            return true;
        text += size + 1;
    }
}

bool value_read(const option *o, const char *text, char *why, size_t size)
{
    switch (o->kind) {
    case OPTION_COUNT:
        return read_count(o, text, strlen(text), o->value, why, size);
    case OPTION_SIZE:
        return read_size(text, o->value, why, size);
    case OPTION_WAIT:
    case OPTION_REAL:
        return read_real(o, text, o->value, why, size);
    case OPTION_CHOICE:
        return read_choice(o->argument, text, o->value, why, size);
    case OPTION_COUNTS:
        return read_counts(o, text, o->value, why, size);
    case OPTION_TEXT:
        if (*text == '\0') {
            snprintf(why, size, "must not be empty");
            return false;
        }
        if (has_names_alone(o) && !read_names(o, text, why, size))
            return false;
        *(const char **)o->value = text;
        return true;
    case OPTION_FLAG:
        break;
    }
    snprintf(why, size, "takes no value");
    return false;
}

static void write_choice(const option *o, char *out, size_t size)
{
    const char *from = o->argument;

    for (unsigned i = *(const unsigned *)o->value; i > 0; i--) {
        from += strcspn(from, "|");
        if (*from == '\0') {
            snprintf(out, size, "%s", o->unset);
            return;
        }
        from++;
    }
    snprintf(out, size, "%.*s", (int)strcspn(from, "|"), from);
}

static void write_number(const option *o, char *out, size_t size)
{
    const uint64_t n = *(const uint64_t *)o->value;
    figure f;

    if (n == 0 && o->unset != NULL)
        snprintf(out, size, "%s", o->unset);
    else if (o->kind == OPTION_SIZE)
        snprintf(out, size, "%s", figure_size(&f, n));
    else
        snprintf(out, size, "%" PRIu64, n);
}

void value_write(const option *o, char *out, size_t size)
{
    const char *text;

    *out = '\0';
    switch (o->kind) {
    case OPTION_COUNT:
    case OPTION_SIZE:
        write_number(o, out, size);
        break;
    case OPTION_REAL:
        if (o->unset != NULL && (isnan(*(const double *)o->value) ||
                                 *(const double *)o->value == 0))
            snprintf(out, size, "%s", o->unset);
        else
            snprintf(out, size, "%g", *(const double *)o->value);
        break;
    case OPTION_CHOICE:
        write_choice(o, out, size);
        break;
    case OPTION_TEXT:
        text = *(const char *const *)o->value;
        text = text != NULL ? text : o->unset;
        snprintf(out, size, "%s", text != NULL ? text : "");
        break;
    case OPTION_FLAG:
    case OPTION_WAIT:
    case OPTION_COUNTS:
        break;
    }
}

void value_limits(const option *o, char *out, size_t size)
{
    char value[160];
    char range[64] = "";

    value_write(o, value, sizeof value);
    if (o->most != 0 && o->most < UINT64_MAX)
        snprintf(range, sizeof range, "%" PRIu64 " to %" PRIu64, o->least,
                 o->most);
    if (o->from != o->to && isfinite(o->to))
        snprintf(range, sizeof range, "%g to %g", o->from, o->to);
    if (range[0] == '\0' && value[0] == '\0')
        *out = '\0';
    else if (value[0] == '\0')
        snprintf(out, size, " (%s)", range);
    else
        snprintf(out, size, " (%s%sdefault: %s)", range,
                 range[0] != '\0' ? "; " : "", value);
}
