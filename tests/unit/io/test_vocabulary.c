/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "../base/gate.h"
#include "io/vocabulary.h"

static void check_words(const blob *b, size_t count, const char *const *list)
{
    OWN(source_free) source s = source_make(b->bytes, b->size);
    kedge_error err = {0};
    OWN(words_free) words w;

    ck_ok(vocabulary_read(s.path, &w, &err), err);
    ck_assert_uint_eq(w.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(words_get(&w, i), list[i]);
}

TEST(vocabulary_is_a_word_a_line)
{
    static const char *const list[] = {"b", "a b", "\xc3\xa4", "B"};
    static const char *const texts[] = {
        "b\na b\n\xc3\xa4\nB\n",
        "b\na b\n\xc3\xa4\nB",
        "b\r\na b\r\n\xc3\xa4\r\nB\r\n",
        "b\na b\n\xc3\xa4\nB\n\n\r\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        OWN(blob_free) blob plain = {0}, gzip = {0}, zstd = {0};
        blob_print(&plain, "%s", texts[i]);
        blob_gzip(&gzip, plain.bytes, plain.size);
        blob_zstd(&zstd, plain.bytes, plain.size);
        check_words(&plain, 4, list);
        check_words(&gzip, 4, list);
        check_words(&zstd, 4, list);
    }
}

/* Bytes that are no list: of words, or of ids. */
static void check_wrong(const void *bytes, size_t size, bool ids,
                        const char *reason)
{
    OWN(source_free) source s = source_make(bytes, size);
    kedge_error err = {0};
    char text[512];
    words w;

    snprintf(text, sizeof text, "%s:%s", s.path, reason);
    ck_assert_int_eq(ids ? vocabulary_read_ids(s.path, &w, &err)
                         : vocabulary_read(s.path, &w, &err), KEDGE_EFORMAT);
    ck_assert_str_eq(err.text, text);
    ck_assert_uint_eq(w.count, 0);
}

TEST(vocabulary_tells_what_is_wrong)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool ids;
        const char *reason;
    } cases[] = {
        {"", 0, false, "1: the file is empty: expected one word per line"},
        {"\n\n", 2, false, "1: the file is empty: expected one word per line"},
        {"a\n\n\nb\n", 6, false, "2: the line is empty: expected a word"},
        {"a\nb\0c\n", 6, false,
         "2: the word holds a zero byte: expected text"},
        {"a\nb\nc\nb\na\n", 10, false,
         "4: the word \"b\" is on line 2 already: expected each word once"},
        {"a\n\nb\n", 5, true, "2: the line is empty: expected an id"},
        {"a\0\n", 3, true, "1: the id holds a zero byte: expected text"},
    };
    OWN(blob_free) blob b = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_wrong(cases[i].bytes, cases[i].size, cases[i].ids,
                    cases[i].reason);
    for (int i = 0; i < 4096; i++)
        blob_add(&b, "b", 1);
    check_words(&b, 1, (const char *const[]){b.bytes});
    blob_add(&b, "b", 1);
    check_wrong(b.bytes, b.size, false,
                "1: the word is longer than 4096 bytes: expected one "
                "word per line");
}

TEST(ids_may_come_again_and_be_none)
{
    static const struct {
        const char *bytes;
        size_t size, count;
        const char *last;
    } cases[] = {
        {"7\n4711\n7\n", 9, 3, "7"},
        {"", 0, 0, ""},
        {"\xfe\xff\0a\0\n\0b", 8, 2, "b"}, /* UTF-16 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(source_free) source s = source_make(cases[i].bytes, cases[i].size);
        kedge_error err = {0};
        OWN(words_free) words w;
        ck_ok(vocabulary_read_ids(s.path, &w, &err), err);
        ck_assert_uint_eq(w.count, cases[i].count);
        if (w.count > 0)
            ck_assert_str_eq(words_get(&w, w.count - 1), cases[i].last);
    }
}

TEST(vocabulary_can_be_large)
{
    kedge_error err = {0};
    OWN(blob_free) blob b = {0};
    words w;

    for (int i = 0; i < 200000; i++)
        blob_print(&b, "word%d\n", i);
    source s = source_make(b.bytes, b.size);
    ck_ok(vocabulary_read(s.path, &w, &err), err);
    ck_assert_uint_eq(w.count, 200000);
    ck_assert_str_eq(words_get(&w, 199999), "word199999");
    words_free(&w);
    source_free(&s);
    blob_print(&b, "word0\n");
    check_wrong(b.bytes, b.size, false,
                "200001: the word \"word0\" is on line 1 already: expected "
                "each word once");
}

TEST(vocabulary_needs_a_file)
{
    kedge_error err = {0};
    words w;

    ck_fails(vocabulary_read("/nowhere", &w, &err), KEDGE_EIO, err,
             "/nowhere: cannot open: No such file or directory");
}

TEST(vocabulary_leaves_nothing_where_there_is_no_memory)
{
    kedge_status st = KEDGE_ENOMEM;
    OWN(blob_free) blob b = {0};

    for (int i = 0; i < 100; i++)
        blob_print(&b, "word%d\n", i);
    OWN(source_free) source s = source_make(b.bytes, b.size);
    for (int k = 0; st != KEDGE_OK; k++) {
        kedge_error err = {0};
        OWN(words_free) words w;
        gate_allow(k);
        st = vocabulary_read(s.path, &w, &err);
        gate_open();
        if (st != KEDGE_OK)
            ck_assert_int_eq(st, KEDGE_ENOMEM);
    }
}
