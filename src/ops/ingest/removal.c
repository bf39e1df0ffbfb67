/* SPDX-License-Identifier: MIT */
#include "ops/ingest/removal.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"

void removal_free(removal *r)
{
    store_block_free(&r->scratch);
    store_gone_free(&r->before);
    store_gone_free(&r->now);
    docs_free(&r->batch);
}

/* What the store knew of document m, taken back. */
static kedge_status removal_drop(removal *r, size_t m, kedge_error *err)
{
    const docs *d = &r->batch;
    store_totals *t = r->totals;

    digest_subtract(t->digest, digest_document(r->digests, d, m));
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        r->tf[d->word[k]] -= d->tally[k];
        r->df[d->word[k]]--;
    }
    t->documents--;
    t->removed++;
    t->tokens -= d->length[m];
    t->nonzeros -= d->start[m + 1] - d->start[m];
    r->documents++;
    r->tokens += d->length[m];
    r->nonzeros += d->start[m + 1] - d->start[m];
    if (docs_id(d, m).size > 0)
        PASS(store_drop_id(r->txn, docs_id(d, m), err));
    return KEDGE_OK;
}

kedge_status removal_take(removal *r, uint64_t block,
                          bool (*leaves)(void *data, const docs *d, size_t m,
                                         uint32_t source),
                          void *data, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const removal before = *r;
    store_source record;
    uint32_t source;
    size_t next = 0, all;

    docs_clear(&r->batch);
    r->now.count = 0;
    st = store_read_block(r->txn, block, &r->scratch, NULL, &source, &r->batch,
                          err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    TRY(store_get_gone(r->txn, block, &r->before, err));
    for (size_t m = 0; m < r->batch.count; m++) {
        if (next < r->before.count && r->before.index[next] == m) {
            next++;
            continue;
        }
        if (!leaves(data, &r->batch, m, source))
            continue;
        TRY(removal_drop(r, m, err));
        TRY_GROW(r->now.index, r->now.capacity, r->now.count + 1);
        r->now.index[r->now.count++] = (uint32_t)m;
    }
    if (r->now.count == 0)
        goto out;
    TRY(store_put_removal(r->txn, r->totals->removals++, block, r->now.index,
                          r->now.count, err));
    all = r->before.count + r->now.count;
    TRY_GROW(r->before.index, r->before.capacity, all);
    memcpy(r->before.index + r->before.count, r->now.index,
           r->now.count * sizeof *r->now.index);
    qsort(r->before.index, all, sizeof *r->before.index, compare_u32);
    TRY(store_put_gone(r->txn, block, r->before.index, all, err));
    TRY(store_get_source_record(r->txn, source, &record, err));
    record.removed_documents += r->documents - before.documents;
    record.removed_tokens += r->tokens - before.tokens;
    record.removed_nonzeros += r->nonzeros - before.nonzeros;
    TRY(store_put_source(r->txn, source, &record, err));
out:
    return st;
}
