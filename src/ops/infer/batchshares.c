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

static kedge_status add_all(saved_walk *w, const size_t *batch,
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
        PASS(saved_walk_next(w, &more, err));
        if (!more)
            return KEDGE_OK;
        if (w->source >= sources)
            return kedge_fail(err, KEDGE_ECORRUPT, "block %" PRIu64 " has "
                                                   "source %" PRIu32 " of "
                                                   "%" PRIu64, p->block,
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

kedge_status batchshares_find(store *s, const kedge_model *m,
                              const kedge_control *control, batchshares *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    saved_set set;
    saved_walk walk = {.set = &set, .documents = true};
    store_source record;
    size_t *batch = NULL, at, kept = 0; /* batch: the place of each source's */
    uint64_t sources, total;

    *out = (batchshares){0};
    TRY(store_begin_read(s, &txn, err));
    st = saved_find(txn, m->name, &set, err);
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
    for (uint64_t i = 0; i < sources; i++) {
        TRY(store_get_source_record(txn, i, &record, err));
        for (at = 0; at < out->count; at++)
            if (strcmp(out->name[at], record.batch) == 0)
                break;
        if (at == out->count)
            memcpy(out->name[out->count++], record.batch,
                   sizeof record.batch);
        batch[i] = at;
    }
    TRY_MEM(out->documents = mem_new(out->count, sizeof *out->documents));
    TRY_MEM(out->units = mem_new2(out->count, m->topics, sizeof *out->units));
    walk.txn = txn;
    TRY(add_all(&walk, batch, control, out, err));
    for (at = 0; at < out->count; at++) { /* of some nothing is left */
        if (out->documents[at] == 0)
            continue;
        memmove(out->name[kept], out->name[at], sizeof out->name[at]);
        out->documents[kept] = out->documents[at];
        memmove(out->units + kept * m->topics, out->units + at * m->topics,
                m->topics * sizeof *out->units);
        kept++;
    }
    out->count = kept;
out:
    store_abort(&txn);
    saved_walk_close(&walk);
    mem_free(batch);
    if (st != KEDGE_OK)
        batchshares_free(out);
    return st;
}
