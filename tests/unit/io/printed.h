/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_IO_PRINTED_H
#define TESTS_UNIT_IO_PRINTED_H
/*
 * What tests of record formats share: a source is read to its end and printed,
 * a record a line, "id/label: text" or "id/label: word*count word*count", with
 * "!line: reason" for what was malformed. Line ends in a text become "$". Of a
 * record that has a position it comes first, "#3".
 */
#include "base/chance.h"
#include "base/gate.h"
#include "io/format.h"
#include "sources.h"

static inline void print_span(span s, blob *to)
{
    if (s.size > 0)
        blob_add(to, s.bytes, s.size);
}

static inline void print_record(const record *r, blob *to)
{
    if (r->position > 0)
        blob_print(to, "#%llu", (unsigned long long)r->position);
    print_span(r->id, to);
    blob_add(to, "/", 1);
    print_span(r->label, to);
    blob_add(to, ":", 1);
    if (r->kind == RECORD_TEXT) {
        const size_t from = to->size + 1;
        blob_add(to, " ", 1);
        print_span(r->text, to);
        for (size_t i = from; i < to->size; i++)
            if (to->bytes[i] == '\n')
                to->bytes[i] = '$';
    }
    for (size_t i = 0; i < r->count; i++) {
        blob_add(to, " ", 1);
        if (r->kind == RECORD_WORDS)
            print_span(r->word[i], to);
        else
            blob_print(to, "%u", r->number[i]);
        blob_print(to, "*%u", r->tally[i]);
    }
    blob_add(to, "\n", 1);
}

/* The reason without the source's name. */
static inline void print_reason(const char *name, const kedge_error *err,
                                blob *to)
{
    const size_t size = strlen(name);

    if (strncmp(err->text, name, size) != 0 || err->text[size] != ':')
        ck_abort_msg("\"%s\" does not begin with %s", err->text, name);
    blob_add(to, "!", 1);
    blob_add(to, err->text + size + 1, strlen(err->text + size + 1));
    blob_add(to, "\n", 1);
}

/* Reads on after what is malformed. `to` may be NULL. */
static inline kedge_status read_lines(const record_format *f, lines *in,
                                      const record_opts *opts, blob *to)
{
    kedge_error err = {0};
    records from;
    bool more = true;
    record r;
    kedge_status st = records_open(f, in, opts, &from, &err);

    if ((st == KEDGE_EFORMAT || st == KEDGE_EINVAL) && to != NULL)
        print_reason(lines_name(in), &err, to);
    if (st != KEDGE_OK)
        return st;
    while (more && (st == KEDGE_OK || st == KEDGE_EFORMAT)) {
        /* What is waited for must not move what is still to be given. */
        (void)lines_ready(in, 1);
        st = records_next(&from, &r, &more, &err);
        if (st == KEDGE_OK && more && to != NULL)
            print_record(&r, to);
        if (st == KEDGE_EFORMAT && to != NULL)
            print_reason(lines_name(in), &err, to);
        if (st == KEDGE_EFORMAT)
            more = !lines_broken(in);
    }
    records_close(&from);
    return st;
}

/* Lines of at most `limit` bytes. */
static inline kedge_status read_limited(const record_format *f,
                                        const char *path, size_t limit,
                                        const record_opts *opts, blob *to)
{
    kedge_error err = {0};
    stream *in = NULL;
    lines *l = NULL;
    kedge_status st = stream_open(path, NULL, &in, &err);

    if (st == KEDGE_OK)
        st = lines_open(in, limit, &l, &err);
    if (st == KEDGE_OK)
        st = read_lines(f, l, opts, to);
    lines_close(l);
    stream_close(in);
    return st;
}

static inline kedge_status read_path(const record_format *f, const char *path,
                                     const record_opts *opts, blob *to)
{
    return read_limited(f, path, LINES_LIMIT, opts, to);
}

static inline void check_limited(const record_format *f, size_t limit,
                                 const char *bytes, size_t size,
                                 const char *printed)
{
    OWN(source_free) source s = source_make(bytes, size);
    OWN(blob_free) blob to = {0};

    (void)read_limited(f, s.path, limit, &(record_opts){0}, &to);
    ck_assert_str_eq(to.bytes, printed);
}

