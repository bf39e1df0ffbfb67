/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/renumber.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/models/kin.h"

static bool unreadable(kedge_status st)
{
    return st == KEDGE_ECORRUPT || st == KEDGE_EVERSION;
}

kedge_status renumber_look(store_txn *txn, const char *like, const char *own,
                           kedge_model *out, kedge_error *err)
{
    const char *const name = like != NULL ? like : own;
    kedge_status st = model_get_header(txn, name, out, err);

    if (st == KEDGE_OK)
        return KEDGE_OK;
    if (like != NULL)
        return st != KEDGE_ENOTFOUND
                   ? st
                   : kedge_fail(err, KEDGE_ENOTFOUND,
                                "the store has no model \"%s\" whose numbers "
                                "topics could keep; 'kedge info STORE' lists "
                                "those there are",
                                name);
    *out = (kedge_model){0};
    return st == KEDGE_ENOTFOUND || unreadable(st) ? KEDGE_OK : st;
}

/* The earlier model, with the ids of its rows' words. */
static kedge_status renumber_open(const renumber_input *in, kedge_model **old,
                                  uint32_t **order, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(in->s, &txn, err));
    TRY(model_open_topics(txn, in->like, old, err));
    TRY(model_order(*old, in->vocabulary->count, order, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status carry_names(const kedge_model *old, const kin *found,
                                const size_t *order, size_t k,
                                topic_name **names, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (old->names == NULL)
        return KEDGE_OK;
    TRY_MEM(*names = mem_new(k, sizeof **names));
    for (size_t i = 0; i < old->topics; i++)
        for (size_t n = 0; n < k; n++)
            if (found->partner[i] == order[n])
                (*names)[n] = old->names[i];
out:
    return st;
}

static void tell(const kedge_model *old, const kin *found, size_t k,
                 kedge_fit_result *r)
{
    memcpy(r->like, old->name, sizeof r->like);
    r->matched = found->matched;
    r->came = k - found->matched;
    r->gone = old->topics - found->matched;
    r->mean_distance = found->mean;
}

kedge_status renumber(const renumber_input *in, law_output *t,
                      topic_name **names, kedge_fit_result *r,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kin_side before, after = {in->vocabulary, in->order, in->rows,
                              in->k,          t->b,      t->anchor};
    uint32_t *old_order = NULL;
    kedge_model *old = NULL;
    size_t *order = NULL;
    kin found = {0};

    st = renumber_open(in, &old, &old_order, err);
    if (unreadable(st) && !in->needed) {
        run_log(in->control,
                "model %s is damaged and replaced; its topics' numbers and "
                "names are lost",
                in->like);
        st = KEDGE_OK;
        goto out;
    }
    TRY(st);
    before = (kin_side){in->vocabulary, old_order,          old->words,
                        old->topics,    old->probabilities, old->anchors};
    TRY(kin_find(in->p, &before, &after, &found, err));
    TRY_MEM(order = mem_new(in->k, sizeof *order));
    TRY(match_order(found.partner, old->topics, in->k, order, err));
    TRY(carry_names(old, &found, order, in->k, names, err));
    TRY(law_permute(in->rows, in->k, order, t, err));
    tell(old, &found, in->k, r);
out:
    mem_free(order);
    mem_free(old_order);
    kedge_model_free(old);
    kin_free(&found);
    return st;
}
