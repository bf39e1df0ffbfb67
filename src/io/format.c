/* SPDX-License-Identifier: MIT */
#include "io/format.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/words.h"

#define SHOWN_MAX ((size_t)24)
#define COUNT_EXPECTED "expected a count from 1 to 2147483647"
#define ENOUGH (UINT64_C(1) << 40) /* stands for all that is larger */

const char *const usual_text[] = {"text", "body", "content", "abstract", NULL};
const char *const usual_label[] = {"label", NULL};

/* ---- fields -------------------------------------------------------------- */

shown span_show(span text)
{
    const size_t n = text.size < SHOWN_MAX ? text.size : SHOWN_MAX;
    shown s;

    for (size_t i = 0; i < n; i++) {
        const char c = text.bytes[i];
        s.text[i] = c > ' ' && c <= '~' ? c : '?';
    }
    snprintf(s.text + n, sizeof s.text - n, "%s", n < text.size ? "..." : "");
    return s;
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

size_t fields_split(span line, span *out, size_t most)
{
    size_t count = 0;
    span f;

    for (; fields_next(&line, &f); count++)
        if (count < most)
            out[count] = f;
    return count;
}

/* ---- numbers ------------------------------------------------------------- */

bool span_number(span text, uint64_t *value)
{
    uint64_t v = 0;
    bool large = false;

    for (size_t i = 0; i < text.size; i++) {
        const unsigned digit = (unsigned)(unsigned char)text.bytes[i] - '0';
        if (digit > 9)
            return false;
        large |= v > (UINT64_MAX - 9) / 10;
        v = v * 10 + digit;
    }
    *value = large ? UINT64_MAX : v;
    return text.size > 0;
}

kedge_status records_number(const records *r, span text, const char *what,
                            uint64_t least, uint64_t most, uint64_t *value,
                            kedge_error *err)
{
    if (!span_number(text, value))
        return malformed(r, err,
                         "\"%s\" is not a number: expected a %s from "
                         "%" PRIu64 " to %" PRIu64,
                         span_show(text).text, what, least, most);
    if (*value < least || *value > most)
        return malformed(r, err,
                         "the %s %s is too %s: expected a %s from %" PRIu64 " "
                         "to %" PRIu64,
                         what, span_show(text).text,
                         *value < least ? "small" : "large", what, least,
                         most);
    return KEDGE_OK;
}

/* Why a number is no count. */
typedef enum wholeness { WHOLE, FRACTION, NEGATIVE, NO_NUMBER } wholeness;

/* The value of a real number that is whole, 2^40 for all that is above. No
 * floating point has a say in it. */
static wholeness read_whole(span text, uint64_t *value)
{
    const char *p = text.bytes, *const end = p + text.size;
    const bool negative = p < end && *p == '-';
    int64_t digits = 0, whole = 0, power = 0, at = 0;
    bool point = false, minus = false, any = false, fraction = false;
    const char *from, *behind;

    p += p < end && (*p == '-' || *p == '+');
    for (from = p; p < end && ((*p >= '0' && *p <= '9') ||
                               (*p == '.' && !point)); p++) {
        point |= *p == '.';
        digits += *p != '.';
        whole += !point;
    }
    behind = p;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        minus = p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        for (; p < end && *p >= '0' && *p <= '9'; p++) {
            any = true;
            if (power < (int64_t)ENOUGH) /* no line is so long */
                power = 10 * power + (*p - '0');
        }
        if (!any)
            return NO_NUMBER;
    }
    if (digits == 0 || p < end)
        return NO_NUMBER;
    whole += minus ? -power : power; /* of the digits stand before the point */
    *value = 0;
    for (p = from; p < behind; p++) {
        if (*p == '.')
            continue;
        if (at++ >= whole)
            fraction |= *p != '0';
        else if (*value < ENOUGH)
            *value = 10 * *value + (uint64_t)(*p - '0');
    }
    for (; at < whole && *value > 0 && *value < ENOUGH; at++)
        *value *= 10;
    return negative && (*value > 0 || fraction) ? NEGATIVE
           : fraction                           ? FRACTION
                                                : WHOLE;
}

bool span_whole(span text, uint64_t *value)
{
    return span_number(text, value) || read_whole(text, value) == WHOLE;
}

kedge_status records_count(const records *r, span text, uint32_t *tally,
                           kedge_error *err)
{
    uint64_t value = 0;

    if (span_whole(text, &value) && value - 1 < COUNT_MAX) {
        *tally = (uint32_t)value;
        return KEDGE_OK;
    }
    switch (read_whole(text, &value)) {
    case NO_NUMBER:
        return malformed(r, err, "\"%s\" is not a number: " COUNT_EXPECTED,
                         span_show(text).text);
    case NEGATIVE:
        return malformed(r, err, "\"%s\" is negative: " COUNT_EXPECTED,
                         span_show(text).text);
    case FRACTION:
        return malformed(r, err, "\"%s\" is not a whole number: expected a "
                                 "count, not a weight", span_show(text).text);
    default:
        return malformed(r, err, "the count %s is too %s: " COUNT_EXPECTED,
                         span_show(text).text, value == 0 ? "small" : "large");
    }
}

