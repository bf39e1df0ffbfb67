/* SPDX-License-Identifier: MIT */
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"

void words_free(words *w)
{
    mem_free(w->offset);
    mem_free(w->bytes);
    *w = (words){0};
}

bool words_add(words *w, const char *word, size_t size)
{
    const size_t at = w->count == 0 ? 0 : w->offset[w->count];

    if (!MEM_GROW(w->offset, w->capacity, w->count + 2) ||
        !MEM_GROW(w->bytes, w->byte_capacity, at + size + 1))
        return false;
    w->offset[w->count] = at;
    if (size > 0) /* then it may be nowhere */
        memcpy(w->bytes + at, word, size);
    w->bytes[at + size] = '\0';
    w->offset[++w->count] = at + size + 1;
    return true;
}

bool words_add_all(words *w, const words *from, size_t first)
{
    for (size_t i = first; i < from->count; i++)
        if (!words_add(w, words_get(from, i), words_size(from, i)))
            return false;
    return true;
}

bool words_reserve(words *w, size_t count, size_t bytes)
{
    return count < SIZE_MAX &&
           MEM_GROW(w->offset, w->capacity, count + 1) &&
           MEM_GROW(w->bytes, w->byte_capacity, bytes);
}

int words_compare(const words *w, size_t a, size_t b)
{
    return compare_bytes(words_get(w, a), words_size(w, a), words_get(w, b),
                         words_size(w, b));
}

static int compare_ids(const void *left, const void *right, void *list)
{
    return words_compare(list, *(const uint32_t *)left,
                         *(const uint32_t *)right);
}

uint32_t *words_order(const words *w, size_t *twin)
{
    uint32_t *order = mem_new(w->count, sizeof *order);

    *twin = SIZE_MAX;
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < w->count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, w->count, sizeof *order, compare_ids, (void *)w);
    for (size_t r = 0; r + 1 < w->count && *twin == SIZE_MAX; r++)
        if (words_compare(w, order[r], order[r + 1]) == 0)
            *twin = r;
    return order;
}
