/* SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "printed.h"

static const record_opts seven = {.words = 7};

START_TEST(ldac_takes_all_liberties_of_the_format)
{
    static const reading cases[] = {
        {"", ""},
        {"2 0:2 6:3\n", "/: 0*2 6*3\n"},
        {"\xef\xbb\xbf" "2\t6:2.0  0:3 \r\n\r\n0\n \n1 3:1",
         "/: 6*2 0*3\n/:\n/: 3*1\n"},
    };

    check_readings(&format_ldac, &seven, cases, 3);
}
END_TEST

START_TEST(ldac_tells_what_is_wrong)
{
    static const reading cases[] = {
        {"1 7:1\n1 6:1\n",
         "!1: the word 7 is too large: a word from 0 to 6 was expected\n"
         "/: 6*1\n"},
        {"1 0:1 1:1\n",
         "!1: the line has 2 entries: 1, as it says first, was expected\n"},
        {"2 0:1\n",
         "!1: the line has 1 entry: 2, as it says first, were expected\n"},
        {"\n\nx 0:1\n", "!3: \"x\" is not a number: a number of entries from "
                        "0 to 16777216 was expected\n"},
        {"0:1\n", "!1: \"0:1\" is not a number: a number of entries from 0 "
                  "to 16777216 was expected\n"},
        {"16777217 0:1\n",
         "!1: the number of entries 16777217 is too large: a number of "
         "entries from 0 to 16777216 was expected\n"},
        {"1 0:0.1", "!1: \"0.1\" is not a whole number: a count, not a "
                    "weight, was expected\n"},
        {"1 0\n", "!1: \"0\" has no \":\": \"word:count\" was expected\n"},
    };
    static const record_opts none = {.words = 0};

    check_readings(&format_ldac, &seven, cases, 8);
    check_bytes(&format_ldac, &none, "1 1:1\n", 6,
                "! its words are numbers: a vocabulary that says which words "
                "they are was expected\n");
}
END_TEST

START_TEST(ldac_is_read_as_printed)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        const uint32_t known = 1 + (uint32_t)chance_below(&c, 100000);
        const record_opts opts = {.words = known};
        blob text = {0}, printed = {0};
        blob_add(&text, "", 0);
        blob_add(&printed, "", 0);
        for (size_t n = chance_below(&c, 30); n > 0; n--) {
            const size_t entries = chance_below(&c, 40);
            blob_print(&text, "%zu", entries);
            blob_print(&printed, "/:");
            for (size_t i = 0; i < entries; i++) {
                const uint32_t word = (uint32_t)chance_below(&c, known);
                const uint32_t tally = some_tally(&c);
                blob_print(&text, "%s%u:", some_gap(&c), word);
                print_tally(&c, tally, &text);
                blob_print(&printed, " %u*%u", word, tally);
            }
            blob_print(&text, "%s", some_end(&c));
            blob_print(&printed, "\n");
        }
        check_both(&format_ldac, &opts, &text, seed, printed.bytes);
        blob_free(&text);
        blob_free(&printed);
    }
}
END_TEST

START_TEST(ldac_tells_of_failing_allocations)
{
    check_gate(&format_ldac, &seven, "2 1:1 2:2\n1 3:3\n");
}
END_TEST

UNIT_SUITE("ldac",
    ldac_takes_all_liberties_of_the_format,
    ldac_tells_what_is_wrong,
    ldac_is_read_as_printed,
    ldac_tells_of_failing_allocations)
