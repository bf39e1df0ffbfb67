/* SPDX-License-Identifier: MIT */
#ifndef BASE_HASH_H
#define BASE_HASH_H
/*
 * Mixing and hashing of 64 bits: the counter-based random numbers of the test
 * matrix, keys of words and digests of documents. Their values are part of the
 * store's format (FORMAT.md) and never change. Not for adversaries.
 */
#include <stddef.h>
#include <stdint.h>

#define HASH_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* A bijection of 64 bits with good avalanche (the finaliser of splitmix64). */
static inline uint64_t hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The `counter`-th 64 random bits of the stream `key`. */
static inline uint64_t hash_stream(uint64_t key, uint64_t counter)
{
    return hash_mix(key + (counter + 1) * HASH_GOLDEN);
}

/* Hash of `size` bytes under `seed`. */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size);

#endif
