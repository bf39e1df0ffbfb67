/* SPDX-License-Identifier: MIT */
/*
 * Documents are known by block and position, which are theirs for ever: what
 * comes gets blocks of its own, and what leaves leaves a gap. So of a set of
 * the store's first blocks it is known without reading documents how many
 * of them are gone, and how many came: by the totals and the heads of later
 * blocks. Documents are decoded where some are gone, to find out which, or
 * where their ids are asked for.
 *
 * A set is written portion by portion. A portion is closed where its block
 * ends, or when it is large; a transaction when it has put some megabytes. The
 * last portion is committed before the record that names the set, and what the
 * set before had is dropped after it, some portions at a time: memory does not
 * depend on how many there are.
 */
#include "ops/infer/saved.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "infer/rounding.h"
#include "ops/models/model.h"
#include "ops/elsewhere.h"
#include "ops/plan.h"
#include "ops/infer/walk.h"

#define COMMIT_BYTES (UINT64_C(4) << 20) /* of a transaction, about */
#define DROPPED 1000 /* portions of a transaction */

/* ---- the set ------------------------------------------------------------- */

/* ECORRUPT; `what` is wrong with the set. */
static kedge_status saved_damaged(const saved_set *k, const char *what,
                                 kedge_error *err)
{
    return kedge_fail(
        err, KEDGE_ECORRUPT,
        "topic proportions saved with model \"%s\" are damaged (%s)",
        k->info.model, what);
}

/* Documents that came after the set, and those of it that are gone. */
static kedge_status saved_count(store_txn *txn, saved_set *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_saved_info *const i = &k->info;
    const store_totals *const t = &k->totals;
    store_gone gone = {0};
    uint64_t count, own;
    char what[40];

    TRY(elsewhere_own(txn, t, &own, err));
    for (uint64_t b = k->record.blocks;; b++) {
        TRY(store_next_block(txn, b, t->blocks, &b, err));
        if (b == t->blocks)
            break;
        TRY(store_count_block(txn, b, &gone, &count, err));
        i->later += count;
    }
    snprintf(what, sizeof what, "%" PRIu64 " documents", i->documents);
    if (k->record.blocks > t->blocks || i->later > own ||
        own - i->later > i->documents)
        TRY(saved_damaged(k, what, err));
    i->removed = i->documents - (own - i->later);
    i->current = i->removed == 0 && i->later == 0;
out:
    store_gone_free(&gone);
    return st;
}

/* A set of another model of the same name is none. */
kedge_status saved_find(store_txn *txn, const char *model, saved_set *out,
                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_kept *const r = &out->record;
    kedge_model *m = NULL;
    const char *quote;

    *out = (saved_set){0};
    TRY(model_open(txn, model, MODEL_HEADER, &m, err));
    quote = naming_quote(m->name);
    st = store_get_kept(txn, m->name, &out->record, err);
    if (st == KEDGE_ENOTFOUND || (st == KEDGE_OK && r->serial != m->serial))
        TRY(kedge_fail(err, KEDGE_ENOTFOUND,
                       "no topic proportions are saved with model \"%s\"; "
                       "'kedge infer STORE --save --model %s%s%s' saves them",
                       m->name, quote, m->name, quote));
    TRY(st);
    out->info = (kedge_saved_info){
        .topics = r->topics, .documents = r->documents,
        .proportions = r->shares, .bytes = r->bytes, .error = r->moved};
    memcpy(out->info.model, m->name, sizeof out->info.model);
    memcpy(out->info.method, r->method, sizeof out->info.method);
    memcpy(out->info.options, r->options, sizeof out->info.options);
    if (r->topics != m->topics)
        TRY(saved_damaged(out, "topics", err));
    TRY(store_get_totals(txn, &out->totals, err));
    TRY(saved_count(txn, out, err));
out:
    kedge_model_free(m);
    return st;
}

kedge_status saved_find_whole(store_txn *txn, const kedge_model *m,
                             saved_set *out, kedge_error *err)
{
    const char *const quote = naming_quote(m->name);

    PASS(saved_find(txn, m->name, out, err));
    if (out->info.current && out->record.serial == m->serial)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "the topic proportions saved with model \"%s\" do not "
                      "cover all documents of the store: 'kedge infer STORE "
                      "--save --model %s%s%s' saves new ones", m->name,
                      quote, m->name, quote);
}

kedge_status kedge_saved_get_info(kedge_store *s, const char *model,
                                  kedge_saved_info *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_saved_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    saved_set set;

    TRY(store_begin_read(s, &txn, err));
    TRY(saved_find(txn, model, &set, err));
    *out = set.info;
out:
    store_abort(&txn);
    return api_leave(st, err);
}

/* ---- portions ------------------------------------------------------------ */

