/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <kedge/export.h>

#define ALIGNMENT 64

static bool (*mem_gate)(size_t bytes);

void mem_set_gate(bool (*gate)(size_t bytes))
{
    mem_gate = gate;
}

/* Exactly as many bytes as were asked for: with room behind them a sanitizer
 * would not see what reads past their end. */
static void *mem_get(size_t count, size_t size, size_t *bytes)
{
    void *ptr;

    if (__builtin_mul_overflow(count, size, bytes) ||
        *bytes > SIZE_MAX / 2 - ALIGNMENT)
        return NULL;
    *bytes = *bytes == 0 ? 1 : *bytes;
    if (mem_gate != NULL && !mem_gate(*bytes))
        return NULL;
    return posix_memalign(&ptr, ALIGNMENT, *bytes) == 0 ? ptr : NULL;
}

void *mem_new(size_t count, size_t size)
{
    size_t bytes;
    void *ptr = mem_get(count, size, &bytes);

    if (ptr != NULL)
        memset(ptr, 0, bytes);
    return ptr;
}

void *mem_new2(size_t rows, size_t cols, size_t size)
{
    size_t count;

    if (__builtin_mul_overflow(rows, cols, &count))
        return NULL;
    return mem_new(count, size);
}

/* Capacities are 16, 24, 32, 48, 64, ...: what is asked for one by one costs a
 * copy each time, and what is known at once is overshot by a half at most. */
bool mem_grow(void **ptr, size_t *capacity, size_t count, size_t size)
{
    size_t wanted = 16, bytes;
    void *bigger;

    if (count <= *capacity)
        return true;
    while (wanted + wanted / 2 < count) {
        if (wanted > SIZE_MAX / 4)
            return false;
        wanted *= 2;
    }
    wanted += wanted < count ? wanted / 2 : 0;
    bigger = mem_get(wanted, size, &bytes);
    if (bigger == NULL)
        return false;
    if (*ptr != NULL)
        memcpy(bigger, *ptr, *capacity * size);
    mem_free(*ptr);
    *ptr = bigger;
    *capacity = wanted;
    return true;
}

char *mem_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = mem_new(bytes, 1);

    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

void mem_free(void *ptr)
{
    free(ptr);
}

void mem_free_list(void *const *ptr, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mem_free(ptr[i]);
}

void mem_give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void kedge_free(void *memory)
{
    mem_free(memory);
}
