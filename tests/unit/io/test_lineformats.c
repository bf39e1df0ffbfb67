/* SPDX-License-Identifier: MIT */
/* Formats of which a line is a document: ldac, svmlight, vw, lines, mallet. */
#include "printed.h"

#define HEAD "expected \"[label] [importance] ['tag]|words\"\n"
#define CHECK(format, opts, cases) \
    check_readings(&format, &opts, cases, sizeof cases / sizeof *cases)

static const record_opts none, seven = {.words = 7};

TEST(ldac_lines)
{
    static const reading cases[] = {
        {"", ""},
        {"2 0:2 6:3\n", "/: 0*2 6*3\n"},
        {"\xef\xbb\xbf" "2\t6:2.0  0:3 \r\n\r\n0\n \n1 3:1",
         "/: 6*2 0*3\n/:\n/: 3*1\n"},
        {"1 7:1\n1 6:1\n",
         "!1: the word 7 is too large: expected a word from 0 to 6\n"
         "/: 6*1\n"},
        {"1 0:1 1:1\n",
         "!1: the line has 2 entries: expected 1, as its first number says\n"},
        {"2 0:1\n",
         "!1: the line has 1 entry: expected 2, as its first number says\n"},
        {"\n\nx 0:1\n", "!3: \"x\" is not a number: expected a number of "
                        "entries from 0 to 16777216\n"},
        {"0:1\n", "!1: \"0:1\" is not a number: expected a number of entries "
                  "from 0 to 16777216\n"},
        {"16777217 0:1\n",
         "!1: the number of entries 16777217 is too large: expected a number "
         "of entries from 0 to 16777216\n"},
        {"1 0:0.1", "!1: \"0.1\" is not a whole number: expected a count, not "
                    "a weight\n"},
        {"1 0\n", "!1: \"0\" has no \":\": expected \"word:count\"\n"},
    };

    CHECK(format_ldac, seven, cases);
}

TEST(svmlight_lines)
{
    static const reading cases[] = {
        {"", ""},
        {"1 1:2 7:3\n", "/1: 0*2 6*3\n"},
        {"+1 1:2.0 7:3e0 # doc-1 more\r\n\r\n", "doc-1/+1: 0*2 6*3\n"},
        {"-1 qid:3 3:1#doc\n# a comment\n \t\n", "doc/-1: 2*1\n"},
        {"\xef\xbb\xbf" "1,2\t5:1   5:2  #\n0", "/1,2: 4*1 4*2\n/0:\n"},
        {"spam 7:1 1:1 # ham:1", "ham:1/spam: 6*1 0*1\n"},
        {"1 0:1\n2 1:1\n",
         "!1: the word 0 is too small: expected a word from 1 to 7\n"
         "/2: 0*1\n"},
        {"1 8:1\n",
         "!1: the word 8 is too large: expected a word from 1 to 7\n"},
        {"1 1:1\n1 1:0.5 2:1\n1 2:1",
         "/1: 0*1\n!2: \"0.5\" is not a whole number: expected a count, not a "
         "weight\n/1: 1*1\n"},
        {"1 1:-2\n", "!1: \"-2\" is negative: expected a count from 1 to "
                     "2147483647\n"},
        {"1 1:1 x\n", "!1: \"x\" has no \":\": expected \"word:count\"\n"},
        {"1 1:1 qid:2\n", "!1: \"qid\" is not a number: expected a word from 1 "
                          "to 7\n"},
        {"\n1:1 2:1\n", "!2: the line begins with \"1:1\": expected a label, "
                        "then \"word:count\" pairs\n"},
    };

    CHECK(format_svmlight, seven, cases);
}

TEST(vowpal_lines)
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
        {"one two\n1 | a\n", "!1: the line has no \"|\": " HEAD "/1: a*1\n"},
        {"1 2 3 4 | a\n",
         "!1: there is \"4\" before the \"|\", after three fields: " HEAD},
        {"1 2 3 | a\n", "!1: \"3\", the third field, is not a tag: " HEAD},
        {"1 | a:0.5\n", "!1: \"0.5\" is not a whole number: expected a count, "
                        "not a weight\n"},
        {"1 | a:b\n", "!1: \"b\" is not a number: expected a count from 1 to "
                      "2147483647\n"},
        {"1 | a: b\n", "!1: \"\" is not a number: expected a count from 1 to "
                       "2147483647\n"},
        {"1 | :3\n", "!1: \":3\" has no word: expected \"word\" or "
                     "\"word:count\"\n"},
        {"1 |title:2 a\n", "!1: the namespace \"title:2\" has a weight: "
                           "expected a namespace without one\n"},
        {"1 | a:0\n", "!1: the count 0 is too small: expected a count from 1 "
                      "to 2147483647\n"},
    };

    CHECK(format_vowpal, none, cases);
}

