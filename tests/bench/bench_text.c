/* SPDX-License-Identifier: MIT */
/*
 * Where the time goes while text is read, on one thread:
 *
 *   bench_text FILE [TIMES]
 *
 * FILE is JSON lines, plain or compressed. It is read once for each stage, by
 * all the stages up to this one, so that a stage takes what its reading takes
 * more than the one before. Prints a line "stage  seconds" for each, processor
 * seconds and the best of TIMES, for others may use the machine, and "bytes
 * documents  words  entries" at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/fail.h"
#include "store/digest.h"
#include "ops/batch.h"
#include "io/format.h"
#include "io/reader.h"
#include "io/stream.h"

#define PIECE ((size_t)256 << 10)

typedef struct bench {
    const char *path;
    tokenizer_opts tokens;
    words lexicon;
    wordmap ids;
    reader_counts counts;
    uint64_t seen, entries; /* so that nothing is left out as useless */
} bench;

static kedge_status decompress(bench *b, kedge_error *err)
{
    static char piece[PIECE];
    kedge_status st = KEDGE_OK;
    stream *in = NULL;
    size_t got = 1;

    TRY(stream_open(b->path, NULL, &in, err));
    while (got > 0) {
        TRY(stream_read(in, piece, sizeof piece, &got, err));
        b->seen += got;
    }
out:
    stream_close(in);
    return st;
}

static kedge_status split(bench *b, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stream *in = NULL;
    lines *all = NULL;
    bool more = true;
    span line;

    TRY(stream_open(b->path, NULL, &in, err));
    TRY(lines_open(in, LINES_LIMIT, &all, err));
    while (more) {
        TRY(lines_next(all, &line, &more, err));
        b->seen += line.size;
    }
out:
    lines_close(all);
    stream_close(in);
    return st;
}

static void count_tokens(bench *b, tokenizer *t, span text)
{
    span word;

    tokenizer_begin(t, text);
    while (tokenizer_next(t, &word))
        b->seen += word.size;
}

/* With a tokenizer, or for the records alone. */
static kedge_status walk(bench *b, tokenizer *t, kedge_error *err)
{
    const record_opts how = {0};
    kedge_status st = KEDGE_OK;
    stream *in = NULL;
    lines *all = NULL;
    records from = {0};
    bool more = true;
    record r;

    TRY(stream_open(b->path, NULL, &in, err));
    TRY(lines_open(in, LINES_LIMIT, &all, err));
    TRY(records_open(&format_jsonl, all, &how, &from, err));
    while (more) {
        TRY(records_next(&from, &r, &more, err));
        b->seen += r.text.size;
        if (more && t != NULL)
            count_tokens(b, t, r.text);
    }
out:
    if (from.format != NULL)
        records_close(&from);
    lines_close(all);
    stream_close(in);
    return st;
}

static kedge_status parse(bench *b, kedge_error *err)
{
    return walk(b, NULL, err);
}

static kedge_status tokenize(bench *b, kedge_error *err)
{
    tokenizer *t = NULL;
    kedge_status st = tokenizer_create(&b->tokens, &t, err);

    if (st == KEDGE_OK)
        st = walk(b, t, err);
    tokenizer_free(t);
    return st;
}

/* As the intake does it, with the digests of documents. */
static kedge_status take(const bench *b, const docs *d, digests *known,
                         kedge_error *err)
{
    uint64_t sums[2] = {0};
    const kedge_status st = digests_learn(known, &b->lexicon, err);

    for (size_t m = 0; st == KEDGE_OK && m < d->count; m++)
        digest_add(sums, digest_document(known, d, m));
    return st;
}

static kedge_status batches(bench *b, bool encoded, kedge_error *err)
{
    const reader_opts opts = {.lexicon = &b->ids, .tokens = &b->tokens,
                              .format = KEDGE_FORMAT_JSONL};
    const reader_limits limits = {WINDOW_DOCUMENTS, WINDOW_ENTRIES,
                                  WINDOW_TOKENS, 0};
    kedge_status st = KEDGE_OK;
    digests known = {0};
    reader *r = NULL;
    doc_batch s = {0};
    bool more = true;

    words_free(&b->lexicon);
    wordmap_close(&b->ids);
    TRY_MEM(wordmap_open(&b->ids, &b->lexicon) ? b : NULL);
    TRY(reader_open(b->path, &opts, &r, err));
    b->entries = 0;
    while (more) {
        docs_clear(&s.docs);
        TRY(reader_next(r, &limits, &s.docs, &more, err));
        b->entries += docs_entries(&s.docs);
        if (encoded) {
            TRY(take(b, &s.docs, &known, err));
            TRY(batch_encode(&s, err));
        }
    }
    reader_get_counts(r, &b->counts);
out:
    digests_free(&known);
    batch_free(&s);
    reader_close(r);
    return st;
}

static kedge_status count(bench *b, kedge_error *err)
{
    return batches(b, false, err);
}

static kedge_status encode(bench *b, kedge_error *err)
{
    return batches(b, true, err);
}

static const struct stage {
    const char *name;
    kedge_status (*run)(bench *b, kedge_error *err);
} stages[] = {
    {"decompression", decompress}, {"lines", split},   {"JSON", parse},
    {"tokenizer", tokenize},       {"counting", count}, {"encoding", encode},
};

static double best(const struct stage *s, bench *b, long times)
{
    double least = 0;

    for (long i = 0; i < times; i++) {
        kedge_error err = {0};
        const clock_t start = clock();
        if (s->run(b, &err) != KEDGE_OK) {
            fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (i == 0 || seconds < least)
            least = seconds;
    }
    return least;
}

int main(int argc, char **argv)
{
    bench b = {0};

    if (argc < 2) {
        fputs("usage: bench_text FILE [TIMES]\n", stderr);
        return 2;
    }
    b.path = argv[1];
    tokenizer_opts_init(&b.tokens);
    const long times = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        printf("%s  %.3f\n", stages[i].name, best(&stages[i], &b, times));
        fflush(stdout);
    }
    printf("%" PRIu64 "  %" PRIu64 "  %zu  %" PRIu64 "\n", b.counts.bytes_text,
           b.counts.documents, b.lexicon.count, b.entries);
    words_free(&b.lexicon);
    wordmap_close(&b.ids);
    return b.seen == 0;
}
