/* SPDX-License-Identifier: MIT */
/*
 * A document a line, or all lines one.
 *
 * "lines": the line is the text; no id, no label.
 *
 * "mallet": the id, the label and the text, blanks or tabs between them. The
 * text may be missing; a label that stands for none, "X", is kept as it is.
 *
 * "files": the whole file, whose name is the id.
 *
 * Lines of nothing but blanks and tabs are passed over, unless documents
 * without a word are wanted too (record_opts.blank). Any text looks like these
 * formats, so they are only read when asked for.
 */
#include "base/fail.h"
#include "io/format.h"

static kedge_status lines_line(records *r, span line, record *out,
                               kedge_error *err)
{
    (void)r;
    (void)err;
    out->text = line;
    return KEDGE_OK;
}

static kedge_status mallet_line(records *r, span left, record *out,
                                kedge_error *err)
{
    (void)fields_next(&left, &out->id);
    if (!fields_next(&left, &out->label))
        return malformed(r, err,
                         "the line has 1 field: expected \"id label text\"");
    while (left.size > 0 && is_blank(left.bytes[0]))
        left = span_of(left.bytes + 1, left.size - 1);
    out->text = left;
    return KEDGE_OK;
}

static kedge_status files_next(records *r, record *out, bool *more,
                               kedge_error *err)
{
    PASS(lines_next_item(r->in, NULL, NULL, "file", &out->text, more, err));
    out->id = span_text(lines_name(r->in));
    r->line = out->line = lines_number(r->in);
    return KEDGE_OK;
}

const record_format format_lines = {
    .name = "lines",
    .line = lines_line,
};

const record_format format_mallet = {
    .name = "mallet",
    .line = mallet_line,
};

const record_format format_files = {
    .name = "files",
    .endings = ".html .htm .xhtml",
    .next = files_next,
};
