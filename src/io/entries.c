/* SPDX-License-Identifier: MIT */
/*
 * A key holds the word above the entry's place, so that sorting keys by word
 * alone and stably sorts them whole. Few keys are inserted one by one, many
 * take a radix sort that skips the bytes in which all words agree.
 */
#include "io/entries.h"

#include "base/mem.h"

#define FEW 24 /* where the radix sort's fixed cost begins to pay */

static void insert_sort(uint64_t *key, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t k = key[i];
        size_t j = i;
        for (; j > 0 && key[j - 1] > k; j--)
            key[j] = key[j - 1];
        key[j] = k;
    }
}

/* One stable pass over the byte at `shift`. */
static void radix_pass(const uint64_t *from, uint64_t *to, size_t n,
                       unsigned shift)
{
    size_t place[256] = {0};
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        place[from[i] >> shift & 0xff]++;
    for (size_t b = 0; b < 256; b++) {
        const size_t here = place[b];
        place[b] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++)
        to[place[from[i] >> shift & 0xff]++] = from[i];
}

static void sort_keys(entries *e, size_t n)
{
    uint64_t differ = 0;

    if (n <= FEW) {
        insert_sort(e->key, n);
        return;
    }
    for (size_t i = 1; i < n; i++)
        differ |= e->key[i] ^ e->key[0];
    for (unsigned shift = 32; shift < 64; shift += 8) {
        if ((differ >> shift & 0xff) == 0)
            continue;
        radix_pass(e->key, e->spare, n, shift);
        uint64_t *const sorted = e->spare;
        e->spare = e->key;
        e->key = sorted;
    }
}

static bool entries_reserve(entries *e, size_t n)
{
    size_t keys = e->capacity, spares = keys;

    /* The two swap places while sorting, so one capacity stands for both. */
    if (!mem_grow((void **)&e->key, &keys, n, sizeof *e->key) ||
        !mem_grow((void **)&e->spare, &spares, n, sizeof *e->spare))
        return false;
    e->capacity = keys;
    return true;
}

bool entries_sort(entries *e, uint32_t *word, uint32_t *tally, size_t n,
                  size_t *left, entries_twins *twins)
{
    size_t kept = 0;

    *twins = (entries_twins){.first = SIZE_MAX};
    if (!entries_reserve(e, n))
        return false;
    for (size_t i = 0; i < n; i++)
        e->key[i] = (uint64_t)word[i] << 32 | i;
    sort_keys(e, n);
    for (size_t i = 0; i < n; i++) {
        const size_t place = (uint32_t)e->key[i];
        if (i > 0 && e->key[i] >> 32 == e->key[i - 1] >> 32) {
            twins->count++;
            twins->tokens += tally[place];
            if (place < twins->first) {
                twins->first = place;
                twins->word = (uint32_t)(e->key[i] >> 32);
            }
            continue;
        }
        e->spare[kept++] = e->key[i] >> 32 << 32 | tally[place];
    }
    for (size_t i = 0; i < kept; i++) {
        word[i] = (uint32_t)(e->spare[i] >> 32);
        tally[i] = (uint32_t)e->spare[i];
    }
    *left = kept;
    return true;
}

void entries_free(entries *e)
{
    mem_free(e->key);
    mem_free(e->spare);
    *e = (entries){0};
}
