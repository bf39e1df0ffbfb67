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

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline int compare_numbers(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
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

/* A row and what it is ranked by. */
typedef struct scored_row {
    double value;
    uint64_t row;
} scored_row;

/* For qsort: the larger first, ties by row. */
static inline int compare_scored_rows(const void *left, const void *right)
{
    const scored_row *const a = left, *const b = right;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return compare_numbers(a->row, b->row);
}

/* Keeps the row in a list of the `most` largest, the larger first, where it is
 * one of them; what came earlier wins ties. How many the list has then. */
static inline size_t scored_keep(scored_row *list, size_t count, size_t most,
                                 double value, uint64_t row)
{
    size_t at = count < most ? count : most - 1;

    if (count == most && !(value > list[at].value))
        return count;
    for (; at > 0 && list[at - 1].value < value; at--)
        list[at] = list[at - 1];
    list[at] = (scored_row){value, row};
    return count < most ? count + 1 : most;
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
