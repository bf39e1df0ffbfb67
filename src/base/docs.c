/* SPDX-License-Identifier: MIT */
#include "base/docs.h"

#include "base/mem.h"

void docs_clear(docs *d)
{
    d->count = 0;
}

void docs_free(docs *d)
{
    mem_free(d->start);
    mem_free(d->position);
    mem_free(d->length);
    mem_free(d->word);
    mem_free(d->tally);
    *d = (docs){0};
}

/* The parallel arrays share one capacity, so each grows from the same one. */
static bool docs_grow_docs(docs *d)
{
    size_t starts = d->doc_capacity, positions = starts, lengths = starts;

    if (d->count + 2 <= d->doc_capacity)
        return true;
    if (!mem_grow((void **)&d->start, &starts, d->count + 2,
                  sizeof *d->start) ||
        !mem_grow((void **)&d->position, &positions, d->count + 2,
                  sizeof *d->position) ||
        !mem_grow((void **)&d->length, &lengths, d->count + 2,
                  sizeof *d->length))
        return false;
    d->doc_capacity = starts;
    return true;
}

bool docs_begin(docs *d, uint64_t position)
{
    const size_t entries = docs_entries(d);

    if (!docs_grow_docs(d))
        return false;
    d->start[d->count] = entries;
    d->start[d->count + 1] = entries;
    d->position[d->count] = position;
    d->length[d->count] = 0;
    d->count++;
    return true;
}

bool docs_push(docs *d, uint32_t word, uint32_t tally)
{
    const size_t at = d->start[d->count];

    if (at + 1 > d->entry_capacity) {
        size_t words = d->entry_capacity, tallies = words;
        if (!mem_grow((void **)&d->word, &words, at + 1, sizeof *d->word) ||
            !mem_grow((void **)&d->tally, &tallies, at + 1, sizeof *d->tally))
            return false;
        d->entry_capacity = words;
    }
    d->word[at] = word;
    d->tally[at] = tally;
    d->start[d->count] = at + 1;
    d->length[d->count - 1] += tally;
    return true;
}
