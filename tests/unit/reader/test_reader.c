/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "base/hash.h"

static const reader_limits no_limits = {SIZE_MAX, SIZE_MAX, 0, 0};

#define WORDS 5000

/* A corpus that is larger than the reader's windows, every fifth document in
 * falling order, every seventh missing. */
static void corpus(blob *b, unsigned documents)
{
    unsigned entries = 0;

    for (unsigned d = 1; d <= documents; d++)
        entries += d % 7 == 0 ? 0 : d % 50;
    blob_print(b, "%u\n%u\n%u\n", documents, WORDS, entries);
    for (unsigned d = 1; d <= documents; d++)
        for (unsigned i = 0; d % 7 != 0 && i < d % 50; i++) {
            const unsigned rank = d % 5 == 0 ? d % 50 - 1 - i : i;
            const unsigned tally =
                hash_stream(d, i) % 10 > 0 ? 1 : (unsigned)hash_mix(i) % 999;
            blob_print(b, "%u %u %u\n", d, 1 + rank * 99 + d % 90, tally + 1);
        }
}

/* Reads a blob, from a file or, `piece` above 0, from a pipe in pieces. */
static void check_read(const blob *b, size_t piece, reader_limits limits,
                       const docs *expected)
{
    const reader_opts opts = {.format = piece > 0 ? KEDGE_FORMAT_UCI
                                        : KEDGE_FORMAT_AUTO,
                              .words = WORDS,
                              .vocabulary = true};
    kedge_error err = {0};
    reader_counts counts;
    docs all = {0};
    source s = {.path = "-"};
    dribble d;

    if (piece > 0)
        dribble_start(&d, b->bytes, b->size, piece);
    else
        s = source_make(b->bytes, b->size);
    ck_ok(read_all(s.path, &opts, &limits, &all, &counts, &err), err);
    ck_same_docs(&all, expected);
    ck_assert_uint_eq(counts.bytes_read, b->size);
    ck_assert_uint_eq(counts.bytes_total, piece > 0 ? 0 : b->size);
    ck_assert_uint_eq(counts.documents, expected->count);
    if (piece > 0)
        dribble_stop(&d);
    else
        source_free(&s);
    docs_free(&all);
}

static void expect(const blob *text, docs *expected)
{
    const reader_opts opts = {.format = KEDGE_FORMAT_AUTO,
                              .words = WORDS,
                              .vocabulary = true};
    source s = source_make(text->bytes, text->size);
    kedge_error err = {0};

    ck_ok(read_all(s.path, &opts, &no_limits, expected, NULL, &err), err);
    source_free(&s);
}

START_TEST(reader_gives_the_same_documents_however_packed)
{
    docs expected = {0};
    blob text = {0}, gzip = {0}, zstd = {0};

    corpus(&text, 6000);
    ck_assert_uint_gt(text.size, 1000000);
    blob_gzip(&gzip, text.bytes, 5000);
    blob_gzip(&gzip, text.bytes + 5000, text.size - 5000);
    blob_zstd(&zstd, text.bytes, 777777);
    blob_zstd(&zstd, text.bytes + 777777, text.size - 777777);
    expect(&text, &expected);
    check_read(&text, 0, no_limits, &expected);
    check_read(&gzip, 0, no_limits, &expected);
    check_read(&zstd, 0, no_limits, &expected);
    docs_free(&expected);
    blob_free(&text);
    blob_free(&gzip);
    blob_free(&zstd);
}
END_TEST

START_TEST(reader_gives_the_same_documents_at_any_limits)
{
    static const reader_limits limits[] = {
        {1, SIZE_MAX, 0, 0}, {SIZE_MAX, 1, 0, 0}, {0, 0, 0, 0},
        {7, 100, 0, 0},      {1000, 333, 0, 0},   {9, 99, 0, 1e-9},
    };
    docs expected = {0};
    blob text = {0};

    corpus(&text, 2000);
    expect(&text, &expected);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        check_read(&text, 0, limits[i], &expected);
    docs_free(&expected);
    blob_free(&text);
}
END_TEST

START_TEST(reader_gives_the_same_documents_in_any_pieces)
{
    docs expected = {0};
    blob text = {0}, gzip = {0}, zstd = {0};

    corpus(&text, 100);
    blob_gzip(&gzip, text.bytes, text.size);
    blob_zstd(&zstd, text.bytes, text.size);
    expect(&text, &expected);
    for (size_t piece = 1; piece < 100; piece += 1 + piece / 3) {
        check_read(&text, piece, no_limits, &expected);
        check_read(&gzip, piece, no_limits, &expected);
        check_read(&zstd, piece, no_limits, &expected);
    }
    docs_free(&expected);
    blob_free(&text);
    blob_free(&gzip);
    blob_free(&zstd);
}
END_TEST

