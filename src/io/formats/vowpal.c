/* SPDX-License-Identifier: MIT */
/*
 * Vowpal Wabbit, "vw": a document a line,
 *
 *   [label] [importance] ['tag]|namespace word[:count] ... |namespace ...
 *
 * The label is kept as it is written, the importance passed over, the tag is
 * the document's id. A tag begins with an apostrophe or stands right before the
 * first bar, without a blank between. A namespace stands right behind its bar;
 * it may be missing, and the words of all of them go into one bag. What follows
 * the last colon of a word is its count; 1 when there is none. Empty lines are
 * passed over.
 *
 * Text with a bar in it looks the same, so it is only read when asked for.
 */
#include "base/fail.h"
#include "io/format.h"

#define HEAD_FIELDS 3 /* label, importance, tag */
#define EXPECTED    "expected \"[label] [importance] ['tag]|words\""

/* What stands before the first bar. */
static kedge_status take_head(const records *r, span head, record *out,
                              kedge_error *err)
{
    const bool touches = head.size > 0 && !is_blank(head.bytes[head.size - 1]);
    span f[HEAD_FIELDS + 1];
    size_t count = fields_split(head, f, HEAD_FIELDS + 1);

    if (count > HEAD_FIELDS)
        return malformed(r, err,
                         "there is \"%s\" before the \"|\", after three "
                         "fields: " EXPECTED,
                         span_show(f[HEAD_FIELDS]).text);
    if (count > 0 && (touches || f[count - 1].bytes[0] == '\'')) {
        out->id = f[--count];
        if (out->id.bytes[0] == '\'')
            out->id = span_of(out->id.bytes + 1, out->id.size - 1);
    }
    if (count == HEAD_FIELDS)
        return malformed(r, err,
                         "\"%s\", the third field, is not a tag: " EXPECTED,
                         span_show(f[2]).text);
    if (count > 0)
        out->label = f[0];
    return KEDGE_OK;
}

/* "word" or "word:count". */
static kedge_status take_word(records *r, span f, kedge_error *err)
{
    const char *const colon = memrchr(f.bytes, ':', f.size);
    uint32_t tally = 1;
    size_t size = f.size;

    if (colon != NULL) {
        size = (size_t)(colon - f.bytes);
        PASS(records_count(r, span_of(colon + 1, f.size - size - 1), &tally,
                           err));
    }
    if (size == 0)
        return malformed(r, err,
                         "\"%s\" has no word: expected \"word\" or "
                         "\"word:count\"",
                         span_show(f).text);
    return records_add_word(r, span_of(f.bytes, size), tally, err);
}

/* What follows a bar, up to the next one. */
static kedge_status take_namespace(records *r, span part, kedge_error *err)
{
    span f;

    if (part.size > 0 && !is_blank(part.bytes[0])) {
        (void)fields_next(&part, &f);
        if (memchr(f.bytes, ':', f.size) != NULL)
            return malformed(r, err,
                             "the namespace \"%s\" has a weight: expected a "
                             "namespace without one",
                             span_show(f).text);
    }
    while (fields_next(&part, &f))
        PASS(take_word(r, f, err));
    return KEDGE_OK;
}

static kedge_status vowpal_line(records *r, span left, record *out,
                                kedge_error *err)
{
    const char *const end = left.bytes + left.size;
    const char *bar = memchr(left.bytes, '|', left.size);

    if (bar == NULL)
        return malformed(r, err, "the line has no \"|\": " EXPECTED);
    PASS(take_head(r, span_of(left.bytes, (size_t)(bar - left.bytes)), out,
                   err));
    while (bar != NULL) {
        const char *const from = bar + 1;
        bar = memchr(from, '|', (size_t)(end - from));
        const char *const to = bar != NULL ? bar : end;
        PASS(take_namespace(r, span_of(from, (size_t)(to - from)), err));
    }
    return KEDGE_OK;
}

const record_format format_vowpal = {
    .name = "vw",
    .kind = RECORD_WORDS,
    .line = vowpal_line,
};
