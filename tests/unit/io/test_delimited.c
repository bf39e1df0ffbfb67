/* SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "printed.h"

static const record_opts usual;

TEST(delimited_takes_the_usual_columns)
{
    static const reading cases[] = {
        {"id,label,text\n1,a,one two\n2,b,three\n",
         "1/a: one two\n2/b: three\n"},
        {"body,_id,other\r\none,1,x\r\n\r\ntwo,2,y", "1/: one\n2/: two\n"},
        {"\xef\xbb\xbf" "content\none\n\ntwo\n", "/: one\n/: two\n"},
        {"abstract,label,body,id,_id\n1,2,3,4,5\n", "4/2: 3\n"},
        {"text\n", ""},
        {"\n\n\"text\",id\n\"a, b\",\"1\"\n", "1/: a, b\n"},
        {"text,id\n,\n", "/: \n"},
    };
    static const reading tabs[] = {
        {"id\tlabel\ttext\n1\ta\tone two\r\n\n2\tb\t\"three\n",
         "1/a: one two\n2/b: \"three\n"},
        {"text\tid\n\"a\"\t\"1\"\n\t\n", "1/: a\n/: \n"},
    };

    check_readings(&format_csv, &usual, cases, 7);
    check_readings(&format_tsv, &usual, tabs, 2);
}

TEST(delimited_undoes_quotes)
{
    static const reading cases[] = {
        {"text,id\n\"a \"\"b\"\" c\",\"\"\"\"\n", "\"/: a \"b\" c\n"},
        {"text,id\n\"\",\"\"\"\"\"\"\n", "\"\"/: \n"},
        {"text,id\n\"one\ntwo, three\r\n\n\"\"four\"\"\n\",\"5\n6\"\n7,8\n",
         "5\n6/: one$two, three$$\"four\"$\n8/: 7\n"},
        {"\"te\"\"xt\ny\",\"text\"\n1,2\n", "/: 2\n"},
        {"text,id\n5\" disk, \"x\"\n", " \"x\"/: 5\" disk\n"},
    };

    check_readings(&format_csv, &usual, cases, 5);
}

TEST(delimited_takes_columns_by_name_and_number)
{
    static const struct {
        record_opts opts;
        const char *text, *printed;
    } cases[] = {
        {{.text_field = "title,abstract", .id_field = "doi",
          .label_field = "title"},
         "doi,title,abstract\n1,\"a \"\"b\"\"\",c\n",
         "1/a \"b\": a \"b\"$$c\n"},
        {{.text_field = "b,b"}, "a,b\n1,\"\"\"\"\n", "/: \"$$\"\n"},
        /* Numbers alone: there is no header, */
        {{.text_field = "2"}, "1,one\n2,two\n", "/: one\n/: two\n"},
        {{.text_field = "2,3", .id_field = "1", .label_field = "3"},
         "1,\"o\nne\",x\n2,two,y\n",
         "1/x: o$ne$$x\n2/y: two$$y\n"},
        {{.text_field = "1"}, "", ""},
        /* unless it says so, */
        {{.text_field = "2", .id_field = "1"},
         "id,\"text\"\n1,one\n", "1/: one\n"},
        {{.text_field = "2"}, "id,body\n1,one\n", "1/: one\n"},
        {{.text_field = "2,3"}, "Class,Title,Story\n1,one,two\n",
         "/: one$$two\n"},
        {{.text_field = "2,3"}, "ID,5,6\n1,2,3\n", "/: 2$$3\n"},
        {{.text_field = "2"}, "review,it is\nanswer,so\n",
         "/: it is\n/: so\n"},
        /* or is needed. */
        {{.text_field = "2", .id_field = "key"},
         "key,words\n1,one\n", "1/: one\n"},
        {{.id_field = "1"}, "key,text\n1,one\n", "1/: one\n"},
        {{.text_field = "words", .id_field = "1", .label_field = "1"},
         "key,words\n1,one\n", "1/1: one\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bytes(&format_csv, &cases[i].opts, cases[i].text,
                    strlen(cases[i].text), cases[i].printed);
}

#define NAME ": expected one of its names, or a number\n"
#define SAYS "; name one with --text-field NAME,...\n"

