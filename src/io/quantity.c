/* SPDX-License-Identifier: MIT */
/*
 * A real number is whole when, without the zeros at its end, its digits times a
 * power of ten need no negative power. No floating point has a say in it.
 */
#include "io/quantity.h"

#include <inttypes.h>

#include "base/fail.h"
#include "io/fields.h"
#include "io/malformed.h"

#define SHORT_DIGITS   18
#define ENOUGH         (UINT64_C(1) << 40) /* stands for all that is larger */
#define POWER_MOST     (INT64_C(1) << 40)  /* likewise; no line is so long */
#define COUNT_EXPECTED "a count from 1 to 2147483647 was expected"

/* digits * 10^power, where the last of the digits is not 0. */
typedef struct decimal {
    uint64_t digits;
    int64_t power;
    bool negative;
} decimal;

/* The digits at *from, which moves behind them; false when there are none, or
 * more than any number needs that is right. */
static inline bool take_short(const char **from, const char *end,
                              uint64_t *value)
{
    const char *p = *from;
    const char *const most = end - p > SHORT_DIGITS ? p + SHORT_DIGITS : end;
    uint64_t v = 0;
    unsigned digit;

    for (; p < most && (digit = (unsigned)(unsigned char)*p - '0') < 10; p++)
        v = v * 10 + digit;
    *value = v;
    const bool any = p > *from;
    *from = p;
    return any;
}

static kedge_status out_of_range(const lines *in, span text,
                                 const quantity_range *range, bool small,
                                 kedge_error *err)
{
    return malformed(in, err,
                     "the %s %s is too %s: a %s from %" PRIu64 " to %" PRIu64
                     " was expected",
                     range->what, span_show(text).text,
                     small ? "small" : "large", range->what, range->least,
                     range->most);
}

kedge_status quantity_number(const lines *in, span text,
                             const quantity_range *range, uint64_t *value,
                             kedge_error *err)
{
    const field f = {text.bytes, text.size};
    const char *p = text.bytes, *const end = p + text.size;

    if (take_short(&p, end, value) && p == end && *value >= range->least &&
        *value <= range->most)
        return KEDGE_OK;
    if (!field_number(&f, value))
        return malformed(in, err,
                         "\"%s\" is not a number: a %s from %" PRIu64
                         " to %" PRIu64 " was expected",
                         span_show(text).text, range->what, range->least,
                         range->most);
    if (*value < range->least || *value > range->most)
        return out_of_range(in, text, range, *value < range->least, err);
    return KEDGE_OK;
}

/* ---- real numbers that are whole ----------------------------------------- */

static uint64_t times_ten(uint64_t value, int64_t times)
{
    for (; times > 0 && value > 0 && value < ENOUGH; times--)
        value *= 10;
    return value < ENOUGH ? value : ENOUGH;
}

/* Digits with or without a point; false when there is none. */
static bool take_digits(const char **from, const char *end, decimal *d)
{
    const char *p = *from;
    int64_t zeros = 0, digits = 0;
    bool point = false;

    for (; p < end; p++) {
        const unsigned digit = (unsigned)(unsigned char)*p - '0';
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (digit > 9)
            break;
        digits++;
        d->power -= point;
        zeros++;
        if (digit == 0)
            continue;
        d->digits = times_ten(d->digits, zeros) + digit;
        zeros = 0;
    }
    d->power += zeros;
    *from = p;
    return digits > 0;
}

/* What follows the "e"; false when it is no number. */
static bool take_power(const char **from, const char *end, int64_t *power)
{
    const char *p = *from;
    const bool negative = p < end && *p == '-';
    int64_t value = 0;
    bool any = false;

    p += p < end && (*p == '-' || *p == '+');
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        any = true;
        value = value < POWER_MOST ? 10 * value + (*p - '0') : value;
    }
    *power += negative ? -value : value;
    *from = p;
    return any;
}

static bool parse_decimal(span text, decimal *d)
{
    const char *p = text.bytes, *const end = p + text.size;

    *d = (decimal){0};
    if (p < end && (*p == '-' || *p == '+'))
        d->negative = *p++ == '-';
    if (!take_digits(&p, end, d))
        return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (!take_power(&p, end, &d->power))
            return false;
    }
    return p == end;
}

static kedge_status careful_count(const lines *in, span text, uint32_t *tally,
                                  kedge_error *err)
{
    static const quantity_range range = {"count", 1, QUANTITY_COUNT_MAX};
    uint64_t value;
    decimal d;

    if (!parse_decimal(text, &d))
        return malformed(in, err, "\"%s\" is not a number: " COUNT_EXPECTED,
                         span_show(text).text);
    if (d.negative && d.digits > 0)
        return malformed(in, err, "\"%s\" is negative: " COUNT_EXPECTED,
                         span_show(text).text);
    if (d.digits > 0 && d.power < 0)
        return malformed(in, err,
                         "\"%s\" is not a whole number: a count, not a "
                         "weight, was expected",
                         span_show(text).text);
    value = times_ten(d.digits, d.power);
    if (value < range.least || value > range.most)
        return out_of_range(in, text, &range, value < range.least, err);
    *tally = (uint32_t)value;
    return KEDGE_OK;
}

kedge_status quantity_count(const lines *in, span text, uint32_t *tally,
                            kedge_error *err)
{
    const char *p = text.bytes, *const end = p + text.size;
    uint64_t value;

    if (take_short(&p, end, &value) && p == end && value >= 1 &&
        value <= QUANTITY_COUNT_MAX) {
        *tally = (uint32_t)value;
        return KEDGE_OK;
    }
    return careful_count(in, text, tally, err);
}

/* A pair of plain numbers that are right; false leaves it to the careful. */
static bool quick_pair(span text, const quantity_range *range, uint64_t *value,
                       uint32_t *tally)
{
    const char *p = text.bytes, *const end = p + text.size;
    uint64_t count;

    if (!take_short(&p, end, value) || p == end || *p++ != ':' ||
        *value < range->least || *value > range->most ||
        !take_short(&p, end, &count) || p < end || count < 1 ||
        count > QUANTITY_COUNT_MAX)
        return false;
    *tally = (uint32_t)count;
    return true;
}

static kedge_status careful_pair(const lines *in, span text,
                                 const quantity_range *range, uint64_t *value,
                                 uint32_t *tally, kedge_error *err)
{
    const char *const colon = memchr(text.bytes, ':', text.size);
    kedge_status st = KEDGE_OK;
    size_t before;

    if (colon == NULL)
        return malformed(in, err,
                         "\"%s\" has no \":\": \"%s:count\" was "
                         "expected",
                         span_show(text).text, range->what);
    before = (size_t)(colon - text.bytes);
    TRY(quantity_number(in, span_of(text.bytes, before), range, value, err));
    TRY(quantity_count(in, span_of(colon + 1, text.size - before - 1), tally,
                       err));
out:
    return st;
}

kedge_status quantity_pair(const lines *in, span text,
                           const quantity_range *range, uint64_t *value,
                           uint32_t *tally, kedge_error *err)
{
    return quick_pair(text, range, value, tally)
               ? KEDGE_OK
               : careful_pair(in, text, range, value, tally, err);
}

kedge_status quantity_check_words(const lines *in, uint64_t words,
                                  kedge_error *err)
{
    if (words == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: its words are numbers: a vocabulary that says "
                          "which words they are was expected",
                          lines_name(in));
    return KEDGE_OK;
}
