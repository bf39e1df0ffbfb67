/* SPDX-License-Identifier: MIT */
#ifndef BASE_MEM_H
#define BASE_MEM_H
/*
 * All allocation of the library. Sizes come as factors, so that a product that
 * overflows is a refused allocation and not a small one. Tests replace the
 * allocator to make the k-th allocation fail.
 */
#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory, 64-byte aligned; NULL when there is none or the product of
 * the factors overflows. Zero bytes give a valid pointer. */
void *mem_new(size_t count, size_t size);
void *mem_new2(size_t rows, size_t cols, size_t size);

/* Grows *ptr (from mem_new, or NULL) to hold at least `count` elements, by a
 * third or more; *capacity is in elements. New elements are not cleared.
 * false, with everything as it was, when there is no memory. */
bool mem_grow(void **ptr, size_t *capacity, size_t count, size_t size);

#define MEM_GROW(array, capacity, count) \
    mem_grow((void **)&(array), &(capacity), count, sizeof *(array))

char *mem_strdup(const char *text);
void mem_free(void *ptr);

/* The same of several pointers: mem_free_all(a, b, c). */
#define mem_free_all(...)                     \
    mem_free_list((void *[]){__VA_ARGS__},    \
                  sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void mem_free_list(void *const *ptr, size_t count);

/* To the system: what was freed, and the allocator keeps for later. */
void mem_give_back(void);

/* Called before each allocation; false makes it fail. NULL: none. For tests
 * only, not thread-safe while allocations run. */
void mem_set_gate(bool (*gate)(size_t bytes));

#endif
