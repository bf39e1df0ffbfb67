/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_LIFE_H
#define TESTS_UNIT_OPS_LIFE_H
/*
 * A store that lived: sources in batches, documents with and without ids and
 * labels, some replaced by later ones; and beside it a plain table of what must
 * be in it.
 */
#include <kedge/kedge.h>

#include "base/chance.h"
#include "store/scene.h"

#define LIFE_WORDS 60
#define LIFE_MOST  400

typedef struct life_document {
    char id[24], label[8]; /* or empty */
    char source[96], batch[16];
    uint64_t position;
    uint32_t tally[LIFE_WORDS];
    bool there;
} life_document;

typedef struct life {
    scene t;
    kedge_control c;
    life_document d[LIFE_MOST];
    size_t count;
    bool no_sketch; /* indexes stay behind what comes */
    kedge_ingest_result r;
} life;

static inline void life_begin(life *l)
{
    l->count = 0;
    l->no_sketch = false;
    scene_make(&l->t);
    kedge_control_init(&l->c);
    l->c.threads = 2;
}

static inline void life_end(life *l)
{
    scene_end(&l->t);
}

/* Of the word with this number, the same in every life. */
static inline const char *life_word(size_t w)
{
    static char text[LIFE_WORDS][8];

    snprintf(text[w], sizeof text[w], "w%02zu", w * 37 % LIFE_WORDS);
    return text[w];
}

/* An id of its own, none, or that of a document of an earlier source, which
 * goes. */
static inline void life_make_id(life *l, life_document *d, chance *c,
                                size_t earlier)
{
    const size_t kind = chance_below(c, 8);
    life_document *old;

    d->id[0] = '\0';
    if (kind < 4)
        snprintf(d->id, sizeof d->id, "id/%zu", l->count);
    if (kind != 7 || earlier == 0)
        return;
    old = &l->d[chance_below(c, earlier)];
    if (!old->there || old->id[0] == '\0')
        return;
    memcpy(d->id, old->id, sizeof d->id);
    old->there = false;
}

static inline void life_make(life *l, chance *c, size_t earlier,
                             uint64_t position)
{
    life_document *const d = &l->d[l->count];
    const size_t tokens = 1 + chance_below(c, 30);

    *d = (life_document){.position = position, .there = true};
    life_make_id(l, d, c, earlier);
    if (chance_below(c, 3) == 0)
        snprintf(d->label, sizeof d->label, "l%zu", chance_below(c, 5));
    for (size_t i = 0; i < tokens; i++)
        d->tally[chance_below(c, chance_below(c, LIFE_WORDS) + 1)]++;
    l->count++;
}

static inline void life_print(FILE *f, const life_document *d)
{
    const char *comma = "";

    fputc('{', f);
    if (d->id[0] != '\0')
        fprintf(f, "\"id\":\"%s\",", d->id);
    if (d->label[0] != '\0')
        fprintf(f, "\"label\":\"%s\",", d->label);
    fputs("\"words\":{", f);
    for (size_t w = 0; w < LIFE_WORDS; w++)
        if (d->tally[w] > 0) {
            fprintf(f, "%s\"%s\":%u", comma, life_word(w), d->tally[w]);
            comma = ",";
        }
    fputs("}}\n", f);
}

/* The documents from .. count - 1 of the table, as a source. */
static inline void life_ingest(life *l, size_t from, const char *name,
                               const char *batch)
{
    kedge_ingest_opts o;
    char path[96];
    const char *const paths[] = {path};
    FILE *f;

    snprintf(path, sizeof path, "%s/%.24s", l->t.root, name);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    for (size_t m = from; m < l->count; m++) {
        memcpy(l->d[m].source, path, sizeof path);
        snprintf(l->d[m].batch, sizeof l->d[m].batch, "%s",
                 batch != NULL ? batch : "");
        life_print(f, &l->d[m]);
    }
    ck_assert_int_eq(fclose(f), 0);
    kedge_ingest_opts_init(&o);
    o.format = KEDGE_FORMAT_JSONL;
    o.text_field = "words";
    o.batch = batch;
    o.no_sketch = l->no_sketch;
    o.on_duplicate = KEDGE_DUPLICATE_REPLACE;
    ck_ok(kedge_ingest(l->t.s, paths, 1, &o, &l->c, &l->r, &l->t.err),
          l->t.err);
}

/* A source of so many new documents. */
static inline void life_add(life *l, uint64_t seed, size_t documents,
                            const char *name, const char *batch)
{
    const size_t from = l->count;
    chance c = {.key = seed};

    ck_assert_uint_le(from + documents, LIFE_MOST);
    for (size_t m = 0; m < documents; m++)
        life_make(l, &c, from, m + 1);
    life_ingest(l, from, name, batch);
}

/* Three sources in two batches, of which some documents are gone. */
static inline void life_fill(life *l, uint64_t seed)
{
    life_begin(l);
    life_add(l, seed, 60, "one.jsonl", "early");
    life_add(l, seed + 1000, 50, "two.jsonl", NULL);
    life_add(l, seed + 2000, 90, "three.jsonl", "late");
}

/* By which it is known. */
static inline const char *life_id(const life_document *d, char out[128])
{
    if (d->id[0] != '\0')
        snprintf(out, 128, "%s", d->id);
    else
        snprintf(out, 128, "%s:%llu", d->source,
                 (unsigned long long)d->position);
    return out;
}

/* An index of the words in so many documents or more, with its sketch. */
static inline void life_fit(life *l, uint64_t min_df)
{
    const uint64_t topics = 2;
    kedge_fit_opts o;
    kedge_fit_result r;

    kedge_fit_opts_init(&o);
    o.min_df = min_df;
    o.max_df = 1;
    o.stopwords = "none";
    o.sketch_size = 24;
    ck_ok(kedge_fit(l->t.s, &topics, 1, &o, &l->c, &r, &l->t.err), l->t.err);
}

static inline void life_count(const life *l, uint64_t tf[LIFE_WORDS],
                              uint64_t df[LIFE_WORDS])
{
    memset(tf, 0, LIFE_WORDS * sizeof *tf);
    memset(df, 0, LIFE_WORDS * sizeof *df);
    for (size_t m = 0; m < l->count; m++)
        for (size_t w = 0; l->d[m].there && w < LIFE_WORDS; w++) {
            tf[w] += l->d[m].tally[w];
            df[w] += l->d[m].tally[w] > 0;
        }
}

static inline size_t life_there(const life *l)
{
    size_t count = 0;

    for (size_t m = 0; m < l->count; m++)
        count += l->d[m].there;
    return count;
}

#endif
