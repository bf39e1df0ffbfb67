/* SPDX-License-Identifier: MIT */
#include "printed.h"

static const reader_limits no_limits = {SIZE_MAX, SIZE_MAX, 0, 0};
static const record_opts skipping = {.words = 7, .skip_bad = true};

static reader_opts opts_of(uint64_t known, bool skip_bad)
{
    static words none;
    static wordmap lexicon;
    static tokenizer_opts tokens;

    tokenizer_opts_init(&tokens);
    ck_assert(lexicon.list != NULL || wordmap_open(&lexicon, &none));
    return (reader_opts){.format = KEDGE_FORMAT_UCI, .words = known,
                         .skip_bad = skip_bad, .vocabulary = true,
                         .lexicon = &lexicon, .tokens = &tokens,
                         .unknown = (uint32_t)known};
}

/* ---- what is wrong ------------------------------------------------------- */

/* A text for a vocabulary of `known` words and what is wrong with it first, the
 * line's number before it. */
typedef struct wrong {
    const char *text;
    uint64_t known;
    const char *reason;
} wrong;

static void check_wrong(const wrong *w, size_t size)
{
    OWN(source_free) source s = source_make(w->text, size);
    OWN(blob_free) blob found = {0};
    char *from;

    (void)read_path(&format_uci, s.path, &(record_opts){.words = w->known},
                    &found);
    from = strchr(found.bytes, '!') + 1;
    ck_assert_str_eq(strtok(from, "\n"), w->reason);
}

#define TWO "expected \"document word count\""

