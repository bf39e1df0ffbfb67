/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>

#include "io/fields.h"
#include "io/number_inl.h"

static text_line line_of(const char *text)
{
    return (text_line){text, strlen(text), true};
}

START_TEST(fields_are_split_at_blanks)
{
    field f[2];
    text_line line = line_of(" \tab  c\td ");

    ck_assert_uint_eq(fields_split(&line, f, 2), 3);
    ck_assert_uint_eq(f[0].size, 2);
    ck_assert_mem_eq(f[0].bytes, "ab", 2);
    ck_assert_uint_eq(f[1].size, 1);
    ck_assert_mem_eq(f[1].bytes, "c", 1);
    line = line_of(" \t ");
    ck_assert_uint_eq(fields_split(&line, f, 2), 0);
    ck_assert_uint_eq(f[0].size, 0);
}
END_TEST

START_TEST(fields_come_one_by_one)
{
    span left = span_text(" one\t two  three "), f;

    ck_assert(fields_next(&left, &f) && span_equal(f, span_text("one")));
    ck_assert(span_equal(left, span_text("\t two  three ")));
    ck_assert(fields_next(&left, &f) && span_equal(f, span_text("two")));
    ck_assert(fields_next(&left, &f) && span_equal(f, span_text("three")));
    ck_assert(!fields_next(&left, &f) && f.size == 0 && left.size == 0);
    ck_assert(!fields_next(&left, &f) && f.size == 0);
    ck_assert_str_eq(span_show(span_text("a\x1b" "b")).text, "a?b");
}
END_TEST

START_TEST(fields_are_numbers)
{
    static const struct {
        const char *text;
        bool yes;
        uint64_t value;
    } cases[] = {
        {"", false, 0},     {"0", true, 0},   {"007", true, 7},
        {"12x", false, 0},  {"-1", false, 0}, {"+1", false, 0},
        {" 1", false, 0},   {"1.0", false, 0},
        {"18446744073709551609", true, UINT64_C(18446744073709551609)},
        {"18446744073709551616", true, UINT64_MAX},
        {"99999999999999999999999999999999", true, UINT64_MAX},
        {"9999999999999999999999999999999x", false, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const field f = {cases[i].text, strlen(cases[i].text)};
        uint64_t value = 0;
        ck_assert(field_number(&f, &value) == cases[i].yes);
        if (cases[i].yes)
            ck_assert_uint_eq(value, cases[i].value);
    }
}
END_TEST

START_TEST(fields_are_shown_as_plain_text)
{
    const field odd = {"a\x1b\xc3\xa4\0b", 6};
    const field some = {"123456789012345678901234", 24};
    const field more = {"1234567890123456789012345", 25};

    ck_assert_str_eq(field_show(&odd).text, "a????b");
    ck_assert_str_eq(field_show(&some).text, "123456789012345678901234");
    ck_assert_str_eq(field_show(&more).text, "123456789012345678901234...");
}
END_TEST

/* Every byte after digits of every number of them. */
START_TEST(numbers_end_where_the_digits_do)
{
    for (unsigned n = 0; n <= 8; n++)
        for (unsigned next = 0; next < 256; next++) {
            char text[9] = "98765432";
            uint32_t value = 0, expected = 0;
            if (next >= '0' && next <= '9')
                continue;
            if (n < 8)
                text[n] = (char)next;
            for (unsigned i = 0; i < n; i++)
                expected = expected * 10 + (unsigned)(text[i] - '0');
            ck_assert_uint_eq(number_take(text, &value), n);
            if (n > 0 && n < 8)
                ck_assert_uint_eq(value, expected);
        }
}
END_TEST

START_TEST(numbers_are_what_their_digits_say)
{
    for (uint32_t i = 0; i < 10000000; i += 1 + i / 300) {
        char text[16];
        uint32_t value = 0;
        const int n = snprintf(text, sizeof text, "%u x y z a", i);
        ck_assert_uint_eq(number_take(text, &value), (unsigned)n - 8);
        ck_assert_uint_eq(value, i);
    }
}
END_TEST

UNIT_SUITE("fields",
    fields_are_split_at_blanks,
    fields_come_one_by_one,
    fields_are_numbers,
    fields_are_shown_as_plain_text,
    numbers_end_where_the_digits_do,
    numbers_are_what_their_digits_say)
