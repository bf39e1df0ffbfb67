/* SPDX-License-Identifier: MIT */
#ifndef IO_TEXT_SPELLING_H
#define IO_TEXT_SPELLING_H
/*
 * How far two words are from being spelt alike: characters that are put in,
 * left out or replaced, and neighbours that are exchanged, each counted once.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define SPELLING_LONGEST 64 /* characters */

typedef struct spelling {
    uint32_t letter[SPELLING_LONGEST];
    size_t size;
} spelling;

/* A word's characters; bytes that are no UTF-8 stand for themselves. false for
 * one that is longer. */
bool spelling_of(span word, spelling *out);

/* The distance, or `most` + 1 where it is above `most`. */
size_t spelling_distance(const spelling *a, const spelling *b, size_t most);

#endif
