/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a UCI file, compressed or not. Beside not crashing, the reader
 * keeps its promises: batches are what base/docs.h says, limits change nothing,
 * and the quick path agrees with the careful one, which is forced by doubling
 * every blank.
 */
#include "fuzz.h"

#include "base/hash.h"
#include "base/mem.h"
#include "io/reader.h"

#define WORDS_MOST 1000000 /* of a vocabulary: a reader has arrays for it */

/* What is compared of two readings. */
typedef struct outcome {
    kedge_status status;
    uint64_t digest, documents, bad;
} outcome;

static uint64_t digest_batch(uint64_t digest, const docs *b, uint64_t known,
                             uint64_t *position)
{
    for (size_t d = 0; d < b->count; d++) {
        uint64_t tokens = 0;
        PROMISE(b->position[d] > *position);
        PROMISE(b->start[d + 1] > b->start[d]);
        *position = b->position[d];
        digest = hash_mix(digest ^ *position);
        for (size_t i = b->start[d]; i < b->start[d + 1]; i++) {
            PROMISE(b->word[i] < known && b->tally[i] > 0);
            PROMISE(i == b->start[d] || b->word[i] > b->word[i - 1]);
            tokens += b->tally[i];
            digest = hash_mix(digest ^ b->word[i]);
            digest = hash_mix(digest ^ b->tally[i]);
        }
        PROMISE(b->length[d] == tokens);
    }
    return digest;
}

static outcome read_all(const char *path, const reader_opts *opts,
                        size_t limit)
{
    const reader_limits limits = {limit, SIZE_MAX, 0, 0};
    outcome o = {.digest = 1};
    reader_counts counts = {0};
    kedge_error err = {0};
    uint64_t position = 0;
    reader *r = NULL;
    docs batch = {0};
    bool more = true;

    o.status = reader_open(path, opts, &r, &err);
    while (o.status == KEDGE_OK && more) {
        docs_clear(&batch);
        o.status = reader_next(r, &limits, &batch, &more, &err);
        PROMISE(batch.count <= limit);
        o.digest = digest_batch(o.digest, &batch, opts->words, &position);
        o.documents += batch.count;
    }
    if (r != NULL)
        reader_get_counts(r, &counts);
    PROMISE(o.documents == counts.documents);
    PROMISE(o.status == KEDGE_OK || strlen(err.text) > 0);
    PROMISE((counts.bad.count > 0) == (counts.bad.line[0][0] != '\0'));
    o.bad = counts.bad.count;
    docs_free(&batch);
    reader_close(r);
    return o;
}

static outcome read_bytes(const void *data, size_t size,
                          const reader_opts *opts, size_t limit)
{
    char path[FUZZ_PATH];
    const int fd = fuzz_file(data, size, path);
    const outcome o = read_all(path, opts, limit);

    close(fd);
    return o;
}

static void check_same(const outcome *a, const outcome *b)
{
    PROMISE(a->status == b->status);
    PROMISE(a->digest == b->digest);
    PROMISE(a->documents == b->documents);
    PROMISE(a->bad == b->bad);
}

/* The words that the header speaks of, so that most inputs get past it. */
static uint64_t header_words(const uint8_t *data, size_t size)
{
    const uint8_t *second = size > 0 ? memchr(data, '\n', size) : NULL;
    char text[24] = "";

    if (second == NULL || second + 1 == data + size)
        return 100;
    const size_t left = (size_t)(data + size - ++second);
    memcpy(text, second, left < sizeof text ? left : sizeof text - 1);
    return strtoull(text, NULL, 10);
}

/* The same records, none of them plain. */
static void check_paths(const uint8_t *data, size_t size,
                        const reader_opts *opts, const outcome *expected)
{
    char doubled[4000];

    /* Not compressed, and no line can become too long. */
    if (size == 0 || size > sizeof doubled / 2 || data[0] < '0' ||
        data[0] > '9')
        return;
    const size_t n = fuzz_double_blanks(doubled, data, size);
    const outcome o = read_bytes(doubled, n, opts, SIZE_MAX);
    check_same(expected, &o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t known = header_words(data, size);
    wordmap lexicon = {0};
    words none = {0};
    tokenizer_opts tokens;

    if (known > WORDS_MOST || !wordmap_open(&lexicon, &none))
        return 0;
    tokenizer_opts_init(&tokens);
    for (int skip_bad = 0; skip_bad < 2; skip_bad++) {
        const reader_opts opts = {.format = KEDGE_FORMAT_UCI,
                                  .words = known,
                                  .skip_bad = skip_bad == 1,
                                  .vocabulary = true,
                                  .lexicon = &lexicon,
                                  .unknown = (uint32_t)known,
                                  .tokens = &tokens};
        const outcome all = read_bytes(data, size, &opts, SIZE_MAX);
        const outcome ones = read_bytes(data, size, &opts, 1);
        check_same(&all, &ones);
        check_paths(data, size, &opts, &all);
    }
    wordmap_close(&lexicon);
    return 0;
}
