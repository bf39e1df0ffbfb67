/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_PHRASES_H
#define OPS_INDEX_PHRASES_H
/*
 * Which words of a list are a phrase when they stand side by side: pairs that
 * come in enough documents, and much more often than their words' frequencies
 * would have it. One pass over the store for phrases of two words, one more for
 * each word that they may have more.
 */
#include <kedge/control.h>

#include "base/words.h"
#include "store/store.h"

/*
 * `all`: the store's words, to which phrases that are new are added. `bytes`:
 * of memory for counting pairs. `drop`: a file of what is to be no phrase, or
 * NULL. `joins` says how many words, in how many documents, with which score;
 * it gets the rest. The list gets the phrases, and loses words that come in no
 * document outside of them.
 */
kedge_status phrases_find(store_txn *txn, words *all, uint64_t bytes,
                          const char *drop, const kedge_control *control,
                          store_list *list, store_joins *joins,
                          kedge_error *err);

/*
 * How closely two words are tied: normalized pointwise mutual information, from
 * -1 over 0, as often side by side as chance has it, to 1, never apart. Of
 * words that come `left` and `right` times among `total`, `both` side by side.
 */
double phrases_score(uint64_t both, uint64_t left, uint64_t right,
                     uint64_t total);

/* ---- pairs --------------------------------------------------------------- */

/*
 * Counts pairs of words, however many there are, in bounded memory: a table
 * that goes into a nameless file as a sorted run whenever it is full, and the
 * runs merged at the end. The counts are exact.
 */
typedef struct pairs pairs;

typedef struct pair_count {
    uint64_t pair; /* left above right */
    uint32_t tf;   /* how often */
    uint32_t df;   /* in how many documents */
} pair_count;

/* `bytes`: of the table at most; `directory`: where the file is made, when one
 * is needed. */
kedge_status pairs_create(uint64_t bytes, const char *directory, pairs **out,
                          kedge_error *err);
void pairs_free(pairs *p); /* accepts NULL */

/* The pair comes `tf` times in one more document. */
kedge_status pairs_add(pairs *p, uint64_t pair, uint32_t tf, kedge_error *err);

/* Gives the counts in the order of pairs; only pairs_free may follow. Counts
 * beyond 2^32 - 1 stay there. */
kedge_status pairs_drain(pairs *p,
                         kedge_status (*visit)(void *data,
                                               const pair_count *count,
                                               kedge_error *err),
                         void *data, kedge_error *err);

/* Least bytes that pairs_create takes. */
#define PAIRS_LEAST (UINT64_C(1) << 20)

#endif
