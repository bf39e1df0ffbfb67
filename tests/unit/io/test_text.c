/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "io/text.h"

typedef struct opened {
    source s;
    stream *in;
    text_window t;
} opened;

static void open_text(opened *o, const void *bytes, size_t size)
{
    kedge_error err = {0};

    o->s = source_make(bytes, size);
    ck_ok(stream_open(o->s.path, NULL, &o->in, &err), err);
    ck_ok(text_open(o->in, &o->t, &err), err);
}

static void close_text(opened *o)
{
    text_close(&o->t);
    stream_close(o->in);
    source_free(&o->s);
}

START_TEST(text_is_lines)
{
    static const char bytes[] = "one\ntwo\r\n\n\rthree\r\r\nlast";
    static const char *const lines[] = {"one", "two", "", "\rthree\r",
                                        "last"};
    kedge_error err = {0};
    text_line line;
    opened o;

    open_text(&o, bytes, sizeof bytes - 1);
    for (uint64_t i = 0; i < 5; i++) {
        ck_ok(text_peek(&o.t, &line, &err), err);
        ck_assert_uint_eq(o.t.line, i + 1);
        ck_assert_uint_eq(line.size, strlen(lines[i]));
        ck_assert_mem_eq(line.bytes, lines[i], line.size);
        ck_assert(line.closed == (i < 4));
        ck_ok(text_skip(&o.t, &err), err);
    }
    ck_ok(text_peek(&o.t, &line, &err), err);
    ck_assert_ptr_null(line.bytes);
    close_text(&o);
}
END_TEST

/* Lines of all lengths about the longest, wherever the window ends. */
START_TEST(text_lines_cross_the_window)
{
    kedge_error err = {0};
    text_line line;
    blob b = {0};
    opened o;

    for (size_t n = 3500; n < 4700; n++) {
        for (size_t i = 0; i < n; i++)
            blob_add(&b, "x", 1);
        blob_add(&b, "\r\n", n % 2 == 0 ? 2 : 0);
        blob_add(&b, "\n", n % 2 == 0 ? 0 : 1);
    }
    open_text(&o, b.bytes, b.size);
    for (size_t n = 3500; n < 4700; n++) {
        ck_ok(text_peek(&o.t, &line, &err), err);
        if (n <= TEXT_LINE_MAX)
            ck_assert_uint_eq(line.size, n);
        else
            ck_assert_uint_gt(line.size, TEXT_LINE_MAX);
        ck_assert_ptr_null(memchr(line.bytes, '\n', line.size));
        ck_ok(text_skip(&o.t, &err), err);
    }
    ck_ok(text_peek(&o.t, &line, &err), err);
    ck_assert_ptr_null(line.bytes);
    close_text(&o);
    blob_free(&b);
}
END_TEST

START_TEST(text_ends_once)
{
    kedge_error err = {0};
    opened o;

    open_text(&o, "a\n", 2);
    for (int i = 0; i < 5; i++)
        ck_ok(text_fill(&o.t, &err), err);
    ck_assert(o.t.ended);
    ck_assert_uint_eq(o.t.end - o.t.at, 2);
    close_text(&o);
}
END_TEST

START_TEST(text_of_utf_16_is_read)
{
    kedge_error err = {0};
    text_line line;
    opened o;

    open_text(&o, "\xff\xfe" "a\0\n\0", 6);
    ck_ok(text_peek(&o.t, &line, &err), err);
    ck_assert(line.size == 1 && line.bytes[0] == 'a');
    close_text(&o);
    open_text(&o, "\xff\n\xff\xfe\n", 5); /* later on it is only bytes */
    for (int i = 0; i < 2; i++) {
        ck_ok(text_peek(&o.t, &line, &err), err);
        ck_ok(text_skip(&o.t, &err), err);
    }
    close_text(&o);
}
END_TEST

UNIT_SUITE("text",
    text_is_lines,
    text_lines_cross_the_window,
    text_ends_once,
    text_of_utf_16_is_read)
