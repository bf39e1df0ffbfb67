/* SPDX-License-Identifier: MIT */
/*
 * The sketch's kernel and single-thread dgemm, in one run:
 *
 *   bench_kernel DOCWORD VOCAB [COLUMNS]
 *
 * reads the corpus into windows first, for each --tf, then times
 * accumulation alone at one and two threads, in turns with dgemm, and prints
 * GFLOP/s (4 operations a non-zero and column) and their ratios. What takes one
 * thread is timed by the processor's clock, so that ratios mean something on a
 * machine that does other things, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/run.h"
#include "linalg/blas.h"
#include "io/reader.h"
#include "io/vocabulary.h"
#include "cooccur/kernel.h"
#include "cooccur/sketch.h"

#define ROUNDS 7
#define GEMM 1000

#define WINDOWS 4096 /* at most */

typedef struct corpus {
    words vocabulary;
    statistic statistic[STATISTICS];
    window *window[STATISTICS];
    double fill[STATISTICS]; /* seconds that making windows took */
    size_t windows;
    uint64_t entries;
} corpus;

static void must(kedge_status st, const kedge_error *err)
{
    if (st == KEDGE_OK)
        return;
    fprintf(stderr, "bench_kernel: %s\n", err->text);
    exit(1);
}

/* Seconds that this process has worked. */
static double worked_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same documents by each --tf. */
static void corpus_turn(corpus *c, const docs *batch)
{
    kedge_error err = {0};

    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        window *const w = &c->window[kind][c->windows];
        const double start = worked_seconds();
        w->statistic = &c->statistic[kind];
        must(window_fill(w, batch, c->vocabulary.count, 5, &err), &err);
        c->fill[kind] += worked_seconds() - start;
    }
    c->windows++;
    c->entries += docs_entries(batch);
}

static void corpus_read(corpus *c, const char *docword, const char *vocab)
{
    kedge_error err = {0};
    docs batch = {0};
    reader *r = NULL;
    bool more = true;
    const reader_limits limits = {WINDOW_DOCUMENTS, WINDOW_ENTRIES,
                                  WINDOW_TOKENS, 0};

    must(vocabulary_read(vocab, &c->vocabulary, &err), &err);
    must(reader_open(docword, &(reader_opts){.words = c->vocabulary.count,
                                         .vocabulary = true}, &r,
                     &err),
         &err);
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        statistic_open(&c->statistic[kind], kind);
        c->window[kind] = calloc(WINDOWS, sizeof **c->window);
    }
    while (more && c->windows < WINDOWS) {
        docs_clear(&batch);
        must(reader_next(r, &limits, &batch, &more, &err), &err);
        if (batch.count == 0)
            break;
        corpus_turn(c, &batch);
    }
    reader_close(r);
    docs_free(&batch);
}

typedef struct job {
    sketch *s;
    const window *w;
} job;

static void run_tile(void *data, size_t tile, unsigned worker)
{
    job *j = data;
    sketch_tile(j->s, j->w, tile, worker);
}

static double time_sketch(const corpus *c, uint32_t kind, size_t width,
                          unsigned threads)
{
    kedge_error err = {0};
    const sketch_opts opts = {.width = width, .seed = 1, .threads = threads};
    double (*const now)(void) = threads == 1 ? worked_seconds : clock_seconds;
    sketch *s = NULL;
    pool *p = NULL;
    double start;

    must(sketch_create(&opts, &s, &err), &err);
    must(sketch_add_words(s, &c->vocabulary, &err), &err);
    must(pool_create(threads, &p, &err), &err);
    sketch_populate(s, p); /* as ingest does: fresh pages are not the kernel */
    start = now();
    for (size_t i = 0; i < c->windows; i++) {
        job j = {s, &c->window[kind][i]};
        must(sketch_begin(s, j.w, &err), &err);
        pool_run(p, sketch_tiles(s), run_tile, &j);
    }
    start = now() - start;
    pool_free(p);
    sketch_free(s);
    return start;
}

static double time_gemm(void)
{
    double *a = mem_new2(GEMM, GEMM, sizeof *a);
    double *b = mem_new2(GEMM, GEMM, sizeof *b);
    double *c = mem_new2(GEMM, GEMM, sizeof *c);
    double start;

    for (size_t i = 0; i < GEMM * GEMM; i++)
        a[i] = b[i] = (double)(i % 7);
    start = worked_seconds();
    for (int i = 0; i < 20; i++)
        blas_gemm(false, false, GEMM, GEMM, GEMM, 1, a, GEMM, b, GEMM, 0, c,
                  GEMM);
    start = worked_seconds() - start;
    mem_free(a);
    mem_free(b);
    mem_free(c);
    return 20 * 2e-9 * GEMM * GEMM * GEMM / start;
}

int main(int argc, char **argv)
{
    corpus c = {0};
    double best[STATISTICS][3], gemm = 0;
    size_t width;

    if (argc < 3) {
        fprintf(stderr, "usage: bench_kernel DOCWORD VOCAB [COLUMNS]\n");
        return 2;
    }
    width = argc > 3 ? strtoul(argv[3], NULL, 10) : 1000;
    corpus_read(&c, argv[1], argv[2]);
    blas_begin(4, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const double g = time_gemm();
        gemm = g > gemm ? g : gemm;
        for (uint32_t kind = 0; kind < STATISTICS; kind++)
            for (unsigned t = 1; t <= 2; t++) {
                const double s = time_sketch(&c, kind, width, t);
                if (round == 0 || s < best[kind][t])
                    best[kind][t] = s;
            }
    }
    const double work = 4e-9 * (double)c.entries * (double)width;
    kernel list[KERNELS];
    kernel_list(list);
    printf("kernel %s, %zu words, %.1f M non-zeros, width %zu\n",
           list[0].name, c.vocabulary.count, 1e-6 * (double)c.entries,
           width);
    printf("dgemm, 1 thread    %6.1f GFLOP/s\n", gemm);
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        const double *const b = best[kind];
        printf("%-5s, 1 thread    %6.1f GFLOP/s  %.2f of dgemm  %.2f s  "
               "%.2f of joint's\n",
               statistic_name(kind), work / b[1], work / b[1] / gemm, b[1],
               b[1] / best[0][1]);
        printf("%-5s, 2 threads   %6.1f GFLOP/s  %.2f times one  %.2f s\n",
               statistic_name(kind), work / b[2], b[1] / b[2], b[2]);
        printf("%-5s, windows     %.2f s\n", statistic_name(kind),
               c.fill[kind]);
    }
    return 0;
}
