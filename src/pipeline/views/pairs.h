/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_PAIRS_H
#define PIPELINE_VIEWS_PAIRS_H
/*
 * Counts pairs of words, however many there are, in bounded memory: a table
 * that goes into a nameless file as a sorted run whenever it is full, and the
 * runs merged at the end. The counts are exact.
 */
#include <kedge/status.h>

#include <stdbool.h>
#include <stdint.h>

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

/* Least bytes that pairs_create takes; and what it takes for `bytes`. */
#define PAIRS_LEAST (UINT64_C(1) << 20)

#endif
