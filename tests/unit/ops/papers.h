/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_PAPERS_H
#define TESTS_UNIT_OPS_PAPERS_H
/*
 * The planted corpus as texts: JSON lines with ids, of words that are found
 * while reading or counted already; and files of documents some of which have
 * the same id, with what a store should have of them in the end.
 */
#include "ops/planted.h"
#include "ops/index/filter.h"

/* ---- texts --------------------------------------------------------------- */

/* Documents of the corpus as JSON lines with ids, words as often as they
 * come. */
static inline void write_texts(const char *path, const docs *d, size_t from,
                               size_t to)
{
    static const char letters[] = "abcdefghij";
    FILE *f = planted_file(path);

    for (size_t m = from; m < to; m++) {
        fprintf(f, "{\"id\": \"d%zu\", \"text\": \"", m);
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
            for (uint32_t i = 0; i < d->tally[k]; i++)
                fprintf(f, "x%c%c%c ", letters[d->word[k] / 100],
                        letters[d->word[k] / 10 % 10],
                        letters[d->word[k] % 10]);
        fputs("\"}\n", f);
    }
    ck_assert_int_eq(fclose(f), 0);
}

static inline void texts_begin(planted *p)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.vocabulary = NULL;
    write_texts(p->source, &p->d, 0, PLANTED_DOCUMENTS);
}

/* The corpus's word as it is spelt above. */
static inline uint32_t word_number(const words *w, uint32_t id)
{
    const char *const text = words_get(w, id);

    ck_assert_uint_eq(words_size(w, id), 4);
    return (uint32_t)(100 * (text[1] - 'a') + 10 * (text[2] - 'a') + text[3] -
                      'a');
}

/* ---- documents with the same ids ------------------------------------------
 */

#define FILES 4
#define LINES 60 /* of a file */
#define IDS   50

/* What is written, line by line, and which lines should be there in the end. */
typedef struct papers {
    size_t text[FILES * LINES]; /* document of the corpus */
    size_t id[FILES * LINES];   /* SIZE_MAX: none */
    bool stays[FILES * LINES];
    uint64_t skipped, replaced;
    char path[FILES][96];
} papers;

static inline void papers_write(const planted *p, papers *w, size_t file)
{
    FILE *f = planted_file(w->path[file]);
    const docs *d = &p->d;

    for (size_t i = file * LINES; i < (file + 1) * LINES; i++) {
        const size_t m = w->text[i];
        fputs("{", f);
        if (w->id[i] != SIZE_MAX)
            fprintf(f, "\"id\": \"d%zu\", ", w->id[i]);
        fprintf(f, "\"label\": \"l%zu\", \"text\": {", i);
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
            fprintf(f, "%s\"w%03u\": %u", k > d->start[m] ? ", " : "",
                    d->word[k] * 37 % PLANTED_WORDS, d->tally[k]);
        fputs("}}\n", f);
    }
    ck_assert_int_eq(fclose(f), 0);
}

static inline void papers_make(planted *p, papers *w, uint64_t seed,
                               kedge_on_duplicate rule)
{
    chance c = {.key = seed};
    size_t there[IDS]; /* line that has it, SIZE_MAX: none */

    *w = (papers){0};
    memset(there, 0xff, sizeof there);
    for (size_t i = 0; i < FILES * LINES; i++) {
        const size_t id = chance_below(&c, IDS);
        w->text[i] = chance_below(&c, PLANTED_DOCUMENTS);
        w->id[i] = chance_below(&c, 4) == 0 ? SIZE_MAX : id;
        w->stays[i] = true;
        if (w->id[i] == SIZE_MAX)
            continue;
        if (there[id] != SIZE_MAX && rule == KEDGE_DUPLICATE_SKIP) {
            w->stays[i] = false;
            w->skipped++;
            continue;
        }
        if (there[id] != SIZE_MAX) {
            w->stays[there[id]] = false;
            w->replaced++;
        }
        there[id] = i;
    }
    for (size_t i = 0; i < FILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "papers%zu", i % 10);
        planted_path(p, name, w->path[i]);
        papers_write(p, w, i);
    }
    p->o.on_duplicate = rule;
}

