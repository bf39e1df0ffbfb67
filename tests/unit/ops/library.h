/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_LIBRARY_H
#define TESTS_UNIT_OPS_LIBRARY_H
/*
 * A store of random texts with phrases planted in them, put by hand, and beside
 * it the texts themselves: what is found, joined and counted in the store is
 * told from them by naive means. Some documents are bags, and some are gone.
 */
#include "base/chance.h"
#include "store/digest.h"
#include "store/scene.h"

#define LIBRARY_WORDS  30
#define LIBRARY_BLOCKS 4
#define LIBRARY_MOST   240 /* documents at most */
#define LIBRARY_LENGTH 60  /* words and gaps of a text at most */
#define LIBRARY_GAP    UINT32_MAX

typedef struct library_text {
    uint32_t word[LIBRARY_LENGTH]; /* ids, and LIBRARY_GAP where some are
                                      apart */
    size_t size;
    bool bag, gone;
} library_text;

typedef struct library {
    scene t;
    words w;
    library_text text[LIBRARY_MOST];
    size_t count;
    size_t first[LIBRARY_BLOCKS + 1]; /* of a block */
    uint64_t removals;
} library;

/* Words 0 1, 2 3 4 and 5 6 7 8 go together, most of the time. */
static inline size_t library_plant(chance *c, library_text *x)
{
    static const struct {
        uint32_t first, size;
    } planted[] = {{0, 2}, {2, 3}, {5, 4}};
    const size_t which = chance_below(c, 3);
    const uint32_t size = chance_below(c, 8) == 0
                              ? 1 + (uint32_t)chance_below(c, 2)
                              : planted[which].size;

    for (uint32_t i = 0; i < size; i++)
        x->word[x->size++] = planted[which].first + i;
    return size;
}

static inline void library_write(chance *c, library_text *x)
{
    const size_t size = 1 + chance_below(c, LIBRARY_LENGTH - 8);

    *x = (library_text){.bag = chance_below(c, 8) == 0};
    while (x->size < size) {
        if (chance_below(c, 3) == 0)
            library_plant(c, x);
        else
            x->word[x->size++] =
                (uint32_t)(9 + chance_below(c, LIBRARY_WORDS - 9));
        if (chance_below(c, 5) == 0)
            x->word[x->size++] = LIBRARY_GAP;
    }
    if (x->word[x->size - 1] == LIBRARY_GAP)
        x->size--;
}

/* As a text is assembled. */
static inline void library_push(docs *d, const library_text *x,
                                uint64_t position)
{
    uint32_t tally[LIBRARY_WORDS] = {0}, symbol[LIBRARY_WORDS], place = 0;
    const uint32_t apart = DOCS_APART;

    for (size_t i = 0; i < x->size; i++)
        if (x->word[i] != LIBRARY_GAP)
            tally[x->word[i]]++;
    ck_assert(docs_begin(d, position));
    for (uint32_t id = 0; id < LIBRARY_WORDS; id++)
        if (tally[id] > 0) {
            ck_assert(docs_push(d, id, tally[id]));
            symbol[id] = ++place;
        }
    for (size_t i = 0; !x->bag && i < x->size; i++)
        ck_assert(docs_push_order(
            d, x->word[i] == LIBRARY_GAP ? &apart : &symbol[x->word[i]], 1));
}

static inline void library_put_block(library *l, size_t b,
                                     store_totals *totals)
{
    store_block block = {0};
    store_order order = {0};
    docs d = {0};

    for (size_t m = l->first[b]; m < l->first[b + 1]; m++)
        library_push(&d, &l->text[m], m - l->first[b] + 1);
    ck_ok(store_block_encode(&block, 0, &d, 0, d.count, &l->t.err), l->t.err);
    ck_ok(store_order_encode(&order, &d, 0, d.count, &l->t.err), l->t.err);
    ck_ok(store_put_block(l->t.txn, b, &block, &l->t.err), l->t.err);
    if (order.size > 0)
        ck_ok(store_put_order(l->t.txn, b, &order, &l->t.err), l->t.err);
    for (size_t m = 0; m < d.count; m++)
        totals->tokens += d.length[m];
    totals->documents += d.count;
    totals->nonzeros += docs_entries(&d);
    docs_free(&d);
    store_block_free(&block);
    store_order_free(&order);
}

