/* SPDX-License-Identifier: MIT */
#include "pipeline/ingest/removal.h"

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
static kedge_status removal_forget(removal *r, size_t m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
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
        TRY(store_drop_id(r->txn, docs_id(d, m), err));
out:
    return st;
}

/* Two rising lists into the first. */
static kedge_status removal_merge(store_gone *all, const store_gone *more,
                                  kedge_error *err)
{
    size_t a = all->count, b = more->count;

    if (!mem_grow((void **)&all->index, &all->capacity, a + b,
                  sizeof *all->index))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (removal)");
    all->count = a + b;
    while (b > 0) {
        if (a > 0 && all->index[a - 1] > more->index[b - 1]) {
            all->index[a + b - 1] = all->index[a - 1];
            a--;
        } else {
            all->index[a + b - 1] = more->index[b - 1];
            b--;
        }
    }
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
    size_t next = 0;

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
        TRY(removal_forget(r, m, err));
        if (!mem_grow((void **)&r->now.index, &r->now.capacity,
                      r->now.count + 1, sizeof *r->now.index))
            TRY_MEM(NULL);
        r->now.index[r->now.count++] = (uint32_t)m;
    }
    if (r->now.count == 0)
        goto out;
    TRY(store_put_removal(r->txn, r->totals->removals++, block, r->now.index,
                          r->now.count, err));
    TRY(removal_merge(&r->before, &r->now, err));
    TRY(store_put_gone(r->txn, block, r->before.index, r->before.count, err));
    TRY(store_get_source_record(r->txn, source, &record, err));
    record.removed_documents += r->documents - before.documents;
    record.removed_tokens += r->tokens - before.tokens;
    record.removed_nonzeros += r->nonzeros - before.nonzeros;
    TRY(store_put_source(r->txn, source, &record, err));
out:
    return st;
}