START_TEST(reader_counts_what_it_read)
{
    const reader_opts opts = {.format = KEDGE_FORMAT_AUTO,
                              .words = WORDS,
                              .vocabulary = true};
    reader_counts counts;
    kedge_error err = {0};
    docs all = {0};
    blob text = {0}, zstd = {0};

    corpus(&text, 700);
    blob_zstd(&zstd, text.bytes, text.size);
    source s = source_make(zstd.bytes, zstd.size);
    ck_ok(read_all(s.path, &opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(counts.bytes_read, zstd.size);
    ck_assert_uint_eq(counts.bytes_text, text.size);
    ck_assert_uint_eq(counts.bytes_total, zstd.size);
    ck_assert_uint_eq(counts.empty, 700 - all.count);
    ck_assert_uint_eq(counts.documents, 700 - 100 - 14 + 2);
    ck_assert_uint_eq(counts.bad, 0);
    ck_assert_str_eq(counts.first_bad, "");
    source_free(&s);
    docs_free(&all);
    blob_free(&text);
    blob_free(&zstd);
}
END_TEST

#define UCI                                                             \
    "UCI bag-of-words was expected (the numbers of documents, words "   \
    "and entries on three lines, then lines \"document word count\")"

START_TEST(reader_knows_formats_by_content)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "1: the file is empty: " UCI},
        {"once upon a time\n", "1: the format is not known: " UCI},
        {"{\"text\": 1}\n", "1: the format is not known: " UCI},
        {"3 1:2 4:5\n", "1: the format is not known: " UCI},
        {"-5\n7\n1\n",
         "1: \"-5\" is negative: the number of documents was expected"},
        {"5\n6\n1\n",
         "2: the header says 6 words, the vocabulary has 7: the vocabulary "
         "of this file was expected"},
    };
    const reader_opts opts = {.format = KEDGE_FORMAT_AUTO,
                              .words = 7,
                              .vocabulary = true};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        source s = source_text(cases[i].text);
        kedge_error err = {0};
        char text[512];
        reader *r = NULL;
        snprintf(text, sizeof text, "%s:%s", s.path, cases[i].reason);
        ck_assert_int_eq(reader_open(s.path, &opts, &r, &err),
                         KEDGE_EFORMAT);
        ck_assert_str_eq(err.text, text);
        ck_assert_ptr_null(r);
        source_free(&s);
    }
}
END_TEST

START_TEST(reader_needs_a_format_for_a_pipe)
{
    const reader_opts wild = {.words = 7};
    const reader_opts odd = {.format = (kedge_format)99, .words = 7};
    kedge_error err = {0};
    reader *r = NULL;

    ck_fails(reader_open("-", &wild, &r, &err), KEDGE_EINVAL, err,
             "standard input: a pipe needs --from");
    ck_fails(reader_open("x", &odd, &r, &err), KEDGE_EINVAL, err,
             "x: 99 is not a format");
    ck_assert_ptr_null(r);
}
END_TEST

START_TEST(reader_names_standard_input)
{
    const reader_opts opts = {.format = KEDGE_FORMAT_UCI,
                              .words = 7,
                              .vocabulary = true};
    static const char text[] = "1\n7\n1\n1 8 1\n";
    kedge_error err = {0};
    docs all = {0};
    dribble d;

    dribble_start(&d, text, sizeof text - 1, 100);
    ck_fails(read_all("-", &opts, &no_limits, &all, NULL, &err),
             KEDGE_EFORMAT, err,
             "standard input:4: the word 8 is too large: a word from 1 to 7 "
             "was expected");
    dribble_stop(&d);
}
END_TEST

/* Damage of the compression is not a record that could be passed over. */
START_TEST(reader_never_passes_over_damage)
{
    const reader_opts opts = {.format = KEDGE_FORMAT_AUTO,
                              .words = WORDS,
                              .skip_bad = true,
                              .vocabulary = true};
    kedge_error err = {0};
    docs all = {0};
    blob text = {0}, zstd = {0};

    corpus(&text, 3000);
    blob_zstd(&zstd, text.bytes, text.size);
    source s = source_make(zstd.bytes, zstd.size - 1);
    ck_fails(read_all(s.path, &opts, &no_limits, &all, NULL, &err),
             KEDGE_EFORMAT, err, "the zstd data ends too early");
    source_free(&s);
    docs_free(&all);
    blob_free(&text);
    blob_free(&zstd);
}
END_TEST

