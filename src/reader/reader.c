/* SPDX-License-Identifier: MIT */
/* Opens the source, lets its content choose the format, and hands on. */
#include "reader/reader.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "reader/stream.h"
#include "reader/text.h"
#include "reader/uci.h"

struct reader {
    stream *in;
    text_window text;
    uci *uci;
};

static kedge_status check_opts(const char *path, const reader_opts *opts,
                               kedge_error *err)
{
    if (opts->format != KEDGE_FORMAT_AUTO && opts->format != KEDGE_FORMAT_UCI)
        return kedge_fail(err, KEDGE_EINVAL, "%s: %d is not a format", path,
                          (int)opts->format);
    if (opts->format == KEDGE_FORMAT_AUTO && strcmp(path, "-") == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "standard input: a pipe needs --from: its format "
                          "(uci) was expected");
    return KEDGE_OK;
}

/* AUTO: whose first line is it? */
static kedge_status recognise(reader *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    text_line line;
    bool yes;

    TRY(uci_recognise(&r->text, &yes, err));
    if (yes)
        return KEDGE_OK;
    TRY(text_peek(&r->text, &line, err));
    st = kedge_fail(err, KEDGE_EFORMAT,
                    "%s:1: %s: UCI bag-of-words was expected (the numbers of "
                    "documents, words and entries on three lines, then lines "
                    "\"document word count\")",
                    stream_name(r->in),
                    line.bytes == NULL ? "the file is empty"
                                       : "the format is not known");
out:
    return st;
}

kedge_status reader_open(const char *path, const reader_opts *opts,
                         reader **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    reader *r = NULL;

    *out = NULL;
    TRY(check_opts(path, opts, err));
    TRY_MEM(r = mem_new(1, sizeof *r));
    TRY(stream_open(path, opts->control, &r->in, err));
    TRY(text_open(r->in, &r->text, err));
    if (opts->format == KEDGE_FORMAT_AUTO)
        TRY(recognise(r, err));
    TRY(uci_open(&r->text, opts, &r->uci, err));
    *out = r;
    r = NULL;
out:
    reader_close(r);
    return st;
}

kedge_status reader_next(reader *r, const reader_limits *limits, docs *batch,
                         bool *more, kedge_error *err)
{
    return uci_next(r->uci, limits, batch, more, err);
}

void reader_get_counts(const reader *r, reader_counts *out)
{
    stream_counts bytes;

    *out = (reader_counts){0};
    stream_get_counts(r->in, &bytes);
    out->bytes_read = bytes.read;
    out->bytes_text = bytes.text;
    out->bytes_total = bytes.total;
    uci_get_counts(r->uci, out);
}

void reader_close(reader *r)
{
    if (r == NULL)
        return;
    uci_close(r->uci);
    text_close(&r->text);
    stream_close(r->in);
    mem_free(r);
}

const char *reader_library_version(void)
{
    return stream_library_version();
}

uint64_t reader_memusage(void)
{
    return sizeof(reader) + stream_memusage() + text_memusage() +
           uci_memusage();
}
