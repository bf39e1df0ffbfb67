/* SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "printed.h"

static const record_opts no_opts;

START_TEST(plainlines_are_documents)
{
    static const reading cases[] = {
        {"", ""},
        {"\n \n\t\n\r\n", ""},
        {"one two\n\n three \r\nfour", "/: one two\n/:  three \n/: four\n"},
        {"\xef\xbb\xbfone\n", "/: one\n"},
    };

    check_readings(&format_lines, &no_opts, cases, 4);
}
END_TEST

START_TEST(every_line_is_a_document_where_blank_ones_are)
{
    static const reading cases[] = {
        {"", ""},
        {"\n \n\t\n\r\n", "/: \n/:  \n/: \t\n/: \n"},
        {"one two\n\n three \r\nfour",
         "/: one two\n/: \n/:  three \n/: four\n"},
        {"\xef\xbb\xbfone\n\n", "/: one\n/: \n"},
    };

    check_readings(&format_lines, &(record_opts){.blank = true}, cases, 4);
}
END_TEST

START_TEST(plainlines_of_mallet_have_names)
{
    static const reading cases[] = {
        {"", ""},
        {"a X one two\n", "a/X: one two\n"},
        {"a\tX\tone\ttwo\r\n\r\n \t\nb Y\tthree ",
         "a/X: one\ttwo\nb/Y: three \n"},
        {"  a   X   one", "a/X: one\n"},
        {"a X\n", "a/X: \n"},
        {"a X \n", "a/X: \n"},
        {"\xef\xbb\xbf" "a X one\nb\nc Y two\n",
         "a/X: one\n!2: the line has 1 field: \"id label text\" was "
         "expected\nc/Y: two\n"},
    };

    check_readings(&format_mallet, &no_opts, cases, 7);
}
END_TEST

START_TEST(plainlines_are_read_as_printed)
{
    static const char some[] = "ab \t\"',|\xc3\xa4:";

    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        blob text = {0}, plain = {0}, mallet = {0}, names = {0};
        blob_add(&names, "", 0);
        for (size_t n = chance_below(&c, 50); n > 0; n--) {
            char body[64] = "";
            body[0] = 'w';
            for (size_t i = 1; i < 1 + chance_below(&c, 60); i++)
                body[i] = some[chance_below(&c, sizeof some - 1)];
            blob_print(&plain, "%s%s", body, some_end(&c));
            blob_print(&text, "/: %s\n", body);
            blob_print(&mallet, "i%zu%sl%zu%s%s%s", n, some_gap(&c), n % 3,
                       some_gap(&c), body, some_end(&c));
            blob_print(&names, "i%zu/l%zu: %s\n", n, n % 3, body);
        }
        blob_add(&text, "", 0);
        blob_add(&plain, "", 0);
        blob_add(&mallet, "", 0);
        check_both(&format_lines, &no_opts, &plain, seed, text.bytes);
        check_both(&format_mallet, &no_opts, &mallet, seed, names.bytes);
        blob_free(&text);
        blob_free(&plain);
        blob_free(&mallet);
        blob_free(&names);
    }
}
END_TEST

START_TEST(plainlines_take_no_memory_of_their_own)
{
    check_gate(&format_lines, &no_opts, "one\ntwo\n");
    check_gate(&format_mallet, &no_opts, "a b one\nc d two\n");
}
END_TEST

UNIT_SUITE("plainlines",
    plainlines_are_documents,
    every_line_is_a_document_where_blank_ones_are,
    plainlines_of_mallet_have_names,
    plainlines_are_read_as_printed,
    plainlines_take_no_memory_of_their_own)
