/* SPDX-License-Identifier: MIT */
/*
 * One walk over the set's portions. Which source a portion is of, its block
 * tells, and the source's record its batch.
 */
#include "ops/infer/batchshares.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/plan.h"

void batchshares_free(batchshares *b)
{
    mem_free_all(b->name, b->documents, b->units);
    *b = (batchshares){0};
}

double batchshares_share(const batchshares *b, size_t topics, size_t batch,
                         size_t topic)
{
    const double sum = (double)b->documents[batch] * STORE_UNITS;

    return sum > 0 ? (double)b->units[batch * topics + topic] / sum : 0;
}

/* The place of each source's batch, of which there are at most as many. */
static kedge_status find_batches(store_txn *txn, uint64_t sources,
                                 size_t *batch, batchshares *out,
                                 kedge_error *err)
{
    store_source record;

    for (uint64_t i = 0; i < sources; i++) {
        size_t at = 0;
        PASS(store_get_source_record(txn, i, &record, err));
        while (at < out->count && strcmp(out->name[at], record.batch) != 0)
            at++;
        if (at == out->count)
            memcpy(out->name[out->count++], record.batch,
                   sizeof out->name[at]);
        batch[i] = at;
    }
    return KEDGE_OK;
}

static kedge_status add_all(kept_walk *w, const size_t *batch,
                            const kedge_control *control, batchshares *out,
                            kedge_error *err)
{
    const store_portion *const p = &w->portion;
    const uint64_t sources = w->set->totals.sources;
    const size_t topics = w->set->info.topics;
    stage progress = stage_begin(control, "batches", w->set->record.portions,
                             "portions");
    bool more = true;

    for (;;) {
        PASS(kept_walk_next(w, &more, err));
        if (!more)
            return KEDGE_OK;
        if (w->source >= sources)
            return kedge_fail(err, KEDGE_ECORRUPT, "block %" PRIu64 " is of "
                              "source %" PRIu32 " of %" PRIu64, p->block,
                              w->source, sources);
        const size_t at = batch[w->source];
        for (size_t m = 0; m < p->count; m++) {
            if (p->tokens[m] == 0)
                continue;
            out->documents[at]++;
            for (size_t e = p->start[m]; e < p->start[m + 1]; e++)
                out->units[at * topics + p->topic[e]] += p->units[e];
        }
        progress.documents = w->given;
        PASS(stage_reach(&progress, w->next, err));
    }
}

/* Batches of which nothing is left are none. */
static void drop_empty(batchshares *b, size_t topics)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->count; i++) {
        if (b->documents[i] == 0)
            continue;
        memmove(b->name[kept], b->name[i], sizeof b->name[i]);
        b->documents[kept] = b->documents[i];
        memmove(b->units + kept * topics, b->units + i * topics,
                topics * sizeof *b->units);
        kept++;
    }
    b->count = kept;
}

kedge_status batchshares_find(store *s, const kedge_model *m,
                              const kedge_control *control, batchshares *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kept_set set;
    kept_walk walk = {.set = &set, .documents = true};
    size_t *batch = NULL;
    uint64_t sources, total;

    *out = (batchshares){0};
    TRY(store_begin_read(s, &txn, err));
    st = kept_find(txn, m->name, &set, err);
    if (st == KEDGE_ENOTFOUND ||
        (st == KEDGE_OK && set.record.serial != m->serial)) {
        st = KEDGE_OK;
        goto out;
    }
    TRY(st);
    out->there = true;
    out->about = set.info;
    sources = set.totals.sources;
    TRY(plan_walk(&(walk_shape){.what = "adding up batches", .threads = 1,
                                .vocabulary = set.totals.words,
                                .blocks = 1,
                                .more = memory_portion() +
                                        sources * (sizeof *batch + 72 +
                                                   8 * m->topics)},
                  control, &total, err));
    TRY_MEM(batch = mem_new(sources, sizeof *batch));
    TRY_MEM(out->name = mem_new(sources, sizeof *out->name));
    TRY(find_batches(txn, sources, batch, out, err));
    TRY_MEM(out->documents = mem_new(out->count, sizeof *out->documents));
    TRY_MEM(out->units = mem_new2(out->count, m->topics, sizeof *out->units));
    walk.txn = txn;
    TRY(add_all(&walk, batch, control, out, err));
    drop_empty(out, m->topics);
out:
    store_abort(&txn);
    kept_walk_close(&walk);
    mem_free(batch);
    if (st != KEDGE_OK)
        batchshares_free(out);
    return st;
}
