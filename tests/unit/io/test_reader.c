/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "base/hash.h"
#include "io/lines.h"

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
    ck_assert_uint_eq(counts.bad.count, 0);
    ck_assert_str_eq(counts.bad.line[0], "");
    source_free(&s);
    docs_free(&all);
    blob_free(&text);
    blob_free(&zstd);
}
END_TEST

#define KNOWN                                                           \
    "UCI bag-of-words (three numbers on three lines), JSON lines or an " \
    "array, Matrix Market or a table with named columns was expected "   \
    "(--text-field says which of them has the text); --from lines reads a " \
    "document a line, --from files all as one, --from names other formats"

START_TEST(reader_knows_formats_by_content)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"\n\n", "1: the format is not known: " KNOWN},
        {"once upon a time\n", "1: the format is not known: " KNOWN},
        {"3 1:2 4:5\n", "1: the format is not known: " KNOWN},
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

START_TEST(reader_finds_all_files_first)
{
    source s = source_text("1\n1\n1\n1 1 1\n");
    const char *const paths[] = {s.path, "-", "/nowhere", "/neither"};
    kedge_error err = {0};

    ck_ok(reader_find(paths, 2, &err), err);
    ck_fails(reader_find(paths, 4, &err), KEDGE_EIO, err,
             "/nowhere: cannot open: No such file or directory");
    source_free(&s);
}
END_TEST

/* ---- all formats --------------------------------------------------------- */

/* The same two documents, "aa bb bb" and "cc", in each of them. */
static const struct {
    kedge_format format;
    bool known;   /* by its content */
    bool numbers; /* of words in a vocabulary */
    const char *text;
} sources[] = {
    {KEDGE_FORMAT_UCI, true, true, "2\n3\n3\n1 1 1\n1 2 2\n2 3 1\n"},
    {KEDGE_FORMAT_JSONL, true, false,
     "{\"text\": \"aa bb bb\"}\n{\"text\": {\"cc\": 1}}\n"},
    {KEDGE_FORMAT_LINES, false, false, "aa bb, bb\ncc\n"},
    {KEDGE_FORMAT_MALLET, false, false, "d1 news aa bb bb\nd2 news cc\n"},
    {KEDGE_FORMAT_TSV, true, false, "id\ttext\nd1\taa bb bb\nd2\tcc\n"},
    {KEDGE_FORMAT_CSV, true, false, "id,text\nd1,\"aa bb\nbb\"\nd2,cc\n"},
    {KEDGE_FORMAT_SVMLIGHT, false, true, "1 1:1 2:2\n-1 3:1\n"},
    {KEDGE_FORMAT_LDAC, false, true, "2 0:1 1:2\n1 2:1\n"},
    {KEDGE_FORMAT_MTX, true, true,
     "%%MatrixMarket matrix coordinate integer general\n2 3 3\n"
     "1 1 1\n1 2 2\n2 3 1\n"},
    {KEDGE_FORMAT_VW, false, false, "1 | aa bb:2\n2 | cc\n"},
};

#define SOURCES (sizeof sources / sizeof *sources)

/* Options of a reader, and a lexicon where the words of numbers are. */
typedef struct setting {
    words list;
    wordmap ids;
    tokenizer_opts tokens;
    reader_opts opts;
} setting;

static void setting_begin(setting *s, kedge_format format, bool vocabulary)
{
    uint32_t id;

    *s = (setting){0};
    tokenizer_opts_init(&s->tokens);
    ck_assert(wordmap_open(&s->ids, &s->list));
    for (int i = 0; vocabulary && i < 3; i++)
        ck_assert(wordmap_add(&s->ids, span_of(&"aabbcc"[2 * i], 2), &id));
    s->opts = (reader_opts){.format = format,
                            .words = s->list.count,
                            .vocabulary = vocabulary,
                            .lexicon = &s->ids,
                            .tokens = &s->tokens};
}

static void setting_end(setting *s)
{
    wordmap_close(&s->ids);
    words_free(&s->list);
}

