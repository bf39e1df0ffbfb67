/* SPDX-License-Identifier: MIT */
#include "ops/index/recount.h"

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

kedge_status recount_documents(recount *r, store_txn *txn, const words *all,
                               const store_totals *totals,
                               const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stage progress = stage_begin(control, "counting", totals->blocks, "blocks");
    digests hashes = {0};
    docs batch = {0};
    filter every = {.all = all};
    uint64_t next = 0;

    *r = (recount){0};
    TRY_MEM(r->tf = mem_new(all->count, sizeof *r->tf));
    TRY_MEM(r->df = mem_new(all->count, sizeof *r->df));
    TRY_MEM(r->of = mem_new(totals->sources, sizeof *r->of));
    TRY(digests_learn(&hashes, all, err));
    while (filter_next(&every, txn, &next, totals->blocks, &batch, &st, err)) {
        for (size_t k = 0; k < docs_entries(&batch); k++) {
            const uint32_t id = batch.word[k];
            if (id >= hashes.count)
                TRY(kedge_fail(err, KEDGE_ECORRUPT,
                               "a document has word %u of %zu", id,
                               hashes.count));
            r->tf[id] += batch.tally[k];
            r->df[id]++;
        }
        for (size_t m = 0; m < batch.count; m++)
            digest_add(r->digest, digest_document(&hashes, &batch, m));
        recount_add(&r->all, &batch);
        if (batch.count > 0)
            recount_add(&r->of[every.source], &batch);
        progress.documents = r->all.documents;
        TRY(stage_reach(&progress, next, err));
    }
out:
    filter_close(&every);
    docs_free(&batch);
    digests_free(&hashes);
    return st;
}

kedge_status recount_seen(filter *f, store_txn *txn, uint64_t blocks,
                          const kedge_control *control, uint64_t *tf,
                          uint64_t *df, uint64_t *documents, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stage progress = stage_begin(control, "counting", blocks, "blocks");
    docs batch = {0};
    uint64_t next = 0;

    for (size_t i = 0; i < filter_words(f)->count; i++)
        tf[filter_id(f, i)] = df[filter_id(f, i)] = 0;
    while (filter_next(f, txn, &next, blocks, &batch, &st, err)) {
        for (size_t k = 0; k < docs_entries(&batch); k++) {
            const uint32_t id = filter_id(f, batch.word[k]);
            tf[id] += batch.tally[k];
            df[id]++;
        }
        progress.documents += batch.count;
        TRY(stage_reach(&progress, next, err));
    }
    if (documents != NULL)
        *documents = progress.documents;
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
