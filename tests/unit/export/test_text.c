/* SPDX-License-Identifier: MIT */
#include "export/text.h"

#include <locale.h>
#include <math.h>

#include "base/gate.h"
#include "base/hash.h"
#include "unit.h"

/* ---- JSON ---------------------------------------------------------------- */

static void json_free(jsontext *j)
{
    textbuf_free(&j->text);
}

static void check_string(const char *bytes, size_t size, const char *expected)
{
    OWN(json_free) jsontext j = {0};

    jsontext_bytes(&j, NULL, bytes, size);
    ck_assert_str_eq(j.text.bytes, expected);
}

#define LOST "\xef\xbf\xbd"
#define LITERAL(text) text, sizeof(text) - 1

TEST(strings_are_escaped)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *expected;
    } strings[] = {
        {LITERAL(""), "\"\""},
        {LITERAL("plain / text"), "\"plain / text\""},
        {LITERAL("\"\\"), "\"\\\"\\\\\""},
        {LITERAL("\0\x01\n\t\x1f "),
         "\"\\u0000\\u0001\\u000a\\u0009\\u001f \""},
        {LITERAL("~\x7f"), "\"~\\u007f\""},
        {LITERAL("\xc2\x80\xc2\x9f\xc2\xa0"), "\"\\u0080\\u009f\xc2\xa0\""},
        {LITERAL("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9"),
         "\"\xe2\x80\xa7\\u2028\\u2029\""},
        {LITERAL("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
         "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {LITERAL("\xf4\x8f\xbf\xbf"), "\"\xf4\x8f\xbf\xbf\""},
        /* no UTF-8 */
        {LITERAL("a\xff" "b"), "\"a" LOST "b\""},
        {LITERAL("\x80"), "\"" LOST "\""},
        {LITERAL("\xc0\x80"), "\"" LOST LOST "\""},
        {LITERAL("\xc3"), "\"" LOST "\""},
        {LITERAL("\xc3("), "\"" LOST "(\""},
        {LITERAL("\xe0\x80\x80"), "\"" LOST LOST LOST "\""},
        {LITERAL("\xed\xa0\x80"), "\"" LOST LOST LOST "\""},
        {LITERAL("\xf4\x90\x80\x80"), "\"" LOST LOST LOST LOST "\""},
        {LITERAL("\xf5\x80\x80\x80"), "\"" LOST LOST LOST LOST "\""},
        /* the end of the text in the middle of a character */
        {"\xe2\x82\xac", 2, "\"" LOST LOST "\""},
        {"\xf0\x9f\x98\x80", 3, "\"" LOST LOST LOST "\""},
    };

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        check_string(strings[i].bytes, strings[i].size, strings[i].expected);
}

TEST(a_page_has_no_markup_in_it)
{
    OWN(json_free) jsontext j = {.inside = true};

    jsontext_open(&j, NULL, '[');
    jsontext_text(&j, NULL, "</script>&\xe2\x80\xa8");
    jsontext_open(&j, NULL, '{');
    jsontext_count(&j, "<", 1);
    jsontext_bool(&j, "b", true);
    jsontext_close(&j, '}');
    jsontext_close(&j, ']');
    ck_assert_str_eq(j.text.bytes,
                     "[\"\\u003c/script\\u003e\\u0026\\u2028\","
                     "{\"\\u003c\":1,\"b\":true}]");
}

/* With so many digits, or as many as it takes (0). */
static void check_number(double x, int digits, const char *expected)
{
    OWN(json_free) jsontext j = {0};

    if (digits > 0)
        jsontext_rounded(&j, NULL, x, digits);
    else
        jsontext_real(&j, NULL, x);
    ck_assert_str_eq(j.text.bytes, expected);
}

TEST(numbers_are_short)
{
    static const struct {
        double x;
        int digits;
        const char *expected;
    } numbers[] = {
        {0, 0, "0"}, {1, 0, "1"}, {-0.5, 0, "-0.5"}, {0.1, 0, "0.1"},
        {1e-7, 0, "1e-07"}, {1e300, 0, "1e+300"},
        {1.0 / 3, 0, "0.3333333333333333"},
        {0.1 + 0.2, 0, "0.30000000000000004"},
        {NAN, 0, "null"}, {INFINITY, 0, "null"}, {-INFINITY, 0, "null"},
        {0.123456789, 3, "0.123"}, {-1e-9, 5, "-1e-09"},
        {123456, 3, "1.23e+05"}, {-0.0, 3, "0"},
        {NAN, 3, "null"}, {-INFINITY, 3, "null"},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_number(numbers[i].x, numbers[i].digits, numbers[i].expected);
}

TEST(numbers_read_back)
{
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t bits = hash_stream(5, i);
        OWN(textbuf_free) textbuf t = {0};
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        textbuf_real(&t, x);
        ck_assert_double_eq(strtod(t.bytes, NULL), x);
    }
}

