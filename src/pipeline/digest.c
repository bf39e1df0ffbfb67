/* SPDX-License-Identifier: MIT */
#include "pipeline/digest.h"

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

uint64_t digest_named(const digests *g, const docs *d, size_t m)
{
    const span id = docs_id(d, m);
    const uint64_t name = id.size == 0 ? 0 : hash_bytes(1, id.bytes, id.size);

    return digest_document(g, d, m) + name;
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
