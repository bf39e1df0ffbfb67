/* SPDX-License-Identifier: MIT */
/*
 * Two walks side by side: over the blocks, each read as the model sees it, and
 * over the portions of the set. Both have the same documents in the same order,
 * by block and position, where the set is of all that there are.
 */
#include "pipeline/shares/showing.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/plan.h"

/* ---- opening ------------------------------------------------------------- */

static kedge_status showing_find(store_txn *txn, const kedge_model *m,
                                 kept_look *look, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(kept_find(txn, m->name, look, err));
    if (!look->info.current || look->set.serial != m->serial)
        st = kedge_fail(err, KEDGE_EINVAL,
                        "the compositions that are kept with model \"%s\" are "
                        "not of all documents that there are now: 'kedge infer "
                        "STORE --keep --model %s' makes them anew", m->name,
                        m->name);
out:
    return st;
}

kedge_status showing_check(store *s, const kedge_model *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kept_look look;

    TRY(store_begin_read(s, &txn, err));
    TRY(showing_find(txn, m, &look, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status showing_plan(const showing *w, kedge_error *err)
{
    const kedge_model *const m = w->in.m;
    const uint64_t all = w->totals.words;
    uint64_t total;

    return plan_walk(
        &(walk_shape){.what = "exporting documents", .threads = 1,
                      .vocabulary = all, .blocks = 1,
                      .more = w->in.more +
                              model_memory(m, words_bytes(&m->text)) +
                              memory_sight(m->words, all, m->view.listed) +
                              memory_sources(w->totals.sources) +
                              (w->in.composed ? memory_portion() : 0)},
        w->in.control, &total, err);
}

kedge_status showing_open(showing *w, const showing_input *in,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *w = (showing){.in = *in, .start = clock_seconds()};
    kedge_control_init(&w->usual);
    if (in->control == NULL)
        w->in.control = &w->usual;
    TRY(store_begin_read(in->s, &w->txn, err));
    TRY(store_get_totals(w->txn, &w->totals, err));
    TRY(showing_plan(w, err));
    if (in->composed) {
        TRY(showing_find(w->txn, in->m, &w->look, err));
        TRY_MEM(w->shares = mem_new(in->m->topics, sizeof *w->shares));
        w->walk = (kept_walk){.txn = w->txn, .look = &w->look};
    }
    TRY(sourcenames_open(&w->names, w->txn, w->totals.sources, err));
    TRY(sight_open(&w->sight, w->txn, in->m, w->totals.words, w->in.control,
                   err));
out:
    return st;
}

void showing_close(showing *w)
{
    store_abort(&w->txn);
    kept_walk_close(&w->walk);
    portion_free(&w->now);
    sight_close(&w->sight);
    sourcenames_close(&w->names);
    mem_free(w->shares);
    *w = (showing){0};
}

/* ---- documents ----------------------------------------------------------- */

static kedge_status showing_read(showing *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t sources = w->names.list.count;

    TRY(run_check(w->in.control, err));
    run_progress(w->in.control, &(kedge_progress){
                                    .stage = w->in.stage,
                                    .done = w->next,
                                    .total = w->totals.blocks,
                                    .unit = "blocks",
                                    .documents = w->shown,
                                    .seconds = clock_seconds() - w->start,
                                });
    w->at = 0;
    TRY(portion_read(&w->now, &w->sight, w->txn, w->totals.blocks, &w->next,
                     err));
    if (w->now.seen.count > 0 && w->now.source >= sources)
        st = kedge_fail(err, KEDGE_ECORRUPT, "block %" PRIu64 " is of source %"
                        PRIu32 " of %" PRIu64, w->now.block, w->now.source,
                        sources);
out:
    return st;
}

static kedge_status showing_strange(const showing *w, kedge_error *err)
{
    return kedge_fail(err, KEDGE_ECORRUPT, "compositions kept with model "
                      "\"%s\" are damaged (other documents)", w->in.m->name);
}

/* What is kept of the document that comes next, or nothing after the last. */
static kedge_status showing_compose(showing *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_portion *const p = &w->walk.portion;
    const bool ended = w->now.seen.count == 0;
    bool more = true;

    if (w->kept_at == p->count) {
        w->kept_at = 0;
        TRY(kept_walk_next(&w->walk, &more, err));
    }
    if (more == ended)
        return showing_strange(w, err);
    if (ended)
        return KEDGE_OK;
    if (p->block != w->now.block ||
        p->position[w->kept_at] != w->now.seen.position[w->at])
        return showing_strange(w, err);
    memset(w->shares, 0, w->in.m->topics * sizeof *w->shares);
    for (size_t e = p->start[w->kept_at]; e < p->start[w->kept_at + 1]; e++)
        w->shares[p->topic[e]] = (double)p->units[e] / STORE_UNITS;
    w->kept_at++;
    w->out.shares = w->shares;
out:
    return st;
}

static void showing_name(showing *w, size_t m)
{
    const span own = docs_id(&w->now.seen, m);

    if (own.size > 0) {
        w->out.id = own.bytes;
        w->out.id_size = own.size < STORE_ID_MAX ? own.size : STORE_ID_MAX;
    } else {
        w->out.id = w->id;
        w->out.id_size = sourcenames_id(&w->names, w->now.source,
                                        w->now.seen.position[m], w->id);
    }
}

kedge_status showing_next(showing *w, const showing_document **out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *const d = &w->now.seen;

    *out = NULL;
    if (w->at == d->count)
        TRY(showing_read(w, err));
    if (w->in.composed)
        TRY(showing_compose(w, err));
    if (d->count == 0)
        return KEDGE_OK;
    showing_name(w, w->at);
    w->out.row = d->word + d->start[w->at];
    w->out.tally = d->tally + d->start[w->at];
    w->out.count = d->start[w->at + 1] - d->start[w->at];
    w->out.tokens = d->length[w->at];
    w->at++;
    w->shown++;
    *out = &w->out;
out:
    return st;
}
