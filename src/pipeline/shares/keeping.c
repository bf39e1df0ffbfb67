/* SPDX-License-Identifier: MIT */
/*
 * A portion is closed where its block ends, or when it is large; a transaction
 * when it has put some megabytes. The last portion is committed before the
 * record that names the set, and what the set before had is dropped after it,
 * some portions at a time: memory does not depend on how many there are.
 */
#include "pipeline/shares/keeping.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/models/model.h"
#include "pipeline/shares/kept.h"

#define TURN_BYTES (UINT64_C(4) << 20) /* of a transaction, about */
#define DROPPED 1000 /* portions of a transaction */

struct keeping {
    store *s;
    store_txn *txn;
    char model[64];
    store_kept set;
    store_portion portion;
    rounding *rounding;
    uint64_t put; /* bytes in the open transaction */
};

/* All that is under a turn. */
static kedge_status keeping_drop(store *s, const char *model, uint32_t turn,
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

/* The turn that the next set gets: not that of the one that is there. */
static kedge_status keeping_turn(store_txn *txn, const char *model,
                                 uint32_t *turn, kedge_error *err)
{
    store_kept before;
    const kedge_status st = store_get_kept(txn, model, &before, err);

    *turn = st == KEDGE_OK ? before.turn ^ 1 : 0;
    return st == KEDGE_ENOTFOUND || st == KEDGE_ECORRUPT ? KEDGE_OK : st;
}

kedge_status keeping_create(store *s, const char *model,
                            const store_kept *about, keeping **out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    keeping *k = NULL;

    *out = NULL;
    TRY_MEM(k = mem_new(1, sizeof *k));
    k->s = s;
    k->set = *about;
    memcpy(k->model, model, strnlen(model, sizeof k->model - 1));
    TRY(rounding_create(about->topics, &k->rounding, err));
    TRY(store_begin_read(s, &k->txn, err));
    TRY(keeping_turn(k->txn, model, &k->set.turn, err));
    store_abort(&k->txn);
    TRY(keeping_drop(s, model, k->set.turn, err));
    TRY(store_begin_write(s, &k->txn, err));
    *out = k;
    k = NULL;
out:
    keeping_free(k);
    return st;
}

store_txn *keeping_txn(keeping *k)
{
    return k->txn;
}

void keeping_free(keeping *k)
{
    if (k == NULL)
        return;
    store_abort(&k->txn);
    store_portion_free(&k->portion);
    rounding_free(k->rounding);
    mem_free(k);
}

static kedge_status keeping_close_portion(keeping *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_portion *const p = &k->portion;
    uint64_t bytes;

    if (p->count == 0)
        return KEDGE_OK;
    TRY(store_put_portion(k->txn, k->model, k->set.turn, k->set.portions, p,
                          &bytes, err));
    k->set.portions++;
    k->set.documents += p->count;
    k->set.shares += store_portion_shares(p);
    k->set.bytes += bytes;
    k->put += bytes;
    store_portion_clear(p);
    if (k->put < TURN_BYTES)
        return KEDGE_OK;
    TRY(store_commit(&k->txn, err));
    TRY(store_begin_write(k->s, &k->txn, err));
    k->put = 0;
out:
    return st;
}

static bool keeping_is_full(const keeping *k, uint64_t block)
{
    const store_portion *const p = &k->portion;

    return p->count > 0 &&
           (p->block != block || p->count >= STORE_PORTION_DOCUMENTS ||
            store_portion_shares(p) >= STORE_PORTION_SHARES);
}

kedge_status keeping_add(keeping *k, const keeping_document *d,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_portion *const p = &k->portion;
    double moved;
    size_t at;

    if (keeping_is_full(k, d->block))
        TRY(keeping_close_portion(k, err));
    TRY_MEM(store_portion_grow(p, 1, k->set.topics) ? p : NULL);
    p->block = d->block;
    p->position[p->count] = d->position;
    p->tokens[p->count] = d->tokens;
    p->flag[p->count] = (uint8_t)d->flag;
    at = p->start[p->count];
    at += rounding_take(k->rounding, d->shares, p->topic + at, p->units + at,
                        &moved);
    p->start[++p->count] = at;
    k->set.moved = moved > k->set.moved ? moved : k->set.moved;
out:
    return st;
}

kedge_status keeping_finish(keeping *k, store_kept *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(keeping_close_portion(k, err));
    TRY(store_put_kept(k->txn, k->model, &k->set, err));
    TRY(store_commit(&k->txn, err));
    TRY(keeping_drop(k->s, k->model, k->set.turn ^ 1, err));
    *out = k->set;
out:
    return st;
}

void keeping_forget(store *s, const char *model)
{
    if (keeping_drop(s, model, 0, NULL) == KEDGE_OK)
        (void)!keeping_drop(s, model, 1, NULL);
}

/* ---- documents that are gone --------------------------------------------- */

/* A portion without them takes the place of the one with them. */
static kedge_status keeping_replace(store_txn *txn, const char *model,
                                    const kept_walk *w, store_kept *set,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_portion *const p = &w->portion;
    uint64_t bytes;

    set->documents -= w->left;
    set->shares -= w->left_shares;
    set->bytes -= p->bytes;
    TRY(store_put_portion(txn, model, set->turn, w->next - 1, p, &bytes, err));
    set->bytes += bytes;
    TRY(store_put_kept(txn, model, set, err));
out:
    return st;
}

/* The rest of a walk, whose transaction is committed now and then. */
static kedge_status keeping_prune_set(store *s, kept_walk *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *const model = w->look->info.model;
    store_kept set = w->look->set;
    uint64_t put = 0;

    while (w->next < set.portions) {
        TRY(kept_walk_step(w, err));
        if (w->left == 0)
            continue;
        TRY(keeping_replace(w->txn, model, w, &set, err));
        put += w->portion.bytes;
        if (put < TURN_BYTES)
            continue;
        TRY(store_commit(&w->txn, err));
        TRY(store_begin_write(s, &w->txn, err));
        put = 0;
    }
out:
    return st;
}

static kedge_status keeping_prune_one(store *s, uint64_t i, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kept_look look;
    kept_walk walk = {.look = &look};
    char model[64];

    TRY(store_begin_write(s, &walk.txn, err));
    TRY(store_get_kept_name(walk.txn, i, model, err));
    st = kept_find(walk.txn, model, &look, err);
    if (st == KEDGE_OK && look.info.gone > 0)
        TRY(keeping_prune_set(s, &walk, err));
    else if (st != KEDGE_ENOTFOUND)
        TRY(st);
    TRY(store_commit(&walk.txn, err));
out:
    store_abort(&walk.txn);
    kept_walk_close(&walk);
    return st;
}

kedge_status keeping_prune(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (uint64_t i = 0; st == KEDGE_OK; i++)
        st = keeping_prune_one(s, i, err);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* ---- what was left ------------------------------------------------------- */

/* Whether the model has a set that is its own; its turn, then. */
static kedge_status keeping_is_set(store_txn *txn, const char *model, bool *is,
                                   uint32_t *turn, kedge_error *err)
{
    kedge_status st;
    store_kept set;
    kedge_model m;

    *is = false;
    st = store_get_kept(txn, model, &set, err);
    if (st == KEDGE_OK)
        st = model_get_header(txn, model, &m, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    if (st != KEDGE_OK)
        return st;
    *is = m.serial == set.serial;
    *turn = set.turn;
    return KEDGE_OK;
}

/* The i-th of the models with compositions; *gone: it has none any more. And
 * `swept` is the last model of which that was so: a store in which it has some
 * all the same has keys that kedge does not write. */
static kedge_status keeping_sweep_one(store *s, uint64_t i, char swept[64],
                                      bool *gone, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    uint32_t turn = 0;
    char model[64];
    bool is;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_kept_name(txn, i, model, err));
    if (strcmp(model, swept) == 0)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "compositions of model \"%s\" are damaged (a key of "
                       "another form)", model));
    TRY(keeping_is_set(txn, model, &is, &turn, err));
    store_abort(&txn);
    *gone = !is;
    TRY(keeping_drop(s, model, turn ^ 1, err));
    if (is)
        return KEDGE_OK;
    TRY(keeping_drop(s, model, turn, err));
    TRY(store_begin_write(s, &txn, err));
    TRY(store_drop_kept(txn, model, err));
    TRY(store_commit(&txn, err));
    memcpy(swept, model, sizeof model);
out:
    store_abort(&txn);
    return st;
}

kedge_status keeping_sweep(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool gone = false;
    char swept[64] = "";

    for (uint64_t i = 0; st == KEDGE_OK; i += !gone)
        st = keeping_sweep_one(s, i, swept, &gone, err);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}
