/* SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "printed.h"

static const record_opts seven = {.words = 7};
#define REAL "%%MatrixMarket matrix coordinate real general\n"

TEST(mtx_takes_all_liberties_of_the_format)
{
    static const reading cases[] = {
        {REAL "0 7 0\n", ""},
        {REAL "9 7 3               \n1 1 2.0\n1 7 1\n4 2 3e0\n",
         "/: 0*2 6*1\n/: 1*3\n"},
        {"\xef\xbb\xbf%%matrixmarket MATRIX Coordinate Integer General\r\n"
         "% comment\r\n%\r\n\r\n9 7 3\r\n1 7 2\r\n\r\n1\t1 1\r\n9 2 3\r\n\r\n",
         "/: 6*2 0*1\n/: 1*3\n"},
        {"%%MatrixMarket matrix coordinate pattern general\n9 7 2\n1 1\n1 2",
         "/: 0*1 1*1\n"},
        /* Words are rows. */
        {REAL "7 9 3\n1 1 2\n7 1 1\n2 4 3\n", "/: 0*2 6*1\n/: 1*3\n"},
        /* As many of both: documents are rows. */
        {REAL "7 7 2\n1 2 2\n3 1 1\n", "/: 1*2\n/: 0*1\n"},
    };

    check_readings(&format_mtx, &seven, cases, 6);
}

TEST(mtx_tells_what_is_wrong_in_the_header)
{
    static const reading cases[] = {
        {"", "!1: the file is empty: expected \"%%MatrixMarket matrix "
             "coordinate integer general\"\n"},
        {"9 7 3\n", "!1: the header has \"9\": expected \"%%MatrixMarket\"\n"},
        {"%%MatrixMarket matrix array real general\n",
         "!1: the header has \"array\": expected \"coordinate\"\n"},
        {"%%MatrixMarket matrix coordinate complex general\n",
         "!1: the header has \"complex\": expected \"integer\", \"real\" or "
         "\"pattern\"\n"},
        {"%%MatrixMarket matrix coordinate real symmetric\n",
         "!1: the header has \"symmetric\": expected \"general\"\n"},
        {"%%MatrixMarket\n", "!1: the header has \"\": expected \"matrix\"\n"},
        {REAL "% only\n", "!3: the file ends here: expected \"rows columns "
                          "entries\"\n"},
        {REAL "9 7\n", "!2: expected three numbers: \"rows columns "
                       "entries\"\n"},
        {REAL "9 7 1 1\n", "!2: expected three numbers: \"rows columns "
                           "entries\"\n"},
        {REAL "9 x 1\n",
         "!2: \"x\" is not a number: expected a number of columns from 0 to "
         "4611686018427387904\n"},
        {REAL "9 8 1\n", "!2: the header says 9 rows and 8 columns, the "
                         "vocabulary has 7 words: expected as many columns, or "
                         "rows\n"},
    };
    static const record_opts none = {.words = 0};

    check_readings(&format_mtx, &seven, cases, 11);
    check_bytes(&format_mtx, &none, "9 7 3\n", 6,
                "! its words are numbers: expected a vocabulary (--vocab) to "
                "name them\n");
}

