/* SPDX-License-Identifier: MIT */
#include "io/vocabulary.h"

#include <string.h>

#include "base/fail.h"
#include "base/wordmap.h"
#include "io/lines.h"
#include "io/reader.h"

#define WORDS_MAX ((size_t)0xfffffffe) /* ids are 32 bits */

/* What a list is of, for messages. */
typedef struct kind {
    const char *noun, *one, *each;
    bool may_be_empty, twice; /* the same line may come again */
} kind;

static const kind of_words = {"word", "a word", "one word per "
                                                "line", false, false};
static const kind of_ids = {"id", "an id", "one id per line", true, true};
static const kind of_classes = {
    "line", "a class", "a class per line, or an id, a tab and a class", false,
    true};

static kedge_status add_word(const char *name, uint64_t line, const kind *k,
                             span word, words *out, kedge_error *err)
{
    const char *what, *expected;

    if (word.size > LINES_SHORT) {
        what = "is longer than 4096 bytes";
        expected = k->each;
    } else if (memchr(word.bytes, '\0', word.size) != NULL) {
        what = "holds a zero byte";
        expected = "text";
    } else if (out->count == WORDS_MAX) {
        what = "is after the last possible one";
        expected = "at most 4294967294";
    } else {
        PASS_MEM(words_add(out, word.bytes, word.size));
        return KEDGE_OK;
    }
    return malformed_at(name, line, err, "the %s %s: expected %s", k->noun,
                        what, expected);
}

static kedge_status read_lines(lines *in, const kind *k, words *out,
                               kedge_error *err)
{
    uint64_t blank = 0; /* the first of the empty lines just passed */
    bool closed;
    span line;

    for (;;) {
        PASS(lines_peek_short(in, &line, &closed, err));
        const uint64_t number = lines_number(in) + 1;
        if (line.bytes == NULL)
            break;
        if (line.size > 0 && blank > 0)
            return malformed_at(lines_name(in), blank, err, "the line is "
                                                            "empty: expected "
                                                            "%s", k->one);
        if (line.size > 0)
            PASS(add_word(lines_name(in), number, k, line, out, err));
        else if (blank == 0)
            blank = number;
        PASS(lines_skip(in, err));
    }
    if (out->count == 0 && !k->may_be_empty)
        return malformed_at(lines_name(in), 1, err, "the file is empty: "
                                                    "expected %s", k->each);
    return KEDGE_OK;
}

/* The first word that came before is the one that is named. */
static kedge_status check_twins(const char *name, words *w, kedge_error *err)
{
    wordmap first = {0};
    kedge_status st = KEDGE_OK;

    TRY_MEM(wordmap_open(&first, w));
    for (size_t id = 0; id < w->count; id++) {
        const uint32_t other = wordmap_find(&first, words_span(w, id));
        /* Before the last word every line holds one. */
        if (other != id)
            TRY(malformed_at(name, id + 1, err, "the word \"%.64s\" is on line "
                                                "%zu already: expected each "
                                                "word once",
                             words_get(w, id), (size_t)other + 1));
    }
out:
    wordmap_close(&first);
    return st;
}

static kedge_status read_file(const char *path, const kind *k,
                              const char *encoding, words *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stream *in = NULL;
    lines *l = NULL;

    *out = (words){0};
    TRY(stream_open(path, NULL, &in, err));
    TRY(stream_set_encoding(in, encoding, err));
    TRY(lines_open(in, LINES_LIMIT, &l, err));
    TRY(read_lines(l, k, out, err));
    if (!k->twice)
        TRY(check_twins(lines_name(l), out, err));
out:
    if (st != KEDGE_OK)
        words_free(out);
    lines_close(l);
    stream_close(in);
    return st;
}

kedge_status vocabulary_read(const char *path, words *out, kedge_error *err)
{
    return read_file(path, &of_words, NULL, out, err);
}

kedge_status vocabulary_read_ids(const char *path, words *out,
                                 kedge_error *err)
{
    return read_file(path, &of_ids, NULL, out, err);
}

kedge_status vocabulary_read_classes(const char *path, words *out,
                                     kedge_error *err)
{
    return read_file(path, &of_classes, NULL, out, err);
}

bool vocabulary_comes(const char *path, const kedge_source *source)
{
    return source != NULL ? source->vocabulary != NULL : path != NULL;
}

/* The words of a program's own source. */
static kedge_status copy_words(const kedge_source *source, words *out,
                               kedge_error *err)
{
    const char *const name = reader_given_name(source);
    const char *wrong = NULL;
    kedge_status st = KEDGE_OK;

    *out = (words){0};
    if (source->words == 0)
        TRY(malformed_at(name, 1, err,
                         "the vocabulary is empty: expected a word"));
    for (uint64_t i = 0; i < source->words; i++) {
        const char *const word = source->vocabulary[i];
        if (word == NULL || word[0] == '\0')
            wrong = "is empty: expected a word";
        else if (span_has_line_end(span_text(word)))
            wrong = "has a line end in it: expected a word without one";
        if (wrong != NULL)
            TRY(malformed_at(name, i + 1, err, "the word %s", wrong));
        TRY(add_word(name, i + 1, &of_words, span_text(word), out, err));
    }
    TRY(check_twins(name, out, err));
out:
    if (st != KEDGE_OK)
        words_free(out);
    return st;
}

kedge_status vocabulary_load(const char *path, const kedge_source *source,
                             const char *encoding, words *out,
                             kedge_error *err)
{
    return source != NULL ? copy_words(source, out, err)
                          : read_file(path, &of_words, encoding, out, err);
}