void saved_walk_close(saved_walk *w)
{
    store_portion_free(&w->portion);
    mem_free_all(w->place, w->there);
    store_block_free(&w->scratch);
    store_gone_free(&w->gone);
    docs_free(&w->batch);
}

/* The documents of the portion's block that are there, unless they are in the
 * batch. */
static kedge_status saved_read(saved_walk *w, kedge_error *err)
{
    const uint64_t block = w->portion.block;
    kedge_status st;

    if (w->block == block + 1)
        return KEDGE_OK;
    docs_clear(&w->batch);
    w->block = 0;
    st = store_read_block(w->txn, block, &w->scratch, NULL, &w->source,
                          &w->batch, err);
    if (st != KEDGE_ENOTFOUND) { /* else all of it is gone */
        PASS(st);
        PASS(store_get_gone(w->txn, block, &w->gone, err));
        docs_drop(&w->batch, 0, w->gone.index, w->gone.count);
    }
    w->block = block + 1;
    return KEDGE_OK;
}

/* Which of the portion's documents are there. Both are in the order of
 * positions. */
static kedge_status saved_match(saved_walk *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_portion *const p = &w->portion;
    const docs *const d = &w->batch;
    size_t at = 0, found = 0;

    TRY(saved_read(w, err));
    TRY_GROW(w->place, w->place_capacity, p->count);
    TRY_GROW(w->there, w->there_capacity, p->count);
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

/* The next portion, of which nothing may be left; there is one. */
static kedge_status saved_walk_step(saved_walk *w, kedge_error *err)
{
    store_portion *const p = &w->portion;

    PASS(store_get_portion(w->txn, w->set->info.model, &w->set->record,
                           w->next++, p, err));
    w->left = p->count;
    w->left_shares = store_portion_shares(p);
    if (p->count > 0 && (w->documents || w->set->info.removed > 0))
        PASS(saved_match(w, err));
    w->left -= p->count;
    w->left_shares -= store_portion_shares(p);
    w->given += p->count;
    return KEDGE_OK;
}

kedge_status saved_walk_next(saved_walk *w, bool *more, kedge_error *err)
{
    const uint64_t there = w->set->info.documents - w->set->info.removed;
    char what[80];

    *more = true;
    do {
        store_portion_clear(&w->portion);
        if (w->next == w->set->record.portions) {
            *more = false;
            if (w->given == there)
                return KEDGE_OK;
            snprintf(what, sizeof what, "has %" PRIu64 " documents, the store "
                                        "%" PRIu64 " of them", w->given, there);
            return saved_damaged(w->set, what, err);
        }
        PASS(saved_walk_step(w, err));
    } while (w->portion.count == 0);
    return KEDGE_OK;
}

/* ---- documents of a set of all ------------------------------------------- */

static void saved_spread(const store_portion *p, size_t m, double *shares,
                        size_t topics)
{
    memset(shares, 0, topics * sizeof *shares);
    for (size_t e = p->start[m]; e < p->start[m + 1]; e++)
        shares[p->topic[e]] = (double)p->units[e] / STORE_UNITS;
}

kedge_status saved_walk_to(saved_walk *w, uint64_t block, uint64_t position,
                          double *shares, kedge_error *err)
{
    const store_portion *const p = &w->portion;
    bool more = true;

    if (w->at == p->count) {
        w->at = 0;
        PASS(saved_walk_next(w, &more, err));
    }
    if (!more || p->block != block || p->position[w->at] != position)
        return saved_damaged(w->set, "other documents", err);
    saved_spread(p, w->at++, shares, w->set->info.topics);
    return KEDGE_OK;
}

kedge_status saved_walk_end(saved_walk *w, kedge_error *err)
{
    bool more = w->at < w->portion.count;

    if (!more)
        PASS(saved_walk_next(w, &more, err));
    return more ? saved_damaged(w->set, "other documents", err) : KEDGE_OK;
}

/* ---- one document after the other ---------------------------------------- */

struct kedge_saved {
    store *s;
    const kedge_control *control;
    saved_set set;
    saved_walk walk;
    size_t at; /* of the portion */
    sourcenames names;
    double *shares;
    kedge_saved_document out;
    char id[STORE_ID_MAX + 1];
};

static kedge_status saved_begin(kedge_saved *k, const char *model,
                               kedge_error *err)
{
    store_txn **const txn = &k->walk.txn;
    uint64_t total;

    PASS(store_begin_read(k->s, txn, err));
    PASS(saved_find(*txn, model, &k->set, err));
    PASS(plan_walk(&(walk_shape){.what = "showing topic proportions",
                                 .threads = 1,
                                 .vocabulary = k->set.totals.words,
                                 .blocks = 1,
                                 .more = memory_portion() +
                                         memory_sources(k->set.totals.sources)},
                   k->control, &total, err));
    PASS(sourcenames_open(&k->names, *txn, k->set.totals.sources, err));
    PASS_MEM(k->shares = mem_new(k->set.info.topics, sizeof *k->shares));
    k->walk.set = &k->set;
    k->walk.documents = true;
    k->out = (kedge_saved_document){.id = k->id, .proportions = k->shares,
                                    .topics = k->set.info.topics};
    return KEDGE_OK;
}

kedge_status kedge_saved_open(kedge_store *s, const char *model,
                              const kedge_control *control, kedge_saved **out,
                              kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    kedge_saved *k = NULL;

    TRY_MEM(k = mem_new(1, sizeof *k));
    k->s = store_share(s);
    k->control = control;
    TRY(saved_begin(k, model, err));
    *out = k;
    k = NULL;
out:
    kedge_saved_close(k);
    return api_leave(st, err);
}

const kedge_saved_info *kedge_saved_about(const kedge_saved *k)
{
    return k != NULL ? &k->set.info : NULL;
}

kedge_status kedge_saved_next(kedge_saved *k, const kedge_saved_document **out,
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
        TRY(saved_walk_next(&k->walk, &more, err));
        if (!more)
            return api_leave(KEDGE_OK, err);
    }
    TRY(walk_id(&k->names, &k->walk.batch, k->walk.place[k->at],
                k->walk.source, k->id, &k->out.id_size, err));
    saved_spread(p, k->at, k->shares, k->out.topics);
    k->out.tokens = p->tokens[k->at];
    k->out.flag = (kedge_doc_flag)p->flag[k->at];
    k->at++;
    *out = &k->out;
out:
    return api_leave(st, err);
}

