/* SPDX-License-Identifier: MIT */
#ifndef BASE_COMPARE_H
#define BASE_COMPARE_H
/*
 * Which of two comes first: below 0 the left one, above 0 the right one, 0
 * neither. What has several numbers compares the first that differ.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int compare_numbers(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

static inline uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* For qsort and bsearch. */
static inline int compare_u32(const void *left, const void *right)
{
    return compare_numbers(*(const uint32_t *)left, *(const uint32_t *)right);
}

static inline int compare_u64(const void *left, const void *right)
{
    return compare_numbers(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* As memcmp does, and what ends first before what goes on. */
static inline int compare_bytes(const void *left, size_t left_size,
                                const void *right, size_t right_size)
{
    const size_t both = left_size < right_size ? left_size : right_size;
    const int c = both == 0 ? 0 : memcmp(left, right, both);

    return c != 0 ? c : compare_numbers(left_size, right_size);
}

#endif
