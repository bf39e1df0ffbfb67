/* SPDX-License-Identifier: MIT */
#include "io/formats/vowpal.h"

#include "base/fail.h"
#include "base/mem.h"
#include "io/bag.h"
#include "io/fields.h"
#include "io/malformed.h"
#include "io/quantity.h"

#define HEAD_FIELDS 3 /* label, importance, tag */
#define EXPECTED    "\"[label] [importance] ['tag]|words\" was expected"

typedef struct vowpal {
    lines *in;
    bag bag;
} vowpal;

static void vowpal_close(void *state)
{
    vowpal *v = state;

    if (v == NULL)
        return;
    bag_free(&v->bag);
    mem_free(v);
}

static kedge_status vowpal_open(lines *in, const record_opts *opts,
                                void **state, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    vowpal *v;

    *state = NULL;
    TRY_MEM(v = mem_new(1, sizeof *v));
    v->in = in;
    v->bag.most = opts->entries;
    *state = v;
out:
    return st;
}

/* What stands before the first bar. */
static kedge_status take_head(const vowpal *v, span head, record *out,
                              kedge_error *err)
{
    const bool touches = head.size > 0 && !is_blank(head.bytes[head.size - 1]);
    span f[HEAD_FIELDS], left = head, more;
    size_t count = 0;

    while (count < HEAD_FIELDS && fields_next(&left, &f[count]))
        count++;
    if (fields_next(&left, &more))
        return malformed(v->in, err,
                         "there is \"%s\" before the \"|\", after three "
                         "fields: " EXPECTED,
                         span_show(more).text);
    if (count > 0 && (touches || f[count - 1].bytes[0] == '\'')) {
        out->id = f[--count];
        if (out->id.bytes[0] == '\'')
            out->id = span_of(out->id.bytes + 1, out->id.size - 1);
    }
    if (count == HEAD_FIELDS)
        return malformed(v->in, err,
                         "\"%s\", the third field, is not a tag: " EXPECTED,
                         span_show(f[2]).text);
    if (count > 0)
        out->label = f[0];
    return KEDGE_OK;
}

/* "word" or "word:count". */
static kedge_status take_word(vowpal *v, span f, kedge_error *err)
{
    const char *const colon = memrchr(f.bytes, ':', f.size);
    kedge_status st = KEDGE_OK;
    uint32_t tally = 1;
    size_t size = f.size;

    if (colon != NULL) {
        size = (size_t)(colon - f.bytes);
        TRY(quantity_count(v->in, span_of(colon + 1, f.size - size - 1), &tally,
                           err));
    }
    if (size == 0)
        return malformed(v->in, err,
                         "\"%s\" has no word: \"word\" or \"word:count\" was "
                         "expected",
                         span_show(f).text);
    TRY(bag_add_word(&v->bag, v->in, span_of(f.bytes, size), tally, err));
out:
    return st;
}

/* What follows a bar, up to the next one. */
static kedge_status take_namespace(vowpal *v, span part, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    span f;

    if (part.size > 0 && !is_blank(part.bytes[0])) {
        (void)fields_next(&part, &f);
        if (memchr(f.bytes, ':', f.size) != NULL)
            return malformed(v->in, err,
                             "the namespace \"%s\" has a weight: a namespace "
                             "without one was expected",
                             span_show(f).text);
    }
    while (fields_next(&part, &f))
        TRY(take_word(v, f, err));
out:
    return st;
}

/* What stands before the next bar of `left`, which begins behind it then;
 * false when no bar is left. */
static bool cut_at_bar(span *left, span *part)
{
    const char *const bar =
        left->size == 0 ? NULL : memchr(left->bytes, '|', left->size);

    *part = *left;
    if (bar == NULL)
        return false;
    part->size = (size_t)(bar - left->bytes);
    *left = span_of(bar + 1, left->size - part->size - 1);
    return true;
}

static kedge_status take_line(vowpal *v, span left, record *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more = true;
    span part;

    if (!cut_at_bar(&left, &part))
        return malformed(v->in, err, "the line has no \"|\": " EXPECTED);
    TRY(take_head(v, part, out, err));
    while (more) {
        more = cut_at_bar(&left, &part);
        TRY(take_namespace(v, part, err));
    }
    bag_give(&v->bag, RECORD_WORDS, out);
out:
    return st;
}

static kedge_status vowpal_next(void *state, record *out, bool *more,
                                kedge_error *err)
{
    vowpal *v = state;
    kedge_status st = KEDGE_OK;
    span line, left, first;

    *out = (record){.kind = RECORD_WORDS};
    bag_clear(&v->bag);
    do {
        TRY(lines_next(v->in, &line, more, err));
        left = line;
        if (!*more)
            return KEDGE_OK;
    } while (!fields_next(&left, &first));
    TRY(take_line(v, line, out, err));
out:
    return st;
}

const record_format format_vowpal = {
    .name = "vw",
    .open = vowpal_open,
    .next = vowpal_next,
    .close = vowpal_close,
};