static void check_two(const docs *d)
{
    static const uint32_t word[] = {0, 1, 2}, tally[] = {1, 2, 1};

    ck_assert_uint_eq(d->count, 2);
    ck_assert_uint_eq(d->start[1], 2);
    ck_assert_uint_eq(d->start[2], 3);
    ck_assert_mem_eq(d->word, word, sizeof word);
    ck_assert_mem_eq(d->tally, tally, sizeof tally);
    ck_assert_uint_lt(d->position[0], d->position[1]);
}

static void read_two(const char *path, setting *s)
{
    kedge_error err = {0};
    docs all = {0};

    ck_ok(read_all(path, &s->opts, &no_limits, &all, NULL, &err), err);
    check_two(&all);
    if (!s->opts.vocabulary) {
        ck_assert_uint_eq(s->list.count, 3);
        ck_assert_str_eq(words_get(&s->list, 2), "cc");
    }
    docs_free(&all);
}

START_TEST(every_format_is_read_when_asked_for)
{
    for (size_t i = 0; i < SOURCES; i++) {
        source f = source_text(sources[i].text);
        for (int vocabulary = 0; vocabulary < 2; vocabulary++) {
            setting s;
            if (sources[i].numbers && !vocabulary)
                continue;
            setting_begin(&s, sources[i].format, vocabulary);
            read_two(f.path, &s);
            setting_end(&s);
        }
        source_free(&f);
    }
}
END_TEST

START_TEST(there_is_nothing_in_an_empty_file)
{
    for (unsigned i = 0; i < 4 * KEDGE_FORMAT_FILES; i++) {
        const kedge_format format = (kedge_format)(i / 4);
        kedge_error err = {0};
        reader_counts counts;
        docs all = {0};
        setting s;
        if (format == KEDGE_FORMAT_UCI || format == KEDGE_FORMAT_MTX)
            continue; /* they begin with how much there is */
        source f = source_text(i % 2 == 0 ? "" : "\xef\xbb\xbf");
        setting_begin(&s, format, true);
        s.opts.empty = i / 2 % 2 == 1; /* documents without words count */
        ck_ok(read_all(f.path, &s.opts, &no_limits, &all, &counts, &err),
              err);
        ck_assert_uint_eq(all.count + counts.empty + counts.bad.count, 0);
        setting_end(&s);
        source_free(&f);
    }
}
END_TEST

START_TEST(formats_that_show_are_known)
{
    for (size_t i = 0; i < SOURCES; i++) {
        source f = source_text(sources[i].text);
        kedge_error err = {0};
        reader *r = NULL;
        setting s;
        setting_begin(&s, KEDGE_FORMAT_AUTO, true);
        if (sources[i].known) {
            read_two(f.path, &s);
            ck_ok(reader_open(f.path, &s.opts, &r, &err), err);
            ck_assert(reader_needs_vocabulary(r) == sources[i].numbers);
            ck_assert(reader_gives_lines(r) ==
                      (sources[i].format == KEDGE_FORMAT_UCI));
            reader_close(r);
        } else {
            ck_fails(reader_open(f.path, &s.opts, &r, &err), KEDGE_EFORMAT,
                     err, "1: the format is not known");
        }
        setting_end(&s);
        source_free(&f);
    }
}
END_TEST

START_TEST(every_format_comes_through_a_pipe)
{
    for (size_t i = 0; i < SOURCES; i++)
        for (size_t piece = 1; piece < 40; piece += 7) {
            setting s;
            dribble d;
            dribble_start(&d, sources[i].text, strlen(sources[i].text), piece);
            setting_begin(&s, sources[i].format, sources[i].numbers);
            read_two("-", &s);
            setting_end(&s);
            dribble_stop(&d);
        }
}
END_TEST

