/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PLANTING_H
#define BENCH_PLANTING_H
/*
 * The words of a synthetic corpus and what is planted in them: how frequent
 * each is, and of which topics. A word is known by its rank in frequency, from
 * 0, until a draw gives its id. Ids are ranks that were shuffled, as those of
 * a vocabulary in order of the alphabet would be.
 */
#include <kedge/bench.h>

#include "bench/alias.h"

enum {
    PLANTING_HOMES = 2,        /* topics of a word at most */
    PLANTING_NONE = UINT16_MAX /* no topic */
};

typedef struct planting {
    size_t words, topics, groups;
    double general;     /* the share of tokens that belong to no topic */
    uint32_t *rank;     /* of an id */
    uint16_t (*home)[PLANTING_HOMES]; /* of a rank; general words have none */
    double *upto;       /* of all topical tokens, those of topics 0 to t */
    alias_cell *cells;  /* ids: list_at[0] general words, then each topic's */
    size_t *list_at;    /* topics + 2 */
    alias_cell *any;    /* topics */
    alias_cell *grouped; /* topics of group g are grouped[group_at[g] ..] */
    size_t *group_at;   /* groups + 1 */
} planting;

/* The options are valid. *p is empty after a failure. */
kedge_status planting_make(const kedge_corpus_opts *opts, planting *p,
                           kedge_error *err);
void planting_free(planting *p);

/* Bytes at most, while it is made. */
uint64_t planting_memusage(uint64_t words, uint64_t topics);

/* An id: of a general word, or of a topic's. */
static inline uint32_t planting_word(const planting *p, size_t list,
                                     uint64_t bits)
{
    const size_t at = p->list_at[list];

    return alias_draw(p->cells + at, p->list_at[list + 1] - at, bits);
}

static inline size_t planting_group(const planting *p, size_t topic)
{
    return topic % p->groups;
}

/* A topic: any, or one of a group. */
static inline uint32_t planting_topic(const planting *p, uint64_t bits)
{
    return alias_draw(p->any, p->topics, bits);
}

static inline uint32_t planting_kin(const planting *p, size_t group,
                                    uint64_t bits)
{
    const size_t at = p->group_at[group];

    return alias_draw(p->grouped + at, p->group_at[group + 1] - at, bits);
}

#endif
