/* SPDX-License-Identifier: MIT */
#include "base/docs.h"

#include <assert.h>
#include <string.h>

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
    mem_free(d->name_at);
    mem_free(d->name);
    mem_free(d->order_at);
    mem_free(d->order);
    *d = (docs){0};
}

/* The parallel arrays share one capacity, so each grows from the same one. */
static bool docs_grow_docs(docs *d)
{
    size_t starts = d->doc_capacity, positions = starts, lengths = starts;
    size_t orders = starts;

    if (d->count + 2 <= d->doc_capacity)
        return true;
    if (!MEM_GROW(d->start, starts, d->count + 2) ||
        !MEM_GROW(d->position, positions, d->count + 2) ||
        !MEM_GROW(d->length, lengths, d->count + 2) ||
        !MEM_GROW(d->order_at, orders, d->count + 2))
        return false;
    d->doc_capacity = starts;
    return true;
}

bool docs_begin(docs *d, uint64_t position)
{
    const size_t entries = docs_entries(d);
    const size_t names = d->count == 0 ? 0 : d->name_at[2 * d->count];
    const size_t symbols = docs_symbols(d);

    if (!docs_grow_docs(d) ||
        !MEM_GROW(d->name_at, d->name_at_capacity, 2 * d->count + 3))
        return false;
    for (size_t i = 0; i < 3; i++)
        d->name_at[2 * d->count + i] = names;
    d->start[d->count] = entries;
    d->start[d->count + 1] = entries;
    d->order_at[d->count] = symbols;
    d->order_at[d->count + 1] = symbols;
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
        if (!MEM_GROW(d->word, words, at + 1) ||
            !MEM_GROW(d->tally, tallies, at + 1))
            return false;
        d->entry_capacity = words;
    }
    d->word[at] = word;
    d->tally[at] = tally;
    d->start[d->count] = at + 1;
    d->length[d->count - 1] += tally;
    return true;
}

bool docs_set_name(docs *d, span id, span label)
{
    size_t *at = d->name_at + 2 * (d->count - 1);

    if (!MEM_GROW(d->name, d->name_capacity, at[0] + id.size + label.size))
        return false;
    at[1] = at[0] + id.size;
    at[2] = at[1] + label.size;
    if (id.size > 0)
        memcpy(d->name + at[0], id.bytes, id.size);
    if (label.size > 0)
        memcpy(d->name + at[1], label.bytes, label.size);
    return true;
}

bool docs_push_order(docs *d, const uint32_t *symbol, size_t count)
{
    const size_t at = d->order_at[d->count];

    if (!MEM_GROW(d->order, d->order_capacity, at + count))
        return false;
    if (count > 0)
        memcpy(d->order + at, symbol, count * sizeof *symbol);
    d->order_at[d->count] = at + count;
    return true;
}

void docs_drop_order(docs *d, size_t first)
{
    for (size_t m = first; m < d->count; m++)
        d->order_at[m + 1] = d->order_at[first];
}

bool docs_append(docs *d, const docs *from, size_t m)
{
    const size_t symbols = docs_order_size(from, m);
    bool fits = docs_begin(d, from->position[m]) &&
                docs_set_name(d, docs_id(from, m), docs_label(from, m)) &&
                (symbols == 0 ||
                 docs_push_order(d, from->order + from->order_at[m], symbols));

    for (size_t k = from->start[m]; fits && k < from->start[m + 1]; k++)
        fits = docs_push(d, from->word[k], from->tally[k]);
    return fits;
}

bool docs_agree(const docs *d, size_t first)
{
    for (size_t m = first; m < d->count; m++) {
        if (d->start[m + 1] < d->start[m] ||
            d->order_at[m + 1] < d->order_at[m])
            return false;
        for (size_t i = d->order_at[m]; i < d->order_at[m + 1]; i++)
            if (d->order[i] > d->start[m + 1] - d->start[m])
                return false;
    }
    return true;
}

/* Entries by the byte of their ids that begins at `shift`, those of one byte as
 * they were. */
static void sort_by_byte(const uint64_t *from, size_t n, unsigned shift,
                         uint64_t *to)
{
    size_t at[257] = {0};

    for (size_t k = 0; k < n; k++)
        at[(from[k] >> shift & 0xff) + 1]++;
    for (size_t byte = 0; byte < 255; byte++)
        at[byte + 1] += at[byte];
    for (size_t k = 0; k < n; k++)
        to[at[from[k] >> shift & 0xff]++] = from[k];
}

/* By rising ids, none of which is above `most`; they come to lie in what is
 * given back. */
static uint64_t *sort_entries(uint64_t *entry, uint64_t *spare, size_t n,
                              uint32_t most)
{
    for (unsigned shift = 0; shift < 32 && most >> shift > 0; shift += 8) {
        uint64_t *const sorted = spare;

        sort_by_byte(entry, n, 32 + shift, sorted);
        spare = entry;
        entry = sorted;
    }
    return entry;
}

