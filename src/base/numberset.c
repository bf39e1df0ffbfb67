/* SPDX-License-Identifier: MIT */
/* Open addressing, at most half full. */
#include "base/numberset.h"

#include "base/mem.h"

#define SLOTS_LEAST 1024

static size_t numberset_seek(const uint64_t *slot, size_t slots,
                             uint64_t number)
{
    size_t at = number & (slots - 1);

    while (slot[at] != 0 && slot[at] != number)
        at = (at + 1) & (slots - 1);
    return at;
}

static bool numberset_grow(numberset *s)
{
    const size_t slots = s->slots == 0 ? SLOTS_LEAST : 2 * s->slots;
    uint64_t *slot = mem_new(slots, sizeof *slot);

    if (slot == NULL)
        return false;
    for (size_t i = 0; i < s->slots; i++)
        if (s->slot[i] != 0)
            slot[numberset_seek(slot, slots, s->slot[i])] = s->slot[i];
    mem_free(s->slot);
    s->slot = slot;
    s->slots = slots;
    return true;
}

bool numberset_add(numberset *s, uint64_t number, bool *fresh)
{
    size_t at;

    if (number == 0) {
        *fresh = !s->zero;
        s->zero = true;
        return true;
    }
    if (2 * (s->count + 1) > s->slots && !numberset_grow(s))
        return false;
    at = numberset_seek(s->slot, s->slots, number);
    *fresh = s->slot[at] == 0;
    s->slot[at] = number;
    s->count += *fresh;
    return true;
}

void numberset_free(numberset *s)
{
    mem_free(s->slot);
    *s = (numberset){0};
}

uint64_t numberset_memusage(uint64_t count)
{
    uint64_t slots = SLOTS_LEAST;

    while (slots < 2 * count)
        slots *= 2;
    return 8 * (slots + slots / 2);
}
