/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a text. Beside not crashing, the tokenizer keeps its promises:
 * words are valid UTF-8 within the limits, the same again when they are cut
 * once more, the same in NFC and in NFD, and the same when blanks follow, which
 * lets the quick path reach the last of them. The first byte chooses the
 * options.
 */
#include <utf8proc.h>

#include "fuzz.h"

#include "io/text/letters.h"
#include "io/text/tokenizer.h"

#define ROOM ((size_t)1 << 16)
#define LONGEST_TEXT 2000
#define KINDS 4

static const tokenizer_opts kinds[KINDS] = {
    {1, 256, true, NULL, NULL},
    {2, 64, false, NULL, NULL},
    {1, 5, true, NULL, NULL},
    {2, 64, false, NULL, "english"},
};

/* One of each, which is never freed. */
static tokenizer *tokenizer_of(unsigned kind)
{
    static tokenizer *made[KINDS];
    kedge_error err;

    if (made[kind] == NULL)
        PROMISE(tokenizer_create(&kinds[kind], &made[kind], &err) == KEDGE_OK);
    return made[kind];
}

static size_t characters(span word)
{
    size_t count = 0;

    for (const char *at = word.bytes, *end = at + word.size; at < end;
         count++) {
        uint32_t point;
        const unsigned bytes = utf8_take(at, end, &point);
        PROMISE(bytes > 0);
        PROMISE(letters_get(NULL, point).kind > LETTER_SILENT);
        at += bytes;
    }
    return count;
}

/* The words with blanks between them, in `out`; the size of all. */
static size_t words_of(unsigned kind, span text, char *out)
{
    tokenizer *t = tokenizer_of(kind);
    size_t size = 0;
    span word;

    tokenizer_begin(t, text);
    while (tokenizer_next(t, &word)) {
        const size_t count = characters(word);
        PROMISE(count > 0 && count <= TOKENIZER_LONGEST);
        PROMISE(tokenizer_apart(t) || size > 0); /* the first always is */
        PROMISE(size + word.size < ROOM);
        memcpy(out + size, word.bytes, word.size);
        size += word.size;
        out[size++] = ' ';
    }
    return size;
}

static void check_again(unsigned kind, span text, const char *once,
                        size_t size)
{
    static char twice[ROOM];
    char *padded = malloc(text.size + 16);

    PROMISE(kinds[kind].stemmer != NULL ||
            (words_of(kind, span_of(once, size), twice) == size &&
             memcmp(once, twice, size) == 0));
    PROMISE(padded != NULL);
    memcpy(padded, text.bytes, text.size);
    memset(padded + text.size, ' ', 16);
    PROMISE(words_of(kind, span_of(padded, text.size + 16), twice) == size);
    PROMISE(memcmp(once, twice, size) == 0);
    free(padded);
}

static size_t words_in_form(unsigned kind, span text, unsigned options,
                            char *out)
{
    utf8proc_uint8_t *form = NULL;
    const utf8proc_ssize_t n = utf8proc_map(
        (const utf8proc_uint8_t *)text.bytes, (utf8proc_ssize_t)text.size,
        &form, (utf8proc_option_t)(options | UTF8PROC_STABLE));
    size_t size = SIZE_MAX;

    if (n >= 0)
        size = words_of(kind, span_of((char *)form, (size_t)n), out);
    free(form);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char once[ROOM], composed[ROOM], apart[ROOM];
    const unsigned kind = size == 0 ? 0 : data[0] % KINDS;

    if (size == 0 || size > LONGEST_TEXT)
        return 0;
    const span text = {(const char *)data + 1, size - 1};
    check_again(kind, text, once, words_of(kind, text, once));
    const size_t one = words_in_form(kind, text, UTF8PROC_COMPOSE, composed);
    const size_t other = words_in_form(kind, text, UTF8PROC_DECOMPOSE, apart);
    PROMISE(one == other);
    PROMISE(one == SIZE_MAX || memcmp(composed, apart, one) == 0);
    return 0;
}
