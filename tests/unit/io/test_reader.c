/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "../base/chance.h"
#include "../base/gate.h"
#include "base/hash.h"
#include "io/lines.h"

static const reader_limits no_limits = {SIZE_MAX, SIZE_MAX, 0, 0};

/* Options of a reader, a lexicon, and what was read. */
typedef struct setting {
    words list;
    wordmap ids;
    tokenizer_opts tokens;
    reader_opts opts;
    docs all;
    reader_counts counts;
    kedge_error err;
} setting;

/* With a vocabulary the lexicon has its words, aa, bb and cc. */
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
    docs_free(&s->all);
    wordmap_close(&s->ids);
    words_free(&s->list);
}

static kedge_status read_path(setting *s, const char *path)
{
    docs_clear(&s->all);
    return read_all(path, &s->opts, &no_limits, &s->all, &s->counts, &s->err);
}

static kedge_status read_bytes(setting *s, const void *bytes, size_t size)
{
    source f = source_make(bytes, size);
    const kedge_status st = read_path(s, f.path);

    source_free(&f);
    return st;
}

static kedge_status read_text(setting *s, const char *text)
{
    return read_bytes(s, text, strlen(text));
}

/* ---- batches ------------------------------------------------------------- */

#define WORDS 5000

static kedge_status read_corpus(const char *path, kedge_format format,
                                const reader_limits *limits, docs *all,
                                reader_counts *counts, kedge_error *err)
{
    setting s;

    setting_begin(&s, format, true);
    s.opts.words = WORDS;
    s.opts.unknown = WORDS; /* ids up to this are looked for */
    const kedge_status st = read_all(path, &s.opts, limits, all, counts, err);
    setting_end(&s);
    return st;
}

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
    kedge_error err = {0};
    reader_counts counts;
    OWN(docs_free) docs all = {0};
    source s = {.path = "-"};
    dribble d;

    if (piece > 0)
        dribble_start(&d, b->bytes, b->size, piece);
    else
        s = source_make(b->bytes, b->size);
    ck_ok(read_corpus(s.path, piece > 0 ? KEDGE_FORMAT_UCI : KEDGE_FORMAT_AUTO,
                      &limits, &all, &counts, &err), err);
    ck_same_docs(&all, expected);
    ck_assert_uint_eq(counts.bytes_read, b->size);
    ck_assert_uint_eq(counts.bytes_total, piece > 0 ? 0 : b->size);
    ck_assert_uint_eq(counts.documents, expected->count);
    if (piece > 0)
        dribble_stop(&d);
    else
        source_free(&s);
}

/* A corpus plain, and as members and frames, and its documents. */
static void pack(unsigned documents, blob packed[3], docs *expected)
{
    kedge_error err = {0};
    blob *const text = &packed[0];

    corpus(text, documents);
    const size_t half = text->size / 3;
    blob_gzip(&packed[1], text->bytes, half);
    blob_gzip(&packed[1], text->bytes + half, text->size - half);
    blob_zstd(&packed[2], text->bytes, half);
    blob_zstd(&packed[2], text->bytes + half, text->size - half);
    OWN(source_free) source s = source_make(text->bytes, text->size);
    ck_ok(read_corpus(s.path, KEDGE_FORMAT_AUTO, &no_limits, expected, NULL,
                      &err), err);
}

TEST(documents_are_the_same_however_they_come)
{
    static const reader_limits limits[] = {
        {SIZE_MAX, SIZE_MAX, 0, 0}, {1, SIZE_MAX, 0, 0}, {SIZE_MAX, 1, 0, 0},
        {0, 0, 0, 0},               {7, 100, 0, 0},      {1000, 333, 0, 0},
        {9, 99, 0, 1e-9},
    };
    OWN(docs_free) docs expected = {0}, some = {0};
    blob packed[3] = {{0}}, small[3] = {{0}};

    pack(6000, packed, &expected);
    ck_assert_uint_gt(packed[0].size, 1000000);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        check_read(&packed[i % 3], 0, limits[i], &expected);
    pack(100, small, &some);
    for (size_t piece = 1; piece < 100; piece += 1 + piece / 3)
        for (int p = 0; p < 3; p++)
            check_read(&small[p], piece, no_limits, &some);
    for (int p = 0; p < 3; p++) {
        blob_free(&packed[p]);
        blob_free(&small[p]);
    }
}

