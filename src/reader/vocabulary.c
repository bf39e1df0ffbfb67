/* SPDX-License-Identifier: MIT */
/*
 * Lines become words; then all words go through a hash table of their ids, so
 * that the first word that came before is the one that is told.
 */
#include "reader/vocabulary.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "reader/text.h"

#define WORDS_MAX ((size_t)0xfffffffe) /* ids are 32 bits */

static kedge_status bad_line(const text_window *t, uint64_t line,
                             const char *what, const char *expected,
                             kedge_error *err)
{
    return kedge_fail(err, KEDGE_EFORMAT, "%s:%" PRIu64 ": %s: %s was expected",
                      stream_name(t->in), line, what, expected);
}

static kedge_status add_word(const text_window *t, const text_line *line,
                             words *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (line->size > TEXT_LINE_MAX)
        return bad_line(t, t->line, "the word is longer than 4096 bytes",
                        "a word a line", err);
    if (memchr(line->bytes, '\0', line->size) != NULL)
        return bad_line(t, t->line, "the word holds a zero byte", "text", err);
    if (w->count == WORDS_MAX)
        return bad_line(t, t->line, "there are too many words",
                        "at most 4294967294", err);
    if (!words_add(w, line->bytes, line->size))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", __func__);
    return st;
}

static kedge_status read_words(text_window *t, words *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t blank = 0; /* the first of the empty lines just passed */
    text_line line;

    for (;;) {
        TRY(text_peek(t, &line, err));
        if (line.bytes == NULL)
            break;
        if (line.size == 0) {
            blank = blank == 0 ? t->line : blank;
        } else if (blank != 0) {
            return bad_line(t, blank, "the line is empty", "a word", err);
        } else {
            TRY(add_word(t, &line, w, err));
        }
        TRY(text_skip(t, err));
    }
    if (w->count == 0)
        st = bad_line(t, 1, "the file is empty", "a word a line", err);
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

static kedge_status check_twins(const text_window *t, const words *w,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
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
                        stream_name(t->in), id + 1, words_get(w, id),
                        other + 1);
        break;
    }
out:
    mem_free(table);
    return st;
}

kedge_status vocabulary_read(const char *path, words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stream *in = NULL;
    words w = {0};
    text_window t = {0};

    *out = w;
    TRY(stream_open(path, NULL, &in, err));
    TRY(text_open(in, &t, err));
    TRY(read_words(&t, &w, err));
    TRY(check_twins(&t, &w, err));
    *out = w;
    w = (words){0};
out:
    words_free(&w);
    text_close(&t);
    stream_close(in);
    return st;
}