/* One that is opened by a name is still read once only. */
START_TEST(a_named_pipe_is_not_looked_into)
{
    const char *const text = sources[2].text;
    kedge_error err = {0};
    reader *r = NULL;
    char path[64];
    int ends[2];
    setting s;

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], text, strlen(text)),
                     (ssize_t)strlen(text));
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    setting_begin(&s, KEDGE_FORMAT_AUTO, false);
    ck_fails(reader_open(path, &s.opts, &r, &err), KEDGE_EINVAL, err,
             ": a pipe needs --from");
    s.opts.format = KEDGE_FORMAT_LINES; /* and nothing of it is lost */
    read_two(path, &s);
    setting_end(&s);
    close(ends[0]);
}
END_TEST

START_TEST(numbers_need_their_vocabulary)
{
    for (size_t i = 0; i < SOURCES; i++)
        for (int known = 0; known < 2; known++) {
            source f = source_text(sources[i].text);
            kedge_error err = {0};
            reader *r = NULL;
            setting s;
            if (!sources[i].numbers || (known && !sources[i].known))
                continue;
            setting_begin(&s, known ? KEDGE_FORMAT_AUTO : sources[i].format,
                          false);
            ck_fails(reader_open(f.path, &s.opts, &r, &err), KEDGE_EINVAL,
                     err, "words are numbers here");
            ck_assert_ptr_nonnull(strstr(err.text, f.path));
            ck_assert_ptr_nonnull(strstr(err.text, "--vocab"));
            ck_assert_ptr_null(r);
            setting_end(&s);
            source_free(&f);
        }
}
END_TEST

