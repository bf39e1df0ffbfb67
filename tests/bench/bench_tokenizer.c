/* SPDX-License-Identifier: MIT */
/*
 * How fast text becomes words, on one thread, and how fast the same bytes are
 * copied:
 *
 *   bench_tokenizer FILE [TIMES] [STEMMER]
 *
 * FILE is plain text, or has a JSON object a line with the text in "text"; its
 * escapes are undone first. Prints a line "tokenizer MB/s  with stop words
 * MB/s  memcpy MB/s  words" for each time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/text/letters.h"
#include "io/text/tokenizer.h"

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0;

    *size = 0;
    if (file == NULL)
        return NULL;
    do {
        room = room * 2 + (1 << 20);
        bytes = realloc(bytes, room);
        if (bytes == NULL)
            break;
        *size += fread(bytes + *size, 1, room - *size, file);
    } while (*size == room);
    fclose(file);
    return bytes;
}

/* Seconds of the processor: others may be busy, too. */
static double busy_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Undoes the escape at `at`, which is behind a backslash. */
static const char *unescape(const char *at, const char *end, char **out)
{
    char hex[5] = "";

    if (*at == 'u' && end - at > 4) {
        memcpy(hex, at + 1, 4);
        const uint32_t point = (uint32_t)strtoul(hex, NULL, 16);
        *out += point < 0xd800 || point > 0xdfff ? utf8_put(*out, point) : 0;
        return at + 5;
    }
    *(*out)++ = *at == 'n' || *at == 't' ? ' ' : *at;
    return at + 1;
}

/* Keeps the values of "text", a line each. */
static size_t keep_texts(char *bytes, size_t size)
{
    const char *at = bytes, *const end = bytes + size;
    char *out = bytes;

    while ((at = memmem(at, (size_t)(end - at), "\"text\": \"", 9)) != NULL) {
        for (at += 9; at < end && *at != '"';) {
            if (*at == '\\' && at + 1 < end)
                at = unescape(at + 1, end, &out);
            else
                *out++ = *at++;
        }
        *out++ = '\n';
    }
    return (size_t)(out - bytes);
}

static double megabytes(size_t size, double since)
{
    return (double)size / (busy_seconds() - since) * 1e-6;
}

static double tokenize(const tokenizer_opts *opts, span text, size_t *count)
{
    kedge_error err;
    tokenizer *t;
    span word;

    if (tokenizer_create(opts, &t, &err) != KEDGE_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    const double since = busy_seconds();
    *count = 0;
    tokenizer_begin(t, text);
    while (tokenizer_next(t, &word))
        ++*count;
    const double rate = megabytes(text.size, since);
    tokenizer_free(t);
    return rate;
}

static void add_stopwords(words *list)
{
    const char *at = tokenizer_stopwords("english");

    for (const char *stop; (stop = strchr(at, '\n')) != NULL; at = stop + 1)
        if (!words_add(list, at, (size_t)(stop - at)))
            exit(1);
}

int main(int argc, char **argv)
{
    tokenizer_opts opts, stopping;
    words list = {0};
    size_t size = 0, all, rest;

    if (argc < 2) {
        fputs("usage: bench_tokenizer FILE [TIMES] [STEMMER]\n", stderr);
        return 2;
    }
    char *text = read_file(argv[1], &size);
    char *copy = malloc(size + 1);
    if (text == NULL || copy == NULL) {
        perror(argv[1]);
        return 1;
    }
    if (size > 0 && text[0] == '{')
        size = keep_texts(text, size);
    memset(copy, 1, size);
    tokenizer_opts_init(&opts);
    opts.stemmer = argc > 3 ? argv[3] : NULL;
    stopping = opts;
    add_stopwords(&list);
    stopping.stopwords = &list;
    const long times = argc > 2 ? strtol(argv[2], NULL, 10) : 3;
    for (long i = 0; i < times; i++) {
        const double plain = tokenize(&opts, span_of(text, size), &all);
        const double stopped = tokenize(&stopping, span_of(text, size), &rest);
        const double since = busy_seconds();
        memcpy(copy, text, size);
        const double copied = megabytes(size, since);
        printf("%.0f  %.0f  %.0f  %zu words, %zu without stop words%s\n",
               plain, stopped, copied, all, rest,
               size > 0 && copy[size / 2] == 1 ? "." : "");
    }
    words_free(&list);
    free(copy);
    free(text);
    return 0;
}
