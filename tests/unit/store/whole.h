/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_STORE_WHOLE_H
#define TESTS_UNIT_STORE_WHOLE_H
/* A store with a bit of everything that agrees with itself, and what a scan
 * finds in it. */
#include "store/scene.h"

enum { BLOCKS = 5, DOCS = 30, WORDS = 5000, ROWS = 300, WIDTH = 4 };

typedef struct whole_finds {
    store_scanned n;
    size_t count, limit;
    char all[4000]; /* their texts */
} whole_finds;

static inline bool whole_find(void *data, const char *what,
                              const kedge_error *why)
{
    whole_finds *const f = data;
    const size_t used = strlen(f->all);

    f->count++;
    snprintf(f->all + used, sizeof f->all - used, "[%s: %s]", what, why->text);
    return f->limit == 0 || f->count < f->limit;
}

/* Stops after so many finds, unless `limit` is 0. */
static inline whole_finds whole_scan(scene *t, size_t limit)
{
    whole_finds f = {.limit = limit};
    const store_watcher watcher = {.found = whole_find, .data = &f};

    OK(store_scan(t->txn, &watcher, &f.n, &t->err));
    ck_assert_uint_eq(f.n.damaged, f.count);
    return f;
}

/* Each word as often as the last document has it, one round after the other. */
static inline void whole_order(docs *d)
{
    const size_t from = d->start[d->count - 1], end = d->start[d->count];

    for (uint32_t round = 0; round < d->tally[from]; round++)
        for (uint32_t k = 0; k < 2 * (end - from); k++) {
            const uint32_t symbol = k % 2 == 0 ? k / 2 + 1 : DOCS_APART;
            ck_assert(docs_push_order(d, &symbol, 1));
        }
}

/* Those of odd blocks have orders of words, but some. */
static inline void whole_docs(docs *d, uint64_t block)
{
    char id[32];

    docs_clear(d);
    for (uint64_t i = 0; i < DOCS; i++) {
        ck_assert(docs_begin(d, 2 * i + 1));
        for (uint32_t w = (uint32_t)(i % 7); w < WORDS; w += 997)
            ck_assert(docs_push(d, w, (uint32_t)block + 1));
        snprintf(id, sizeof id, "document-%d-%d", (int)block, (int)i);
        if (i % 3 != 0)
            ck_assert(docs_set_name(d, span_text(id), span_text("x")));
        if (block % 2 == 1 && i % 4 != 0)
            whole_order(d);
    }
}

/* Documents 2 and 7 of block 1 are gone; each of them a removal. */
static inline void whole_put_documents(scene *t, store_totals *totals)
{
    static const uint32_t gone[] = {2, 7};
    store_block b = {0};
    store_order o = {0};
    docs d = {0};

    for (uint64_t n = 0; n < BLOCKS; n++) {
        whole_docs(&d, n);
        OK(store_block_encode(&b, (uint32_t)(n % 2), &d, 0, DOCS, &t->err));
        OK(store_put_block(t->txn, n, &b, &t->err));
        OK(store_order_encode(&o, &d, 0, DOCS, &t->err));
        if (o.size > 0)
            OK(store_put_order(t->txn, n, &o, &t->err));
        if (n == 1) {
            OK(store_put_gone(t->txn, n, gone, 2, &t->err));
            for (uint64_t i = 0; i < 2; i++)
                OK(store_put_removal(t->txn, i, n, gone + i, 1, &t->err));
            docs_drop(&d, 0, gone, 2);
        }
        for (size_t i = 0; i < d.count; i++) {
            totals->tokens += d.length[i];
            if (docs_id(&d, i).size > 0)
                OK(store_put_id(t->txn, docs_id(&d, i),
                                (store_place){n, d.position[i]}, &t->err));
        }
        totals->documents += d.count;
        totals->nonzeros += docs_entries(&d);
    }
    totals->blocks = BLOCKS;
    totals->removals = totals->removed = 2;
    store_block_free(&b);
    store_order_free(&o);
    docs_free(&d);
}

static inline void whole_put_vocabulary(scene *t, store_totals *totals)
{
    static uint64_t counts[WORDS];
    words w = {0};
    char word[32];

    for (uint64_t i = 0; i < WORDS; i++) {
        counts[i] = i * i % 1000;
        snprintf(word, sizeof word, "word%d", (int)i);
        ck_assert(words_add(&w, word, strlen(word)));
    }
    OK(store_put_words(t->txn, &w, 0, &t->err));
    OK(store_put_counts(t->txn, counts, counts, WORDS, &t->err));
    totals->words = WORDS;
    totals->word_bytes = words_bytes(&w);
    words_free(&w);
}