static inline kedge_status papers_ingest(planted *p, papers *w, size_t at_once)
{
    kedge_status st = KEDGE_OK;
    const char *path[FILES];
    kedge_ingest_result sum = {0};

    for (size_t i = 0; i < FILES; i++)
        path[i] = w->path[i];
    for (size_t i = 0; st == KEDGE_OK && i < FILES; i += at_once) {
        st = planted_ingest_all(p, path + i, at_once);
        sum.documents += p->r.documents;
        sum.duplicates += p->r.duplicates;
        sum.replaced += p->r.replaced;
    }
    p->r.documents = sum.documents;
    p->r.duplicates = sum.duplicates;
    p->r.replaced = sum.replaced;
    return st;
}

/* Line `i` is what the store has of its label. */
static inline void papers_check_document(planted *p, const papers *w,
                                         const docs *d, size_t m)
{
    const span label = docs_label(d, m);
    char text[16], id[32];
    store_place place;
    size_t i;

    ck_assert_uint_lt(label.size, sizeof text);
    memcpy(text, label.bytes, label.size);
    text[label.size] = '\0';
    i = strtoul(text + 1, NULL, 10);
    ck_assert(w->stays[i]);
    ck_assert_uint_eq(d->position[m], i % LINES + 1);
    ck_assert_uint_eq(d->length[m], p->d.length[w->text[i]]);
    snprintf(id, sizeof id, "d%zu", w->id[i]);
    ck_assert(span_equal(docs_id(d, m), w->id[i] == SIZE_MAX ? span_of(id, 0)
                                                             : span_text(id)));
    if (w->id[i] == SIZE_MAX)
        return;
    ck_ok(store_get_id(p->t.txn, docs_id(d, m), &place, &p->t.err), p->t.err);
    ck_assert_uint_eq(place.position, d->position[m]);
}

static inline void papers_check_counts(planted *p, const papers *w)
{
    uint64_t tf[PLANTED_WORDS] = {0}, *stored, *df;
    const docs *d = &p->d;
    words known = {0};

    for (size_t i = 0; i < FILES * LINES; i++)
        for (size_t k = d->start[w->text[i]];
             w->stays[i] && k < d->start[w->text[i] + 1]; k++)
            tf[d->word[k] * 37 % PLANTED_WORDS] += d->tally[k];
    ck_ok(store_get_words(p->t.txn, &known, &p->t.err), p->t.err);
    ck_assert_uint_le(known.count, PLANTED_WORDS);
    stored = calloc(known.count, sizeof *stored);
    df = calloc(known.count, sizeof *df);
    ck_ok(store_get_counts(p->t.txn, stored, df, known.count, &p->t.err),
          p->t.err);
    for (size_t i = 0; i < known.count; i++) {
        const size_t word = strtoul(words_get(&known, i) + 1, NULL, 10);
        ck_assert_uint_eq(stored[i], tf[word]);
        tf[word] = 0;
    }
    for (size_t i = 0; i < PLANTED_WORDS; i++)
        ck_assert_uint_eq(tf[i], 0);
    free(stored);
    free(df);
    words_free(&known);
}

static inline void papers_check(planted *p, const papers *w)
{
    kedge_store_info info = planted_info(p);
    uint64_t documents = 0, tokens = 0, ledger = 0;
    docs seen = {0};
    filter all = {0};

    for (size_t i = 0; i < FILES * LINES; i++) {
        if (!w->stays[i])
            continue;
        documents++;
        tokens += p->d.length[w->text[i]];
        info.digest[0] -= planted_digest(&p->d, w->text[i]);
        info.digest[1] -= hash_mix(planted_digest(&p->d, w->text[i]));
    }
    ck_assert_uint_eq(info.documents, documents);
    ck_assert_uint_eq(info.tokens, tokens);
    ck_assert_uint_eq(info.digest[0] | info.digest[1], 0);
    ck_assert_uint_eq(info.sources, FILES);
    scene_read(&p->t);
    for (uint64_t b = 0; b < info.blocks; b++)
        ck_ok(filter_read(&all, p->t.txn, b, &seen, &p->t.err), p->t.err);
    ck_assert_uint_eq(seen.count, documents);
    for (size_t m = 0; m < seen.count; m++)
        papers_check_document(p, w, &seen, m);
    papers_check_counts(p, w);
    store_abort(&p->t.txn);
    for (uint64_t i = 0; i < FILES; i++)
        ledger += planted_source(p, i).documents;
    ck_assert_uint_ge(ledger, documents);
    filter_close(&all);
    docs_free(&seen);
}

#endif
