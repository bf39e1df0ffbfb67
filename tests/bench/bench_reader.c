/* SPDX-License-Identifier: MIT */
/*
 * How fast documents are read, on one thread:
 *
 *   bench_reader FILE VOCABULARY-SIZE [TIMES]
 *
 * prints a line "seconds  MB/s of text  documents  entries" for each time. A
 * plain file shows the parser, a compressed one the decompressor with it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "io/reader.h"
#include "io/text/tokenizer.h"

static kedge_status read_all(const char *path, uint64_t known,
                             reader_counts *counts, uint64_t *entries,
                             kedge_error *err)
{
    tokenizer_opts tokens; /* every reader has one, and a lexicon */
    words list = {0};
    wordmap ids;
    tokenizer_opts_init(&tokens);
    if (!wordmap_open(&ids, &list))
        return FAIL_MEM(err);
    const reader_opts opts = {.words = known, .vocabulary = true,
                              .tokens = &tokens, .lexicon = &ids};
    const reader_limits limits = {.documents = 8192,
                                  .entries = (size_t)1 << 18};
    reader *r = NULL;
    docs batch = {0};
    bool more = true;
    kedge_status st = reader_open(path, &opts, &r, err);

    while (st == KEDGE_OK && more) {
        docs_clear(&batch);
        st = reader_next(r, &limits, &batch, &more, err);
        *entries += docs_entries(&batch);
    }
    if (st == KEDGE_OK)
        reader_get_counts(r, counts);
    docs_free(&batch);
    reader_close(r);
    wordmap_close(&ids);
    words_free(&list);
    return st;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: bench_reader FILE VOCABULARY-SIZE [TIMES]\n", stderr);
        return 2;
    }
    const uint64_t known = strtoull(argv[2], NULL, 10);
    const long times = argc > 3 ? strtol(argv[3], NULL, 10) : 3;
    for (long i = 0; i < times; i++) {
        kedge_error err = {0};
        reader_counts counts;
        uint64_t entries = 0;
        const double start = clock_seconds();
        if (read_all(argv[1], known, &counts, &entries, &err) != KEDGE_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        const double seconds = clock_seconds() - start;
        printf("%.3f  %.0f  %" PRIu64 "  %" PRIu64 "\n", seconds,
               (double)counts.bytes_text / seconds * 1e-6, counts.documents,
               entries);
    }
    return 0;
}
