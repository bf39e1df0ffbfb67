/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_PHRASES_H
#define PIPELINE_VIEWS_PHRASES_H
/*
 * Which words of a list are a phrase when they stand side by side: pairs that
 * come in enough documents, and much more often than their words' frequencies
 * would have it. One pass over the store for phrases of two words, one more for
 * each word that they may have more.
 */
#include <kedge/control.h>

#include "base/words.h"
#include "store/store.h"

typedef struct phrases_input {
    store_txn *txn;
    words *all; /* the store's; phrases that are new are added */
    const kedge_control *control;
    uint64_t bytes; /* of memory for counting pairs */
    const char *drop; /* a file: what is to be no phrase; or NULL */
} phrases_input;

/* `joins` says how many words, in how many documents, with which score; it gets
 * the rest. The list gets the phrases, and loses words that come in no document
 * outside of them. */
kedge_status phrases_find(const phrases_input *in, store_list *list,
                          store_joins *joins, kedge_error *err);

/*
 * How closely two words are tied: normalized pointwise mutual information, from
 * -1 over 0, as often side by side as chance has it, to 1, never apart. Of
 * words that come `left` and `right` times among `total`, `both` side by side.
 */
double phrases_score(uint64_t both, uint64_t left, uint64_t right,
                     uint64_t total);

#endif