START_TEST(reader_gives_whole_documents_before_a_failure_and_none_after)
{
    source s = source_text("3\n7\n4\n1 1 1\n2 1 1\n2 2 1\n2 3 x\n");
    const reader_opts opts = {.format = KEDGE_FORMAT_AUTO,
                              .words = 7,
                              .vocabulary = true};
    kedge_error err = {0};
    reader_counts counts;
    docs batch = {0};
    reader *r = NULL;
    bool more = true;

    ck_ok(reader_open(s.path, &opts, &r, &err), err);
    ck_fails(reader_next(r, &no_limits, &batch, &more, &err), KEDGE_EFORMAT,
             err, ":7: \"x\" is not a number");
    ck_assert(!more);
    ck_assert_uint_eq(batch.count, 1);
    reader_get_counts(r, &counts);
    ck_assert_uint_eq(counts.documents, 1);
    ck_fails(reader_next(r, &no_limits, &batch, &more, &err), KEDGE_EMISUSE,
             err, "read on after a failure");
    reader_close(r);
    docs_free(&batch);
    source_free(&s);
}
END_TEST

START_TEST(reader_needs_no_error_text)
{
    const reader_opts opts = {.format = KEDGE_FORMAT_AUTO,
                              .words = 7,
                              .vocabulary = true};
    source s = source_text("3\n7\n4\n1 1 x\n");
    docs batch = {0};
    reader *r = NULL;
    bool more;

    ck_assert_int_eq(reader_open("/nowhere", &opts, &r, NULL), KEDGE_EIO);
    ck_assert_int_eq(reader_open(s.path, &opts, &r, NULL), KEDGE_OK);
    ck_assert_int_eq(reader_next(r, &no_limits, &batch, &more, NULL),
                     KEDGE_EFORMAT);
    reader_close(r);
    reader_close(NULL);
    docs_free(&batch);
    source_free(&s);
}
END_TEST

START_TEST(reader_promises_its_memory)
{
    ck_assert_uint_gt(reader_memusage(), 128 << 20);
    ck_assert_uint_lt(reader_memusage(), 132 << 20);
}
END_TEST

static int allowed;

static bool gate(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

START_TEST(reader_leaves_nothing_where_there_is_no_memory)
{
    const reader_opts opts = {.format = KEDGE_FORMAT_AUTO,
                              .words = WORDS,
                              .vocabulary = true};
    docs expected = {0};
    blob text = {0}, packed[3] = {{0}};

    corpus(&text, 200);
    expect(&text, &expected);
    blob_add(&packed[0], text.bytes, text.size);
    blob_gzip(&packed[1], text.bytes, text.size);
    blob_zstd(&packed[2], text.bytes, text.size);
    for (int p = 0; p < 3; p++) {
        source s = source_make(packed[p].bytes, packed[p].size);
        kedge_status st = KEDGE_ENOMEM;
        for (int k = 0; st != KEDGE_OK; k++) {
            kedge_error err = {0};
            reader *r = NULL;
            docs batch = {0};
            bool more;
            allowed = k;
            mem_set_gate(gate);
            st = reader_open(s.path, &opts, &r, &err);
            if (st == KEDGE_OK)
                st = reader_next(r, &no_limits, &batch, &more, &err);
            mem_set_gate(NULL);
            if (st == KEDGE_OK)
                ck_same_docs(&batch, &expected);
            else
                ck_assert_int_eq(st, KEDGE_ENOMEM);
            reader_close(r);
            docs_free(&batch);
        }
        source_free(&s);
        blob_free(&packed[p]);
    }
    docs_free(&expected);
    blob_free(&text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        reader_gives_the_same_documents_however_packed,
        reader_gives_the_same_documents_at_any_limits,
        reader_gives_the_same_documents_in_any_pieces,
        reader_counts_what_it_read,
        reader_knows_formats_by_content,
        reader_needs_a_format_for_a_pipe,
        reader_names_standard_input,
        reader_never_passes_over_damage,
        reader_gives_whole_documents_before_a_failure_and_none_after,
        reader_needs_no_error_text,
        reader_promises_its_memory,
        reader_leaves_nothing_where_there_is_no_memory,
        NULL,
    };

    return unit_run("reader", tests);
}
