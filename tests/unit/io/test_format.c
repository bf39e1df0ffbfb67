/* SPDX-License-Identifier: MIT */
#include "printed.h"

/* What formats share: fields, numbers, and the bag. */
static const records nowhere = {.name = "file", .line = 7};

TEST(fields_stand_between_blanks)
{
    span left = span_text(" one\t two  three "), f[2];

    ck_assert_uint_eq(fields_split(left, f, 2), 3);
    ck_assert(span_equal(f[1], span_text("two")));
    ck_assert_uint_eq(fields_split(span_text(" \t "), f, 2), 0);
    ck_assert(fields_next(&left, f) && span_equal(*f, span_text("one")));
    ck_assert(span_equal(left, span_text("\t two  three ")));
    ck_assert(fields_next(&left, f) && fields_next(&left, f));
    ck_assert(span_equal(*f, span_text("three")));
    ck_assert(!fields_next(&left, f) && f->size == 0 && left.size == 0);
}

TEST(fields_are_shown_as_plain_text)
{
    ck_assert_str_eq(span_show(span_of("a\x1b\xc3\xa4\0b", 6)).text,
                     "a????b");
    ck_assert_str_eq(span_show(span_text("123456789012345678901234")).text,
                     "123456789012345678901234");
    ck_assert_str_eq(span_show(span_text("1234567890123456789012345")).text,
                     "123456789012345678901234...");
}

TEST(numbers_are_plain_digits)
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
        uint64_t value = 0;
        ck_assert(span_number(span_text(cases[i].text), &value) ==
                  cases[i].yes);
        if (cases[i].yes)
            ck_assert_uint_eq(value, cases[i].value);
    }
}

#define COUNT "expected a count from 1 to 2147483647"

TEST(counts_are_whole_numbers)
{
    static const struct {
        const char *text;
        uint32_t tally;
        const char *reason;
    } cases[] = {
        {"3", 3, NULL},
        {"3.0", 3, NULL},
        {"3e0", 3, NULL},
        {"0.3e1", 3, NULL},
        {"30E-1", 3, NULL},
        {"+3.", 3, NULL},
        {"0003.000000000000000000000000000", 3, NULL},
        {"3000000000000000000000000000e-27", 3, NULL},
        {".00003e+5", 3, NULL},
        {"2147483647", 2147483647, NULL},
        {"2.147483647e9", 2147483647, NULL},
        {"1e9", 1000000000, NULL},
        {"100", 100, NULL},
        {"0", 0, "the count 0 is too small: " COUNT},
        {"-0.0", 0, "the count -0.0 is too small: " COUNT},
        {"0e999999999999999999", 0, "the count 0e999999999999999999 is too "
                                    "small: " COUNT},
        {"2147483648", 0, "the count 2147483648 is too large: " COUNT},
        {"1e10", 0, "the count 1e10 is too large: " COUNT},
        {"1e99999999999999999999", 0, "the count 1e99999999999999999999 is "
                                      "too large: " COUNT},
        {"99999999999999999999", 0, "the count 99999999999999999999 is too "
                                    "large: " COUNT},
        {"0.53", 0, "\"0.53\" is not a whole number: expected a count, not a "
                    "weight"},
        {"3.5", 0, "\"3.5\" is not a whole number: expected a count, not a "
                   "weight"},
        {"3e-1", 0, "\"3e-1\" is not a whole number: expected a count, not a "
                    "weight"},
        {"1e-99999999999999999999", 0, "\"1e-99999999999999999999\" is not a "
                                       "whole number: expected a count, not a "
                                       "weight"},
        {"-3", 0, "\"-3\" is negative: " COUNT},
        {"", 0, "\"\" is not a number: " COUNT},
        {".", 0, "\".\" is not a number: " COUNT},
        {"+", 0, "\"+\" is not a number: " COUNT},
        {"3e", 0, "\"3e\" is not a number: " COUNT},
        {"3.0.0", 0, "\"3.0.0\" is not a number: " COUNT},
        {"3x", 0, "\"3x\" is not a number: " COUNT},
        {"nan", 0, "\"nan\" is not a number: " COUNT},
        {"inf", 0, "\"inf\" is not a number: " COUNT},
        {"0x3", 0, "\"0x3\" is not a number: " COUNT},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kedge_error err = {0};
        uint32_t tally = 0;
        const kedge_status st =
            records_count(&nowhere, span_text(cases[i].text), &tally, &err);
        ck_assert_msg((st == KEDGE_OK) == (cases[i].reason == NULL), "%s",
                      cases[i].text);
        if (st != KEDGE_OK)
            ck_assert_str_eq(err.text + strlen("file:7: "), cases[i].reason);
        else
            ck_assert_uint_eq(tally, cases[i].tally);
    }
}

