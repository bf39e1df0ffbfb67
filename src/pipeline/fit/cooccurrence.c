/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/cooccurrence.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/fit/sketchrows.h"
#include "pipeline/models/model.h"
#include "pipeline/plan.h"

void cooccurrence_close(cooccurrence *c)
{
    exact_free(c->exact);
    pool_free(c->p);
    filter_close(&c->filter);
    words_free(&c->all);
    mem_free(c->order);
    *c = (cooccurrence){0};
}

const double *cooccurrence_matrix(const cooccurrence *c)
{
    return exact_matrix(c->exact);
}

const double *cooccurrence_row(const cooccurrence *c, size_t i, double *room)
{
    return exact_row(c->exact, i, room);
}

static kedge_status cooccurrence_stale(const kedge_model *m, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EINVAL,
                      "the store is not as it was when model %s was fitted, so "
                      "the co-occurrence would not be the model's; fit it "
                      "again", m->name);
}

/* Rows of the model as numbers of the view's words. */
static kedge_status cooccurrence_order(cooccurrence *c, const kedge_model *m,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const filter *const l = &c->filter;

    TRY(model_order(m, c->all.count, &c->order, err));
    for (size_t r = 0; l->number != NULL && r < m->words; r++) {
        const uint32_t id = c->order[r];
        c->order[r] = id < l->ids ? l->number[id] : FILTER_NONE;
        if (c->order[r] == FILTER_NONE)
            TRY(cooccurrence_stale(m, err));
    }
out:
    return st;
}

/* The model's view, as it was: with the same documents and words. */
static kedge_status cooccurrence_look(cooccurrence *c, store_txn *txn,
                                      const kedge_model *m, store_view *view,
                                      const kedge_control *control,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    const uint32_t number = (uint32_t)(m->view_place - 1);

    TRY(store_get_totals(txn, &totals, err));
    TRY(plan_get_words(txn, control, &c->all, err));
    if (m->view_place == 0 ||
        memcmp(totals.digest, m->digest, sizeof m->digest) != 0 ||
        store_get_view_record(txn, number, view, NULL) != KEDGE_OK ||
        (view->listed && view->words != m->words) ||
        view->blocks != totals.blocks)
        TRY(cooccurrence_stale(m, err));
    TRY(filter_open(&c->filter, txn, number, view, &c->all, err));
    TRY(cooccurrence_order(c, m, err));
    c->words = view->words = m->words;
out:
    return st;
}

static kedge_status cooccurrence_plan(const cooccurrence *c,
                                      const exact_input *in, uint64_t pairs,
                                      kedge_error *err)
{
    const kedge_control *const control = in->pass.control;
    uint64_t total;

    return plan_walk(
        &(walk_shape){.what = in->sparse
                                  ? "the co-occurrence of words that meet"
                                  : "the co-occurrence of all pairs of words",
                      .threads = control->threads, .vocabulary = c->words,
                      .word_bytes = words_bytes(&c->all), .blocks = 1,
                      .more = memory_square(c->words, pairs, in->sparse,
                                            control->threads) +
                              memory_square_making(
                                  c->words, 1, STORE_BLOCK_ENTRIES,
                                  statistic_damped(
                                      in->pass.view->statistic))},
        control, &total, err);
}

kedge_status cooccurrence_open(cooccurrence *c, store *s,
                               const kedge_model *m, bool sparse,
                               const kedge_control *control,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view view = {0};
    store_txn *txn = NULL;
    exact_input in = {.pass = {.view = &view, .filter = &c->filter,
                               .control = control, .stage = "co-occurrence",
                               .passes = sparse ? 2 : 1,
                               .start = clock_seconds()},
                      .sparse = sparse};

    *c = (cooccurrence){0};
    if (m->ncut != 0)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "documents of model %s weigh by the normalised cut: "
                       "its co-occurrence is not kept", m->name));
    TRY(store_begin_read(s, &txn, err));
    TRY(cooccurrence_look(c, txn, m, &view, control, err));
    TRY(cooccurrence_plan(c, &in, 0, err));
    TRY(pool_open(control, &c->p, err));
    in.pass.txn = txn;
    in.pass.order = c->order;
    in.scale = sketchrows_scale(&view);
    in.p = c->p;
    TRY(exact_open(&in, &c->exact, err));
    TRY(cooccurrence_plan(c, &in, exact_pairs(c->exact), err));
    in.pass.number = in.pass.passes - 1;
    TRY(exact_make(c->exact, &in, err));
out:
    store_abort(&txn);
    if (st != KEDGE_OK)
        cooccurrence_close(c);
    return st;
}