/* A source, and what is printed of it. */
typedef struct reading {
    const char *text;
    const char *printed;
} reading;

static inline void check_bytes(const record_format *f, const record_opts *opts,
                               const void *bytes, size_t size,
                               const char *printed)
{
    OWN(source_free) source s = source_make(bytes, size);
    OWN(blob_free) blob to = {0};

    blob_add(&to, "", 0);
    (void)read_path(f, s.path, opts, &to);
    if (strcmp(to.bytes, printed) != 0)
        ck_abort_msg("%s of \"%.300s\":\n%s instead of\n%s", f->name,
                     (const char *)bytes, to.bytes, printed);
}

static inline void check_readings(const record_format *f,
                                  const record_opts *opts, const reading *r,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_bytes(f, opts, r[i].text, strlen(r[i].text), r[i].printed);
}

/* The same with a few bytes a read. */
static inline void check_pieces(const record_format *f,
                                const record_opts *opts, const blob *text,
                                size_t piece, const char *printed)
{
    OWN(blob_free) blob to = {0};
    dribble d;

    blob_add(&to, "", 0);
    dribble_start(&d, text->bytes, text->size, piece);
    ck_assert_int_eq(read_path(f, "-", opts, &to), KEDGE_OK);
    dribble_stop(&d);
    ck_assert_str_eq(to.bytes, printed);
}

/* The source read whole; then in pieces, by some seeds. */
static inline void check_both(const record_format *f, const record_opts *opts,
                              const blob *text, uint64_t seed,
                              const char *printed)
{
    check_bytes(f, opts, text->bytes, text->size, printed);
    if (seed % 8 == 0 && text->size > 0)
        check_pieces(f, opts, text, 1 + seed % 13, printed);
}

/* Whatever allocation fails, it is told, and nothing leaks. */
static inline void check_gate(const record_format *f, const record_opts *opts,
                              const char *text)
{
    OWN(source_free) source s = source_text(text);
    long refused = 0;

    for (long k = 0;; k++) {
        gate_allow(k);
        const kedge_status st = read_path(f, s.path, opts, NULL);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        refused++;
    }
    ck_assert_int_gt(refused, 3);
}

static inline bool recognised_as(const record_format *f,
                                 const record_opts *opts, const char *text)
{
    source s = source_text(text);
    kedge_error err = {0};
    stream *in = NULL;
    lines *l = NULL;
    bool yes = false, more;
    span line;

    ck_ok(stream_open(s.path, NULL, &in, &err), err);
    ck_ok(lines_open(in, LINES_LIMIT, &l, &err), err);
    ck_ok(f->recognise(l, opts, &yes, &err), err);
    ck_ok(lines_next(l, &line, &more, &err), err);
    ck_assert(!more || lines_number(l) == 1); /* nothing was passed over */
    lines_close(l);
    stream_close(in);
    source_free(&s);
    return yes;
}

static inline bool recognised(const record_format *f, const char *text)
{
    return recognised_as(f, &(record_opts){0}, text);
}

/* How lines end, and what stands between fields, by chance. */
static inline const char *some_end(chance *c)
{
    static const char *const ends[] = {"\n", "\n", "\r\n", "\n\n", "\r\n\n"};

    return ends[chance_below(c, 5)];
}

static inline const char *some_gap(chance *c)
{
    static const char *const gaps[] = {" ", " ", "\t", "  ", " \t "};

    return gaps[chance_below(c, 5)];
}

/* A count in one of its spellings. */
static inline void print_tally(chance *c, uint32_t tally, blob *to)
{
    switch (chance_below(c, 8)) {
    case 0:
        blob_print(to, "%u.0", tally);
        break;
    case 1:
        blob_print(to, "%ue0", tally);
        break;
    case 2:
        blob_print(to, "%u0e-1", tally);
        break;
    case 3:
        blob_print(to, "+0%u.", tally);
        break;
    default:
        blob_print(to, "%u", tally);
        break;
    }
}

static inline uint32_t some_tally(chance *c)
{
    return 1 + (uint32_t)chance_below(c, (size_t)1 << chance_below(c, 31));
}

#endif
