/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_BASE_CHANCE_H
#define TESTS_UNIT_BASE_CHANCE_H
/* Repeatable random numbers for tests: chance c = {.key = seed}. */
#include <math.h>

#include "base/hash.h"

typedef struct chance {
    uint64_t key, counter;
} chance;

static inline uint64_t chance_bits(chance *c)
{
    return hash_stream(hash_mix(c->key + 1), c->counter++);
}

/* 0 .. n-1 */
static inline size_t chance_below(chance *c, size_t n)
{
    return (size_t)(chance_bits(c) % n);
}

/* In (0, 1). */
static inline double chance_unit(chance *c)
{
    return ((double)(chance_bits(c) >> 11) + 0.5) * 0x1p-53;
}

static inline double chance_normal(chance *c)
{
    const double r = sqrt(-2 * log(chance_unit(c)));

    return r * cos(6.283185307179586 * chance_unit(c));
}

static inline void chance_fill(chance *c, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = chance_normal(c);
}

#endif