TEST(plain_lines)
{
    static const reading cases[] = {
        {"", ""},
        {"\n \n\t\n\r\n", ""},
        {"one two\n\n three \r\nfour", "/: one two\n/:  three \n/: four\n"},
        {"\xef\xbb\xbfone\n", "/: one\n"},
    };
    static const reading blank[] = {
        {"", ""},
        {"\n \n\t\n\r\n", "/: \n/:  \n/: \t\n/: \n"},
        {"one two\n\n three \r\nfour",
         "/: one two\n/: \n/:  three \n/: four\n"},
        {"\xef\xbb\xbfone\n\n", "/: one\n/: \n"},
    };
    static const reading mallet[] = {
        {"", ""},
        {"a X one two\n", "a/X: one two\n"},
        {"a\tX\tone\ttwo\r\n\r\n \t\nb Y\tthree ",
         "a/X: one\ttwo\nb/Y: three \n"},
        {"  a   X   one", "a/X: one\n"},
        {"a X\n", "a/X: \n"},
        {"a X \n", "a/X: \n"},
        {"\xef\xbb\xbf" "a X one\nb\nc Y two\n",
         "a/X: one\n!2: the line has 1 field: expected \"id label text\"\nc/Y: "
         "two\n"},
    };
    static const record_opts all = {.blank = true};

    CHECK(format_lines, none, cases);
    CHECK(format_lines, all, blank);
    CHECK(format_mallet, none, mallet);
}

TEST(numbers_need_a_vocabulary)
{
    static const reading cases[] = {
        {"1 1:1\n", "! its words are numbers: expected a vocabulary (--vocab) "
                    "to name them\n"},
    };

    CHECK(format_ldac, none, cases);
    CHECK(format_svmlight, none, cases);
}

/* ---- by chance ----------------------------------------------------------- */

/* Record `n` as a line, and what is printed of it. */
typedef void writer(chance *c, size_t n, blob *text, blob *printed);

#define KNOWN 50000

static void write_entry(chance *c, uint32_t first, blob *text, blob *printed)
{
    const uint32_t word = (uint32_t)chance_below(c, KNOWN);
    const uint32_t tally = some_tally(c);

    blob_print(text, "%s%u:", some_gap(c), word + first);
    print_tally(c, tally, text);
    blob_print(printed, " %u*%u", word, tally);
}

static void write_ldac(chance *c, size_t n, blob *text, blob *printed)
{
    const size_t entries = chance_below(c, n + 10);

    blob_print(text, "%zu", entries);
    blob_print(printed, "/:");
    for (size_t i = 0; i < entries; i++)
        write_entry(c, 0, text, printed);
}

static void write_svmlight(chance *c, size_t n, blob *text, blob *printed)
{
    blob_print(text, "l%zu", n % 4);
    blob_print(printed, "i%zu/l%zu:", n, n % 4);
    for (size_t i = chance_below(c, 40); i > 0; i--)
        write_entry(c, 1, text, printed);
    blob_print(text, " #%si%zu", some_gap(c), n);
}

static void write_vowpal(chance *c, size_t n, blob *text, blob *printed)
{
    blob_print(text, "l%zu 1.5%s%sd%zu|", n % 3, some_gap(c),
               n % 2 == 0 ? "'" : "", n);
    blob_print(printed, "d%zu/l%zu:", n, n % 3);
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

static void write_text(chance *c, blob *text, blob *printed)
{
    static const char some[] = "ab \t\"',|\xc3\xa4:";
    char body[64] = "w";

    for (size_t i = 1; i < 1 + chance_below(c, 60); i++)
        body[i] = some[chance_below(c, sizeof some - 1)];
    blob_print(text, "%s", body);
    blob_print(printed, "%s", body);
}

static void write_lines(chance *c, size_t n, blob *text, blob *printed)
{
    (void)n;
    blob_print(printed, "/: ");
    write_text(c, text, printed);
}

static void write_mallet(chance *c, size_t n, blob *text, blob *printed)
{
    blob_print(text, "i%zu%sl%zu%s", n, some_gap(c), n % 3, some_gap(c));
    blob_print(printed, "i%zu/l%zu: ", n, n % 3);
    write_text(c, text, printed);
}

TEST(lines_are_read_as_printed)
{
    static const struct {
        const record_format *format;
        writer *write;
    } kinds[] = {{&format_ldac, write_ldac}, {&format_svmlight, write_svmlight},
                 {&format_vowpal, write_vowpal}, {&format_lines, write_lines},
                 {&format_mallet, write_mallet}};
    const record_opts opts = {.words = KNOWN};

    for (uint64_t seed = 0; seed < 1500; seed++) {
        const size_t kind = seed % 5;
        chance c = {.key = seed};
        OWN(blob_free) blob text = {0}, printed = {0};
        blob_add(&text, "", 0);
        blob_add(&printed, "", 0);
        for (size_t n = chance_below(&c, 30); n > 0; n--) {
            kinds[kind].write(&c, n, &text, &printed);
            blob_print(&text, "%s", some_end(&c));
            blob_print(&printed, "\n");
        }
        check_both(kinds[kind].format, &opts, &text, seed / 5, printed.bytes);
    }
}

TEST(failing_allocations_are_told)
{
    check_gate(&format_ldac, &seven, "2 1:1 2:2\n1 3:3\n");
    check_gate(&format_svmlight, &seven, "1 1:1 2:2\n2 3:3\n");
    check_gate(&format_vowpal, &none, "1 | a b c\n2 | d e\n");
    check_gate(&format_mallet, &none, "a b one\nc d two\n");
}