TEST(reader_counts_what_it_read)
{
    reader_counts counts;
    kedge_error err = {0};
    OWN(docs_free) docs all = {0};
    OWN(blob_free) blob text = {0}, zstd = {0};

    corpus(&text, 700);
    blob_zstd(&zstd, text.bytes, text.size);
    OWN(source_free) source s = source_make(zstd.bytes, zstd.size);
    ck_ok(read_corpus(s.path, KEDGE_FORMAT_AUTO, &no_limits, &all, &counts,
                      &err), err);
    ck_assert_uint_eq(counts.bytes_read, zstd.size);
    ck_assert_uint_eq(counts.bytes_text, text.size);
    ck_assert_uint_eq(counts.bytes_total, zstd.size);
    ck_assert_uint_eq(counts.empty, 700 - all.count);
    ck_assert_uint_eq(counts.documents, 700 - 100 - 14 + 2);
    ck_assert_uint_eq(counts.bad.count, 0);
    ck_assert_str_eq(counts.bad.line[0], "");
}

/* The same of records: some are empty, some malformed. A batch ends with the
 * document that reaches a limit, and not before. */
TEST(batches_of_records_end_at_the_limits)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        chance c = {.key = seed};
        const reader_limits l = {
            .documents = seed % 4 == 0 ? SIZE_MAX : 1 + chance_below(&c, 30),
            .entries = seed % 3 == 0 ? SIZE_MAX : 1 + chance_below(&c, 60),
            .tokens = seed % 2 == 0 ? 0 : 1 + chance_below(&c, 100),
            .seconds = seed % 5 == 0 ? 1e6 : 0};
        uint64_t empty = 0, bad = 0, seen = 0, count = chance_below(&c, 200);
        uint64_t at[200], length[200], documents = 0;
        OWN(blob_free) blob text = {0};
        bool more = true;
        OWN(reader_end) reader *r = NULL;
        OWN(setting_end) setting s;
        blob_add(&text, "", 0);
        for (uint64_t i = 1; i <= count; i++) {
            const size_t act = chance_below(&c, 6), n = chance_below(&c, 7);
            empty += act == 0;
            bad += act == 1;
            if (act > 1) {
                at[documents] = i;
                length[documents++] = n + 3;
            }
            if (act > 1)
                blob_print(&text, "| aa:%zu bb:2\n", n + 1);
            else
                blob_print(&text, act == 0 ? "|\n" : "no bar\n");
        }
        setting_begin(&s, KEDGE_FORMAT_VW, false);
        s.opts.skip_bad = true;
        OWN(source_free) source f = source_make(text.bytes, text.size);
        ck_ok(reader_open(f.path, &s.opts, &r, &s.err), s.err);
        while (more) {
            uint64_t tokens = 0;
            docs_clear(&s.all);
            ck_ok(reader_next(r, &l, &s.all, &more, &s.err), s.err);
            for (size_t d = 0; d < s.all.count; d++, seen++) {
                ck_assert(d < l.documents && 2 * d < l.entries &&
                          (l.tokens == 0 || tokens < l.tokens));
                ck_assert_uint_eq(s.all.position[d], at[seen]);
                ck_assert_uint_eq(s.all.length[d], length[seen]);
                tokens += length[seen];
            }
            ck_assert(!more || s.all.count >= l.documents ||
                      2 * s.all.count >= l.entries ||
                      (l.tokens > 0 && tokens >= l.tokens));
        }
        reader_get_counts(r, &s.counts);
        ck_assert_uint_eq(seen, documents);
        ck_assert_uint_eq(s.counts.documents, documents);
        ck_assert_uint_eq(s.counts.empty, empty);
        ck_assert_uint_eq(s.counts.bad.count, bad);
    }
}

/* What a slow source has given is a batch once it has to be waited for; with
 * nothing given, it is waited for however long. */
TEST(a_source_that_stalls_gives_what_it_has)
{
    const reader_limits limits = {SIZE_MAX, SIZE_MAX, 0, 0.05};
    bool more;
    int ends[2];
    OWN(reader_end) reader *r = NULL;
    OWN(setting_end) setting s;

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], 0), 0);
    close(ends[0]);
    setting_begin(&s, KEDGE_FORMAT_LINES, false);
    ck_assert_int_eq(write(ends[1], "aa\nbb\ncc", 8), 8);
    ck_ok(reader_open("-", &s.opts, &r, &s.err), s.err);
    ck_ok(reader_next(r, &limits, &s.all, &more, &s.err), s.err);
    ck_assert(more && s.all.count == 2);
    close(ends[1]);
    docs_clear(&s.all);
    ck_ok(reader_next(r, &limits, &s.all, &more, &s.err), s.err);
    ck_assert(!more && s.all.count == 1 && s.all.position[0] == 3);
}