kedge_status records_pair(records *r, span text, uint64_t first,
                          kedge_error *err)
{
    const char *const colon = memchr(text.bytes, ':', text.size);
    uint64_t word;
    uint32_t tally;
    size_t before;

    if (colon == NULL)
        return malformed(r, err,
                         "\"%s\" has no \":\": expected \"word:count\"",
                         span_show(text).text);
    before = (size_t)(colon - text.bytes);
    PASS(records_number(r, span_of(text.bytes, before), "word", first,
                        r->opts.words - 1 + first, &word, err));
    PASS(records_count(r, span_of(colon + 1, text.size - before - 1), &tally,
                       err));
    return records_add_number(r, (uint32_t)(word - first), tally, err);
}

/* ---- the bag ------------------------------------------------------------- */

void records_clear_bag(records *r)
{
    r->bag.count = 0;
    r->bag.tokens = 0;
}

/* Whether one more fits; then its tally is there. */
static kedge_status add_tally(records *r, uint32_t tally, kedge_error *err)
{
    struct bag *const b = &r->bag;
    const size_t most = record_entries_most(&r->opts);

    assert(tally > 0);
    if (b->count >= most)
        return malformed(r, err, "the document is too large: expected at most "
                                 "%zu entries", most);
    if (b->tokens + tally > BAG_TOKENS_MAX)
        return malformed(r, err, "the document is too large: expected counts "
                                 "of at most %" PRIu64 " in "
                                 "all", BAG_TOKENS_MAX);
    PASS_GROW(b->tally, b->tally_capacity, b->count + 1);
    b->tally[b->count] = tally;
    return KEDGE_OK;
}

kedge_status records_add_word(records *r, span word, uint32_t tally,
                              kedge_error *err)
{
    struct bag *const b = &r->bag;

    PASS(add_tally(r, tally, err));
    PASS_GROW(b->word, b->word_capacity, b->count + 1);
    b->word[b->count++] = word;
    b->tokens += tally;
    return KEDGE_OK;
}

kedge_status records_add_number(records *r, uint32_t number, uint32_t tally,
                                kedge_error *err)
{
    struct bag *const b = &r->bag;

    PASS(add_tally(r, tally, err));
    PASS_GROW(b->number, b->number_capacity, b->count + 1);
    b->number[b->count++] = number;
    b->tokens += tally;
    return KEDGE_OK;
}

/* ---- records ------------------------------------------------------------- */

kedge_status records_open(const record_format *f, lines *in,
                          const record_opts *opts, records *out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (records){.format = f, .in = in, .opts = *opts,
                     .name = in != NULL ? lines_name(in) : opts->name};
    if (f->kind == RECORD_NUMBERS && opts->words == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: its words are numbers: expected a vocabulary "
                          "(--vocab) to name them", out->name);
    if (f->open != NULL)
        st = f->open(out, err);
    if (st != KEDGE_OK)
        records_close(out);
    return st;
}

void records_close(records *r)
{
    if (r->own != NULL && r->format->close != NULL)
        r->format->close(r->own);
    mem_free(r->bag.word);
    mem_free(r->bag.number);
    mem_free(r->bag.tally);
    *r = (records){0};
}

/* The record of the next line that has one. */
static kedge_status next_line(records *r, record *out, bool *more,
                              kedge_error *err)
{
    const record_format *const f = r->format;
    span line, left, first;

    do {
        PASS(lines_next(r->in, &line, more, err));
        if (!*more)
            return KEDGE_OK;
        left = line;
    } while (!(fields_next(&left, &first)
                   ? f->comment == '\0' || first.bytes[0] != f->comment
                   : r->opts.blank));
    r->line = out->line = lines_number(r->in);
    records_clear_bag(r);
    return f->line(r, line, out, err);
}

bool records_stall(records *r)
{
    r->stalled = r->deadline > 0 &&
                 !lines_ready(r->in, r->deadline - clock_seconds());
    return r->stalled;
}

/* Whether a record can be kept. */
static kedge_status check(const records *r, const record *found,
                          kedge_error *err)
{
    if (found->id.size > RECORD_ID_MAX)
        return malformed(r, err,
                         "the id has %zu bytes: expected at most %d",
                         found->id.size, RECORD_ID_MAX);
    for (size_t i = 0; found->kind == RECORD_WORDS && i < found->count; i++) {
        if (found->word[i].size > WORD_MAX)
            return malformed(r, err,
                             "word %zu of the bag has %zu bytes: expected at "
                             "most %zu", i + 1, found->word[i].size,
                             WORD_MAX);
        if (span_has_line_end(found->word[i]))
            return malformed(r, err,
                             "word %zu of the bag has a line end in it: "
                             "expected a word without one", i + 1);
    }
    return KEDGE_OK;
}

kedge_status records_next(records *r, record *out, bool *more,
                          kedge_error *err)
{
    const record_format *const f = r->format;

    *out = (record){.kind = f->kind};
    PASS(f->next != NULL ? f->next(r, out, more, err)
                         : next_line(r, out, more, err));
    if (!*more)
        return KEDGE_OK;
    if (record_field_none(r->opts.id_field))
        out->id = span_of(NULL, 0);
    if (record_field_none(r->opts.label_field))
        out->label = span_of(NULL, 0);
    if (out->kind != RECORD_TEXT) {
        out->count = r->bag.count;
        out->word = out->kind == RECORD_WORDS ? r->bag.word : NULL;
        out->number = out->kind == RECORD_NUMBERS ? r->bag.number : NULL;
        out->tally = r->bag.tally;
    }
    return check(r, out, err);
}