void kedge_saved_close(kedge_saved *k)
{
    if (k == NULL)
        return;
    store_abort(&k->walk.txn);
    saved_walk_close(&k->walk);
    sourcenames_close(&k->names);
    mem_free(k->shares);
    store_release(k->s);
    mem_free(k);
}

/* ---- compositions that are to be kept ------------------------------------ */

struct saved_writer {
    store *s;
    store_txn *txn;
    char model[64];
    store_kept set;
    store_portion portion;
    rounding *rounding;
    uint64_t put; /* bytes in the open transaction */
};

/* All portions that are under a turn. */
static kedge_status saved_drop_turn(store *s, const char *model, uint32_t turn,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    bool more = true;

    while (more) {
        TRY(store_begin_write(s, &txn, err));
        TRY(store_drop_portions(txn, model, turn, DROPPED, &more, err));
        TRY(store_commit(&txn, err));
    }
out:
    store_abort(&txn);
    return st;
}

/* The turn of the new set is not that of the one which is there. */
kedge_status saved_writer_open(store *s, const char *model,
                              const store_kept *about, saved_writer **out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_kept before = {.turn = 1};
    saved_writer *k = NULL;

    *out = NULL;
    TRY_MEM(k = mem_new(1, sizeof *k));
    k->s = s;
    k->set = *about;
    memcpy(k->model, model, strnlen(model, sizeof k->model - 1));
    TRY(rounding_create(about->topics, &k->rounding, err));
    TRY(store_begin_read(s, &k->txn, err));
    st = store_get_kept(k->txn, model, &before, err);
    if (st == KEDGE_ENOTFOUND || st == KEDGE_ECORRUPT)
        before.turn = 1;
    else
        TRY(st);
    store_abort(&k->txn);
    k->set.turn = before.turn ^ 1;
    TRY(saved_drop_turn(s, model, k->set.turn, err));
    TRY(store_begin_write(s, &k->txn, err));
    *out = k;
    k = NULL;
out:
    saved_writer_free(k);
    return st;
}

store_txn *saved_writer_txn(saved_writer *k)
{
    return k->txn;
}

void saved_writer_free(saved_writer *k)
{
    if (k == NULL)
        return;
    store_abort(&k->txn);
    store_portion_free(&k->portion);
    rounding_free(k->rounding);
    mem_free(k);
}

static kedge_status saved_close_portion(saved_writer *k, kedge_error *err)
{
    store_portion *const p = &k->portion;
    uint64_t bytes;

    if (p->count == 0)
        return KEDGE_OK;
    PASS(store_put_portion(k->txn, k->model, k->set.turn, k->set.portions, p,
                           &bytes, err));
    k->set.portions++;
    k->set.documents += p->count;
    k->set.shares += store_portion_shares(p);
    k->set.bytes += bytes;
    k->put += bytes;
    store_portion_clear(p);
    if (k->put < COMMIT_BYTES)
        return KEDGE_OK;
    PASS(store_commit(&k->txn, err));
    PASS(store_begin_write(k->s, &k->txn, err));
    k->put = 0;
    return KEDGE_OK;
}