/* Against strtod, which is exact for numbers as short as these. */
TEST(counts_agree_with_the_C_library)
{
    static const char some[] = "0001239.e-+5";

    for (uint64_t seed = 0; seed < 200000; seed++) {
        chance r = {.key = seed};
        const size_t size = 1 + chance_below(&r, 8);
        char text[16] = "", *end;
        uint32_t tally = 0;
        for (size_t i = 0; i < size; i++)
            text[i] = some[chance_below(&r, sizeof some - 1)];
        const kedge_status st =
            records_count(&nowhere, span_text(text), &tally, NULL);
        const double value = strtod(text, &end);
        const bool whole = *end == '\0' && value >= 1 &&
                           value <= 2147483647.0 &&
                           value == (double)(uint32_t)value;
        if ((st == KEDGE_OK) != whole || (whole && tally != (uint32_t)value))
            ck_abort_msg("\"%s\": %u", text, tally);
    }
}

TEST(pairs_have_a_range)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"0:1", "the word 0 is too small: expected a word from 1 to 7"},
        {"8:1", "the word 8 is too large: expected a word from 1 to 7"},
        {"99999999999999999999:1", "the word 99999999999999999999 is too "
                                   "large: expected a word from 1 to 7"},
        {"-1:1", "\"-1\" is not a number: expected a word from 1 to 7"},
        {":1", "\"\" is not a number: expected a word from 1 to 7"},
        {"3:", "\"\" is not a number: " COUNT},
        {"3:0", "the count 0 is too small: " COUNT},
        {"3:1:1", "\"1:1\" is not a number: " COUNT},
        {"3", "\"3\" has no \":\": expected \"word:count\""},
    };
    records r = nowhere;
    kedge_error err = {0};

    r.opts.words = 7;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(records_pair(&r, span_text(cases[i].text), 1, &err),
                         KEDGE_EFORMAT);
        ck_assert_str_eq(err.text + strlen("file:7: "), cases[i].reason);
    }
    ck_ok(records_pair(&r, span_text("07:12"), 1, &err), err);
    ck_assert(r.bag.count == 1 && r.bag.number[0] == 6 && r.bag.tally[0] == 12);
    mem_free(r.bag.number);
    mem_free(r.bag.tally);
}

TEST(bags_have_limits)
{
    records r = nowhere;
    kedge_error err = {0};

    for (int i = 0; i < 512; i++)
        ck_ok(records_add_number(&r, 1, 0x7fffffff, &err), err);
    ck_ok(records_add_number(&r, 1, 512, &err), err);
    ck_fails(records_add_number(&r, 1, 1, &err), KEDGE_EFORMAT, err,
             "file:7: the document is too large: expected counts of at most "
             "1099511627776 in all");
    records_clear_bag(&r);
    for (size_t i = 0; i < BAG_ENTRIES_MAX; i++)
        if (records_add_number(&r, 1, 1, &err) != KEDGE_OK)
            ck_abort();
    ck_fails(records_add_number(&r, 1, 1, &err), KEDGE_EFORMAT, err,
             "file:7: the document is too large: expected at most 16777216 "
             "entries");
    ck_assert_uint_le(r.bag.number_capacity, BAG_ENTRIES_MAX);
    records_clear_bag(&r);
    r.opts.entries = 2; /* a lower one */
    ck_ok(records_add_word(&r, span_text("a"), 1, &err), err);
    ck_ok(records_add_word(&r, span_text("b"), 1, &err), err);
    ck_fails(records_add_word(&r, span_text("c"), 1, &err), KEDGE_EFORMAT, err,
             "expected at most 2 entries");
    mem_free(r.bag.word);
    mem_free(r.bag.number);
    mem_free(r.bag.tally);
}
