/* SPDX-License-Identifier: MIT */
#include "export/jsontext.h"

#include <locale.h>
#include <math.h>

#include "base/gate.h"
#include "base/hash.h"
#include "unit.h"

static void check_string(const char *bytes, size_t size, const char *expected)
{
    jsontext j = {0};

    jsontext_string(&j, bytes, size);
    ck_assert_str_eq(j.text.bytes, expected);
    textbuf_free(&j.text);
}

#define check_literal(bytes, expected) \
    check_string(bytes, sizeof(bytes) - 1, expected)

#define LOST "\xef\xbf\xbd"

TEST(jsontext_escapes_strings)
{
    check_literal("", "\"\"");
    check_literal("plain / text", "\"plain / text\"");
    check_literal("\"\\", "\"\\\"\\\\\"");
    check_literal("\0\x01\n\t\x1f ",
                  "\"\\u0000\\u0001\\u000a\\u0009\\u001f \"");
    check_literal("~\x7f", "\"~\\u007f\"");
    check_literal("\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"");
    check_literal("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9",
                  "\"\xe2\x80\xa7\\u2028\\u2029\"");
    check_literal("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
    check_literal("\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"");
}

TEST(jsontext_replaces_what_is_not_utf8)
{
    check_literal("a\xff" "b", "\"a" LOST "b\"");
    check_literal("\x80", "\"" LOST "\"");
    check_literal("\xc0\x80", "\"" LOST LOST "\"");
    check_literal("\xc3", "\"" LOST "\"");
    check_literal("\xc3(", "\"" LOST "(\"");
    check_literal("\xe0\x80\x80", "\"" LOST LOST LOST "\"");
    check_literal("\xed\xa0\x80", "\"" LOST LOST LOST "\"");
    check_literal("\xf4\x90\x80\x80", "\"" LOST LOST LOST LOST "\"");
    check_literal("\xf5\x80\x80\x80", "\"" LOST LOST LOST LOST "\"");
    /* the end of the text in the middle of a character */
    check_string("\xe2\x82\xac", 2, "\"" LOST LOST "\"");
    check_string("\xf0\x9f\x98\x80", 3, "\"" LOST LOST LOST "\"");
}

TEST(jsontext_is_no_markup_inside_a_page)
{
    jsontext j = {.inside = true};

    jsontext_open(&j, '[');
    jsontext_string(&j, "</script>&\xe2\x80\xa8", 13);
    jsontext_open(&j, '{');
    jsontext_key_count(&j, "<", 1);
    jsontext_key_bool(&j, "b", true);
    jsontext_close(&j, '}');
    jsontext_close(&j, ']');
    ck_assert_str_eq(j.text.bytes,
                     "[\"\\u003c/script\\u003e\\u0026\\u2028\","
                     "{\"\\u003c\":1,\"b\":true}]");
    textbuf_free(&j.text);
}

static void check_rounded(double x, int digits, const char *expected)
{
    jsontext j = {0};

    jsontext_rounded(&j, x, digits);
    ck_assert_str_eq(j.text.bytes, expected);
    textbuf_free(&j.text);
}

TEST(jsontext_rounds_where_asked)
{
    check_rounded(0.123456789, 3, "0.123");
    check_rounded(-1e-9, 5, "-1e-09");
    check_rounded(123456, 3, "1.23e+05");
    check_rounded(-0.0, 3, "0");
    check_rounded(NAN, 3, "null");
    check_rounded(-INFINITY, 3, "null");
}

static void check_real(double x, const char *expected)
{
    jsontext j = {0};

    jsontext_real(&j, x);
    ck_assert_str_eq(j.text.bytes, expected);
    textbuf_free(&j.text);
}

TEST(jsontext_reads_characters)
{
    uint32_t c;

    ck_assert_uint_eq(jsontext_character("ab", 2, &c), 1);
    ck_assert_uint_eq(c, 'a');
    ck_assert_uint_eq(jsontext_character("\xe6\x97\xa5x", 4, &c), 3);
    ck_assert_uint_eq(c, 0x65e5);
    ck_assert_uint_eq(jsontext_character("\xe6\x97\xa5", 2, &c), 1);
    ck_assert_uint_eq(c, JSONTEXT_INVALID);
}

TEST(jsontext_writes_short_numbers)
{
    check_real(0, "0");
    check_real(1, "1");
    check_real(-0.5, "-0.5");
    check_real(0.1, "0.1");
    check_real(1e-7, "1e-07");
    check_real(1e300, "1e+300");
    check_real(1.0 / 3, "0.3333333333333333");
    check_real(0.1 + 0.2, "0.30000000000000004");
    check_real(NAN, "null");
    check_real(INFINITY, "null");
    check_real(-INFINITY, "null");
}

TEST(jsontext_numbers_read_back)
{
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t bits = hash_stream(5, i);
        jsontext j = {0};
        double x;

        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        jsontext_real(&j, x);
        ck_assert_double_eq(strtod(j.text.bytes, NULL), x);
        textbuf_free(&j.text);
    }
}

static void check_plain(const char *number, const char *expected)
{
    char text[64];

    strncpy(text, number, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    jsontext_plain(text);
    ck_assert_str_eq(text, expected);
}

TEST(jsontext_has_a_point_in_every_locale)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8",
                                          "ps_AF.UTF-8"};

    check_plain("1,5", "1.5");
    check_plain("-1,5e-07", "-1.5e-07");
    check_plain("3\xd9\xab" "25e+10", "3.25e+10"); /* of two bytes */
    check_plain("12", "12");
    check_plain("1.5", "1.5");
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
        if (setlocale(LC_ALL, locales[i]) != NULL) {
            check_real(-0.5, "-0.5");
            check_real(1.0 / 3, "0.3333333333333333");
        }
    setlocale(LC_ALL, "C");
}

TEST(jsontext_lays_out_members)
{
    jsontext j = {.lines = 2};

    jsontext_open(&j, '{');
    jsontext_key_text(&j, "a", "x");
    jsontext_key(&j, "b");
    jsontext_open(&j, '[');
    for (uint64_t i = 0; i < 2; i++) {
        jsontext_open(&j, '{');
        jsontext_key_count(&j, "n", i);
        jsontext_key_real(&j, "r", 0.5);
        jsontext_key_bool(&j, "b", i == 1);
        jsontext_close(&j, '}');
    }
    jsontext_close(&j, ']');
    jsontext_key(&j, "none");
    jsontext_open(&j, '{');
    jsontext_close(&j, '}');
    jsontext_close(&j, '}');
    jsontext_end(&j);
    ck_assert_str_eq(j.text.bytes, "{\n"
                                   "  \"a\": \"x\",\n"
                                   "  \"b\": [\n"
                                   "    {\"n\": 0, \"r\": 0.5, \"b\": false},\n"
                                   "    {\"n\": 1, \"r\": 0.5, \"b\": true}\n"
                                   "  ],\n"
                                   "  \"none\": {}\n"
                                   "}\n");
    textbuf_free(&j.text);
}

/* ---- text that grows ----------------------------------------------------- */

TEST(textbuf_grows)
{
    textbuf t = {0};
    char expected[4001];

    for (size_t i = 0; i < 4000; i++) {
        expected[i] = (char)('a' + i % 26);
        textbuf_add(&t, &expected[i], 1);
    }
    expected[4000] = '\0';
    ck_assert_uint_eq(t.size, 4000);
    ck_assert_str_eq(t.bytes, expected);
    textbuf_free(&t);
    textbuf_text(&t, "");
    ck_assert_str_eq(t.bytes, "");
    textbuf_add(&t, NULL, 0);
    textbuf_add(&t, "a\0b", 3);
    textbuf_count(&t, UINT64_MAX);
    textbuf_count(&t, 0);
    ck_assert_uint_eq(t.size, 24);
    ck_assert_mem_eq(t.bytes, "a\0b184467440737095516150", 25);
    ck_assert(!t.failed);
    textbuf_free(&t);
}

TEST(textbuf_remembers_that_memory_ran_out)
{
    OWN(textbuf_free) textbuf t = {0};

    gate_allow(1);
    textbuf_text(&t, "short");
    ck_assert(!t.failed);
    for (int i = 0; i < 10; i++)
        textbuf_text(&t, "and longer");
    gate_open();
    ck_assert(t.failed);
    textbuf_text(&t, "!");
    ck_assert(t.failed);
    ck_assert_ptr_null(strchr(t.bytes, '!'));
}

TEST(textbuf_escapes_what_divides)
{
    static const struct {
        const char *name;
        size_t size;
        bool blanks;
        const char *expected;
    } names[] = {
        {"", 0, true, ""},
        {"plain", 5, true, "plain"},
        {"a b\tc", 5, false, "a b\tc"},
        {"\\n\n\r", 4, false, "\\\\n\\n\\r"},
        {" a  b\t\v\f\n\r\\ ", 12, true,
         "\\sa\\s\\sb\\t\\v\\f\\n\\r\\\\\\s"},
        {"\x01\xff\xe2\x80\xa8", 5, true, "\x01\xff\xe2\x80\xa8"},
        {"a\0b", 3, true, "a"}, /* the zero stays */
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWN(textbuf_free) textbuf t = {0};
        textbuf_escape(&t, names[i].name, names[i].size, names[i].blanks);
        ck_assert_str_eq(t.bytes == NULL ? "" : t.bytes, names[i].expected);
    }
}
