/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_ARCHIVE_H
#define TESTS_UNIT_OPS_ARCHIVE_H
/*
 * A store of random documents put by hand, block by block, and all that is
 * known of them in memory: what the store should say is counted anew.
 */
#include "base/chance.h"
#include "store/digest.h"
#include "store/scene.h"

#define ARCHIVE_WORDS 40
#define ARCHIVE_BLOCKS 5
#define ARCHIVE_MOST 200 /* documents at most */

typedef struct archive {
    scene t;
    words w;
    docs d;                         /* all, block by block */
    size_t first[ARCHIVE_BLOCKS + 1]; /* of a block, in d */
    bool gone[ARCHIVE_MOST];        /* by document */
    digests g;
} archive;

/* What the documents that are there come to. */
typedef struct archive_sums {
    uint64_t tf[ARCHIVE_WORDS], df[ARCHIVE_WORDS];
    store_totals totals;
} archive_sums;

static inline void archive_document(archive *a, chance *c, bool named)
{
    const size_t m = a->d.count, share = 1 + chance_below(c, 4);
    char id[16];

    ck_assert(docs_begin(&a->d, m + 1));
    if (named && chance_below(c, 4) > 0)
        ck_assert(docs_set_name(&a->d,
                                span_of(id, (size_t)snprintf(id, sizeof id,
                                                             "id%zu", m)),
                                span_text("label")));
    for (uint32_t i = 0; i < ARCHIVE_WORDS; i++)
        if (chance_below(c, 5) < share || i == m % ARCHIVE_WORDS)
            ck_assert(docs_push(&a->d, i,
                                1 + (uint32_t)chance_below(c, 9)));
}

/* In memory. Words are not in the order of their bytes. */
static inline void archive_make(archive *a, uint64_t seed, bool named)
{
    chance c = {.key = seed};
    char word[16];

    for (size_t i = 0; i < ARCHIVE_WORDS; i++)
        ck_assert(words_add(&a->w, word,
                            (size_t)snprintf(word, sizeof word, "w%zu",
                                             i * 17 % ARCHIVE_WORDS)));
    for (size_t b = 0; b < ARCHIVE_BLOCKS; b++) {
        const size_t n = 1 + chance_below(&c, ARCHIVE_MOST / ARCHIVE_BLOCKS);
        a->first[b] = a->d.count;
        for (size_t i = 0; i < n; i++)
            archive_document(a, &c, named);
    }
    a->first[ARCHIVE_BLOCKS] = a->d.count;
    ck_ok(digests_learn(&a->g, &a->w, &a->t.err), a->t.err);
}

static inline void archive_count(const archive *a, archive_sums *s)
{
    const docs *d = &a->d;

    *s = (archive_sums){.totals = {.words = ARCHIVE_WORDS,
                                   .word_bytes = words_bytes(&a->w),
                                   .blocks = ARCHIVE_BLOCKS,
                                   .sources = ARCHIVE_BLOCKS}};
    for (size_t m = 0; m < d->count; m++) {
        s->totals.removed += a->gone[m];
        if (a->gone[m])
            continue;
        s->totals.documents++;
        s->totals.tokens += d->length[m];
        s->totals.nonzeros += d->start[m + 1] - d->start[m];
        digest_add(s->totals.digest, digest_document(&a->g, d, m));
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            s->tf[d->word[k]] += d->tally[k];
            s->df[d->word[k]]++;
        }
    }
}

static inline void archive_put(archive *a)
{
    store_block block = {0};
    archive_sums s;

    archive_count(a, &s);
    scene_write(&a->t);
    ck_ok(store_put_words(a->t.txn, &a->w, 0, &a->t.err), a->t.err);
    ck_ok(store_put_counts(a->t.txn, s.tf, s.df, ARCHIVE_WORDS, &a->t.err),
          a->t.err);
    for (size_t b = 0; b < ARCHIVE_BLOCKS; b++) {
        const size_t n = a->first[b + 1] - a->first[b];
        ck_ok(store_block_encode(&block, (uint32_t)b, &a->d, a->first[b], n,
                                 &a->t.err), a->t.err);
        ck_ok(store_put_block(a->t.txn, b, &block, &a->t.err), a->t.err);
        for (size_t m = a->first[b]; m < a->first[b + 1]; m++)
            if (docs_id(&a->d, m).size > 0)
                ck_ok(store_put_id(a->t.txn, docs_id(&a->d, m),
                                   (store_place){b, a->d.position[m]},
                                   &a->t.err),
                      a->t.err);
        ck_ok(store_put_source(a->t.txn, b, &(store_source){.name = "source"},
                               &a->t.err),
              a->t.err);
    }
    ck_ok(store_put_totals(a->t.txn, &s.totals, &a->t.err), a->t.err);
    scene_commit(&a->t);
    store_block_free(&block);
}

static inline void archive_begin(archive *a, uint64_t seed, bool named)
{
    *a = (archive){0};
    scene_make(&a->t);
    archive_make(a, seed, named);
    archive_put(a);
}

static inline void archive_end(archive *a)
{
    words_free(&a->w);
    docs_free(&a->d);
    digests_free(&a->g);
    scene_end(&a->t);
}

static inline size_t archive_block(const archive *a, size_t m)
{
    size_t b = 0;

    while (m >= a->first[b + 1])
        b++;
    return b;
}

#endif