TEST(numbers_have_a_point_in_every_locale)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8",
                                          "ps_AF.UTF-8"};
    static const char *const plain[][2] = {
        {"1,5", "1.5"}, {"-1,5e-07", "-1.5e-07"},
        {"3\xd9\xab" "25e+10", "3.25e+10"}, /* of two bytes */
        {"12", "12"}, {"1.5", "1.5"}};

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char text[64];
        strcpy(text, plain[i][0]);
        textbuf_plain(text);
        ck_assert_str_eq(text, plain[i][1]);
    }
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
        if (setlocale(LC_ALL, locales[i]) != NULL) {
            check_number(-0.5, 0, "-0.5");
            check_number(1.0 / 3, 0, "0.3333333333333333");
        }
    setlocale(LC_ALL, "C");
}

TEST(members_are_laid_out)
{
    OWN(json_free) jsontext j = {.lines = 2};

    jsontext_open(&j, NULL, '{');
    jsontext_text(&j, "a", "x");
    jsontext_open(&j, "b", '[');
    for (uint64_t i = 0; i < 2; i++) {
        jsontext_open(&j, NULL, '{');
        jsontext_count(&j, "n", i);
        jsontext_real(&j, "r", 0.5);
        jsontext_bool(&j, "b", i == 1);
        jsontext_close(&j, '}');
    }
    jsontext_close(&j, ']');
    jsontext_open(&j, "none", '{');
    jsontext_close(&j, '}');
    jsontext_close(&j, '}');
    ck_assert_str_eq(j.text.bytes, "{\n"
                                   "  \"a\": \"x\",\n"
                                   "  \"b\": [\n"
                                   "    {\"n\": 0, \"r\": 0.5, \"b\": false},\n"
                                   "    {\"n\": 1, \"r\": 0.5, \"b\": true}\n"
                                   "  ],\n"
                                   "  \"none\": {}\n"
                                   "}");
}

/* ---- text that grows ----------------------------------------------------- */

TEST(text_grows)
{
    OWN(textbuf_free) textbuf t = {0}, u = {0};
    char expected[4001];

    for (size_t i = 0; i < 4000; i++) {
        expected[i] = (char)('a' + i % 26);
        textbuf_add(&t, &expected[i], 1);
    }
    expected[4000] = '\0';
    ck_assert_uint_eq(t.size, 4000);
    ck_assert_str_eq(t.bytes, expected);
    textbuf_text(&u, "");
    ck_assert_str_eq(u.bytes, "");
    textbuf_add(&u, NULL, 0);
    textbuf_add(&u, "a\0b", 3);
    textbuf_print(&u, "%d %s", -1, expected);
    ck_assert_uint_eq(u.size, 4006);
    ck_assert_mem_eq(u.bytes, "a\0b-1 ", 6);
    ck_assert_str_eq(u.bytes + 6, expected);
    ck_assert(!u.failed);
}

TEST(text_remembers_that_memory_ran_out)
{
    OWN(textbuf_free) textbuf t = {0};
    jsontext j = {0};
    kedge_error err = {0};

    gate_allow(1);
    textbuf_text(&t, "short");
    ck_assert(!t.failed);
    for (int i = 0; i < 10; i++)
        textbuf_text(&t, "and longer");
    textbuf_print(&j.text, "%300d", 1);
    gate_open();
    ck_assert(t.failed);
    textbuf_text(&t, "!");
    ck_assert(t.failed);
    ck_assert_ptr_null(strchr(t.bytes, '!'));
    textbuf_free(&t);
    ck_fails(jsontext_end(&j, "a page", &t, &err), KEDGE_ENOMEM, err,
             "out of memory (a page)");
    ck_assert_ptr_null(t.bytes);
}

TEST(text_escapes_what_divides)
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
