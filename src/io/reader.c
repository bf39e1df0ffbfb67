/* SPDX-License-Identifier: MIT */
/*
 * Opens the source, lets its content choose the format, and makes batches of
 * documents of its records, each of which the assembler turns into one. A
 * document's position is its record's number, so that it stays the same
 * whatever is skipped.
 */
#include "io/reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/assemble.h"
#include "io/format.h"
#include "io/stream.h"
#include "io/text/letters.h"
#include "io/text/mail.h"
#include "io/tree.h"

static_assert(READER_ID_MAX == RECORD_ID_MAX, "one limit for ids");

struct reader {
    reader_opts opts;
    const char *name; /* of the source, for messages */
    kedge_format format;
    reader_room room; /* opts.room where nothing is 0 */
    stream *in;       /* of a file, and its lines */
    lines *lines;
    tree *tree;   /* the files of a directory; NULL: */
    records from; /* a format, or a program */
    assembler *assemble, *own; /* own: NULL where it is the caller's */
    mail mail;
    bool refused, failed; /* nothing is read of it; reading failed */
    uint64_t position;    /* of the record that was looked at last */
    reader_counts counts;
    size_t words_before; /* a batch */
    uint64_t batch_tokens;
    double deadline;
};

/* ---- what was passed over ------------------------------------------------ */

static void add_line(notes *n, const char *line)
{
    size_t i = 0, size = strlen(line);

    while (i < NOTES_LINES && n->line[i][0] != '\0')
        i++;
    if (i == NOTES_LINES)
        return;
    if (size >= NOTE_BYTES) {
        size = NOTE_BYTES - sizeof " ...";
        while (size > NOTE_BYTES / 2 && line[size] != ' ')
            size--;
        snprintf(n->line[i], NOTE_BYTES, "%.*s ...", (int)size, line);
    } else {
        memcpy(n->line[i], line, size + 1);
    }
}

void notes_add(notes *n, uint64_t count, const char *line)
{
    n->count += count;
    add_line(n, line);
}

void notes_join(notes *n, const notes *other)
{
    n->count += other->count;
    for (size_t i = 0; i < NOTES_LINES && other->line[i][0] != '\0'; i++)
        add_line(n, other->line[i]);
}

/* ---- sources ------------------------------------------------------------- */

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

static const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static kedge_status check_opts(const char *path, const reader_opts *opts,
                               kedge_error *err)
{
    if (opts->format != KEDGE_FORMAT_AUTO && formats_get(opts->format) == NULL)
        return kedge_fail(err, KEDGE_EINVAL, "%s: %d is not a format", path,
                          (int)opts->format);
    if (opts->format == KEDGE_FORMAT_AUTO && is_pipe(path))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: give the format of a pipe with --from",
                          shown_path(path));
    if (opts->format == KEDGE_FORMAT_FILES && is_pipe(path))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: --from files makes ids of file names, and a "
                          "pipe has none: expected a file or a directory",
                          shown_path(path));
    if (opts->format == KEDGE_FORMAT_UCI && is_directory(path))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: is a directory: expected a file in the uci "
                          "format", path);
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

bool reader_needs_vocabulary(const reader *r)
{
    const record_format *const f = formats_get(r->format);

    return f != NULL && f->kind == RECORD_NUMBERS;
}

/* ---- opening ------------------------------------------------------------- */

static kedge_status check_vocabulary(const reader *r, const char *path,
                                     kedge_error *err)
{
    if (!reader_needs_vocabulary(r) || r->opts.vocabulary)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "%s: words are given as numbers: name the file of the "
                      "words with --vocab",
                      shown_path(path));
}

/* The assembler of records: the caller's, which may have to be made, or one of
 * the reader's own. */
static kedge_status open_assembler(reader *r, kedge_error *err)
{
    const reader_opts *const o = &r->opts;
    assembler **const kept = o->kept != NULL ? o->kept : &r->own;

    if (*kept == NULL)
        PASS(assemble_open(o, kept, err));
    r->assemble = *kept;
    assemble_set_order(r->assemble, o->order);
    return KEDGE_OK;
}

/* By the content. What has bytes of zero among its first is no text, whatever
 * it is called, and so in no format. */
