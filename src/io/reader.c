/* SPDX-License-Identifier: MIT */
/* Opens the source, lets its content choose the format, and hands on. */
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/formats/formats.h"
#include "io/handed.h"
#include "io/malformed.h"
#include "io/formats/plainlines.h"
#include "io/records.h"
#include "io/stream.h"
#include "io/text.h"
#include "io/tree.h"
#include "io/formats/uci.h"

struct reader {
    kedge_format format;
    reader_room room;
    stream *in;
    text_window text; /* UCI */
    uci *uci;
    lines *lines;     /* all others but a directory */
    const record_format *how; /* these are read, */
    void *state;              /* and what that keeps */
    tree *tree;
    handed *handed;
    records *records;
    record_opts fields;
    notes refused; /* why nothing is read of it */
};

static bool is_directory(const char *path)
{
    struct stat about;

    return strcmp(path, "-") != 0 && stat(path, &about) == 0 &&
           S_ISDIR(about.st_mode);
}

/* What can be read once only, and so not looked into first. */
static bool is_pipe(const char *path)
{
    struct stat about;

    return strcmp(path, "-") == 0 ||
           (stat(path, &about) == 0 && !S_ISREG(about.st_mode) &&
            !S_ISDIR(about.st_mode));
}

static kedge_status check_opts(const char *path, const reader_opts *opts,
                               kedge_error *err)
{
    const char *const shown = strcmp(path, "-") == 0 ? "standard input" : path;

    if (!formats_known(opts->format))
        return kedge_fail(err, KEDGE_EINVAL, "%s: %d is not a format", path,
                          (int)opts->format);
    if (opts->format == KEDGE_FORMAT_AUTO && is_pipe(path))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: a pipe needs --from: its format was expected",
                          shown);
    if (opts->format == KEDGE_FORMAT_FILES && is_pipe(path))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: a pipe has no name, which is the id of a file: "
                          "a file or a directory was expected", shown);
    if (opts->format == KEDGE_FORMAT_UCI && is_directory(path))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: this is a directory: a file was expected, as "
                          "uci is one", path);
    return KEDGE_OK;
}

/* Where nothing else is asked for, as much as is known to be right. */
static reader_room reader_whole_room(const reader_room *asked)
{
    reader_room r = *asked;

    if (r.window_log == 0)
        r.window_log = STREAM_WINDOW_LOG;
    if (r.line == 0)
        r.line = LINES_LIMIT;
    if (r.entries == 0)
        r.entries = READER_ENTRIES_MAX;
    return r;
}

/* ---- which format it is -------------------------------------------------- */

static kedge_status recognise_uci(const reader *r, const char *path,
                                  const reader_opts *opts, bool *yes,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    text_window text = {0};
    stream *in = NULL;

    TRY(stream_open(path, NULL, &in, err));
    stream_set_window(in, r->room.window_log);
    TRY(stream_set_encoding(in, opts->encoding, err));
    TRY(text_open(in, &text, err));
    TRY(uci_recognise(&text, yes, err));
out:
    text_close(&text);
    stream_close(in);
    return st;
}

static kedge_status recognise_lines(reader *r, const record_opts *how,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool some;
    span line;

    TRY(formats_recognise(r->lines, how, &r->format, err));
    if (r->format != KEDGE_FORMAT_AUTO)
        return KEDGE_OK;
    TRY(lines_peek(r->lines, 0, &line, &some, err));
    if (some)
        TRY(kedge_fail(err, KEDGE_EFORMAT,
                       "%s:1: the format is not known: UCI bag-of-words (three "
                       "numbers on three lines), JSON lines or an array, "
                       "Matrix Market or a table with named columns was "
                       "expected%s; --from lines reads a document a line, "
                       "--from files all as one, --from names other formats",
                       stream_name(r->in),
                       how->text_field == NULL
                           ? " (--text-field says which of them has the text)"
                           : ""));
    r->format = KEDGE_FORMAT_LINES; /* none: an empty file has no documents */
out:
    return st;
}

const char *reader_given_name(const kedge_source *source)
{
    return source->name != NULL ? source->name : "memory";
}

kedge_status reader_given_check(const kedge_source *source, kedge_error *err)
{
    if (source->next == NULL)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a source needs a function `next`: it is NULL");
    return api_texts(err, "the source's vocabulary", source->vocabulary,
                     source->vocabulary != NULL ? source->words : 0);
}

/* ---- opening ------------------------------------------------------------- */

bool reader_gives_lines(const reader *r)
{
    return r->format == KEDGE_FORMAT_UCI;
}

bool reader_needs_vocabulary(const reader *r)
{
    return r->format == KEDGE_FORMAT_UCI ||
           r->format == KEDGE_FORMAT_SVMLIGHT ||
           r->format == KEDGE_FORMAT_LDAC || r->format == KEDGE_FORMAT_MTX;
}

