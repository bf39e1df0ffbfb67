/* SPDX-License-Identifier: MIT */
/*
 * One walk over the set's portions. Which source a portion is of, its block
 * tells, and the source's record its batch.
 */
#include "pipeline/shares/batchshares.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/plan.h"

typedef struct gathering {
    store_txn *txn;
    const kedge_control *control;
    size_t topics;
    kept_look look;
    kept_walk walk;
    size_t *batch; /* sources: its place */
    batchshares *out;
} gathering;

void batchshares_free(batchshares *b)
{
    mem_free(b->name);
    mem_free(b->documents);
    mem_free(b->units);
    *b = (batchshares){0};
}

double batchshares_share(const batchshares *b, size_t topics, size_t batch,
                         size_t topic)
{
    const double sum = (double)b->documents[batch] * STORE_UNITS;

    return sum > 0 ? (double)b->units[batch * topics + topic] / sum : 0;
}

/* The place of a batch of this name; there is room for another. */
static size_t gather_place(batchshares *b, const char *name)
{
    size_t at = 0;

    while (at < b->count && strcmp(b->name[at], name) != 0)
        at++;
    if (at == b->count)
        memcpy(b->name[b->count++], name, sizeof b->name[at]);
    return at;
}

static kedge_status gather_names(gathering *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t sources = g->look.totals.sources;
    store_source record;

    TRY_MEM(g->batch = mem_new(sources, sizeof *g->batch));
    TRY_MEM(g->out->name = mem_new(sources, sizeof *g->out->name));
    for (uint64_t i = 0; i < sources; i++) {
        TRY(store_get_source_record(g->txn, i, &record, err));
        g->batch[i] = gather_place(g->out, record.batch);
    }
out:
    return st;
}

static void gather_portion(gathering *g, size_t batch)
{
    const store_portion *const p = &g->walk.portion;
    uint64_t *const units = g->out->units + batch * g->topics;

    for (size_t m = 0; m < p->count; m++) {
        if (p->tokens[m] == 0)
            continue;
        g->out->documents[batch]++;
        for (size_t e = p->start[m]; e < p->start[m + 1]; e++)
            units[p->topic[e]] += p->units[e];
    }
}

static kedge_status gather_all(gathering *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stage told = stage_begin(g->control, "batches", g->look.set.portions,
                             "portions");
    bool more = true;

    g->walk = (kept_walk){.txn = g->txn, .look = &g->look, .documents = true};
    for (;;) {
        TRY(kept_walk_next(&g->walk, &more, err));
        if (!more)
            return KEDGE_OK;
        if (g->walk.source >= g->look.totals.sources)
            TRY(kedge_fail(err, KEDGE_ECORRUPT, "block %" PRIu64 " is of "
                           "source %" PRIu32 " of %" PRIu64,
                           g->walk.portion.block, g->walk.source,
                           g->look.totals.sources));
        gather_portion(g, g->batch[g->walk.source]);
        told.documents = g->walk.given;
        TRY(stage_reach(&told, g->walk.next, err));
    }
out:
    return st;
}

/* Batches of which nothing is left are none. */
static void gather_drop_empty(batchshares *b, size_t topics)
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

static kedge_status gather(gathering *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t sources = g->look.totals.sources;
    uint64_t total;

    TRY(plan_walk(&(walk_shape){.what = "adding up batches", .threads = 1,
                                .vocabulary = g->look.totals.words,
                                .blocks = 1,
                                .more = memory_portion() +
                                        sources * (sizeof *g->batch + 72 +
                                                   8 * g->topics)},
                  g->control, &total, err));
    TRY(gather_names(g, err));
    TRY_MEM(g->out->documents = mem_new(g->out->count,
                                        sizeof *g->out->documents));
    TRY_MEM(g->out->units = mem_new2(g->out->count, g->topics,
                                     sizeof *g->out->units));
    TRY(gather_all(g, err));
    gather_drop_empty(g->out, g->topics);
out:
    return st;
}

kedge_status batchshares_find(store *s, const kedge_model *m,
                              const kedge_control *control, batchshares *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    gathering g = {.control = control, .topics = m->topics, .out = out};

    *out = (batchshares){0};
    TRY(store_begin_read(s, &g.txn, err));
    st = kept_find(g.txn, m->name, &g.look, err);
    if (st == KEDGE_ENOTFOUND ||
        (st == KEDGE_OK && g.look.set.serial != m->serial)) {
        st = KEDGE_OK;
        goto out;
    }
    TRY(st);
    out->there = true;
    out->about = g.look.info;
    TRY(gather(&g, err));
out:
    store_abort(&g.txn);
    kept_walk_close(&g.walk);
    mem_free(g.batch);
    if (st != KEDGE_OK)
        batchshares_free(out);
    return st;
}
