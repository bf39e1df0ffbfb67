/* SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "printed.h"

static const record_opts no_opts;
#define HEAD "\"[label] [importance] ['tag]|words\" was expected\n"

START_TEST(vowpal_takes_all_liberties_of_the_format)
{
    static const reading cases[] = {
        {"", ""},
        {"|ns a b:2\n", "/: a*1 b*2\n"},
        {"| a b\n", "/: a*1 b*1\n"},
        {"1 | a b:2.0\n", "/1: a*1 b*2\n"},
        {"1 0.5 'doc|text a b |title c:3\n", "doc/1: a*1 b*1 c*3\n"},
        {"1 2 doc| a\n", "doc/1: a*1\n"},
        {"1 'doc | a\n", "doc/1: a*1\n"},
        {"'doc | a\r\n\r\n \t\n", "doc/: a*1\n"},
        {"1 | a|b c|| d\n", "/1: a*1 c*1 d*1\n"},
        {"\xef\xbb\xbf" "x | 12:30:2 |\n1 |", "/x: 12:30*2\n/1:\n"},
    };

    check_readings(&format_vowpal, &no_opts, cases, 10);
}
END_TEST

START_TEST(vowpal_tells_what_is_wrong)
{
    static const reading cases[] = {
        {"one two\n1 | a\n", "!1: the line has no \"|\": " HEAD "/1: a*1\n"},
        {"1 2 3 4 | a\n",
         "!1: there is \"4\" before the \"|\", after three fields: " HEAD},
        {"1 2 3 | a\n", "!1: \"3\", the third field, is not a tag: " HEAD},
        {"1 | a:0.5\n", "!1: \"0.5\" is not a whole number: a count, not a "
                        "weight, was expected\n"},
        {"1 | a:b\n", "!1: \"b\" is not a number: a count from 1 to "
                      "2147483647 was expected\n"},
        {"1 | a: b\n", "!1: \"\" is not a number: a count from 1 to "
                       "2147483647 was expected\n"},
        {"1 | :3\n", "!1: \":3\" has no word: \"word\" or \"word:count\" was "
                     "expected\n"},
        {"1 |title:2 a\n", "!1: the namespace \"title:2\" has a weight: a "
                           "namespace without one was expected\n"},
        {"1 | a:0\n", "!1: the count 0 is too small: a count from 1 to "
                      "2147483647 was expected\n"},
    };

    check_readings(&format_vowpal, &no_opts, cases, 9);
}
END_TEST

static void print_entries(chance *c, blob *text, blob *printed)
{
    for (size_t i = chance_below(c, 30); i > 0; i--) {
        const uint32_t tally = some_tally(c);
        const size_t word = chance_below(c, 1000);
        const bool one = tally == 1 && chance_below(c, 2) == 0;
        if (chance_below(c, 6) == 0)
            blob_print(text, "%s|n%zu", some_gap(c), i);
        blob_print(text, "%sw%zu%s", some_gap(c), word, one ? "" : ":");
        if (!one)
            print_tally(c, tally, text);
        blob_print(printed, " w%zu*%u", word, tally);
    }
}

START_TEST(vowpal_is_read_as_printed)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        blob text = {0}, printed = {0};
        blob_add(&text, "", 0);
        blob_add(&printed, "", 0);
        for (size_t n = chance_below(&c, 30); n > 0; n--) {
            blob_print(&text, "l%zu 1.5%s%sd%zu|", n % 3, some_gap(&c),
                       n % 2 == 0 ? "'" : "", n);
            blob_print(&printed, "d%zu/l%zu:", n, n % 3);
            print_entries(&c, &text, &printed);
            blob_print(&text, "%s", some_end(&c));
            blob_print(&printed, "\n");
        }
        check_both(&format_vowpal, &no_opts, &text, seed, printed.bytes);
        blob_free(&text);
        blob_free(&printed);
    }
}
END_TEST

START_TEST(vowpal_tells_of_failing_allocations)
{
    check_gate(&format_vowpal, &no_opts, "1 | a b c\n2 | d e\n");
}
END_TEST

UNIT_SUITE("vowpal",
    vowpal_takes_all_liberties_of_the_format,
    vowpal_tells_what_is_wrong,
    vowpal_is_read_as_printed,
    vowpal_tells_of_failing_allocations)
