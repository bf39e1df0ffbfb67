/* SPDX-License-Identifier: MIT */
/*
 * The first pass adds up all documents, for their degrees depend on the sum;
 * the second follows the log of documents as a view does that has no sketch
 * yet. Documents that were removed are in neither.
 */
#include "pipeline/fit/ncut.h"

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/index/index.h"
#include "pipeline/index/pass.h"

struct ncut {
    degrees degrees;
    open_index index;
};

void ncut_free(ncut *n)
{
    if (n == NULL)
        return;
    index_close(&n->index);
    degrees_close(&n->degrees);
    mem_free(n);
}

const degrees *ncut_degrees(const ncut *n)
{
    return n != NULL ? &n->degrees : NULL;
}

const sketch *ncut_sketch(const ncut *n)
{
    return n->index.z;
}

/* ---- degrees ------------------------------------------------------------- */

static kedge_status ncut_take(void *data, const window *w, kedge_error *err)
{
    return degrees_add(data, w, err);
}

static kedge_status ncut_sum(const ncut_input *in, degrees *g,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    pass_input pass = {.view = in->view, .filter = in->filter,
                             .order = in->order, .control = in->control,
                             .stage = "degrees", .passes = 1,
                             .start = clock_seconds()};

    TRY(degrees_open(g, filter_words(in->filter)->count, in->view->words,
                     in->order, in->weight, in->view->statistic, err));
    TRY(store_begin_read(in->s, &txn, err));
    pass.txn = txn;
    TRY(pass_run(&pass, ncut_take, g, err));
    degrees_finish(g, in->order);
out:
    store_abort(&txn);
    return st;
}

/* ---- the sketch ---------------------------------------------------------- */

kedge_status ncut_create(const ncut_input *in, ncut **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ncut *n = NULL;

    *out = NULL;
    TRY_MEM(n = mem_new(1, sizeof *n));
    TRY(ncut_sum(in, &n->degrees, err));
    TRY(run_check(in->control, err));
    n->index = (open_index){.s = in->s, .control = in->control, .p = in->p,
                         .vocabulary = in->all, .number = in->number,
                         .view = *in->view, .halvings = in->halvings,
                         .degrees = &n->degrees};
    TRY(index_open(&n->index, in->spilled, err));
    TRY(index_catch_up(&n->index, err));
    *out = n;
    n = NULL;
out:
    ncut_free(n);
    return st;
}