static kedge_status check_vocabulary(const reader *r, const char *path,
                                     const reader_opts *opts,
                                     kedge_error *err)
{
    if (!reader_needs_vocabulary(r) || opts->vocabulary)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "%s: words are numbers here: give the file of their "
                      "vocabulary with --vocab",
                      strcmp(path, "-") == 0 ? "standard input" : path);
}

static kedge_status open_uci(reader *r, const reader_opts *opts,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(text_open(r->in, &r->text, err));
    TRY(uci_open(&r->text, opts, &r->uci, err));
out:
    return st;
}

static bool lines_wait(void *in, double seconds)
{
    return lines_ready(in, seconds);
}

static bool lines_whole(const void *in)
{
    return !lines_broken(in);
}

/* Without what is not to be taken. */
static void drop_names(const reader *r, record *out)
{
    if (record_field_none(r->fields.id_field))
        out->id = span_of(NULL, 0);
    if (record_field_none(r->fields.label_field))
        out->label = span_of(NULL, 0);
}

static kedge_status next_record(void *state, record *out, bool *more,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const reader *r = state;

    TRY(r->how->next(r->state, out, more, err));
    if (out->line == 0 && r->format != KEDGE_FORMAT_MTX)
        out->line = lines_number(r->lines);
    drop_names(r, out);
    if (*more)
        TRY(malformed_record(r->lines, out, err));
out:
    return st;
}

static kedge_status open_format(reader *r, const reader_opts *opts,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const record_source from = {.state = r, .next = next_record,
                                .skippable = lines_whole, .ready = lines_wait,
                                .waits = r->lines,
                                .name = stream_name(r->in)};

    r->how = opts->empty && r->format == KEDGE_FORMAT_LINES
                 ? &format_every_line
                 : formats_get(r->format);
    TRY(r->how->open(r->lines, &r->fields, &r->state, err));
    TRY(records_open(&from, opts, &r->records, err));
out:
    return st;
}

/* A file that breaks off is one of many. */
static bool always(const void *waits)
{
    (void)waits;
    return true;
}

/* A file's id is its path, be it that no field has one. */
static kedge_status next_file(void *state, record *out, bool *more,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const reader *r = state;

    TRY(tree_next(r->tree, out, more, err));
    drop_names(r, out);
    if (*more && out->id.size > READER_ID_MAX)
        st = kedge_fail(err, KEDGE_EFORMAT,
                        "%.80s...: the file's path within the directory has "
                        "%zu bytes: at most %d were expected",
                        out->id.bytes, out->id.size, READER_ID_MAX);
out:
    return st;
}

static kedge_status open_tree(reader *r, const char *path,
                              const reader_opts *opts, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const record_source from = {.state = r, .next = next_file,
                                .skippable = always, .name = path,
                                .names_files = true};

    TRY(check_vocabulary(r, path, opts, err));
    TRY(tree_open(path, opts->control, &r->tree, err));
    tree_set_format(r->tree, r->format, &r->fields);
    tree_set_room(r->tree, r->room.line, r->room.window_log);
    tree_set_encoding(r->tree, opts->encoding);
    TRY(records_open(&from, opts, &r->records, err));
out:
    return st;
}

static kedge_status next_given(void *state, record *out, bool *more,
                               kedge_error *err)
{
    return handed_next(state, out, more, err);
}

static kedge_status open_given(reader *r, const char *name,
                               const reader_opts *opts, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    record_source from = {.next = next_given, .name = name};

    TRY(reader_given_check(opts->source, err));
    TRY(handed_open(opts->source, name, r->room.entries, &r->handed, err));
    from.state = r->handed;
    TRY(records_open(&from, opts, &r->records, err));
out:
    return st;
}

/* What has bytes of zero among its first is no text, whatever it is called. */
static kedge_status check_text(const reader *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    span begin;

    TRY(lines_look(r->lines, TREE_LOOK, &begin, err));
    if (begin.size > TREE_LOOK)
        begin.size = TREE_LOOK;
    if (begin.size > 0 && memchr(begin.bytes, '\0', begin.size) != NULL)
        st = kedge_fail(err, KEDGE_EFORMAT,
                        "%s: this is no text, it has bytes of zero: a file of "
                        "text was expected", stream_name(r->in));
out:
    return st;
}

static kedge_status open_file(reader *r, const char *path,
                              const reader_opts *opts, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool yes = false;

    TRY(stream_open(path, opts->control, &r->in, err));
    if (r->format == KEDGE_FORMAT_AUTO) {
        TRY(recognise_uci(r, path, opts, &yes, err));
        r->format = yes ? KEDGE_FORMAT_UCI : KEDGE_FORMAT_AUTO;
    }
    stream_set_window(r->in, r->room.window_log);
    TRY(stream_set_encoding(r->in, opts->encoding, err));
    if (r->format != KEDGE_FORMAT_UCI)
        TRY(lines_open(r->in, r->room.line, &r->lines, err));
    if (r->lines != NULL && !is_pipe(path))
        TRY(check_text(r, err));
    if (r->format == KEDGE_FORMAT_AUTO)
        TRY(recognise_lines(r, &r->fields, err));
    TRY(check_vocabulary(r, path, opts, err));
    st = r->format == KEDGE_FORMAT_UCI ? open_uci(r, opts, err)
                                       : open_format(r, opts, err);
out:
    return st;
}