TEST(delimited_tells_what_is_wrong_in_the_header)
{
    static const struct {
        record_opts opts;
        const char *text, *printed;
    } cases[] = {
        {{0}, "", ""}, /* nothing is nothing */
        {{.text_field = "words", .id_field = "key"}, "\n\n", ""},
        {{0}, "\nid,full text\n1,one\n",
         "!2: no column is called text, body, content or abstract: the "
         "columns are id, full text" SAYS},
        {{.text_field = "words"}, "id,text\n",
         "!1: no column is called words: the columns are id, text" SAYS},
        {{.text_field = "words,"}, "id,text\n",
         "!1: no column is called words,: the columns are id, text"
         SAYS},
        {{.text_field = "words"}, "id,selftext,title\n",
         "!1: no column is called words: the columns are id, selftext, "
         "title; name one with --text-field title,selftext\n"},
        {{.id_field = "key"}, "id,text\n",
         "!1: the header (id, text) has no column \"key\"" NAME},
        {{.label_field = "class"}, "id,text\n",
         "!1: the header (id, text) has no column \"class\"" NAME},
        {{.text_field = "3"}, "1,one\n",
         "!1: no column is called 3: the columns are 1, one" SAYS},
        {{.text_field = "0"}, "1,one\n",
         "!1: no column is called 0: the columns are 1, one" SAYS},
        {{0}, "text,id,text\n",
         "!1: the header has two columns \"text\": name it by its number\n"},
        {{0}, "text,\"id\nx,y\n",
         "!1: the quote that opens a cell of column 2 is never closed and "
         "swallows the rest of the file (lines: 1)\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bytes(&format_csv, &cases[i].opts, cases[i].text,
                    strlen(cases[i].text), cases[i].printed);
}

TEST(delimited_tells_what_is_wrong_in_a_row)
{
    static const reading cases[] = {
        {"id,text\n1,a,b\n2,c\n3\n\"4\n,\",\"d\"\n",
         "!2: the row has 3 columns: expected 2, as in the first row\n2/: "
         "c\n!4: the row has 1 column: expected 2, as in the first row\n4\n,/: "
         "d\n"},
        {"text\na\nb,c\n", "/: a\n!3: the row has 2 columns: expected 1, as in "
                           "the first row\n"},
        {"id,text\n1,\"a\n\nb\" c\n2,d\n",
         "!4: \" c\" follows the closing quote of column 2: expected a comma "
         "or the end of the line\n2/: d\n"},
        {"id,text\n1,\"a\n2,\"\"b\n3,c\n",
         "!2: the quote that opens a cell of column 2 is never closed and "
         "swallows the rest of the file (lines: 2)\n"},
        {"id,text\n1,a\n\"2\n\",\"b\n",
         "1/: a\n!4: the quote that opens a cell of column 2 is never closed "
         "and swallows the rest of the file (lines: 0)\n"},
    };

    check_readings(&format_csv, &usual, cases, 5);
}

TEST(delimited_has_a_limit_of_columns)
{
    static const record_opts last = {.text_field = "65536"};
    static char cells[(size_t)65536];
    OWN(blob_free) blob text = {0};

    memset(cells, ',', (size_t)65536);
    blob_print(&text, "text");
    blob_add(&text, cells, (size_t)65536 - 1);
    check_bytes(&format_csv, &usual, text.bytes, text.size, "");
    blob_add(&text, "z", 1);
    check_bytes(&format_csv, &last, text.bytes, text.size, "/: z\n");
    blob_add(&text, cells, 1);
    check_bytes(&format_csv, &usual, text.bytes, text.size,
                "!1: the row has 65537 columns: expected at most 65536\n");
}

/* A quote, lines of 4096 bytes up to the limit, and what follows. */
static void check_limit(const char *quote, const char *after)
{
    const size_t count = 1024, piece = 4096 * count;
    OWNED char *x = mem_new(piece, 1);
    char expected[256];
    OWN(blob_free) blob packed = {0};

    ck_assert_ptr_nonnull(x);
    memset(x, 'x', piece);
    for (size_t i = 1; i <= count; i++)
        x[4096 * i - 1] = '\n';
    blob_zstd(&packed, "text\n", 5);
    blob_zstd(&packed, quote, strlen(quote));
    for (size_t i = 0; i < LINES_LIMIT / piece; i++)
        blob_zstd(&packed, x, piece);
    blob_zstd(&packed, "beyond\nlast\n", 12);
    snprintf(expected, sizeof expected,
             "!2: the quote that opens a cell of column 1 is not closed within "
             "268435456 bytes\n%s",
             after);
    check_bytes(&format_csv, &usual, packed.bytes, packed.size, expected);
}

TEST(delimited_has_a_limit_of_bytes)
{
    /* The lines are a row just within the limit, or just not. */
    check_limit("\"", "/: last\n");
    check_limit("\"x", "/: beyond\n/: last\n");
}

/* A cell's text by chance, and the cell in quotes where it needs them. */
static void random_cell(chance *c, const char *some, blob *text, blob *cell)
{
    const size_t size = chance_below(c, 30);
    bool quotes = chance_below(c, 4) == 0;

    text->size = cell->size = 0;
    blob_add(text, "w", 1);
    for (size_t i = 0; i < size; i++)
        blob_add(text, &some[chance_below(c, strlen(some))], 1);
    quotes |= strpbrk(text->bytes, ",\n\"") != NULL;
    if (quotes)
        blob_add(cell, "\"", 1);
    for (size_t i = 0; i < text->size; i++) {
        blob_add(cell, text->bytes + i, 1);
        if (text->bytes[i] == '"')
            blob_add(cell, "\"", 1);
    }
    if (quotes)
        blob_add(cell, "\"", 1);
}

/* A row: id, text, label, more text. */
static void random_row(chance *c, bool csv, blob *text, blob *printed)
{
    const char *const some = csv ? "abc  ,\"\n|\t" : "abc  ,\"|'";
    blob value[4] = {0}, cell[4] = {0};

    for (int i = 0; i < 4; i++) {
        random_cell(c, some, &value[i], &cell[i]);
        const blob *const b = csv ? &cell[i] : &value[i];
        if (i > 0)
            blob_add(text, csv ? "," : "\t", 1);
        blob_add(text, b->bytes, b->size);
    }
    blob_print(text, "%s", some_end(c));
    blob_print(printed, "%s/%s: ", value[0].bytes, value[2].bytes);
    blob_add(&value[1], "\n\n", 2);
    blob_add(&value[1], value[3].bytes, value[3].size);
    for (size_t i = 0; i < value[1].size; i++)
        if (value[1].bytes[i] == '\n')
            value[1].bytes[i] = '$';
    blob_print(printed, "%s\n", value[1].bytes);
    for (int i = 0; i < 4; i++) {
        blob_free(&value[i]);
        blob_free(&cell[i]);
    }
}

TEST(delimited_is_read_as_printed)
{
    static const record_opts names = {.text_field = "t,more",
        .id_field = "i", .label_field = "l"};
    static const record_opts numbers = {.text_field = "2,4",
        .id_field = "1", .label_field = "3"};

    for (uint64_t seed = 0; seed < 400; seed++) {
        chance c = {.key = seed};
        const bool csv = seed % 2 == 0, header = seed % 3 != 0;
        OWN(blob_free) blob text = {0}, printed = {0};
        blob_add(&printed, "", 0);
        if (header)
            blob_print(&text, csv ? "i,t,\"l\",more\n" : "i\tt\tl\tmore\n");
        for (size_t n = 1 + chance_below(&c, 40); n > 0; n--)
            random_row(&c, csv, &text, &printed);
        check_both(csv ? &format_csv : &format_tsv,
                   header ? &names : &numbers, &text, seed / 2,
                   printed.bytes);
    }
}

TEST(delimited_tells_of_failing_allocations)
{
    static const record_opts numbers = {.text_field = "2,1"};
    static const char text[] =
        "text,id\n\"a\n\"\"b\"\"\",\"c long enough to ask for more\n\"\n1,2\n";

    check_gate(&format_csv, &usual, text);
    check_gate(&format_csv, &numbers, text);
    check_gate(&format_tsv, &usual, "text\tid\none\t1\n");
}

static size_t most_taken;

static bool watch(size_t bytes)
{
    most_taken = bytes > most_taken ? bytes : most_taken;
    return true;
}

/* A row of the largest size, with a doubled quote. */
TEST(delimited_buffers_stay_within_what_it_says)
{
    const size_t piece = (size_t)16 << 20;
    OWNED char *x = mem_new(piece, 1);
    OWN(blob_free) blob packed = {0};

    ck_assert_ptr_nonnull(x);
    memset(x, 'x', piece);
    blob_zstd(&packed, "text\n\"\n\"\"", 9);
    for (size_t i = 1; i < LINES_LIMIT / piece; i++)
        blob_zstd(&packed, x, piece);
    blob_zstd(&packed, "\"\n", 2);
    OWN(source_free) source s = source_make(packed.bytes, packed.size);
    mem_set_gate(watch);
    ck_assert_int_eq(read_path(&format_csv, s.path, &usual, NULL), KEDGE_OK);
    mem_set_gate(NULL);
    ck_assert_uint_gt(most_taken, LINES_LIMIT / 4 * 3);
    ck_assert_uint_le(most_taken, LINES_LIMIT / 2 * 3);
}

/* The first separator by which the text has its columns. */
TEST(delimited_finds_the_separator)
{
    static const reading named[] = {
        {"id;text\n1;\"a;b\"\n2;c, d\n", "1/: a;b\n2/: c, d\n"},
        {"\"id\";\"text\"\n1;a\n", "1/: a\n"},
        {"id|text|label\n1|a, b|c\n", "1/c: a, b\n"},
        {"\n\n\"id\"\t\"text\"\n1\t\"a\"\"b\"\n", "1/: a\"b\n"},
        {"id,text\n1,a;b\n", "1/: a;b\n"},
        {"id;text\n1;a;b\n",
         "!2: the row has 3 columns: expected 2, as in the first row\n"},
        {"id;text\n1;\"a\"b\n",
         "!2: \"b\" follows the closing quote of column 2: expected a "
         "semicolon or the end of the line\n"},
    };
    static const reading numbers[] = {
        {"x;a b\ny;c, d\n", "/: a b\n/: c, d\n"},
        {"x,\"a\nb\"\ny,c\n", "/: a$b\n/: c\n"},
    };
    const record_opts second = {.text_field = "2"};

    check_readings(&format_csv, &usual, named, sizeof named / sizeof *named);
    check_readings(&format_csv, &second, numbers,
                   sizeof numbers / sizeof *numbers);
}

static bool recognised_by(const char *text_field, const char *text)
{
    return recognised_as(&format_csv,
                         &(record_opts){.text_field = text_field}, text);
}

/* What is asked for tells of a table that has it. */
TEST(delimited_headers_with_fields_asked_for)
{
    ck_assert(!recognised(&format_csv, "id,title,selftext\n"));
    ck_assert(recognised_by("title,selftext", "id,title,selftext\n"));
    ck_assert(recognised_by("title,selftext", ",title,selftext,,x y\n"));
    ck_assert(recognised_by("title", "title\n"));
    ck_assert(recognised_by("title", "id;\"title\"\n"));
    ck_assert(recognised_by("title,selftext", "id,title,text\n"));
    ck_assert(!recognised_by("headline,selftext", "id,title,text\n"));
    ck_assert(!recognised_by("2", "id,title,text\n"));
    ck_assert(!recognised_by("title", ""));
    ck_assert(recognised(&format_csv, ",id,text\n0,1,2\n"));
}

TEST(delimited_headers_are_recognised)
{
    ck_assert(recognised(&format_csv, "id,text\n"));
    ck_assert(recognised(&format_csv, "\"id\",\"body\",other one\n1,2,3\n"));
    ck_assert(!recognised(&format_csv, "text\none\n"));
    ck_assert(!recognised(&format_csv, "id, text\n"));
    ck_assert(!recognised(&format_csv, "id,text,\n"));
    ck_assert(!recognised(&format_csv, "id,text,id\n"));
    ck_assert(!recognised(&format_csv, "text,\"id\nx\"\n"));
    ck_assert(!recognised(&format_csv, "text,\"i\"\"d\"\n"));
    ck_assert(!recognised(&format_csv, "\"text\"x,id\n"));
    ck_assert(!recognised(&format_csv, "some words, then more\n"));
    ck_assert(!recognised(&format_csv, ""));
    ck_assert(recognised(&format_tsv, "id\ttext\n"));
    ck_assert(!recognised(&format_tsv, "id\t\"text\"\n"));
    ck_assert(!recognised(&format_tsv, "id,text\n"));
}