/* With a vocabulary, no other words are taken from texts. */
START_TEST(a_vocabulary_closes_the_lexicon)
{
    source f = source_text("aa xx bb\nxx yy\ncc xx\n");
    kedge_error err = {0};
    reader_counts counts;
    docs all = {0};
    setting s;

    setting_begin(&s, KEDGE_FORMAT_LINES, true);
    ck_ok(read_all(f.path, &s.opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(s.list.count, 3);
    ck_assert_uint_eq(all.count, 2);
    ck_assert_uint_eq(all.length[0], 2);
    ck_assert_uint_eq(all.position[1], 3);
    ck_assert_uint_eq(counts.empty, 1);
    ck_assert_uint_eq(counts.documents, 2);
    docs_free(&all);
    setting_end(&s);
    source_free(&f);
}
END_TEST

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(a_directory_is_read_as_files)
{
    char folder[] = "/tmp/kedge-XXXXXX", path[64];
    const char *const dir = mkdtemp(folder);
    kedge_error err = {0};
    reader_counts counts;
    docs all = {0};
    reader *r = NULL;
    setting s;

    ck_assert_ptr_nonnull(dir);
    snprintf(path, sizeof path, "%s/b", dir);
    write_text(path, "cc");
    snprintf(path, sizeof path, "%s/a", dir);
    write_text(path, "aa bb\nbb\n");
    snprintf(path, sizeof path, "%s/.hidden", dir);
    write_text(path, "dd");
    snprintf(path, sizeof path, "%s/round", dir);
    ck_assert_int_eq(symlink(".", path), 0);
    snprintf(path, sizeof path, "%s/self", dir);
    ck_assert_int_eq(symlink("self", path), 0);
    for (int i = 0; i < 2; i++) {
        setting_begin(&s, i == 0 ? KEDGE_FORMAT_AUTO : KEDGE_FORMAT_FILES,
                      false);
        docs_clear(&all);
        ck_ok(read_all(dir, &s.opts, &no_limits, &all, &counts, &err), err);
        check_two(&all);
        ck_assert_uint_eq(counts.bytes_read, 11);
        ck_assert_uint_eq(counts.documents, 2);
        ck_assert_uint_eq(counts.hidden, 1);
        ck_assert_uint_eq(counts.others, 2);
        setting_end(&s);
    }
    unlink(path);
    snprintf(path, sizeof path, "%s/round", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/.hidden", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/a", dir);
    setting_begin(&s, KEDGE_FORMAT_FILES, false);
    docs_clear(&all); /* or a file by itself */
    ck_ok(read_all(path, &s.opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(all.count, 1);
    ck_assert(span_equal(docs_id(&all, 0), span_text(path)));
    ck_fails(reader_open("-", &s.opts, &r, &err), KEDGE_EINVAL, err,
             "a pipe has no name");
    s.opts.format = KEDGE_FORMAT_UCI;
    ck_fails(reader_open(dir, &s.opts, &r, &err), KEDGE_EINVAL, err,
             "this is a directory: a file was expected");
    setting_end(&s);
    setting_begin(&s, KEDGE_FORMAT_LINES, false); /* of each file */
    docs_clear(&all);
    ck_ok(read_all(dir, &s.opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(counts.documents + counts.files, 0);
    setting_end(&s);
    unlink(path);
    snprintf(path, sizeof path, "%s/b", dir);
    unlink(path);
    rmdir(dir);
    docs_free(&all);
}
END_TEST

/* A source that breaks off is no malformed record. */
START_TEST(damage_is_told_apart)
{
    for (size_t i = 0; i < SOURCES; i++) {
        reader_counts counts;
        blob text = {0}, gzip = {0};
        kedge_error err = {0};
        docs all = {0};
        setting s;
        blob_add(&text, sources[i].text, strlen(sources[i].text));
        blob_gzip(&gzip, text.bytes, text.size);
        source f = source_make(gzip.bytes, gzip.size - 4);
        setting_begin(&s, sources[i].format, true);
        s.opts.skip_bad = true;
        if (sources[i].format == KEDGE_FORMAT_UCI) {
            ck_fails(read_all(f.path, &s.opts, &no_limits, &all, NULL, &err),
                     KEDGE_EFORMAT, err, "the gzip data ends too early");
        } else {
            ck_ok(read_all(f.path, &s.opts, &no_limits, &all, &counts, &err),
                  err);
            ck_assert_uint_eq(counts.bad.count, 0);
            ck_assert_uint_eq(counts.unread.count, 1);
            ck_assert_ptr_nonnull(strstr(counts.unread.line[0],
                                         "the gzip data ends too early"));
        }
        setting_end(&s);
        source_free(&f);
        docs_free(&all);
        blob_free(&text);
        blob_free(&gzip);
    }
}
END_TEST

/* What is wrong with the last record is a count like any other. */
START_TEST(a_bad_end_is_passed_over)
{
    static const struct {
        kedge_format format;
        const char *text;
        const char *why;
    } cases[] = {
        {KEDGE_FORMAT_JSONL, "{\"text\": \"aa\"}\n{\"text\": ", ":2: "},
        {KEDGE_FORMAT_SVMLIGHT, "1 1:1\n1 9:1\n", ":2: "},
        {KEDGE_FORMAT_LDAC, "1 0:1\n1 0:1 1:1\n", ":2: "},
        {KEDGE_FORMAT_MTX,
         "%%MatrixMarket matrix coordinate integer general\n2 3 3\n"
         "1 1 1\n", "the file ends after 1 of 3 entries"},
        {KEDGE_FORMAT_CSV, "text\naa\n\"bb\n", ":3: "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        source f = source_text(cases[i].text);
        kedge_error err = {0};
        reader_counts counts;
        docs all = {0};
        setting s;
        setting_begin(&s, cases[i].format, true);
        s.opts.skip_bad = true;
        ck_ok(read_all(f.path, &s.opts, &no_limits, &all, &counts, &err), err);
        ck_assert_uint_eq(counts.bad.count, 1);
        ck_assert_ptr_nonnull(strstr(counts.bad.line[0], cases[i].why));
        ck_assert_uint_eq(all.count, 1);
        setting_end(&s);
        source_free(&f);
        docs_free(&all);
    }
}
END_TEST

static void write_in(const char *dir, const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    write_text(path, text);
}

/* Tables and JSON among texts are sources of their own. */
START_TEST(a_directory_may_hold_tables)
{
    char folder[] = "/tmp/kedge-XXXXXX", command[64], end[32];
    const char *const dir = mkdtemp(folder);
    static const char *const tables[] = {"a.csv", "d.json", "e.jsonl"};
    kedge_error err = {0};
    docs all = {0};
    reader *r;
    setting s;
    bool more;

    ck_assert_ptr_nonnull(dir);
    write_in(dir, "a.csv", "id,title,selftext\n1,aa,bb\n2,cc,aa\n");
    write_in(dir, "c.txt", "aa bb\ncc\n");
    write_in(dir, "d.json", "[{\"id\": 5, \"title\": \"aa\"}]\n");
    write_in(dir, "e.jsonl", "what is it?\n");
    write_in(dir, "e.tex", "{\\bf aa} bb\n");
    for (int files = 0; files < 2; files++) {
        setting_begin(&s, files ? KEDGE_FORMAT_FILES : KEDGE_FORMAT_AUTO,
                      false);
        s.opts.text_field = "title,selftext"; /* they need not have it */
        docs_clear(&all);
        ck_ok(reader_open(dir, &s.opts, &r, &err), err);
        ck_assert(reader_is_folder(r));
        ck_ok(reader_next(r, &no_limits, &all, &more, &err), err);
        ck_assert(!more);
        ck_assert_uint_eq(all.count, files ? 5 : 2);
        ck_assert_uint_eq(reader_records(r)->count, files ? 0 : 3);
        for (size_t i = 0; i < reader_records(r)->count; i++) {
            const char *const path = words_get(reader_records(r), i);
            snprintf(end, sizeof end, "%s/%s", dir, tables[i]);
            ck_assert_str_eq(path, end);
        }
        reader_close(r);
        setting_end(&s);
    }
    docs_free(&all);
    snprintf(command, sizeof command, "rm -r '%s'", dir);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* Ids and labels of any format, where none are wanted. */
START_TEST(names_can_be_left_out)
{
    static const struct {
        kedge_format format;
        const char *text;
    } cases[] = {
        {KEDGE_FORMAT_JSONL, "{\"id\": {}, \"label\": 1, \"text\": \"aa\"}"},
        {KEDGE_FORMAT_CSV, "id,text,label\nx,aa,y\n"},
        {KEDGE_FORMAT_MALLET, "x y aa\n"},
        {KEDGE_FORMAT_VW, "y 'x| aa\n"},
        {KEDGE_FORMAT_SVMLIGHT, "y 1:1 # x\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        source f = source_text(cases[i].text);
        kedge_error err = {0};
        docs all = {0};
        setting s;
        setting_begin(&s, cases[i].format, true);
        s.opts.id_field = s.opts.label_field = "none";
        ck_ok(read_all(f.path, &s.opts, &no_limits, &all, NULL, &err), err);
        ck_assert_uint_eq(all.count, 1);
        ck_assert_uint_eq(docs_id(&all, 0).size, 0);
        ck_assert_uint_eq(docs_label(&all, 0).size, 0);
        setting_end(&s);
        source_free(&f);
        docs_free(&all);
    }
}
END_TEST

/* A text that is null is a document without a word. */
START_TEST(null_texts_are_counted)
{
    source f = source_text("{\"text\": null}\n{\"text\": \"aa\"}\n");
    kedge_error err = {0};
    reader_counts counts;
    docs all = {0};
    setting s;

    setting_begin(&s, KEDGE_FORMAT_JSONL, false);
    ck_ok(read_all(f.path, &s.opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(all.count, 1);
    ck_assert_uint_eq(counts.empty, 1);
    ck_assert_uint_eq(counts.bad.count, 0);
    setting_end(&s);
    docs_free(&all);
    source_free(&f);
}
END_TEST

/* What is no text is refused by its name, and can be passed over. */
START_TEST(what_is_no_text_is_refused)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *why;
    } cases[] = {
        {"%PDF-1.4\nplain words\n", 21, "this is a PDF"},
        {"{\\rtf1 plain words}", 19, "this is RTF"},
        {"plain\0words\n", 12, "this is no text"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        source f = source_make(cases[i].bytes, cases[i].size);
        kedge_error err = {0};
        reader_counts counts;
        docs all = {0};
        setting s;
        setting_begin(&s, KEDGE_FORMAT_LINES, false);
        ck_fails(read_all(f.path, &s.opts, &no_limits, &all, NULL, &err),
                 KEDGE_EFORMAT, err, cases[i].why);
        ck_assert_ptr_nonnull(strstr(err.text, READER_SKIP_FILE));
        s.opts.skip_bad = true;
        ck_ok(read_all(f.path, &s.opts, &no_limits, &all, &counts, &err), err);
        ck_assert_uint_eq(counts.unread.count, 1);
        ck_assert_ptr_nonnull(strstr(counts.unread.line[0], cases[i].why));
        ck_assert_uint_eq(all.count, 0);
        setting_end(&s);
        docs_free(&all);
        source_free(&f);
    }
}
END_TEST

/* Words of bags that nobody spells are told where they are. */
START_TEST(words_of_bags_have_a_longest)
{
    blob text = {0};
    kedge_error err = {0};
    docs all = {0};
    setting s;

    for (size_t size = 4096; size < 4098; size++) {
        text.size = 0;
        blob_print(&text, "| one ");
        for (size_t i = 0; i < size; i++)
            blob_add(&text, "x", 1);
        source f = source_make(text.bytes, text.size);
        setting_begin(&s, KEDGE_FORMAT_VW, false);
        docs_clear(&all);
        const kedge_status st =
            read_all(f.path, &s.opts, &no_limits, &all, NULL, &err);
        ck_assert_int_eq(st, size > 4096 ? KEDGE_EFORMAT : KEDGE_OK);
        if (size > 4096)
            ck_assert_ptr_nonnull(strstr(err.text, ":1: word 2 of the bag has "
                                         "4097 bytes: at most 4096 were "
                                         "expected; --skip-bad"));
        setting_end(&s);
        source_free(&f);
    }
    docs_free(&all);
    blob_free(&text);
}
END_TEST

/* An id that no store takes is told where it is, and can be passed over. */
START_TEST(ids_have_a_longest)
{
    blob text = {0};
    char id[256];
    kedge_error err = {0};
    reader_counts counts;
    docs all = {0};
    setting s;

    memset(id, 'x', sizeof id);
    for (size_t size = 254; size < 257; size++) {
        blob_add(&text, id, size);
        blob_print(&text, "\tnews\taa bb\n");
    }
    source f = source_make(text.bytes, text.size);
    setting_begin(&s, KEDGE_FORMAT_MALLET, false);
    ck_fails(read_all(f.path, &s.opts, &no_limits, &all, NULL, &err),
             KEDGE_EFORMAT, err,
             ":3: the id has 256 bytes: at most 255 were expected");
    docs_clear(&all);
    s.opts.skip_bad = true;
    ck_ok(read_all(f.path, &s.opts, &no_limits, &all, &counts, &err), err);
    ck_assert_uint_eq(all.count, 2);
    ck_assert_uint_eq(counts.bad.count, 1);
    setting_end(&s);
    source_free(&f);
    docs_free(&all);
    blob_free(&text);
}
END_TEST

/* ---- memory -------------------------------------------------------------- */

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

UNIT_SUITE("reader",
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
    reader_finds_all_files_first,
    reader_leaves_nothing_where_there_is_no_memory,
    every_format_is_read_when_asked_for,
    there_is_nothing_in_an_empty_file,
    formats_that_show_are_known,
    every_format_comes_through_a_pipe,
    a_named_pipe_is_not_looked_into,
    numbers_need_their_vocabulary,
    a_vocabulary_closes_the_lexicon,
    a_directory_is_read_as_files,
    damage_is_told_apart,
    a_bad_end_is_passed_over,
    a_directory_may_hold_tables,
    names_can_be_left_out,
    null_texts_are_counted,
    what_is_no_text_is_refused,
    words_of_bags_have_a_longest,
    ids_have_a_longest)
