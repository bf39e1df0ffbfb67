/* SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "printed.h"

static const record_opts seven = {.words = 7};

START_TEST(svmlight_takes_all_liberties_of_the_format)
{
    static const reading cases[] = {
        {"", ""},
        {"1 1:2 7:3\n", "/1: 0*2 6*3\n"},
        {"+1 1:2.0 7:3e0 # doc-1 more\r\n\r\n", "doc-1/+1: 0*2 6*3\n"},
        {"-1 qid:3 3:1#doc\n# a comment\n \t\n", "doc/-1: 2*1\n"},
        {"\xef\xbb\xbf" "1,2\t5:1   5:2  #\n0", "/1,2: 4*1 4*2\n/0:\n"},
        {"spam 7:1 1:1 # ham:1", "ham:1/spam: 6*1 0*1\n"},
    };

    check_readings(&format_svmlight, &seven, cases, 6);
}
END_TEST

START_TEST(svmlight_tells_what_is_wrong)
{
    static const reading cases[] = {
        {"1 0:1\n2 1:1\n",
         "!1: the word 0 is too small: a word from 1 to 7 was expected\n"
         "/2: 0*1\n"},
        {"1 8:1\n",
         "!1: the word 8 is too large: a word from 1 to 7 was expected\n"},
        {"1 1:1\n1 1:0.5 2:1\n1 2:1",
         "/1: 0*1\n!2: \"0.5\" is not a whole number: a count, not a weight, "
         "was expected\n/1: 1*1\n"},
        {"1 1:-2\n", "!1: \"-2\" is negative: a count from 1 to 2147483647 "
                     "was expected\n"},
        {"1 1:1 x\n", "!1: \"x\" has no \":\": \"word:count\" was expected\n"},
        {"1 1:1 qid:2\n", "!1: \"qid\" is not a number: a word from 1 to 7 "
                          "was expected\n"},
        {"\n1:1 2:1\n", "!2: the line begins with \"1:1\": a label, then "
                        "\"word:count\", was expected\n"},
    };
    static const record_opts none = {.words = 0};

    check_readings(&format_svmlight, &seven, cases, 7);
    check_bytes(&format_svmlight, &none, "1 1:1\n", 6,
                "! its words are numbers: a vocabulary that says which words "
                "they are was expected\n");
}
END_TEST

START_TEST(svmlight_is_read_as_printed)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        const uint32_t known = 1 + (uint32_t)chance_below(&c, 100000);
        const record_opts opts = {.words = known};
        blob text = {0}, printed = {0};
        blob_add(&text, "", 0);
        blob_add(&printed, "", 0);
        for (size_t n = chance_below(&c, 30); n > 0; n--) {
            blob_print(&text, "l%zu", n % 4);
            blob_print(&printed, "i%zu/l%zu:", n, n % 4);
            for (size_t i = chance_below(&c, 40); i > 0; i--) {
                const uint32_t word = (uint32_t)chance_below(&c, known);
                const uint32_t tally = some_tally(&c);
                blob_print(&text, "%s%u:", some_gap(&c), word + 1);
                print_tally(&c, tally, &text);
                blob_print(&printed, " %u*%u", word, tally);
            }
            blob_print(&text, " #%si%zu%s", some_gap(&c), n, some_end(&c));
            blob_print(&printed, "\n");
        }
        check_both(&format_svmlight, &opts, &text, seed, printed.bytes);
        blob_free(&text);
        blob_free(&printed);
    }
}
END_TEST

START_TEST(svmlight_tells_of_failing_allocations)
{
    check_gate(&format_svmlight, &seven, "1 1:1 2:2\n2 3:3\n");
}
END_TEST

UNIT_SUITE("svmlight",
    svmlight_takes_all_liberties_of_the_format,
    svmlight_tells_what_is_wrong,
    svmlight_is_read_as_printed,
    svmlight_tells_of_failing_allocations)