kedge_status reader_find(const char *const *paths, size_t count,
                         kedge_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(paths[i], "-") != 0 &&
            faccessat(AT_FDCWD, paths[i], R_OK, AT_EACCESS) != 0)
            return kedge_fail(err, KEDGE_EIO, "%s: cannot open: %s", paths[i],
                              strerror(errno));
    return KEDGE_OK;
}

/* With skip_bad a file that is not in its format, or cannot be opened, is
 * counted, and nothing is read of it; but for UCI. */
static kedge_status refuse(reader *r, const reader_opts *opts, kedge_status st,
                           const kedge_error *why, kedge_error *err)
{
    const bool skips = (st == KEDGE_EFORMAT || st == KEDGE_EIO) &&
                       r->format != KEDGE_FORMAT_UCI;
    /* what says what to do needs no other advice */
    const bool advised =
        strstr(why->text, "; ") != NULL ||
        (r->in != NULL && (r->lines == NULL || lines_broken(r->lines)));

    if (st == KEDGE_OK)
        return KEDGE_OK;
    if (!skips || !opts->skip_bad)
        return kedge_fail(err, st, "%s%s", why->text,
                          skips && !advised ? RECORDS_SKIP_FILE : "");
    notes_add(&r->refused, 1, why->text);
    return KEDGE_OK;
}

kedge_status reader_open(const char *path, const reader_opts *opts,
                         reader **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_error why = {0};
    reader *r = NULL;

    *out = NULL;
    if (opts->source == NULL)
        TRY(check_opts(path, opts, err));
    TRY_MEM(r = mem_new(1, sizeof *r));
    r->format = opts->format;
    r->room = reader_whole_room(&opts->room);
    r->fields = (record_opts){opts->text_field, opts->id_field,
                              opts->label_field, opts->words,
                              r->room.entries};
    if (opts->source != NULL)
        TRY(open_given(r, path, opts, err));
    else if (is_directory(path))
        TRY(open_tree(r, path, opts, err));
    else
        TRY(refuse(r, opts, open_file(r, path, opts, &why), &why, err));
    *out = r;
    r = NULL;
out:
    reader_close(r);
    return st;
}

/* ---- reading ------------------------------------------------------------- */

kedge_status reader_next(reader *r, const reader_limits *limits, docs *batch,
                         bool *more, kedge_error *err)
{
    if (r->refused.count > 0) {
        *more = false;
        return KEDGE_OK;
    }
    return r->uci != NULL ? uci_next(r->uci, limits, batch, more, err)
                          : records_next(r->records, limits, batch, more, err);
}

void reader_get_counts(const reader *r, reader_counts *out)
{
    stream_counts bytes = {0};
    tree_counts files = {0};

    *out = (reader_counts){0};
    if (r->tree != NULL) {
        tree_get_counts(r->tree, &files);
        bytes = (stream_counts){files.bytes_read, files.bytes_text,
                                files.bytes_total};
    } else if (r->in != NULL) {
        stream_get_counts(r->in, &bytes);
    }
    out->bytes_read = bytes.read;
    out->bytes_text = bytes.text;
    out->bytes_total = bytes.total;
    if (r->refused.count > 0)
        out->unread = r->refused;
    else if (r->uci != NULL)
        uci_get_counts(r->uci, out);
    else
        records_get_counts(r->records, out);
    out->files = files.texts;
    out->not_text = files.not_text;
    out->widest = r->lines != NULL ? lines_widest(r->lines) : files.widest;
    out->hidden = files.hidden;
    out->others = files.others;
}

bool reader_is_folder(const reader *r)
{
    return r->tree != NULL;
}

bool reader_keeps_ids(const reader *r)
{
    return !record_field_none(r->fields.id_field);
}

const words *reader_records(const reader *r)
{
    return tree_records(r->tree);
}

void reader_set_order(reader *r, bool order)
{
    if (r->records != NULL)
        records_set_order(r->records, order);
}

void reader_close(reader *r)
{
    if (r == NULL)
        return;
    records_close(r->records);
    tree_close(r->tree);
    handed_close(r->handed);
    if (r->state != NULL)
        r->how->close(r->state);
    lines_close(r->lines);
    uci_close(r->uci);
    text_close(&r->text);
    stream_close(r->in);
    mem_free(r);
}

void reader_close_kept(assembler *a)
{
    assemble_close(a);
}

const char *reader_library_version(void)
{
    return stream_library_version();
}

uint64_t reader_memusage(const reader_room *room)
{
    const reader_room r = reader_whole_room(room);

    /* A line while its buffer grows, and what a format makes of it: the row
     * that it is part of, its cells, the text that its escapes stand for. */
    return sizeof(reader) + stream_memusage(r.window_log) + text_memusage() +
           uci_memusage() + READER_LINE_BYTES * (uint64_t)r.line;
}
