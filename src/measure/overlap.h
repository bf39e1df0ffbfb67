/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_OVERLAP_H
#define MEASURE_OVERLAP_H
/* How far the lists of topics' words are the same. */
#include <kedge/status.h>

#include <stddef.h>
#include <stdint.h>

typedef struct overlap {
    double alone;    /* words of a list that no other has, on average */
    double shared;   /* words that two lists have, added up over all pairs */
    double distinct; /* different words, of all places in lists */
} overlap;

/*
 * Of `lists` lists in rows of `stride`, of which list l has count[l] words;
 * they are below `rows`, and no two of a list are the same.
 */
kedge_status overlap_find(const uint32_t *word, size_t stride,
                          const size_t *count, size_t lists, size_t rows,
                          overlap *out, kedge_error *err);

#endif
