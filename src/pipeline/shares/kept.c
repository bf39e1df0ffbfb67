/* SPDX-License-Identifier: MIT */
/*
 * Documents are known by block and position, which are theirs for ever: what
 * comes gets blocks of its own, and what leaves leaves a gap. So of a set of
 * the store's first blocks it can be told without reading documents how many
 * of them are gone, and how many came: by the totals and the heads of later
 * blocks. Documents are decoded where some are gone, to find out which, or
 * where their ids are asked for.
 */
#include "pipeline/shares/kept.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/ingest/sourcenames.h"
#include "pipeline/models/model.h"
#include "pipeline/elsewhere.h"
#include "pipeline/plan.h"

/* ---- the set ------------------------------------------------------------- */

/* A set of another model of the same name is none. */
static kedge_status kept_get(store_txn *txn, const char *model, kept_look *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_model *m = NULL;

    TRY(model_open(txn, model, &m, err));
    memcpy(out->info.model, m->name, sizeof out->info.model);
    st = store_get_kept(txn, m->name, &out->set, err);
    if (st == KEDGE_ENOTFOUND ||
        (st == KEDGE_OK && out->set.serial != m->serial))
        TRY(kedge_fail(err, KEDGE_ENOTFOUND,
                       "no compositions are kept with model \"%s\"; 'kedge "
                       "infer STORE --keep --model %s' makes them", m->name,
                       m->name));
    TRY(st);
    if (out->set.topics != m->topics)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "compositions kept with model \"%s\" are damaged "
                       "(topics)", m->name));
out:
    kedge_model_free(m);
    return st;
}

static kedge_status kept_count(store_txn *txn, kept_look *l, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_kept_info *const i = &l->info;
    const store_totals *const t = &l->totals;
    store_gone gone = {0};
    uint64_t count, own;

    TRY(elsewhere_own(txn, t, &own, err));
    for (uint64_t b = l->set.blocks;; b++) {
        TRY(store_next_block(txn, b, t->blocks, &b, err));
        if (b == t->blocks)
            break;
        TRY(store_count_block(txn, b, &gone, &count, err));
        i->later += count;
    }
    if (l->set.blocks > t->blocks || i->later > own ||
        own - i->later > l->set.documents)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "compositions kept with model \"%s\" are damaged (%"
                       PRIu64 " documents)", i->model, l->set.documents));
    i->gone = l->set.documents - (own - i->later);
    i->current = i->gone == 0 && i->later == 0;
out:
    store_gone_free(&gone);
    return st;
}

kedge_status kept_find(store_txn *txn, const char *model, kept_look *out,
                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_kept_info *const i = &out->info;

    *out = (kept_look){0};
    TRY(kept_get(txn, model, out, err));
    TRY(store_get_totals(txn, &out->totals, err));
    i->topics = out->set.topics;
    i->documents = out->set.documents;
    memcpy(i->method, out->set.method, sizeof i->method);
    memcpy(i->options, out->set.options, sizeof i->options);
    i->shares = out->set.shares;
    i->bytes = out->set.bytes;
    i->moved = out->set.moved;
    TRY(kept_count(txn, out, err));
out:
    return st;
}

kedge_status kedge_kept_get_info(kedge_store *s, const char *model,
                                 kedge_kept_info *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_kept_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kept_look look;

    TRY(store_begin_read(s, &txn, err));
    TRY(kept_find(txn, model, &look, err));
    *out = look.info;
out:
    store_abort(&txn);
    return api_leave(st, err);
}

/* ---- portions ------------------------------------------------------------ */

void kept_walk_close(kept_walk *w)
{
    store_portion_free(&w->portion);
    mem_free(w->place);
    mem_free(w->there);
    store_block_free(&w->scratch);
    store_gone_free(&w->gone);
    docs_free(&w->batch);
}

/* The documents of the portion's block that are there, unless they are in the
 * batch. */
static kedge_status kept_read(kept_walk *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t block = w->portion.block;

    if (w->block == block + 1)
        return KEDGE_OK;
    docs_clear(&w->batch);
    w->block = 0;
    st = store_read_block(w->txn, block, &w->scratch, NULL, &w->source,
                          &w->batch, err);
    if (st != KEDGE_ENOTFOUND) { /* else all of it is gone */
        TRY(st);
        TRY(store_get_gone(w->txn, block, &w->gone, err));
        docs_drop(&w->batch, 0, w->gone.index, w->gone.count);
    }
    st = KEDGE_OK;
    w->block = block + 1;
out:
    return st;
}

/* Both are in the order of positions. */
static kedge_status kept_match(kept_walk *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_portion *const p = &w->portion;
    const docs *const d = &w->batch;
    size_t at = 0, found = 0;

    TRY(kept_read(w, err));
    TRY_MEM(mem_grow((void **)&w->place, &w->place_capacity, p->count,
                     sizeof *w->place) &&
                    mem_grow((void **)&w->there, &w->there_capacity, p->count,
                             sizeof *w->there) ? w : NULL);
    for (size_t m = 0; m < p->count; m++) {
        while (at < d->count && d->position[at] < p->position[m])
            at++;
        w->there[m] = at < d->count && d->position[at] == p->position[m];
        if (w->there[m])
            w->place[found++] = at;
    }
    store_portion_keep(p, w->there);
out:
    return st;
}

