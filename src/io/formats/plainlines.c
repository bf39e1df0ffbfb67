/* SPDX-License-Identifier: MIT */
#include "io/formats/plainlines.h"

#include <stddef.h>

#include "base/fail.h"
#include "io/fields.h"
#include "io/malformed.h"

/* The state is the lines themselves. */
static kedge_status plain_open(lines *in, const record_opts *opts, void **state,
                               kedge_error *err)
{
    (void)opts;
    (void)err;
    *state = in;
    return KEDGE_OK;
}

static void plain_close(void *state)
{
    (void)state; /* not owned */
}

/* The next line with a field, that field, and what follows it. */
static kedge_status next_line(lines *in, span *line, span *first, span *left,
                              bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    do {
        TRY(lines_next(in, line, more, err));
        *left = *line;
    } while (*more && !fields_next(left, first));
out:
    return st;
}

static kedge_status lines_record(void *state, record *out, bool *more,
                                 kedge_error *err)
{
    span first, left;

    *out = (record){.kind = RECORD_TEXT};
    return next_line(state, &out->text, &first, &left, more, err);
}

static kedge_status every_line_record(void *state, record *out, bool *more,
                                      kedge_error *err)
{
    *out = (record){.kind = RECORD_TEXT};
    return lines_next(state, &out->text, more, err);
}

static kedge_status mallet_record(void *state, record *out, bool *more,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    span line, left;

    *out = (record){.kind = RECORD_TEXT};
    TRY(next_line(state, &line, &out->id, &left, more, err));
    if (!*more)
        return KEDGE_OK;
    if (!fields_next(&left, &out->label))
        return malformed(state, err,
                         "the line has 1 field: \"id label text\" was "
                         "expected");
    while (left.size > 0 && is_blank(left.bytes[0]))
        left = span_of(left.bytes + 1, left.size - 1);
    out->text = left;
out:
    return st;
}

/* All bytes that are left are one item. */
static size_t cut_nowhere(void *state, const char *bytes, size_t size,
                          bool *whole)
{
    (void)state;
    (void)bytes;
    (void)whole;
    return size;
}

/* The file's id is how it is called. */
static kedge_status whole_record(void *state, record *out, bool *more,
                                 kedge_error *err)
{
    *out = (record){.kind = RECORD_TEXT, .id = span_text(lines_name(state))};
    return lines_next_item(state, cut_nowhere, NULL, "file", &out->text, more,
                           err);
}

const record_format format_lines = {
    .name = "lines",
    .open = plain_open,
    .next = lines_record,
    .close = plain_close,
};

const record_format format_every_line = {
    .name = "lines",
    .open = plain_open,
    .next = every_line_record,
    .close = plain_close,
};

const record_format format_mallet = {
    .name = "mallet",
    .open = plain_open,
    .next = mallet_record,
    .close = plain_close,
};

const record_format format_whole = {
    .name = "files",
    .open = plain_open,
    .next = whole_record,
    .close = plain_close,
};
