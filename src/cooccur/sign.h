/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_SIGN_H
#define COOCCUR_SIGN_H
/*
 * The test matrix Ω: entries +1 and -1, never stored. Row i is a function of
 * the seed and of the word's bytes alone, so that it is the same whatever id a
 * store gives the word; column l is bit l % 64 of the row's (l / 64)-th 64
 * bits, so that a narrower Ω is the left part of a wider one. Part of the
 * format.
 */
#include "base/hash.h"

#define SIGN_TILE 64 /* columns that one word of bits holds */

static inline uint64_t sign_key(uint64_t seed, const char *word, size_t size)
{
    return hash_bytes(seed, word, size);
}

/* Columns 64 * tile and on: bit set means +1, clear means -1. */
static inline uint64_t sign_bits(uint64_t key, size_t tile)
{
    return hash_stream(key, tile);
}

static inline int sign_at(uint64_t bits, unsigned column)
{
    return (bits >> column) & 1 ? 1 : -1;
}

#endif
