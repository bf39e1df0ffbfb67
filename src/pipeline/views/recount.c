/* SPDX-License-Identifier: MIT */
#include "pipeline/views/recount.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "store/digest.h"

void recount_free(recount *r)
{
    mem_free(r->tf);
    mem_free(r->df);
    mem_free(r->of);
    *r = (recount){0};
}

bool recount_is_told(const recount_sums *sums, const store_source *r)
{
    return r->documents - r->removed_documents == sums->documents &&
           r->tokens - r->removed_tokens == sums->tokens &&
           r->nonzeros - r->removed_nonzeros == sums->nonzeros;
}

void recount_add(recount_sums *sums, const docs *d)
{
    sums->documents += d->count;
    sums->nonzeros += docs_entries(d);
    for (size_t m = 0; m < d->count; m++)
        sums->tokens += d->length[m];
}

static kedge_status recount_batch(recount *r, const docs *d,
                                  const digests *hashes, kedge_error *err)
{
    const size_t entries = docs_entries(d);

    for (size_t k = 0; k < entries; k++) {
        if (d->word[k] >= hashes->count)
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "a document has word %u of %zu", d->word[k],
                              hashes->count);
        r->tf[d->word[k]] += d->tally[k];
        r->df[d->word[k]]++;
    }
    for (size_t m = 0; m < d->count; m++)
        digest_add(r->digest, digest_document(hashes, d, m));
    recount_add(&r->all, d);
    return KEDGE_OK;
}

kedge_status recount_documents(recount *r, store_txn *txn, const words *all,
                               const store_totals *totals,
                               const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stage told = stage_begin(control, "counting", totals->blocks, "blocks");
    digests hashes = {0};
    docs batch = {0};
    lens l = {.all = all};

    *r = (recount){0};
    TRY_MEM(r->tf = mem_new(all->count, sizeof *r->tf));
    TRY_MEM(r->df = mem_new(all->count, sizeof *r->df));
    TRY_MEM(r->of = mem_new(totals->sources, sizeof *r->of));
    TRY(digests_learn(&hashes, all, err));
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(txn, b, totals->blocks, &b, err));
        if (b == totals->blocks)
            break;
        docs_clear(&batch);
        TRY(lens_read(&l, txn, b, &batch, err));
        TRY(recount_batch(r, &batch, &hashes, err));
        if (batch.count > 0)
            recount_add(&r->of[l.source], &batch);
        told.documents = r->all.documents;
        TRY(stage_reach(&told, b + 1, err));
    }
out:
    lens_close(&l);
    docs_free(&batch);
    digests_free(&hashes);
    return st;
}

static void count_seen(const lens *l, const docs *d, uint64_t *tf,
                       uint64_t *df)
{
    for (size_t k = 0; k < docs_entries(d); k++) {
        const uint32_t id = lens_id(l, d->word[k]);
        tf[id] += d->tally[k];
        df[id]++;
    }
}

kedge_status recount_seen(lens *l, store_txn *txn, uint64_t blocks,
                          const kedge_control *control, uint64_t *tf,
                          uint64_t *df, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stage told = stage_begin(control, "counting", blocks, "blocks");
    docs batch = {0};

    for (size_t i = 0; i < lens_words(l)->count; i++)
        tf[lens_id(l, i)] = df[lens_id(l, i)] = 0;
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(txn, b, blocks, &b, err));
        if (b == blocks)
            break;
        docs_clear(&batch);
        TRY(lens_read(l, txn, b, &batch, err));
        count_seen(l, &batch, tf, df);
        told.documents += batch.count;
        TRY(stage_reach(&told, b + 1, err));
    }
out:
    docs_free(&batch);
    return st;
}

uint64_t recount_vocabulary_digest(const recount *r, const words *all)
{
    uint64_t sum = 0;

    for (size_t id = 0; id < all->count; id++) {
        const uint64_t word =
            hash_bytes(0, words_get(all, id), words_size(all, id));
        if (r->df[id] > 0)
            sum += hash_mix(hash_mix(word + r->tf[id] * HASH_GOLDEN) +
                            r->df[id] * HASH_GOLDEN);
    }
    return sum;
}