TEST(documents_before_a_failure_are_whole)
{
    static const struct {
        kedge_format format;
        const char *text, *why;
    } cases[] = {
        {KEDGE_FORMAT_UCI, "3\n3\n4\n1 1 1\n2 1 1\n2 2 1\n2 3 x\n",
         ":7: \"x\" is not a number"},
        {KEDGE_FORMAT_VW, "| aa\nbb\n| cc\n", ":2: the line has no \"|\""},
    };

    for (size_t i = 0; i < 2; i++) {
        OWN(source_free) source f = source_text(cases[i].text);
        bool more;
        reader *r = NULL;
        OWN(setting_end) setting s;
        setting_begin(&s, cases[i].format, true);
        ck_ok(reader_open(f.path, &s.opts, &r, &s.err), s.err);
        ck_fails(reader_next(r, &no_limits, &s.all, &more, &s.err),
                 KEDGE_EFORMAT, s.err, cases[i].why);
        ck_assert_ptr_nonnull(strstr(s.err.text, READER_SKIP));
        ck_assert_uint_eq(s.all.count, 1);
        reader_get_counts(r, &s.counts);
        ck_assert_uint_eq(s.counts.documents, 1);
        ck_fails(reader_next(r, &no_limits, &s.all, &more, &s.err),
                 KEDGE_EMISUSE, s.err, "read on after a failure");
        reader_close(r);
        ck_ok(reader_open(f.path, &s.opts, &r, NULL), s.err);
        ck_assert_int_eq(reader_next(r, &no_limits, &s.all, &more, NULL),
                         KEDGE_EFORMAT); /* no text need be asked for */
        reader_close(r);
    }
    reader_close(NULL);
}

TEST(large_documents_are_malformed)
{
    OWN(setting_end) setting s;

    setting_begin(&s, KEDGE_FORMAT_VW, false);
    for (uint64_t piece = 1; piece <= 8; piece++) {
        s.opts.room = (reader_room){.entries = 2, .piece = piece};
        s.opts.skip_bad = true; /* of the third one, in pieces of one token */
        ck_ok(read_text(&s, "| aa\n| bb:2\n| cc:3\n"), s.err);
        ck_assert_uint_eq(s.counts.bad.count, piece == 1);
        ck_assert_uint_eq(s.counts.documents, piece == 1 ? 2 : 3);
        s.opts.skip_bad = false;
        if (piece == 1)
            ck_fails(read_text(&s, "| aa\n| bb:2\n| cc:3\n"), KEDGE_EFORMAT,
                     s.err, "the document of 3 tokens is too large: cut into "
                            "pieces of 1");
    }
}

/* ---- which format -------------------------------------------------------- */

#define KNOWN                                                            \
    "expected UCI bag-of-words (three numbers on three lines), JSON "    \
    "lines or an array, Matrix Market or a table with named columns "    \
    "(--text-field names the one with the text); --from lines reads a "  \
    "document per line, --from files the whole file as one document"

TEST(formats_are_known_by_content)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"\n\n", "1: unknown format: " KNOWN},
        {"once upon a time\n", "1: unknown format: " KNOWN},
        {"3 1:2 4:5\n", "1: unknown format: " KNOWN},
        {"-5\n7\n1\n",
         "1: \"-5\" is negative: expected the number of documents"},
        {"5\n6\n1\n",
         "2: the header says 6 words, the vocabulary has 7: expected the "
         "vocabulary of this file"},
    };
    const reader_opts opts = {.words = 7, .vocabulary = true};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(source_free) source s = source_text(cases[i].text);
        kedge_error err = {0};
        char text[512];
        reader *r = NULL;
        snprintf(text, sizeof text, "%s:%s", s.path, cases[i].reason);
        ck_assert_int_eq(reader_open(s.path, &opts, &r, &err),
                         KEDGE_EFORMAT);
        ck_assert_str_eq(err.text, text);
        ck_assert_ptr_null(r);
    }
}

