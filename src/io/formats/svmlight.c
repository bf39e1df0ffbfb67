/* SPDX-License-Identifier: MIT */
#include "io/formats/svmlight.h"

#include "base/fail.h"
#include "base/mem.h"
#include "io/bag.h"
#include "io/fields.h"
#include "io/malformed.h"
#include "io/quantity.h"

typedef struct svmlight {
    lines *in;
    quantity_range words;
    bag bag;
} svmlight;

static void svmlight_close(void *state)
{
    svmlight *s = state;

    if (s == NULL)
        return;
    bag_free(&s->bag);
    mem_free(s);
}

static kedge_status svmlight_open(lines *in, const record_opts *opts,
                                  void **state, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    svmlight *s = NULL;

    *state = NULL;
    TRY(quantity_check_words(in, opts->words, err));
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->in = in;
    s->bag.most = opts->entries;
    s->words = (quantity_range){"word", 1, opts->words};
    *state = s;
out:
    return st;
}

/* The comment's first field; the line ends before the comment then. */
static span cut_comment(span *line)
{
    const char *const mark =
        line->size == 0 ? NULL : memchr(line->bytes, '#', line->size);
    span comment = {NULL, 0}, first = {NULL, 0};
    size_t before;

    if (mark == NULL)
        return first;
    before = (size_t)(mark - line->bytes);
    comment = span_of(mark + 1, line->size - before - 1);
    line->size = before;
    (void)fields_next(&comment, &first);
    return first;
}

static bool is_query(span f)
{
    return f.size > 4 && memcmp(f.bytes, "qid:", 4) == 0;
}

static kedge_status take_entries(svmlight *s, span left, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t word;
    uint32_t tally;
    span f;

    for (bool first = true; fields_next(&left, &f); first = false) {
        if (first && is_query(f))
            continue;
        TRY(quantity_pair(s->in, f, &s->words, &word, &tally, err));
        TRY(bag_add_number(&s->bag, s->in, (uint32_t)(word - 1), tally, err));
    }
out:
    return st;
}

static kedge_status svmlight_next(void *state, record *out, bool *more,
                                  kedge_error *err)
{
    svmlight *s = state;
    kedge_status st = KEDGE_OK;
    span left;

    bag_clear(&s->bag);
    do {
        *out = (record){.kind = RECORD_NUMBERS};
        TRY(lines_next(s->in, &left, more, err));
        if (!*more)
            return KEDGE_OK;
        out->id = cut_comment(&left);
    } while (!fields_next(&left, &out->label));
    if (memchr(out->label.bytes, ':', out->label.size) != NULL)
        return malformed(s->in, err,
                         "the line begins with \"%s\": a label, then "
                         "\"word:count\", was expected",
                         span_show(out->label).text);
    TRY(take_entries(s, left, err));
    bag_give(&s->bag, RECORD_NUMBERS, out);
out:
    return st;
}

const record_format format_svmlight = {
    .name = "svmlight",
    .open = svmlight_open,
    .next = svmlight_next,
    .close = svmlight_close,
};