TEST(mtx_tells_what_is_wrong_in_an_entry)
{
    static const reading cases[] = {
        {REAL "9 7 3\n1 1 1\n1 8 1\n1 2 1\n",
         "!4: the column (word) 8 is too large: expected a column (word) from "
         "1 to 7\n/: 0*1 1*1\n"},
        {REAL "9 7 1\n0 1 1\n",
         "!3: the row (document) 0 is too small: expected a row (document) "
         "from 1 to 9\n"},
        {REAL "9 7 2\n1 1\n1 1 1 1\n",
         "!3: the line has 2 fields: expected \"row column count\"\n"
         "!4: the line has 4 fields: expected \"row column count\"\n"},
        {REAL "9 7 1\n1 1 0.25\n", "!3: \"0.25\" is not a whole number: "
                                   "expected a count, not a weight\n"},
        {REAL "9 7 3\n2 1 1\n1 1 1\n2 2 1\n",
         "!4: row 1, a document, comes after row 2: expected entries in the "
         "order of their documents: sort the file by its rows\n/: 0*1 1*1\n"},
        {REAL "7 9 2\n1 2 1\n1 1 1\n",
         "!4: column 1, a document, comes after column 2: expected entries in "
         "the order of their documents: sort the file by its columns\n/: "
         "0*1\n"},
        {REAL "7 7 2\n2 1 1\n1 1 1",
         "!4: row 1, a document, comes after row 2: expected entries in the "
         "order of their documents: sort the file by its rows, or transpose it "
         "where its columns are the documents\n/: 0*1\n"},
        {"%%MatrixMarket matrix coordinate pattern general\n9 7 1\n1 1 1\n",
         "!3: the line has 3 fields: expected \"row column\"\n"},
    };

    check_readings(&format_mtx, &seven, cases, 8);
}

TEST(mtx_counts_its_entries)
{
    static const reading cases[] = {
        {REAL "9 7 3\n1 1 1\n2 1 1\n",
         "/: 0*1\n!5: the file ends after 2 of 3 entries: expected as many as "
         "the header says\n/: 0*1\n"},
        {REAL "9 7 3\n", "!3: the file ends after 0 of 3 entries: expected as "
                         "many as the header says\n"},
        {REAL "9 7 1\n1 1 1\n2 1 1\n3 1 1\n",
         "!4: there are more than the 1 entries that the header says: expected "
         "the end of the file\n!5: there are more than the 1 entries that the "
         "header says: expected the end of the file\n/: 0*1\n"},
    };

    check_readings(&format_mtx, &seven, cases, 3);
}

/* Entries of documents that rise, by chance with gaps between. */
static size_t print_entries(chance *c, uint32_t known, bool transpose,
                            blob *text, blob *printed)
{
    size_t doc = 0, count = 0;

    for (size_t n = chance_below(c, 30); n > 0; n--) {
        doc += 1 + chance_below(c, 3);
        blob_print(printed, "/:");
        for (size_t i = 1 + chance_below(c, 30); i > 0; i--) {
            const uint32_t word = (uint32_t)chance_below(c, known);
            const uint32_t tally = some_tally(c);
            blob_print(text, "%zu%s%zu ", transpose ? word + 1 : doc,
                       some_gap(c), transpose ? doc : word + 1);
            print_tally(c, tally, text);
            blob_print(text, "%s", some_end(c));
            blob_print(printed, " %u*%u", word, tally);
            count++;
        }
        blob_print(printed, "\n");
    }
    return count;
}

TEST(mtx_is_read_as_printed)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        const uint32_t known = 200 + (uint32_t)chance_below(&c, 100000);
        const record_opts opts = {.words = known};
        const bool transpose = seed % 2 == 1;
        OWN(blob_free) blob body = {0}, text = {0}, printed = {0};
        blob_add(&body, "", 0);
        blob_add(&printed, "", 0);
        const size_t count =
            print_entries(&c, known, transpose, &body, &printed);
        blob_print(&text, "%%%s%u %u %zu\n", &REAL[1],
                   transpose ? known : 100, transpose ? 100 : known, count);
        blob_add(&text, body.bytes, body.size);
        check_both(&format_mtx, &opts, &text, seed, printed.bytes);
    }
}

TEST(mtx_tells_of_failing_allocations)
{
    check_gate(&format_mtx, &seven, REAL "9 7 2\n1 1 1\n2 1 1\n");
}

TEST(mtx_is_recognised)
{
    ck_assert(recognised(&format_mtx, REAL));
    ck_assert(recognised(&format_mtx, "%%matrixmarket matrix array"));
    ck_assert(!recognised(&format_mtx, "%MatrixMarket matrix"));
    ck_assert(!recognised(&format_mtx, "%%MatrixMarkets"));
    ck_assert(!recognised(&format_mtx, ""));
}