static kedge_status find_format(reader *r, const char *path,
                                const record_opts *how, kedge_error *err)
{
    bool yes = false, some;
    span begin;

    if (r->format == KEDGE_FORMAT_AUTO)
        PASS(format_uci.recognise(r->lines, how, &yes, err));
    if (yes)
        r->format = KEDGE_FORMAT_UCI;
    if (r->format == KEDGE_FORMAT_UCI || is_pipe(path))
        return KEDGE_OK;
    PASS(lines_look(r->lines, TREE_LOOK, &begin, err));
    if (begin.size > TREE_LOOK)
        begin.size = TREE_LOOK;
    if (begin.size > 0 && memchr(begin.bytes, '\0', begin.size) != NULL)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s: is not text: it has zero bytes", r->name);
    if (r->format == KEDGE_FORMAT_AUTO)
        PASS(formats_recognise(r->lines, how, &r->format, err));
    if (r->format != KEDGE_FORMAT_AUTO)
        return KEDGE_OK;
    PASS(lines_peek(r->lines, &begin, &some, err));
    if (some)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s:1: unknown format: expected UCI bag-of-words "
                          "(three numbers on three lines), JSON lines or an "
                          "array, Matrix Market or a table with named "
                          "columns%s; --from lines reads a document per line, "
                          "--from files the whole file as one document",
                          r->name,
                          how->text_field == NULL
                              ? " (--text-field names the one with the "
                                "text)"
                              : "");
    r->format = KEDGE_FORMAT_LINES; /* none: an empty file has no documents */
    return KEDGE_OK;
}

static kedge_status open_file(reader *r, const char *path, record_opts how,
                              kedge_error *err)
{
    const reader_opts *const o = &r->opts;

    PASS(stream_open(path, o->control, &r->in, err));
    r->name = stream_name(r->in);
    stream_set_window(r->in, r->room.window_log);
    PASS(stream_set_encoding(r->in, o->encoding, err));
    PASS(lines_open(r->in, r->room.line, &r->lines, err));
    PASS(find_format(r, path, &how, err));
    PASS(check_vocabulary(r, path, err));
    how.blank = o->empty && r->format == KEDGE_FORMAT_LINES;
    PASS(records_open(formats_get(r->format), r->lines, &how, &r->from, err));
    if (r->from.remark[0] != '\0')
        notes_add(&r->counts.partial, 1, r->from.remark);
    return open_assembler(r, err);
}

/* With skip_bad a file that is not in its format, or cannot be opened, is
 * counted, and nothing is read of it; but for UCI. */
static kedge_status refuse(reader *r, kedge_status st, const kedge_error *why,
                           kedge_error *err)
{
    const bool skips = (st == KEDGE_EFORMAT || st == KEDGE_EIO) &&
                       r->format != KEDGE_FORMAT_UCI;
    /* what says what to do needs no other advice */
    const bool advised =
        strstr(why->text, "; ") != NULL ||
        (r->in != NULL && (r->lines == NULL || lines_broken(r->lines)));

    if (!skips || !r->opts.skip_bad)
        return kedge_fail(err, st, "%s%s", why->text,
                          skips && !advised ? READER_SKIP_FILE : "");
    notes_add(&r->counts.unread, 1, why->text);
    r->refused = true;
    return KEDGE_OK;
}

static kedge_status open_tree(reader *r, const char *path,
                              const record_opts *how, kedge_error *err)
{
    reader_opts opts = r->opts;

    opts.room = r->room;
    PASS(check_vocabulary(r, path, err));
    PASS(tree_open(path, &opts, how, &r->tree, err));
    return open_assembler(r, err);
}

static kedge_status open_source(reader *r, const char *name, kedge_error *err)
{
    const record_opts how = {.source = r->opts.source, .name = name,
                             .entries = r->room.entries};

    PASS(reader_given_check(how.source, err));
    PASS(records_open(&format_program, NULL, &how, &r->from, err));
    return open_assembler(r, err);
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
    r->opts = *opts;
    r->name = path;
    r->format = opts->format;
    r->room = reader_whole_room(&opts->room);
    const record_opts how = {.text_field = opts->text_field,
                             .id_field = opts->id_field,
                             .label_field = opts->label_field,
                             .words = opts->words,
                             .skip_bad = opts->skip_bad,
                             .entries = r->room.entries};
    if (opts->source != NULL) {
        TRY(open_source(r, path, err));
    } else if (is_directory(path)) {
        TRY(open_tree(r, path, &how, err));
    } else {
        st = open_file(r, path, how, &why);
        if (st != KEDGE_OK)
            TRY(refuse(r, st, &why, err));
    }
    *out = r;
    r = NULL;
out:
    reader_close(r);
    return st;
}

void reader_close(reader *r)
{
    if (r == NULL)
        return;
    assemble_close(r->own);
    mail_free(&r->mail);
    tree_close(r->tree);
    records_close(&r->from);
    lines_close(r->lines);
    stream_close(r->in);
    mem_free(r);
}

void reader_close_kept(assembler *a)
{
    assemble_close(a);
}

/* ---- records into documents ---------------------------------------------- */