TEST(a_pipe_needs_a_format)
{
    static const char text[] = "1\n3\n1\n1 8 1\n";
    reader *r = NULL;
    dribble d;
    OWN(setting_end) setting s;

    setting_begin(&s, KEDGE_FORMAT_AUTO, true);
    ck_fails(reader_open("-", &s.opts, &r, &s.err), KEDGE_EINVAL, s.err,
             "give the format of a pipe with --from");
    s.opts.format = (kedge_format)99;
    ck_fails(reader_open("x", &s.opts, &r, &s.err), KEDGE_EINVAL, s.err,
             "x: 99 is not a format");
    ck_assert_ptr_null(r);
    s.opts.format = KEDGE_FORMAT_UCI;
    dribble_start(&d, text, sizeof text - 1, 100);
    ck_fails(read_path(&s, "-"), KEDGE_EFORMAT, s.err,
             "standard input:4: the word 8 is too large: expected a word from "
             "1 to 3");
    dribble_stop(&d);
}

TEST(all_files_are_found_first)
{
    OWN(source_free) source s = source_text("1\n1\n1\n1 1 1\n");
    const char *const paths[] = {s.path, "-", "/nowhere", "/neither"};
    kedge_error err = {0};

    ck_ok(reader_find(paths, 2, &err), err);
    ck_fails(reader_find(paths, 4, &err), KEDGE_EIO, err,
             "/nowhere: cannot open: No such file or directory");
}

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

static void check_named(setting *s, const char *path)
{
    ck_ok(read_path(s, path), s->err);
    check_two(&s->all);
    if (!s->opts.vocabulary) {
        ck_assert_uint_eq(s->list.count, 3);
        ck_assert_str_eq(words_get(&s->list, 2), "cc");
    }
}

/* When it is asked for, with a vocabulary or without; by its content, if that
 * says it; and through a pipe. */
TEST(every_format_is_read)
{
    for (size_t i = 0; i < SOURCES; i++) {
        source f = source_text(sources[i].text);
        reader *r = NULL;
        setting s;
        for (int vocabulary = sources[i].numbers; vocabulary < 2;
             vocabulary++) {
            setting_begin(&s, sources[i].format, vocabulary);
            check_named(&s, f.path);
            setting_end(&s);
        }
        setting_begin(&s, KEDGE_FORMAT_AUTO, true);
        if (sources[i].known) {
            check_named(&s, f.path);
            ck_ok(reader_open(f.path, &s.opts, &r, &s.err), s.err);
            ck_assert(reader_needs_vocabulary(r) == sources[i].numbers);
            reader_close(r);
        } else {
            ck_fails(reader_open(f.path, &s.opts, &r, &s.err), KEDGE_EFORMAT,
                     s.err, "unknown format: expected UCI bag-of-words (three "
                            "numbers on");
        }
        setting_end(&s);
        source_free(&f);
        for (size_t piece = 1; piece < 40; piece += 7) {
            dribble d;
            dribble_start(&d, sources[i].text, strlen(sources[i].text), piece);
            setting_begin(&s, sources[i].format, sources[i].numbers);
            check_named(&s, "-");
            setting_end(&s);
            dribble_stop(&d);
        }
    }
}

TEST(there_is_nothing_in_an_empty_file)
{
    for (unsigned i = 0; i < 4 * KEDGE_FORMAT_FILES; i++) {
        const kedge_format format = (kedge_format)(i / 4);
        OWN(setting_end) setting s;
        if (format == KEDGE_FORMAT_UCI || format == KEDGE_FORMAT_MTX)
            continue; /* they begin with how much there is */
        setting_begin(&s, format, true);
        s.opts.empty = i / 2 % 2 == 1; /* documents without words count */
        ck_ok(read_text(&s, i % 2 == 0 ? "" : "\xef\xbb\xbf"), s.err);
        ck_assert_uint_eq(s.all.count + s.counts.empty + s.counts.bad.count,
                          0);
    }
}

/* One that is opened by a name is still read once only. */
TEST(a_named_pipe_is_not_looked_into)
{
    const char *const text = sources[2].text;
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
    ck_fails(reader_open(path, &s.opts, &r, &s.err), KEDGE_EINVAL, s.err,
             "give the format of a pipe with --from");
    s.opts.format = KEDGE_FORMAT_LINES; /* and nothing of it is lost */
    check_named(&s, path);
    setting_end(&s);
    close(ends[0]);
}