static inline void library_make(library *l, uint64_t seed)
{
    chance c = {.key = seed};

    l->count = 0;
    for (size_t b = 0; b < LIBRARY_BLOCKS; b++) {
        size_t n = 1 + chance_below(&c, LIBRARY_MOST / LIBRARY_BLOCKS);
        for (l->first[b] = l->count; n > 0; n--)
            library_write(&c, &l->text[l->count++]);
    }
    l->first[LIBRARY_BLOCKS] = l->count;
}

/* Each of the words in the documents that are there. */
static inline void library_count(const library *l, uint64_t tf[LIBRARY_WORDS],
                                 uint64_t df[LIBRARY_WORDS])
{
    memset(tf, 0, LIBRARY_WORDS * sizeof *tf);
    memset(df, 0, LIBRARY_WORDS * sizeof *df);
    for (size_t m = 0; m < l->count; m++) {
        bool seen[LIBRARY_WORDS] = {false};
        for (size_t i = 0; !l->text[m].gone && i < l->text[m].size; i++) {
            const uint32_t id = l->text[m].word[i];
            if (id == LIBRARY_GAP)
                continue;
            tf[id]++;
            df[id] += !seen[id];
            seen[id] = true;
        }
    }
}

static inline void library_begin(library *l, uint64_t seed)
{
    uint64_t tf[LIBRARY_WORDS], df[LIBRARY_WORDS];
    store_totals totals = {.words = LIBRARY_WORDS, .blocks = LIBRARY_BLOCKS,
                           .sources = 1};
    char word[16];

    *l = (library){0};
    scene_make(&l->t);
    library_make(l, seed);
    for (size_t i = 0; i < LIBRARY_WORDS; i++)
        ck_assert(words_add(&l->w, word,
                            (size_t)snprintf(word, sizeof word, "w%zu",
                                             i * 17 % LIBRARY_WORDS)));
    scene_write(&l->t);
    totals.word_bytes = words_bytes(&l->w);
    ck_ok(store_put_words(l->t.txn, &l->w, 0, &l->t.err), l->t.err);
    for (size_t b = 0; b < LIBRARY_BLOCKS; b++)
        library_put_block(l, b, &totals);
    library_count(l, tf, df);
    ck_ok(store_put_counts(l->t.txn, tf, df, LIBRARY_WORDS, &l->t.err),
          l->t.err);
    ck_ok(store_put_source(l->t.txn, 0, &(store_source){.name = "source"},
                           &l->t.err),
          l->t.err);
    ck_ok(store_put_totals(l->t.txn, &totals, &l->t.err), l->t.err);
    scene_commit(&l->t);
}

/* About one in `one_in` is marked as gone, and of each block one removal
 * logged. */
static inline void library_remove(library *l, uint64_t seed, size_t one_in)
{
    chance c = {.key = ~seed};
    uint32_t index[LIBRARY_MOST];
    store_totals totals;

    scene_write(&l->t);
    ck_ok(store_get_totals(l->t.txn, &totals, &l->t.err), l->t.err);
    for (size_t b = 0; b < LIBRARY_BLOCKS; b++) {
        size_t n = 0;
        for (size_t m = l->first[b]; m < l->first[b + 1]; m++) {
            l->text[m].gone = chance_below(&c, one_in) == 0;
            if (l->text[m].gone)
                index[n++] = (uint32_t)(m - l->first[b]);
        }
        ck_ok(store_put_gone(l->t.txn, b, index, n, &l->t.err), l->t.err);
        if (n > 0)
            ck_ok(store_put_removal(l->t.txn, l->removals++, b, index, n,
                                    &l->t.err),
                  l->t.err);
        totals.removed += n;
        totals.documents -= n;
    }
    totals.removals = l->removals;
    ck_ok(store_put_totals(l->t.txn, &totals, &l->t.err), l->t.err);
    scene_commit(&l->t);
}

static inline void library_end(library *l)
{
    words_free(&l->w);
    scene_end(&l->t);
}

/* ---- an index with phrases ----------------------------------------------- */

#define LIBRARY_WHOLES 20
#define LIBRARY_ALL    (LIBRARY_WORDS + LIBRARY_WHOLES)

typedef struct library_index {
    store_index record;
    store_join join[LIBRARY_WHOLES];
    store_joins joins;
    bool listed[LIBRARY_ALL];
    uint32_t place[LIBRARY_ALL]; /* on the list */
    size_t count;
} library_index;

