/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_PATTERN_H
#define SKETCH_PATTERN_H
/*
 * Which pairs of words have anything in common: a bit for each, a row of them
 * for each word, and the places that the pairs have one behind the other, rows
 * first. Where one pair in thirty has, this is less than the columns' numbers
 * would be; and it does not grow while it is found out.
 *
 *   pattern_create → pattern_set, rows on any threads → pattern_count → the
 *   others
 */
#include <kedge/status.h>

#include <stddef.h>
#include <stdint.h>

typedef struct pattern {
    size_t words;
    size_t pieces;  /* of 64 bits, of a row */
    uint64_t *bit;  /* words x pieces */
    size_t *start;  /* words + 1: the place of a row's first pair */
} pattern;

/* Of pairs that have nothing. */
kedge_status pattern_create(size_t words, pattern *out, kedge_error *err);
void pattern_free(pattern *p);

static inline uint64_t *pattern_bits(const pattern *p, size_t row)
{
    return p->bit + row * p->pieces;
}

/* Of a row's bits. */
static inline void pattern_set(uint64_t *bits, size_t column)
{
    bits[column / 64] |= UINT64_C(1) << column % 64;
}

/* Finds the places; how many there are. */
size_t pattern_count(pattern *p);

/* How many of a row's pairs lie before each of its pieces. */
void pattern_before(const pattern *p, size_t row, uint32_t *before);

/* The place within its row of a pair that the row has. */
static inline size_t pattern_place(const uint64_t *bits,
                                   const uint32_t *before, size_t column)
{
    const uint64_t lower = (UINT64_C(1) << column % 64) - 1;

    return before[column / 64] +
           (size_t)__builtin_popcountll(bits[column / 64] & lower);
}

/* The columns of a row's pairs, rising, into room for `words`; how many. */
size_t pattern_columns(const pattern *p, size_t row, uint32_t *column);

#endif