/* A file's id is its path, be it that no field has one. */
static kedge_status next_file(reader *r, record *out, bool *more,
                              kedge_error *err)
{
    PASS(tree_next(r->tree, out, more, err));
    if (record_field_none(r->opts.id_field))
        out->id = span_of(NULL, 0);
    if (record_field_none(r->opts.label_field))
        out->label = span_of(NULL, 0);
    if (*more && out->id.size > READER_ID_MAX)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%.80s...: the file's path within the directory has "
                          "%zu bytes: expected at most %d",
                          out->id.bytes, out->id.size, READER_ID_MAX);
    return KEDGE_OK;
}

/* With skip_bad a malformed record is a count, and so is a source that broke
 * off, which ends there; a program's own cannot be mended by an option. */
static kedge_status forgive(reader *r, kedge_status st, bool *more,
                            kedge_error *why)
{
    const bool files = r->tree != NULL;
    const bool broken = r->lines != NULL && lines_broken(r->lines);
    const size_t size = strlen(why->text);

    if (st != KEDGE_EFORMAT && !(files && st == KEDGE_EIO))
        return st;
    if (broken && r->format == KEDGE_FORMAT_UCI)
        return st;
    if (!r->opts.skip_bad) {
        if (r->opts.source == NULL && !broken)
            snprintf(why->text + size, sizeof why->text - size, "%s",
                     files ? READER_SKIP_FILE : READER_SKIP);
        return st;
    }
    *more = !broken;
    notes_add(files || broken ? &r->counts.unread : &r->counts.bad, 1,
              why->text);
    return KEDGE_OK;
}

/* Where a record is, for messages. */
static const char *place_of(const reader *r, const record *found, char to[512])
{
    const unsigned long long line = found->line, number = r->position;
    const int most = 300;

    if (r->tree != NULL)
        snprintf(to, 512, "%.*s/%.*s", most, r->name,
                 (int)(found->id.size < 200 ? found->id.size : 200),
                 found->id.bytes);
    else if (line > 0)
        snprintf(to, 512, "%.*s:%llu", most, r->name, line);
    else
        snprintf(to, 512, "%.*s: record %llu", most, r->name, number);
    return to;
}

static bool span_is_utf8(span s)
{
    return s.size == 0 || utf8_is(s.bytes, s.size);
}

/* Bytes that are none part words and stay in names: whoever meant another
 * encoding has to know. */
static void look_at_bytes(reader *r, const record *found)
{
    bool fine = span_is_utf8(found->id) && span_is_utf8(found->label) &&
                (found->kind != RECORD_TEXT || span_is_utf8(found->text));

    for (size_t i = 0; found->kind == RECORD_WORDS && i < found->count; i++)
        fine = fine && span_is_utf8(found->word[i]);
    if (!fine && r->counts.not_utf8++ == 0)
        place_of(r, found, r->counts.first_not_utf8);
}

/* Where a text was taken back, or a part of it, this is what stands there, in
 * lines of its own. Returns whether there is no other text. */
static bool drop_placeholders(span *text)
{
    static const span known[] = {{"[removed]", 9}, {"[deleted]", 9}};
    bool dropped = false;

    for (size_t i = 0; i < sizeof known / sizeof *known;) {
        size_t size = text->size;
        while (size > 0 && strchr(" \t\r\n", text->bytes[size - 1]) != NULL)
            size--;
        if (size == 0)
            return dropped;
        const size_t at = size < known[i].size ? 0 : size - known[i].size;
        if (!span_equal(span_of(text->bytes + at, size - at), known[i]) ||
            (at > 0 && text->bytes[at - 1] != '\n')) {
            i++;
            continue;
        }
        *text = span_of(text->bytes, at);
        dropped = true;
        i = 0;
    }
    return false;
}

/* Whether its records have fields, of which one may be the id. */
static bool may_have_ids(const reader *r)
{
    return (r->format == KEDGE_FORMAT_JSONL || r->format == KEDGE_FORMAT_CSV ||
            r->format == KEDGE_FORMAT_TSV) &&
           reader_keeps_ids(r);
}

/* Appends the document of a record, unless it is empty, or so large that it
 * cannot be worked on. */