TEST(uci_tells_what_is_wrong)
{
    static const wrong cases[] = {
        /* the header */
        {"", 3, "1: the file is empty: expected the number of documents"},
        {"\n1\n", 3,
         "1: the line is empty: expected the number of documents"},
        {"2\n", 3, "2: the file ends here: expected the number of words"},
        {"2\n3\n", 3,
         "3: the file ends here: expected the number of entries"},
        {"two\n3\n2\n", 3,
         "1: \"two\" is not a number: expected the number of documents"},
        {"-2\n3\n2\n", 3,
         "1: \"-2\" is negative: expected the number of documents"},
        {"4611686018427387905\n3\n2\n", 3,
         "1: \"4611686018427387905\" is too large: expected the number of "
         "documents, at most 4611686018427387904"},
        {"99999999999999999999999999\n3\n2\n", 3,
         "1: \"999999999999999999999999...\" is too large: expected the number "
         "of documents, at most 4611686018427387904"},
        {"2\n4294967295\n2\n", 4294967295,
         "2: \"4294967295\" is too large: expected the number of words, at "
         "most 4294967294"},
        {"2\n3\n4611686018427387905\n", 3,
         "3: \"4611686018427387905\" is too large: expected the number of "
         "entries, at most 4611686018427387904"},
        {"2\n3\n1.5\n", 3,
         "3: \"1.5\" is not a number: expected the number of entries"},
        {"2 3 4\n", 3,
         "1: the line has 3 fields: expected only the number of documents"},
        {"2\n6906\n2\n", 6905,
         "2: the header says 6906 words, the vocabulary has 6905: expected the "
         "vocabulary of this file"},
        {"\x1b[1m\n", 3,
         "1: \"?[1m\" is not a number: expected the number of documents"},
        /* a record */
        {"9\n7\n2\n1 0 1\n2 1 1\n", 7,
         "4: the word 0 is too small: expected a word from 1 to 7"},
        {"9\n7\n2\n1 1 1\n2 8 1\n", 7,
         "5: the word 8 is too large: expected a word from 1 to 7"},
        {"9\n7\n1\n0 1 1\n", 7,
         "4: the document 0 is too small: expected a document from 1 to 9"},
        {"9\n7\n1\n10 1 1\n", 7,
         "4: the document 10 is too large: expected a document from 1 to 9"},
        {"9\n7\n3\n9 1 1\n9 2 1\n5 1 1\n", 7,
         "6: document 5 comes after document 9: expected documents in rising "
         "order"},
        {"9\n7\n1\n1 1 0\n", 7,
         "4: the count 0 is too small: expected a count from 1 to 2147483647"},
        {"9\n7\n1\n1 1 -1\n", 7,
         "4: \"-1\" is not a number: expected a count from 1 to 2147483647"},
        {"9\n7\n1\n1 1 2147483648\n", 7,
         "4: the count 2147483648 is too large: expected a count from 1 to "
         "2147483647"},
        {"9\n7\n1\n1 1 99999999999999999999\n", 7,
         "4: the count 99999999999999999999 is too large: expected a count "
         "from 1 to 2147483647"},
        {"9\n7\n1\nx 1 1\n", 7,
         "4: \"x\" is not a number: expected a document from 1 to 9"},
        {"9\n7\n1\n1 y 1\n", 7,
         "4: \"y\" is not a number: expected a word from 1 to 7"},
        {"9\n7\n2\n1 1\n1 2 1\n", 7, "4: the line has 2 fields: " TWO},
        {"9\n7\n2\n1 1 1 1\n1 2 1\n", 7, "4: the line has 4 fields: " TWO},
        {"9\n7\n2\n1 1 1\n\n1 2 1\n", 7, "5: the line is empty: " TWO},
        {"9\n7\n2\n1 1 1\n \t\n\n1 2 1\n", 7, "5: the line is empty: " TWO},
        {"9\n7\n3\n3 7 1\n3 2 1\n3 7 2\n", 7,
         "6: word 7 of document 3 is there twice: expected each word once"},
        {"9\n7\n4\n3 7 1\n3 7 2\n4 1 1\n4 1 1\n", 7,
         "5: word 7 of document 3 is there twice: expected each word once"},
        /* the end */
        {"9\n7\n353160\n1 1 1\n2 1 1\n", 7,
         "6: the file ends after 2 of 353160 entries: expected as many as the "
         "header says"},
        {"9\n7\n353160\n1 1 1\n2 1", 7,
         "5: the file ends within a line, after 1 of 353160 entries: expected "
         "as many as the header says"},
        {"9\n7\n1\n", 7,
         "4: the file ends after 0 of 1 entries: expected as many as the "
         "header says"},
        {"9\n7\n1\n1 1 1\n2 1 1\n", 7,
         "5: there are more than the 1 entries that the header says: expected "
         "the end of the file"},
        {"9\n7\n1\n1 1 1\ngarbage", 7,
         "5: there are more than the 1 entries that the header says: expected "
         "the end of the file"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_wrong(&cases[i], strlen(cases[i].text));
}

TEST(uci_refuses_endless_lines)
{
    wrong w = {NULL, 7, "4: the line is longer than 4096 bytes: " TWO};
    OWN(blob_free) blob b = {0};

    blob_print(&b, "9\n7\n2\n1 1 ");
    for (int i = 0; i < 4093; i++)
        blob_add(&b, " ", 1);
    blob_print(&b, "1\n1 2 1\n");
    w.text = b.bytes;
    check_wrong(&w, b.size);
    /* Far longer than any window on the text. */
    for (int i = 0; i < 500000; i++)
        blob_add(&b, "1", 1);
    blob_print(&b, "\n2 2 1\n");
    w.text = b.bytes;
    check_wrong(&w, b.size);
    check_bytes(&format_uci, &skipping, b.bytes, b.size,
                "!4: the line is longer than 4096 bytes: " TWO "\n"
                "!6: the line is longer than 4096 bytes: " TWO "\n"
                "#1/: 1*1\n#2/: 1*1\n");
}

TEST(uci_refuses_endless_documents)
{
    wrong w = {NULL, 600,
               "516: document 1 is too large: expected counts of at most "
               "1099511627776 in all"};
    OWN(blob_free) blob b = {0};

    blob_print(&b, "1\n600\n600\n");
    for (int i = 1; i <= 600; i++)
        blob_print(&b, "1 %d 2147483647\n", i);
    w.text = b.bytes;
    check_wrong(&w, b.size);
}

/* Document 2 has 1,000,000,000 tokens in two words: 200 entries in pieces of
 * 10^7. */
TEST(uci_refuses_documents_that_are_too_large)
{
    OWN(source_free) source s =
        source_text("4\n3\n4\n1 1 5\n2 1 500000000\n2 3 500000000\n"
                           "4 2 7\n");
    reader_opts opts = opts_of(3, false);
    kedge_error err = {0};
    reader_counts counts;
    OWN(docs_free) docs all = {0};

    opts.room = (reader_room){.entries = 200, .piece = 10000000};

    ck_ok(read_all(s.path, &opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(all.count, 3);
    docs_clear(&all);
    opts.room.entries--;
    ck_fails(read_all(s.path, &opts, &no_limits, &all, &counts, &err),
             KEDGE_EFORMAT, err,
             "the document of 1000000000 tokens is too large: cut into "
             "pieces");
    docs_clear(&all);
    opts.skip_bad = true;
    ck_ok(read_all(s.path, &opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(all.count, 2);
    ck_assert_uint_eq(all.position[1], 4);
    ck_assert_uint_eq(all.word[all.start[1]], 1);
    ck_assert_uint_eq(counts.bad.count, 1);
    ck_assert_uint_eq(counts.empty, 1);
    ck_assert_uint_eq(counts.documents, 2);
}

TEST(uci_passes_over_what_is_wrong)
{
    static const reading cases[] = {
        {"3\n7\n3\n1 1 1\n1 2 2\n3 7 3\n", "#1/: 0*1 1*2\n#3/: 6*3\n"},
        /* a line that is wrong does not end a document */
        {"3\n7\n3\n1 1 1\n2 8 2\n1 2 2\n",
         "!5: the word 8 is too large: expected a word from 1 to 7\n"
         "#1/: 0*1 1*2\n"},
        {"3\n7\n4\n2 1 1\n1 1 1\n2 2 2\n3 1 1\n",
         "!5: document 1 comes after document 2: expected documents in rising "
         "order\n#2/: 0*1 1*2\n#3/: 0*1\n"},
        {"3\n7\n6\n1 5 1\n1 2 2\n1 5 3\n1 7 1\n1 2 1\n2 5 1\n",
         "!6: word 5 of document 1 is there twice: expected each word once\n"
         "!8: word 2 of document 1 is there twice: expected each word once\n"
         "#1/: 4*1 1*2 6*1\n#2/: 4*1\n"},
        {"3\n7\n2\n1 5 1\n\n\n1 2 2\n",
         "!5: the line is empty: " TWO "\n!6: the line is empty: " TWO "\n"
         "#1/: 4*1 1*2\n"},
        {"3\n7\n9\n1 5 1\n1 2 2\n",
         "!6: the file ends after 2 of 9 entries: expected as many as the "
         "header says\n#1/: 4*1 1*2\n"},
        {"3\n7\n9\n1 5 1\n1 2 2",
         "!5: the file ends within a line, after 1 of 9 entries: expected as "
         "many as the header says\n#1/: 4*1\n"},
        {"3\n7\n1\n1 5 1\n1 2 2\n2 2 2\n",
         "!5: there are more than the 1 entries that the header says: expected "
         "the end of the file\n#1/: 4*1 1*2\n#2/: 1*2\n"},
        {"3\n7\n2\n1 5 1\n1 x 2\n",
         "!5: \"x\" is not a number: expected a word from 1 to 7\n"
         "#1/: 4*1\n"},
        {"3\n7\n1\n1 5 1\nthe end\n",
         "!5: the line has 2 fields: " TWO "\n#1/: 4*1\n"},
    };

    check_readings(&format_uci, &skipping, cases,
                   sizeof cases / sizeof *cases);
}

TEST(uci_header_is_never_passed_over)
{
    OWN(source_free) source s = source_text("2\n7\nx\n1 1 1\n");
    const reader_opts opts = opts_of(7, true);
    kedge_error err = {0};
    docs all = {0};

    ck_fails(read_all(s.path, &opts, &no_limits, &all, NULL, &err),
             KEDGE_EFORMAT, err, ":3: \"x\" is not a number");
}

TEST(uci_shows_the_end_of_a_long_path)
{
    char path[600] = "/tmp", text[300];
    const reader_opts opts = opts_of(7, true);
    OWN(source_free) source s = source_text("1\n7\n1\n1 x 1\n");
    reader_counts counts = {0};
    kedge_error err = {0};
    OWN(docs_free) docs all = {0};

    for (int i = 0; i < 200; i++)
        strcat(path, "/.");
    strcat(strcat(path, "/.."), s.path);
    ck_ok(read_all(path, &opts, &no_limits, &all, &counts, &err), err);
    snprintf(text, sizeof text, "%s:4: \"x\" is not a number", s.path);
    ck_assert_ptr_nonnull(strstr(counts.bad.line[0], text));
    ck_assert(strncmp(counts.bad.line[0], "...", 3) == 0);
}

/* ---- what is right ------------------------------------------------------- */

TEST(uci_takes_all_liberties_of_the_format)
{
    static const char *const texts[] = {
        "3\n7\n3\n1 2 1\n1 3 12345678\n3 7 3\n",
        "3\n7\n3\n1 2 1\n1 3 12345678\n3 7 3",
        "3\r\n7\r\n3\r\n1 2 1\r\n1 3 12345678\r\n3 7 3\r\n",
        "3\r\n7\r\n3\r\n1 2 1\r\n1 3 12345678\r\n3 7 3\r",
        " 3\n7 \n\t3\n1\t2\t1\n  1   3\t12345678  \n3 7 3\n\n \n",
        "03\n007\n3\n1 3 12345678\n01 002 0000000000001\n3 7 3\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_bytes(&format_uci, &(record_opts){.words = 7}, texts[i],
                    strlen(texts[i]),
                    i < 5 ? "#1/: 1*1 2*12345678\n#3/: 6*3\n"
                          : "#1/: 2*12345678 1*1\n#3/: 6*3\n");
}

TEST(uci_takes_the_largest_numbers)
{
    const reading r = {"4611686018427387904\n4294967294\n3\n"
                       "1 4294967294 2147483647\n"
                       "123456789012345 99999999 9999999\n"
                       "4611686018427387904 1 1\n",
                       "#1/: 4294967293*2147483647\n"
                       "#123456789012345/: 99999998*9999999\n"
                       "#4611686018427387904/: 0*1\n"};

    check_readings(&format_uci, &(record_opts){.words = 4294967294}, &r, 1);
}

/* ---- by chance ----------------------------------------------------------- */

/* Documents of all sizes, and numbers of all lengths. */
static void random_docs(chance *c, docs *d, uint64_t known)
{
    const uint64_t documents = chance_below(c, 40);
    uint64_t position = 0;

    for (uint64_t i = 0; i < documents; i++) {
        position += 1;
        if (chance_below(c, 4) == 0)
            position += chance_below(c, 1000000);
        if (!docs_begin(d, position))
            ck_abort();
        uint64_t word = chance_below(c, known);
        const uint64_t step = 1 + chance_below(c, 2 + known / 20);
        do {
            const uint64_t size = UINT64_C(1) << chance_below(c, 31);
            if (!docs_push(d, (uint32_t)word,
                           (uint32_t)(1 + chance_below(c, size))))
                ck_abort();
            word += 1 + chance_below(c, step);
        } while (word < known);
    }
}

/* Another entry of the same document, each of them once: for printing. */
static size_t swapped(const docs *d, size_t doc, size_t i, bool shuffle)
{
    const size_t from = d->start[doc], n = d->start[doc + 1] - from;

    if (!shuffle)
        return i;
    return from + (n % 7 == 0 ? n - 1 - (i - from) : (7 * (i - from) + 3) % n);
}

/* `style` 0 is the plain one. */
static void print_uci(const docs *d, uint64_t known, uint64_t style,
                      chance *c, blob *to)
{
    static const char *const ends[] = {"\n", "\n", "\r\n", " \n"};
    static const char *const gaps[] = {" ", "\t", "  ", " \t "};
    const char *const end = ends[style % 4];

    blob_print(to, "%llu%s%llu%s%zu%s", 99999999999999ULL, end,
               (unsigned long long)known, end, docs_entries(d), end);
    for (size_t i = 0; i < d->count; i++)
        for (size_t j = d->start[i]; j < d->start[i + 1]; j++) {
            const size_t k = swapped(d, i, j, style % 2 == 1);
            const char *gap = gaps[style == 0 ? 0 : chance_below(c, 4)];
            blob_print(to, "%llu%s%u%s%u%s",
                       (unsigned long long)d->position[i], gap,
                       d->word[k] + 1, gap, d->tally[k], end);
        }
}

TEST(uci_reads_what_was_printed)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        const uint64_t known = 1 + chance_below(&c, 20000);
        const reader_limits limits = {1 + chance_below(&c, 9),
                                      1 + chance_below(&c, 999), 0, 0};
        const reader_opts opts = opts_of(known, false);
        OWN(docs_free) docs printed = {0}, all = {0};
        kedge_error err = {0};
        OWN(blob_free) blob b = {0};
        random_docs(&c, &printed, known);
        print_uci(&printed, known, seed % 4, &c, &b);
        OWN(source_free) source s = source_make(b.bytes, b.size);
        ck_ok(read_all(s.path, &opts, &limits, &all, NULL, &err), err);
        ck_same_docs(&printed, &all);
    }
}

TEST(uci_batches_end_with_documents_at_the_limit)
{
    OWN(source_free) source s =
        source_text("9\n7\n7\n1 1 1\n1 2 1\n2 1 1\n4 1 1\n5 1 1\n"
                           "5 2 1\n5 3 1\n");
    const reader_opts opts = opts_of(7, false);
    const reader_limits limits = {2, 3, 0, 0};
    const size_t documents[] = {2, 2}, entries[] = {3, 4};
    kedge_error err = {0};
    OWN(docs_free) docs batch = {0};
    OWN(reader_end) reader *r = NULL;
    bool more = true;

    ck_ok(reader_open(s.path, &opts, &r, &err), err);
    for (int i = 0; i < 2; i++) {
        ck_assert(more);
        docs_clear(&batch);
        ck_ok(reader_next(r, &limits, &batch, &more, &err), err);
        ck_assert_uint_eq(batch.count, documents[i]);
        ck_assert_uint_eq(docs_entries(&batch), entries[i]);
    }
    docs_clear(&batch);
    ck_ok(reader_next(r, &limits, &batch, &more, &err), err);
    ck_assert(!more && batch.count == 0);
}

/* A document whose next line has to be waited for is given later. */
TEST(uci_documents_wait_for_their_end)
{
    static const char text[] = "2\n3\n3\n1 1 1\n2 1 1\n";
    const reader_limits limits = {SIZE_MAX, SIZE_MAX, 0, 0.05};
    const reader_opts opts = opts_of(3, false);
    kedge_error err = {0};
    OWN(reader_end) reader *r = NULL;
    OWN(docs_free) docs batch = {0};
    bool more;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], 0), 0);
    close(ends[0]);
    ck_assert_int_eq(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    ck_ok(reader_open("-", &opts, &r, &err), err);
    ck_ok(reader_next(r, &limits, &batch, &more, &err), err);
    ck_assert(more && batch.count == 1 && batch.position[0] == 1);
    ck_assert_int_eq(write(ends[1], "2 3 1\n", 6), 6);
    close(ends[1]);
    docs_clear(&batch);
    ck_ok(reader_next(r, &limits, &batch, &more, &err), err);
    ck_assert(!more && batch.count == 1 && docs_entries(&batch) == 2);
}

TEST(uci_without_memory)
{
    check_gate(&format_uci, &(record_opts){.words = 7},
               "2\n7\n3\n1 5 1\n1 2 2\n2 1 1\n");
}
