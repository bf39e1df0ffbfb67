/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_LINEAR_H
#define COMPOSE_LINEAR_H
/*
 * Linear Bayes: the expected topics of a document, given its words and what is
 * known of topics before it is read. A document's answer depends on that
 * document alone.
 */
#include <stdbool.h>

#include "compose/prior.h"

/* A document: rows of the table of words, each once. Rows of zeros are passed
 * over. */
typedef struct bag {
    const uint32_t *row, *tally;
    size_t count;
    uint64_t tokens; /* the sum of the tallies, where rows are not zero */
} bag;

/* Scratch memory of one thread. */
typedef struct linear linear;

typedef struct linear_opts {
    size_t steps;     /* at most */
    double tolerance; /* stops when shares move by less, added up */
} linear_opts;

kedge_status linear_create(size_t k, linear **out, kedge_error *err);
void linear_free(linear *l); /* accepts NULL */

/*
 * `table` has a row of prior_stride(k) floats for each word: p(word | topic)
 * times a number of its own, for it is the topics' proportions that count. The
 * bag has a token at least. `w` (stride) gets the shares. Both are aligned as
 * mem_new does it. Gives the steps that were taken; *settled: they were enough.
 */
size_t linear_solve(linear *l, const prior *p, const float *table,
                    const bag *g, const linear_opts *opts, float *w,
                    bool *settled);

#endif
