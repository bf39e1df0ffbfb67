/* SPDX-License-Identifier: MIT */
/*
 * SVMlight, "svmlight": a document a line,
 *
 *   label [qid:n] word:count word:count ... [# id ...]
 *
 * The label is kept as it is written, the query passed over, and the comment's
 * first field is the document's id. Words are numbers of lines in the
 * vocabulary, from 1, in any order; counts are whole numbers that may be
 * written as real ones (3.0). Empty lines and lines of comment are passed over;
 * a line with a label alone is a document without words.
 *
 * LDA-C's lines can look the same, so it is only read when asked for.
 */
#include "base/fail.h"
#include "io/format.h"

static kedge_status svmlight_line(records *r, span left, record *out,
                                  kedge_error *err)
{
    const char *const mark = memchr(left.bytes, '#', left.size);
    span f;

    if (mark != NULL) {
        const size_t before = (size_t)(mark - left.bytes);
        span comment = span_of(mark + 1, left.size - before - 1);
        (void)fields_next(&comment, &out->id);
        left.size = before;
    }
    (void)fields_next(&left, &out->label);
    if (memchr(out->label.bytes, ':', out->label.size) != NULL)
        return malformed(r, err,
                         "the line begins with \"%s\": expected a label, then "
                         "\"word:count\" pairs",
                         span_show(out->label).text);
    for (bool first = true; fields_next(&left, &f); first = false)
        if (!first || f.size <= 4 || memcmp(f.bytes, "qid:", 4) != 0)
            PASS(records_pair(r, f, 1, err));
    return KEDGE_OK;
}

const record_format format_svmlight = {
    .name = "svmlight",
    .kind = RECORD_NUMBERS,
    .comment = '#',
    .line = svmlight_line,
};