TEST(numbers_need_their_vocabulary)
{
    for (size_t i = 0; i < SOURCES; i++)
        for (int known = 0; known < 2; known++) {
            OWN(source_free) source f = source_text(sources[i].text);
            reader *r = NULL;
            OWN(setting_end) setting s;
            if (!sources[i].numbers || (known && !sources[i].known))
                continue;
            setting_begin(&s, known ? KEDGE_FORMAT_AUTO : sources[i].format,
                          false);
            ck_fails(reader_open(f.path, &s.opts, &r, &s.err), KEDGE_EINVAL,
                     s.err, "words are given as numbers: name the file of the "
                            "words with");
            ck_assert_ptr_nonnull(strstr(s.err.text, f.path));
            ck_assert_ptr_nonnull(strstr(s.err.text, "--vocab"));
            ck_assert_ptr_null(r);
        }
}

/* What is read of texts: with a vocabulary no other words are taken, a text
 * that is null is a document without a word, and so is one that was removed. */
TEST(documents_without_a_word_are_counted)
{
    static const struct {
        kedge_format format;
        bool vocabulary;
        const char *text;
        uint64_t documents, empty, taken_back;
        size_t words;
    } cases[] = {
        {KEDGE_FORMAT_LINES, true, "aa xx bb\nxx yy\ncc xx\n", 2, 1, 0, 3},
        {KEDGE_FORMAT_JSONL, false, "{\"text\": null}\n{\"text\": \"aa\"}\n",
         1, 1, 0, 1},
        {KEDGE_FORMAT_LINES, false, "aa\n[removed]\nbb [deleted]\n", 2, 1, 1,
         3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(setting_end) setting s;
        setting_begin(&s, cases[i].format, cases[i].vocabulary);
        ck_ok(read_text(&s, cases[i].text), s.err);
        ck_assert_uint_eq(s.all.count, cases[i].documents);
        ck_assert_uint_eq(s.counts.documents, cases[i].documents);
        ck_assert_uint_eq(s.counts.empty, cases[i].empty);
        ck_assert_uint_eq(s.counts.taken_back, cases[i].taken_back);
        ck_assert_uint_eq(s.counts.bad.count, 0);
        ck_assert_uint_eq(s.list.count, cases[i].words);
    }
}

/* Ids and labels of any format, where none are wanted. */
TEST(names_can_be_left_out)
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
        OWN(setting_end) setting s;
        setting_begin(&s, cases[i].format, true);
        s.opts.id_field = s.opts.label_field = "none";
        ck_ok(read_text(&s, cases[i].text), s.err);
        ck_assert_uint_eq(s.all.count, 1);
        ck_assert_uint_eq(docs_id(&s.all, 0).size, 0);
        ck_assert_uint_eq(docs_label(&s.all, 0).size, 0);
    }
}

/* ---- what is malformed --------------------------------------------------- */

/* A source that breaks off is no malformed record. */
TEST(damage_is_told_apart)
{
    for (size_t i = 0; i < SOURCES; i++) {
        OWN(blob_free) blob gzip = {0};
        OWN(setting_end) setting s;
        blob_gzip(&gzip, sources[i].text, strlen(sources[i].text));
        setting_begin(&s, sources[i].format, true);
        s.opts.skip_bad = true;
        const kedge_status st = read_bytes(&s, gzip.bytes, gzip.size - 4);
        if (sources[i].format == KEDGE_FORMAT_UCI) {
            ck_fails(st, KEDGE_EFORMAT, s.err, "the gzip data ends too early");
        } else {
            ck_ok(st, s.err);
            ck_assert_uint_eq(s.counts.bad.count, 0);
            ck_assert_uint_eq(s.counts.unread.count, 1);
            ck_assert_ptr_nonnull(strstr(s.counts.unread.line[0],
                                         "the gzip data ends too early"));
        }
    }
}

/* What is wrong with the last record is a count like any other. */
TEST(a_bad_end_is_passed_over)
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
        OWN(setting_end) setting s;
        setting_begin(&s, cases[i].format, true);
        s.opts.skip_bad = true;
        ck_ok(read_text(&s, cases[i].text), s.err);
        ck_assert_uint_eq(s.counts.bad.count, 1);
        ck_assert_ptr_nonnull(strstr(s.counts.bad.line[0], cases[i].why));
        ck_assert_uint_eq(s.all.count, 1);
    }
}

/* What is no text is refused by its name, and can be passed over. */
