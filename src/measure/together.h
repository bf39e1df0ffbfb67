/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_TOGETHER_H
#define MEASURE_TOGETHER_H
/*
 * How often the words of short lists come together, a list for each topic: in
 * how many documents two of a list are, and what their co-occurrence is. Words
 * of different lists are not counted. All sums are integers.
 */
#include <stdint.h>

#include "base/docs.h"
#include "base/pool.h"
#include "sketch/window.h"

#define TOGETHER_MOST 64 /* words of a list */

typedef struct together together;

typedef struct together_input {
    size_t rows;
    size_t lists;
    const uint32_t *word; /* lists x TOGETHER_MOST: rows, no two of a list the
                             same */
    const size_t *count;  /* lists: words of each */
    size_t lead;          /* first words of each that count for being covered */
    pool *p;
} together_input;

/* The input is copied, but for its pool. */
kedge_status together_create(const together_input *in, together **out,
                             kedge_error *err);
void together_free(together *t); /* accepts NULL */

/* Counts documents; words are rows. */
void together_add(together *t, const docs *d);

/* Adds up co-occurrence: w x_i x_j of each document of the window (basket.h),
 * to 2^-40. */
void together_weigh(together *t, const window *w);

/* After the last document. */
void together_finish(together *t);

/* Documents that hold the i-th and the j-th word of the list; i may be j. */
uint64_t together_documents(const together *t, size_t list, size_t i,
                            size_t j);
/* Their co-occurrence, before it is divided by C's total; i is not j. */
double together_weight(const together *t, size_t list, size_t i, size_t j);
/* Documents that hold two of the first words of some list. */
uint64_t together_covered(const together *t);

#endif