static kedge_status add(reader *r, const record *found, docs *batch,
                        kedge_error *err)
{
    const reader_room *const room = &r->opts.room;
    const uint64_t unbroken = assemble_unbroken(r->assemble);
    const size_t m = batch->count;
    record read = *found;
    char place[512];

    if (found->kind == RECORD_TEXT) {
        r->counts.texts++;
        PASS(mail_text(&r->mail, found->text, &read.text, err));
        r->counts.taken_back += drop_placeholders(&read.text);
    }
    PASS(assemble_add(r->assemble, &read, r->position, batch, err));
    r->counts.unbroken += assemble_unbroken(r->assemble) - unbroken;
    if (batch->count == m || (!r->opts.empty && batch->length[m] == 0)) {
        r->counts.empty++;
        return KEDGE_OK;
    }
    if (room->entries > 0 &&
        docs_cut_entries(batch, m, room->piece) > room->entries) {
        batch->count = m;
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s: the document of %llu tokens is too large: "
                          "cut into pieces of %llu tokens, it has more than "
                          "%zu different words in its pieces (more --memory "
                          "allows more)",
                          place_of(r, found, place),
                          (unsigned long long)batch->length[m],
                          (unsigned long long)room->piece, room->entries);
    }
    r->counts.documents++;
    r->counts.unnamed += found->id.size == 0 && may_have_ids(r);
    r->batch_tokens += batch->length[m];
    return KEDGE_OK;
}

static bool is_full(const reader *r, const reader_limits *limits,
                    const docs *batch)
{
    const size_t added = r->opts.lexicon->list->count - r->words_before;

    return batch->count > 0 &&
           (batch->count >= limits->documents ||
            docs_entries(batch) >= limits->entries ||
            (limits->tokens > 0 && (r->batch_tokens >= limits->tokens ||
                                    docs_symbols(batch) >= limits->tokens)) ||
            (r->opts.new_words > 0 && added >= r->opts.new_words) ||
            (limits->seconds > 0 && clock_seconds() >= r->deadline));
}

/* There are documents to give out, and no more before the deadline. */
static bool is_stalled(const reader *r, const reader_limits *limits,
                       const docs *batch)
{
    return limits->seconds > 0 && batch->count > 0 && r->lines != NULL &&
           !lines_ready(r->lines, r->deadline - clock_seconds());
}

/* One record, be it bad. */
static kedge_status step(reader *r, docs *batch, bool *more, kedge_error *err)
{
    kedge_error why = {0};
    record found = {0};
    kedge_status st = r->tree != NULL ? next_file(r, &found, more, &why)
                                      : records_next(&r->from, &found, more,
                                                     &why);

    if (st == KEDGE_OK && !*more) {
        *more = r->from.stalled;
        r->counts.empty += *more ? 0 : r->from.absent;
        return KEDGE_OK;
    }
    *more = true;
    /* The line, be it that records share one. */
    r->position = found.position > 0            ? found.position
                  : found.line > r->position ? found.line
                                                : r->position + 1;
    if (st == KEDGE_OK) {
        look_at_bytes(r, &found);
        st = add(r, &found, batch, &why);
    }
    st = forgive(r, st, more, &why);
    if (st != KEDGE_OK && err != NULL)
        *err = why;
    return st;
}

kedge_status reader_next(reader *r, const reader_limits *limits, docs *batch,
                         bool *more, kedge_error *err)
{
    *more = false;
    if (r->refused)
        return KEDGE_OK;
    if (r->failed)
        return kedge_fail(err, KEDGE_EMISUSE, "read on after a failure");
    *more = true;
    r->failed = true;
    r->batch_tokens = 0;
    r->words_before = r->opts.lexicon->list->count;
    r->deadline = clock_seconds() + limits->seconds;
    while (*more && !is_full(r, limits, batch) &&
           !is_stalled(r, limits, batch)) {
        r->from.stalled = false;
        r->from.deadline =
            limits->seconds > 0 && batch->count > 0 ? r->deadline : 0;
        PASS(step(r, batch, more, err));
    }
    r->failed = false;
    return KEDGE_OK;
}

/* ---- what is known of it ------------------------------------------------- */

void reader_get_counts(const reader *r, reader_counts *out)
{
    stream_counts bytes = {0};

    *out = r->counts;
    if (r->in != NULL)
        stream_get_counts(r->in, &bytes);
    out->bytes_read = bytes.read;
    out->bytes_text = bytes.text;
    out->bytes_total = bytes.total;
    if (r->lines != NULL)
        out->widest = lines_widest(r->lines);
    if (r->tree != NULL)
        tree_get_counts(r->tree, out);
}

void reader_get_stamp(const reader *r, reader_stamp *out)
{
    stream_counts file = {0};

    if (r->in != NULL)
        stream_get_counts(r->in, &file);
    *out = (reader_stamp){file.total, file.modified};
    if (r->tree != NULL)
        tree_get_stamp(r->tree, out);
}

bool reader_is_folder(const reader *r)
{
    return r->tree != NULL;
}

bool reader_keeps_ids(const reader *r)
{
    return !record_field_none(r->opts.id_field);
}

const words *reader_records(const reader *r)
{
    return tree_records(r->tree);
}

void reader_set_order(reader *r, bool order)
{
    if (r->assemble != NULL)
        assemble_set_order(r->assemble, order);
}

const char *reader_library_version(void)
{
    return stream_library_version();
}