static inline void whole_put_index(scene *t)
{
    const store_index v = {.width = WIDTH,
                           .words = ROWS,
                           .blocks = BLOCKS,
                           .rows = 7,
                           .removals = 1,
                           .listed = true,
                           .joined = true,
                           .weight_bits = 40,
                           .min_tokens = 5};
    store_join join[] = {{0, 3, 6, 1}, {6, 3, 9, 2}};
    const store_joins joins = {.blocks = BLOCKS,
                               .words = 3,
                               .documents = 2,
                               .score = 0.5,
                               .join = join,
                               .count = 2};
    int64_t values[STORE_CHUNK_ROWS * (1 + WIDTH)] = {7, -6};
    uint32_t ids[ROWS];
    store_rows r = {0};

    for (uint32_t i = 0; i < ROWS; i++)
        ids[i] = 3 * i;
    OK(store_put_index(t->txn, 3, &v, &t->err));
    OK(store_put_list(t->txn, 3, ids, ROWS, &t->err));
    OK(store_put_joins(t->txn, 3, &joins, &t->err));
    for (uint64_t chunk = 0; chunk < 2; chunk++) {
        const size_t rows = chunk == 0 ? STORE_CHUNK_ROWS : ROWS % 256;
        OK(store_rows_encode(&r, values, rows, WIDTH, &t->err));
        OK(store_put_rows(t->txn, 7, chunk, &r, &t->err));
        OK(store_put_rows(t->txn, 8, chunk, &r, &t->err)); /* left */
    }
    store_rows_free(&r);
}

static inline void whole_put_model(scene *t)
{
    static double values[140000];
    const uint8_t header[40] = {1};

    OK(store_put_model(t->txn, "m", header, sizeof header, &t->err));
    OK(store_put_array(t->txn, "m", "big", values, 140000, &t->err));
    OK(store_put_array(t->txn, "m", "none", values, 0, &t->err));
    OK(store_put_array(t->txn, "m", "few", values, 20, &t->err));
}

/* Two portions of two documents, and what is left of another set. */
static inline void whole_put_kept(scene *t)
{
    store_kept set = {.serial = 1,
                      .topics = 3,
                      .documents = 4,
                      .blocks = BLOCKS,
                      .portions = 2,
                      .shares = 6};
    store_portion p = {0};
    uint64_t bytes;

    ck_assert(store_portion_grow(&p, 2, 3));
    p.count = 2;
    p.position[0] = p.start[1] = p.topic[1] = 1;
    p.position[1] = p.start[2] = 3;
    p.units[0] = STORE_UNITS;
    p.units[1] = p.units[2] = STORE_UNITS / 2;
    p.topic[0] = p.topic[2] = 2;
    p.tokens[0] = p.tokens[1] = 7;
    p.flag[0] = p.flag[1] = 0;
    p.start[0] = 0;
    for (uint64_t i = 0; i < 3; i++) {
        p.block = i % 2;
        OK(store_put_portion(t->txn, "m", i == 2, i % 2, &p, &bytes, &t->err));
        set.bytes += i < 2 ? bytes : 0;
    }
    OK(store_put_kept(t->txn, "m", &set, &t->err));
    store_portion_free(&p);
}

static inline void whole_put_spectrum(scene *t)
{
    double values[WIDTH * WIDTH] = {1, -2, 3};
    const store_spectrum of = {.blocks = BLOCKS,
                               .width = WIDTH,
                               .rows = ROWS,
                               .used = WIDTH,
                               .count = 1};

    OK(store_put_spectrum(
        t->txn, 3, 1, &of,
        &(store_spectrum_arrays){values, values, values, values}, &t->err));
}

/* Documents that are elsewhere. */
enum { ELSEWHERE = 10 };

static inline void whole_put_part(scene *t, store_totals *totals)
{
    const store_part p = {
        .name = "part", .documents = ELSEWHERE, .tokens = 100, .nonzeros = 50};
    uint64_t counts[WORDS] = {1};

    OK(store_put_part(t->txn, 0, &p, &t->err));
    OK(store_put_part_counts(t->txn, counts, counts, WORDS, &t->err));
    totals->parts = 1;
    totals->documents += p.documents;
    totals->tokens += p.tokens;
    totals->nonzeros += p.nonzeros;
}

/* It is not committed yet. */
static inline scene *whole_new(void)
{
    store_totals totals = {.sources = 2};
    scene *const t = scene_writing();

    whole_put_documents(t, &totals);
    whole_put_vocabulary(t, &totals);
    whole_put_index(t);
    whole_put_model(t);
    whole_put_kept(t);
    whole_put_spectrum(t);
    whole_put_part(t, &totals);
    for (uint64_t i = 0; i < 2; i++)
        OK(store_put_source(t->txn, i, &(store_source){.name = "s"}, &t->err));
    OK(store_put_totals(t->txn, &totals, &t->err));
    OK(store_put_settings(t->txn, &(store_settings){.texts = true}, NULL,
                          &t->err));
    return t;
}

#endif
