/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_METRICS_LISTS_H
#define TESTS_UNIT_METRICS_LISTS_H
/* Random documents and lists of their words, counted as paircounts does. */
#include "metrics/measure.h"
#include "cooccur/moments.h"

#define LISTS 5
#define LISTS_ROWS 40
#define LISTS_LEAD 4

typedef struct lists {
    moments s;
    uint32_t word[LISTS * LIST_MOST];
    size_t count[LISTS];
    pool *p;
    paircounts *t;
} lists;

static inline bool lists_has(const lists *l, size_t list, uint32_t word)
{
    for (size_t i = 0; i < l->count[list]; i++)
        if (l->word[list * LIST_MOST + i] == word)
            return true;
    return false;
}

/* The first is empty, the last has as many words as there may be; rare words
 * are in some of them. */
static inline void lists_choose(lists *l)
{
    chance c = {.key = 4};

    for (size_t list = 1; list < LISTS; list++)
        while (l->count[list] < 2 + 4 * list) {
            const uint32_t word = (uint32_t)chance_below(&c, LISTS_ROWS);
            if (!lists_has(l, list, word))
                l->word[list * LIST_MOST + l->count[list]++] = word;
        }
}

static inline word_lists lists_words(const lists *l)
{
    return (word_lists){LISTS_ROWS, LISTS, l->word, l->count};
}

static inline void lists_begin(lists *l, uint32_t kind, unsigned threads)
{
    kedge_error err = {0};

    *l = (lists){0};
    moments_make(&l->s, LISTS_ROWS, 700, kind, 0);
    lists_choose(l);
    l->p = dense_pool(threads);
    const word_lists all = lists_words(l);
    ck_ok(paircounts_create(&all, LISTS_LEAD, l->p, &l->t, &err), err);
    paircounts_add(l->t, &l->s.d);
    paircounts_weigh(l->t, &l->s.window);
    paircounts_finish(l->t);
}

static inline void lists_end(lists *l)
{
    paircounts_free(l->t);
    pool_free(l->p);
    moments_free(&l->s);
}

static inline bool lists_holds(const docs *d, size_t m, uint32_t word)
{
    for (size_t e = d->start[m]; e < d->start[m + 1]; e++)
        if (d->word[e] == word)
            return true;
    return false;
}

/* Documents that hold both, one by one. */
static inline uint64_t lists_documents(const lists *l, uint32_t a, uint32_t b)
{
    uint64_t sum = 0;

    for (size_t m = 0; m < l->s.d.count; m++)
        sum += lists_holds(&l->s.d, m, a) && lists_holds(&l->s.d, m, b);
    return sum;
}

#endif