/* All that are there are in the set, and nothing else. */
static kedge_status kept_end(const kept_walk *w, kedge_error *err)
{
    const kedge_kept_info *const i = &w->look->info;

    if (w->given != i->documents - i->gone)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "compositions kept with model \"%s\" are damaged "
                          "(of %" PRIu64 " documents, the store has %" PRIu64
                          " of these)", i->model, w->given,
                          i->documents - i->gone);
    return KEDGE_OK;
}

kedge_status kept_walk_step(kept_walk *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_portion *const p = &w->portion;

    TRY(store_get_portion(w->txn, w->look->info.model, &w->look->set, w->next++,
                          p, err));
    w->left = p->count;
    w->left_shares = store_portion_shares(p);
    if (p->count > 0 && (w->documents || w->look->info.gone > 0))
        TRY(kept_match(w, err));
    w->left -= p->count;
    w->left_shares -= store_portion_shares(p);
    w->given += p->count;
out:
    return st;
}

kedge_status kept_walk_next(kept_walk *w, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *more = false;
    do {
        store_portion_clear(&w->portion);
        if (w->next == w->look->set.portions)
            return kept_end(w, err);
        TRY(kept_walk_step(w, err));
    } while (w->portion.count == 0);
    *more = true;
out:
    return st;
}

/* ---- one document after the other ---------------------------------------- */

struct kedge_kept {
    store *s;
    const kedge_control *control;
    kept_look look;
    kept_walk walk;
    size_t at; /* of the portion */
    sourcenames names;
    double *shares;
    kedge_kept_document out;
    char id[STORE_ID_MAX + 1];
};

static kedge_status kept_begin(kedge_kept *k, const char *model,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn **const txn = &k->walk.txn;
    uint64_t total;

    TRY(store_begin_read(k->s, txn, err));
    TRY(kept_find(*txn, model, &k->look, err));
    TRY(plan_walk(&(walk_shape){.what = "showing compositions", .threads = 1,
                                .vocabulary = k->look.totals.words,
                                .blocks = 1,
                                .more = memory_portion() +
                                        memory_sources(
                                            k->look.totals.sources)},
                  k->control, &total, err));
    TRY(sourcenames_open(&k->names, *txn, k->look.totals.sources, err));
    TRY_MEM(k->shares = mem_new(k->look.info.topics, sizeof *k->shares));
    k->walk.look = &k->look;
    k->walk.documents = true;
out:
    return st;
}

kedge_status kedge_kept_open(kedge_store *s, const char *model,
                             const kedge_control *control, kedge_kept **out,
                             kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    kedge_kept *k = NULL;

    TRY_MEM(k = mem_new(1, sizeof *k));
    k->s = store_share(s);
    k->control = control;
    TRY(kept_begin(k, model, err));
    *out = k;
    k = NULL;
out:
    kedge_kept_close(k);
    return api_leave(st, err);
}

const kedge_kept_info *kedge_kept_about(const kedge_kept *k)
{
    return k != NULL ? &k->look.info : NULL;
}

uint64_t kept_serial(const kedge_kept *k)
{
    return k->look.set.serial;
}

static kedge_status kept_give_id(kedge_kept *k, size_t m, kedge_error *err)
{
    const span own = docs_id(&k->walk.batch, m);
    const uint32_t source = k->walk.source;

    k->out.id = k->id;
    if (own.size > 0) {
        k->out.id_size = own.size < STORE_ID_MAX ? own.size : STORE_ID_MAX;
        memcpy(k->id, own.bytes, k->out.id_size);
        k->id[k->out.id_size] = '\0';
        return KEDGE_OK;
    }
    if (source >= k->names.list.count)
        return kedge_fail(err, KEDGE_ECORRUPT, "block %" PRIu64
                          " is of source %" PRIu32 " of %zu",
                          k->walk.portion.block, source, k->names.list.count);
    k->out.id_size = sourcenames_id(&k->names, source,
                                    k->walk.batch.position[m], k->id);
    return KEDGE_OK;
}

static void kept_give_shares(kedge_kept *k, size_t m)
{
    const store_portion *const p = &k->walk.portion;

    memset(k->shares, 0, k->look.info.topics * sizeof *k->shares);
    for (size_t e = p->start[m]; e < p->start[m + 1]; e++)
        k->shares[p->topic[e]] = (double)p->units[e] / STORE_UNITS;
    k->out.shares = k->shares;
    k->out.topics = k->look.info.topics;
}

kedge_status kedge_kept_next(kedge_kept *k, const kedge_kept_document **out,
                             kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"kept", k}, {"out", out});

    kedge_status st = KEDGE_OK;
    const store_portion *const p = &k->walk.portion;
    bool more;

    if (k->at == p->count) {
        TRY(run_check(k->control, err));
        k->at = 0;
        TRY(kept_walk_next(&k->walk, &more, err));
        if (!more)
            return api_leave(KEDGE_OK, err);
    }
    TRY(kept_give_id(k, k->walk.place[k->at], err));
    kept_give_shares(k, k->at);
    k->out.tokens = p->tokens[k->at];
    k->out.flag = (kedge_composed)p->flag[k->at];
    k->at++;
    *out = &k->out;
out:
    return api_leave(st, err);
}

void kedge_kept_close(kedge_kept *k)
{
    if (k == NULL)
        return;
    store_abort(&k->walk.txn);
    kept_walk_close(&k->walk);
    sourcenames_close(&k->names);
    mem_free(k->shares);
    store_release(k->s);
    mem_free(k);
}
