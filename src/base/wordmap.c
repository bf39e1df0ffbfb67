/* SPDX-License-Identifier: MIT */
/* Open addressing, at most half full; a slot holds enough of the hash that
 * hardly any word but the right one is looked at. */
#include "base/wordmap.h"

#include "base/hash.h"
#include "base/mem.h"

#define SLOTS_LEAST 1024
#define HASH_HALF UINT64_C(0xffffffff00000000)

static uint64_t wordmap_hash(span word)
{
    return hash_bytes(0, word.bytes, word.size);
}

static bool wordmap_is(const wordmap *m, uint64_t slot, uint64_t hash,
                       span word)
{
    const size_t id = (uint32_t)slot - 1;

    return (slot & HASH_HALF) == (hash & HASH_HALF) &&
           span_equal(words_span(m->list, id), word);
}

/* The word's slot, or the empty one where it would go. */
static size_t wordmap_seek(const wordmap *m, span word, uint64_t hash)
{
    size_t at = hash & (m->slots - 1);

    while (m->slot[at] != 0 && !wordmap_is(m, m->slot[at], hash, word))
        at = (at + 1) & (m->slots - 1);
    return at;
}

static bool wordmap_index(wordmap *m, size_t slots)
{
    uint64_t *fresh = mem_new(slots, sizeof *fresh);

    if (fresh == NULL)
        return false;
    mem_free(m->slot);
    m->slot = fresh;
    m->slots = slots;
    for (size_t id = 0; id < m->list->count; id++) {
        const span word = words_span(m->list, id);
        const uint64_t hash = wordmap_hash(word);
        const size_t at = wordmap_seek(m, word, hash);
        if (m->slot[at] == 0)
            m->slot[at] = (hash & HASH_HALF) | (id + 1);
    }
    return true;
}

static size_t wordmap_slots(size_t count)
{
    size_t slots = SLOTS_LEAST;

    while (slots < 2 * count)
        slots *= 2;
    return slots;
}

bool wordmap_open(wordmap *m, words *list)
{
    *m = (wordmap){.list = list};
    return wordmap_index(m, wordmap_slots(list->count + 1));
}

void wordmap_close(wordmap *m)
{
    mem_free(m->slot);
    *m = (wordmap){0};
}

uint32_t wordmap_find(const wordmap *m, span word)
{
    return (uint32_t)m->slot[wordmap_seek(m, word, wordmap_hash(word))] - 1;
}

bool wordmap_add(wordmap *m, span word, uint32_t *id)
{
    const uint64_t hash = wordmap_hash(word);
    size_t at = wordmap_seek(m, word, hash);

    if (m->slot[at] == 0) {
        if (2 * (m->list->count + 1) > m->slots) {
            if (!wordmap_index(m, 2 * m->slots))
                return false;
            at = wordmap_seek(m, word, hash);
        }
        if (!words_add(m->list, word.bytes, word.size))
            return false;
        m->slot[at] = (hash & HASH_HALF) | m->list->count;
    }
    *id = (uint32_t)m->slot[at] - 1;
    return true;
}
