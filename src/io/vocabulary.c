/* SPDX-License-Identifier: MIT */
/*
 * Lines become words; then all words go through a hash table of their ids, so
 * that the first word that came before is the one that is told.
 */
#include "io/vocabulary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/span.h"
#include "io/reader.h"
#include "io/text.h"

#define WORDS_MAX ((size_t)0xfffffffe) /* ids are 32 bits */

/* A file being read, or words that were given. */
typedef struct list {
    const char *name; /* of the file */
    text_window text;
    const char *noun; /* what is on its lines: "word" */
    const char *one;  /* "a word" */
    const char *each; /* "a word a line" */
    const char *encoding;
    bool none; /* an empty file is a list of none */
    words words;
} list;

static kedge_status bad_line(const list *l, uint64_t line,
                             const char *what, const char *expected,
                             kedge_error *err)
{
    return kedge_fail(err, KEDGE_EFORMAT, "%s:%" PRIu64 ": %s: %s was expected",
                      l->name, line, what, expected);
}

static kedge_status add_word(list *l, uint64_t at, span word, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char what[64];

    snprintf(what, sizeof what, "the %s is longer than 4096 bytes", l->noun);
    if (word.size > TEXT_LINE_MAX)
        return bad_line(l, at, what, l->each, err);
    snprintf(what, sizeof what, "the %s holds a zero byte", l->noun);
    if (memchr(word.bytes, '\0', word.size) != NULL)
        return bad_line(l, at, what, "text", err);
    snprintf(what, sizeof what, "there are too many %ss", l->noun);
    if (l->words.count == WORDS_MAX)
        return bad_line(l, at, what, "at most 4294967294", err);
    if (!words_add(&l->words, word.bytes, word.size))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", __func__);
    return st;
}

static kedge_status read_words(list *l, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    text_window *const t = &l->text;
    uint64_t blank = 0; /* the first of the empty lines just passed */
    text_line line;

    for (;;) {
        TRY(text_peek(t, &line, err));
        if (line.bytes == NULL)
            break;
        if (line.size == 0) {
            blank = blank == 0 ? t->line : blank;
        } else if (blank != 0) {
            return bad_line(l, blank, "the line is empty", l->one, err);
        } else {
            TRY(add_word(l, t->line, span_of(line.bytes, line.size), err));
        }
        TRY(text_skip(t, err));
    }
    if (l->words.count == 0 && !l->none)
        st = bad_line(l, 1, "the file is empty", l->each, err);
out:
    return st;
}

/* The id of a word equal to word `id` among those in the table, else the
 * word's own id, which is in the table then. Ids are kept plus 1. */
static size_t seek(const words *w, uint32_t *table, size_t mask, size_t id)
{
    const char *const word = words_get(w, id);
    const size_t size = words_size(w, id);
    size_t at = (size_t)hash_bytes(0, word, size) & mask;

    for (; table[at] != 0; at = (at + 1) & mask) {
        const size_t other = table[at] - 1;
        if (words_size(w, other) == size &&
            memcmp(words_get(w, other), word, size) == 0)
            return other;
    }
    table[at] = (uint32_t)(id + 1);
    return id;
}

static kedge_status check_twins(const list *l, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *const w = &l->words;
    uint32_t *table = NULL;
    size_t room = 16;

    while (room / 2 < w->count)
        room *= 2;
    TRY_MEM(table = mem_new(room, sizeof *table));
    for (size_t id = 0; id < w->count; id++) {
        const size_t other = seek(w, table, room - 1, id);
        if (other == id)
            continue;
        /* Before the last word every line holds one. */
        st = kedge_fail(err, KEDGE_EFORMAT,
                        "%s:%zu: the word \"%.64s\" is on line %zu already: "
                        "each word once was expected",
                        l->name, id + 1, words_get(w, id), other + 1);
        break;
    }
out:
    mem_free(table);
    return st;
}

/* `twins`: the same line may come again. */
static kedge_status read_list(const char *path, list *l, bool twins,
                              words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stream *in = NULL;

    *out = (words){0};
    TRY(stream_open(path, NULL, &in, err));
    l->name = stream_name(in);
    TRY(stream_set_encoding(in, l->encoding, err));
    TRY(text_open(in, &l->text, err));
    TRY(read_words(l, err));
    if (!twins)
        TRY(check_twins(l, err));
    *out = l->words;
    l->words = (words){0};
out:
    words_free(&l->words);
    text_close(&l->text);
    stream_close(in);
    return st;
}

kedge_status vocabulary_read(const char *path, words *out, kedge_error *err)
{
    return read_list(path,
                     &(list){.noun = "word", .one = "a word",
                             .each = "a word a line"},
                     false, out, err);
}

kedge_status vocabulary_read_ids(const char *path, words *out,
                                 kedge_error *err)
{
    return read_list(path,
                     &(list){.noun = "id", .one = "an id",
                             .each = "an id a line", .none = true},
                     true, out, err);
}

kedge_status vocabulary_read_classes(const char *path, words *out,
                                     kedge_error *err)
{
    return read_list(path,
                     &(list){.noun = "line", .one = "a class",
                             .each = "a class a line, or an id, a tab and a "
                                     "class"},
                     true, out, err);
}

/* ---- of a program -------------------------------------------------------- */

static kedge_status copy_words(list *l, const kedge_source *source,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (source->words == 0)
        return bad_line(l, 1, "the vocabulary is empty", l->one, err);
    for (uint64_t i = 0; i < source->words; i++) {
        const char *const word = source->vocabulary[i];
        if (word == NULL || word[0] == '\0')
            return bad_line(l, i + 1, "the word is empty", l->one, err);
        if (span_has_line_end(span_text(word)))
            return bad_line(l, i + 1, "the word has the end of a line in it",
                            "a word without", err);
        TRY(add_word(l, i + 1, span_text(word), err));
    }
    st = check_twins(l, err);
out:
    return st;
}

static kedge_status copy_list(const kedge_source *source, words *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    list l = {.name = reader_given_name(source), .noun = "word",
              .one = "a word", .each = "a word a line"};

    *out = (words){0};
    TRY(copy_words(&l, source, err));
    *out = l.words;
    l.words = (words){0};
out:
    words_free(&l.words);
    return st;
}

bool vocabulary_comes(const char *path, const kedge_source *source)
{
    return source != NULL ? source->vocabulary != NULL : path != NULL;
}

kedge_status vocabulary_load(const char *path, const kedge_source *source,
                             const char *encoding, words *out,
                             kedge_error *err)
{
    return source != NULL
               ? copy_list(source, out, err)
               : read_list(path,
                           &(list){.noun = "word", .one = "a word",
                                   .each = "a word a line",
                                   .encoding = encoding},
                           false, out, err);
}