/* `entry`, for two of each, and `place` have room for the document's entries.
 * An entry is one number: its new id above its place among the old ones. */
static void renumber_document(docs *d, size_t m, const uint32_t *map,
                              uint64_t *entry, uint32_t *place)
{
    const size_t n = d->start[m + 1] - d->start[m];
    uint32_t *const word = d->word + d->start[m];
    uint32_t *const tally = d->tally + d->start[m];
    uint32_t most = 0;

    for (size_t k = 0; k < n; k++) {
        entry[k] = (uint64_t)map[word[k]] << 32 | k;
        most = map[word[k]] > most ? map[word[k]] : most;
        place[k] = tally[k];
    }
    entry = sort_entries(entry, entry + n, n, most);
    for (size_t k = 0; k < n; k++) {
        word[k] = (uint32_t)(entry[k] >> 32);
        tally[k] = place[(uint32_t)entry[k]];
    }
    for (size_t k = 0; k < n; k++)
        place[(uint32_t)entry[k]] = (uint32_t)k;
    for (size_t i = d->order_at[m]; i < d->order_at[m + 1]; i++)
        if (d->order[i] != DOCS_APART)
            d->order[i] = place[d->order[i] - 1] + 1;
}

bool docs_renumber(docs *d, size_t first, const uint32_t *map)
{
    uint64_t *entry;
    uint32_t *place;
    size_t most = 0;
    bool fits;

    assert(docs_agree(d, first));
    for (size_t m = first; m < d->count; m++)
        if (d->start[m + 1] - d->start[m] > most)
            most = d->start[m + 1] - d->start[m];
    entry = mem_new2(most, 2, sizeof *entry);
    place = mem_new(most, sizeof *place);
    fits = entry != NULL && place != NULL;
    for (size_t m = first; fits && m < d->count; m++)
        renumber_document(d, m, map, entry, place);
    mem_free(entry);
    mem_free(place);
    return fits;
}

void docs_select(docs *d, size_t first, const uint32_t *number, size_t ids)
{
    size_t at = first == d->count ? 0 : d->start[first];

    for (size_t m = first; m < d->count; m++) {
        const size_t from = d->start[m], to = d->start[m + 1];
        d->start[m] = at;
        d->length[m] = 0;
        for (size_t k = from; k < to; k++) {
            const uint32_t id = d->word[k];
            if (id >= ids || number[id] == DOCS_NO_WORD)
                continue;
            d->word[at] = number[id];
            d->tally[at] = d->tally[k];
            d->length[m] += d->tally[at++];
        }
    }
    if (first < d->count)
        d->start[d->count] = at;
    docs_drop_order(d, first);
}

size_t docs_cut_entries(const docs *d, size_t m, uint64_t longest)
{
    const uint64_t pieces =
        longest == 0 ? 1 : (d->length[m] + longest - 1) / longest;
    size_t entries = 0;

    if (pieces <= 1)
        return d->start[m + 1] - d->start[m];
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        entries += d->tally[k] < pieces ? d->tally[k] : pieces;
    return entries;
}

/* Moves document `from` to place `to`, at or before it. */
static void move_document(docs *d, size_t to, size_t from)
{
    const size_t entries = d->start[from + 1] - d->start[from];
    const size_t id = docs_id(d, from).size;
    const size_t names = id + docs_label(d, from).size;
    const size_t symbols = docs_order_size(d, from);
    size_t *const at = d->name_at + 2 * to;

    if (entries > 0) {
        memmove(d->word + d->start[to], d->word + d->start[from],
                entries * sizeof *d->word);
        memmove(d->tally + d->start[to], d->tally + d->start[from],
                entries * sizeof *d->tally);
    }
    if (names > 0)
        memmove(d->name + at[0], d->name + d->name_at[2 * from], names);
    if (symbols > 0)
        memmove(d->order + d->order_at[to], d->order + d->order_at[from],
                symbols * sizeof *d->order);
    d->position[to] = d->position[from];
    d->length[to] = d->length[from];
    d->start[to + 1] = d->start[to] + entries;
    d->order_at[to + 1] = d->order_at[to] + symbols;
    at[1] = at[0] + id;
    at[2] = at[0] + names;
}

void docs_drop(docs *d, size_t from, const uint32_t *index, size_t count)
{
    size_t kept = from, gone = 0;

    for (size_t m = from; m < d->count; m++) {
        if (gone < count && m == from + index[gone])
            gone++;
        else if (kept++ < m)
            move_document(d, kept - 1, m);
    }
    assert(gone == count);
    d->count = kept;
    assert(docs_agree(d, from));
}