/* Those that were planted, and a few by chance. */
static inline void library_choose_joins(chance *c, library_index *v)
{
    static const store_join planted[] = {
        {0, 1, 30, 1}, {2, 3, 31, 1}, {5, 6, 33, 1}, {7, 8, 34, 1},
    };
    size_t n = 4;

    memcpy(v->join, planted, sizeof planted);
    for (uint32_t left = 9; left < LIBRARY_WORDS; left++)
        for (uint32_t right = 9; right < LIBRARY_WORDS; right++)
            if (n < LIBRARY_WHOLES - 2 && chance_below(c, 40) == 0) {
                v->join[n] = (store_join){
                    left, right, (uint32_t)(LIBRARY_WORDS + n + 2), 1};
                n++;
            }
    v->join[n++] = (store_join){31, 4, 32, 2};
    v->join[n++] = (store_join){33, 34, 35, 2};
    v->joins = (store_joins){.words = 4, .join = v->join, .count = n};
}

/* All but `number` is made here, and the store gets all of it. */
static inline void library_put_index(library *l, uint64_t seed, uint32_t number,
                                     library_index *v)
{
    chance c = {.key = seed + 1000};
    uint64_t tf[LIBRARY_ALL] = {0}, df[LIBRARY_ALL] = {0};
    uint32_t ids[LIBRARY_ALL];
    store_totals totals;
    char word[16];

    *v = (library_index){.record = {.listed = true,
                                    .joined = true,
                                    .weight_bits = 40,
                                    .width = 16,
                                    .min_tokens = 5,
                                    .rows = 2 * number}};
    library_choose_joins(&c, v);
    for (uint32_t id = 0; id < LIBRARY_ALL; id++) {
        v->listed[id] = chance_below(&c, 6) > 0;
        v->place[id] = (uint32_t)v->count;
        if (v->listed[id])
            ids[v->count++] = id;
        if (id >= LIBRARY_WORDS)
            ck_assert(words_add(&l->w, word,
                                (size_t)snprintf(word, sizeof word, "v%u",
                                                 id)));
    }
    v->record.words = v->count;
    library_count(l, tf, df);
    scene_write(&l->t);
    ck_ok(store_get_totals(l->t.txn, &totals, &l->t.err), l->t.err);
    totals.words = LIBRARY_ALL;
    totals.word_bytes = words_bytes(&l->w);
    ck_ok(store_put_words(l->t.txn, &l->w, LIBRARY_WORDS, &l->t.err), l->t.err);
    ck_ok(store_put_counts(l->t.txn, tf, df, LIBRARY_ALL, &l->t.err), l->t.err);
    ck_ok(store_put_totals(l->t.txn, &totals, &l->t.err), l->t.err);
    ck_ok(store_put_index(l->t.txn, number, &v->record, &l->t.err), l->t.err);
    ck_ok(store_put_list(l->t.txn, number, ids, v->count, &l->t.err), l->t.err);
    ck_ok(store_put_joins(l->t.txn, number, &v->joins, &l->t.err), l->t.err);
    scene_commit(&l->t);
}

/* ---- joining, naively ---------------------------------------------------- */

/* A text with its phrases: in rounds, from left to right. */
static inline void library_join(library_text *x, const store_joins *j)
{
    for (uint32_t round = 1; !x->bag && round <= STORE_JOIN_ROUNDS; round++)
        for (size_t i = 0; i + 1 < x->size; i++) {
            const store_join *one = NULL;
            for (size_t k = 0; k < j->count; k++)
                if (j->join[k].round == round &&
                    j->join[k].left == x->word[i] &&
                    j->join[k].right == x->word[i + 1])
                    one = &j->join[k];
            if (one == NULL)
                continue;
            x->word[i] = one->whole;
            x->size--;
            for (size_t k = i + 1; k < x->size; k++)
                x->word[k] = x->word[k + 1];
        }
}

/* How often each word and phrase of the index is in a document. */
static inline void library_tally(const library *l, size_t m,
                                 const library_index *v,
                                 uint32_t tally[LIBRARY_ALL])
{
    library_text x = l->text[m];

    memset(tally, 0, LIBRARY_ALL * sizeof *tally);
    library_join(&x, &v->joins);
    for (size_t i = 0; i < x.size; i++)
        if (x.word[i] != LIBRARY_GAP && v->listed[x.word[i]])
            tally[x.word[i]]++;
}

#endif
