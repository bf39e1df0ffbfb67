/* SPDX-License-Identifier: MIT */
/* Open addressing, at most half full. The number 0 marks an empty slot, and is
 * kept as 1. */
#include "base/numberset.h"

#include <assert.h>

#include "base/mem.h"

#define SLOTS_LEAST 1024

static size_t numberset_seek(const numberset *s, uint64_t number)
{
    size_t at = number & (s->slots - 1);

    while (s->number[at] != 0 && s->number[at] != number)
        at = (at + 1) & (s->slots - 1);
    return at;
}

static uint64_t saved_as(uint64_t number)
{
    return number + (number == 0);
}

/* Numbers that were all removed are not copied. */
static bool numberset_grow(numberset *s)
{
    numberset larger = {.slots = s->slots == 0 ? SLOTS_LEAST : 2 * s->slots};

    larger.number = mem_new(larger.slots, sizeof *larger.number);
    larger.times = mem_new(larger.slots, sizeof *larger.times);
    if (larger.number == NULL || larger.times == NULL) {
        numberset_free(&larger);
        return false;
    }
    for (size_t i = 0; i < s->slots; i++) {
        if (s->times[i] == 0)
            continue;
        const size_t at = numberset_seek(&larger, s->number[i]);
        larger.number[at] = s->number[i];
        larger.times[at] = s->times[i];
        larger.count++;
    }
    numberset_free(s);
    *s = larger;
    return true;
}

bool numberset_add(numberset *s, uint64_t number)
{
    size_t at;

    if (2 * (s->count + 1) > s->slots && !numberset_grow(s))
        return false;
    number = saved_as(number);
    at = numberset_seek(s, number);
    s->count += s->number[at] == 0;
    s->number[at] = number;
    s->times[at] += s->times[at] < UINT32_MAX;
    return true;
}

void numberset_remove(numberset *s, uint64_t number)
{
    size_t at;

    assert(numberset_has(s, number));
    at = numberset_seek(s, saved_as(number));
    s->times[at] -= s->times[at] < UINT32_MAX; /* so many were not counted */
}

bool numberset_has(const numberset *s, uint64_t number)
{
    return s->slots > 0 && s->times[numberset_seek(s, saved_as(number))] > 0;
}

void numberset_free(numberset *s)
{
    mem_free(s->number);
    mem_free(s->times);
    *s = (numberset){0};
}