kedge_status saved_writer_add(saved_writer *k, uint64_t block,
                              uint64_t position, uint64_t tokens, unsigned flag,
                              const double *shares, kedge_error *err)
{
    store_portion *const p = &k->portion;
    double moved;
    size_t at;

    if (p->count > 0 &&
        (p->block != block || p->count >= STORE_PORTION_DOCUMENTS ||
         store_portion_shares(p) >= STORE_PORTION_SHARES))
        PASS(saved_close_portion(k, err));
    PASS_MEM(store_portion_grow(p, 1, k->set.topics));
    p->block = block;
    p->position[p->count] = position;
    p->tokens[p->count] = tokens;
    p->flag[p->count] = (uint8_t)flag;
    at = p->start[p->count];
    at += rounding_take(k->rounding, shares, p->topic + at, p->units + at,
                        &moved);
    p->start[++p->count] = at;
    k->set.moved = moved > k->set.moved ? moved : k->set.moved;
    return KEDGE_OK;
}

kedge_status saved_writer_finish(saved_writer *k, store_kept *out,
                                kedge_error *err)
{
    PASS(saved_close_portion(k, err));
    PASS(store_put_kept(k->txn, k->model, &k->set, err));
    PASS(store_commit(&k->txn, err));
    PASS(saved_drop_turn(k->s, k->model, k->set.turn ^ 1, err));
    *out = k->set;
    return KEDGE_OK;
}

void saved_drop(store *s, const char *model)
{
    if (saved_drop_turn(s, model, 0, NULL) == KEDGE_OK)
        (void)!saved_drop_turn(s, model, 1, NULL);
}

/* ---- documents that are gone --------------------------------------------- */

/* Portions without them take the places of those with them. The transaction is
 * committed now and then. */
static kedge_status saved_prune_set(store *s, saved_walk *w, kedge_error *err)
{
    const char *const model = w->set->info.model;
    const store_portion *const p = &w->portion;
    store_kept set = w->set->record;
    uint64_t put = 0, bytes;

    while (w->next < set.portions) {
        PASS(saved_walk_step(w, err));
        if (w->left == 0)
            continue;
        set.documents -= w->left;
        set.shares -= w->left_shares;
        set.bytes -= p->bytes;
        PASS(store_put_portion(w->txn, model, set.turn, w->next - 1, p, &bytes,
                               err));
        set.bytes += bytes;
        PASS(store_put_kept(w->txn, model, &set, err));
        put += p->bytes;
        if (put < COMMIT_BYTES)
            continue;
        PASS(store_commit(&w->txn, err));
        PASS(store_begin_write(s, &w->txn, err));
        put = 0;
    }
    return KEDGE_OK;
}

static kedge_status saved_prune_one(store *s, uint64_t i, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    saved_set set;
    saved_walk w = {.set = &set};
    char model[64];

    TRY(store_begin_write(s, &w.txn, err));
    TRY(store_get_kept_name(w.txn, i, model, err));
    st = saved_find(w.txn, model, &set, err);
    if (st == KEDGE_OK && set.info.removed > 0)
        TRY(saved_prune_set(s, &w, err));
    else if (st != KEDGE_ENOTFOUND)
        TRY(st);
    TRY(store_commit(&w.txn, err));
out:
    store_abort(&w.txn);
    saved_walk_close(&w);
    return st;
}

kedge_status saved_prune(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (uint64_t i = 0; st == KEDGE_OK; i++)
        st = saved_prune_one(s, i, err);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* ---- what was left ------------------------------------------------------- */

/* The i-th of the models with compositions; *gone: it has none any more. And
 * `swept` is the last model of which that was so: a store in which it has some
 * all the same has keys that kedge does not write. */
static kedge_status saved_sweep_one(store *s, uint64_t i, char swept[64],
                                   bool *gone, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_kept set = {0};
    kedge_model m;
    char model[64];

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_kept_name(txn, i, model, err));
    if (strcmp(model, swept) == 0)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "topic proportions of model \"%s\" are damaged (a key "
                       "of another form)", model));
    st = store_get_kept(txn, model, &set, err);
    if (st == KEDGE_OK)
        st = model_get_header(txn, model, &m, err);
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    *gone = st == KEDGE_ENOTFOUND || m.serial != set.serial;
    store_abort(&txn);
    TRY(saved_drop_turn(s, model, set.turn ^ 1, err));
    if (!*gone)
        return KEDGE_OK;
    TRY(saved_drop_turn(s, model, set.turn, err));
    TRY(store_begin_write(s, &txn, err));
    TRY(store_drop_kept(txn, model, err));
    TRY(store_commit(&txn, err));
    memcpy(swept, model, sizeof model);
out:
    store_abort(&txn);
    return st;
}

kedge_status saved_sweep(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool gone = false;
    char swept[64] = "";

    for (uint64_t i = 0; st == KEDGE_OK; i += !gone)
        st = saved_sweep_one(s, i, swept, &gone, err);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}
