/* SPDX-License-Identifier: MIT */
#include "io/malformed.h"
#include "sources.h"

START_TEST(malformed_names_file_and_line)
{
    source s = source_text("one\ntwo\n");
    char expected[128];
    kedge_error err = {0};
    stream *in = NULL;
    lines *l = NULL;
    bool more;
    span line;

    ck_ok(stream_open(s.path, NULL, &in, &err), err);
    ck_ok(lines_open(in, 100, &l, &err), err);
    ck_ok(lines_next(l, &line, &more, &err), err);
    ck_ok(lines_next(l, &line, &more, &err), err);
    snprintf(expected, sizeof expected, "%s:2: \"two\" is 3: 4 was expected",
             s.path);
    ck_assert_int_eq(
        malformed(l, &err, "\"%s\" is %d: 4 was expected", "two", 3),
        KEDGE_EFORMAT);
    ck_assert_str_eq(err.text, expected);
    snprintf(expected, sizeof expected, "%s:77: no", s.path);
    ck_assert_int_eq(malformed_at(l, 77, &err, "no"), KEDGE_EFORMAT);
    ck_assert_str_eq(err.text, expected);
    ck_assert_int_eq(malformed(l, NULL, "nobody asks"), KEDGE_EFORMAT);
    lines_close(l);
    stream_close(in);
    source_free(&s);
}
END_TEST

UNIT_SUITE("malformed",
    malformed_names_file_and_line)
