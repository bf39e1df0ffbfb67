/* SPDX-License-Identifier: MIT */
#include "store/digest.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

kedge_status digests_learn(digests *g, const words *w, kedge_error *err)
{
    if (!mem_grow((void **)&g->hash, &g->capacity, w->count, sizeof *g->hash))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (digests)");
    for (; g->count < w->count; g->count++)
        g->hash[g->count] =
            hash_bytes(0, words_get(w, g->count), words_size(w, g->count));
    return KEDGE_OK;
}

void digests_free(digests *g)
{
    mem_free(g->hash);
    *g = (digests){0};
}

uint64_t digest_document(const digests *g, const docs *d, size_t m)
{
    uint64_t sum = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        sum += hash_mix(g->hash[d->word[k]] + d->tally[k] * HASH_GOLDEN);
    return hash_mix(sum + d->length[m]);
}

static uint64_t digest_name(uint64_t seed, span name)
{
    return name.size == 0 ? 0 : hash_bytes(seed, name.bytes, name.size);
}

/* Symbols are places among the entries, which other ids would change: it is
 * the words that count. */
static uint64_t digest_order(const digests *g, const docs *d, size_t m)
{
    const uint32_t *const word = d->word + d->start[m];
    const size_t count = docs_order_size(d, m);
    uint64_t order = count;

    for (size_t i = 0; i < count; i++) {
        const uint32_t symbol = d->order[d->order_at[m] + i];
        order *= HASH_GOLDEN;
        if (symbol != DOCS_APART)
            order += g->hash[word[symbol - 1]];
        order = hash_mix(order);
    }
    return order;
}

uint64_t digest_named(const digests *g, const docs *d, size_t m)
{
    return digest_document(g, d, m) + digest_name(1, docs_id(d, m)) +
           digest_name(2, docs_label(d, m));
}

uint64_t digest_whole(const digests *g, const docs *d, size_t m)
{
    return digest_named(g, d, m) + digest_order(g, d, m);
}

uint64_t digest_chain(uint64_t chain, uint64_t document, uint64_t position)
{
    return hash_mix(chain + hash_mix(document + position * HASH_GOLDEN));
}

void digest_add(uint64_t sums[2], uint64_t document)
{
    sums[0] += document;
    sums[1] += hash_mix(document);
}

void digest_subtract(uint64_t sums[2], uint64_t document)
{
    sums[0] -= document;
    sums[1] -= hash_mix(document);
}
