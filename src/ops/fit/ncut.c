/* SPDX-License-Identifier: MIT */
/*
 * The first pass adds up all documents, for their degrees depend on the sum;
 * the second follows the log of documents as an index does that has no sketch
 * yet. Documents that were removed are in neither.
 */
#include "ops/fit/fit.h"

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/index/index.h"

void ncut_free(ncut *n)
{
    if (n == NULL)
        return;
    index_close(&n->index);
    degrees_close(&n->degrees);
    mem_free(n);
}

static kedge_status ncut_take(void *data, const window *w, kedge_error *err)
{
    return degrees_add(data, w, err);
}

kedge_status ncut_create(fit *f, ncut **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ncut *n = NULL;
    pass_input pass;

    *out = NULL;
    TRY_MEM(n = mem_new(1, sizeof *n));
    TRY(degrees_open(&n->degrees, filter_words(&f->filter)->count,
                     f->index.words, f->w.order, f->weight, f->index.statistic,
                     err));
    TRY(fit_begin(f, err));
    pass = fit_pass(f, "degrees");
    TRY(pass_run(&pass, ncut_take, &n->degrees, err));
    degrees_finish(&n->degrees, f->w.order);
    fit_end(f);
    TRY(run_check(f->control, err));
    n->index = (open_index){.s = f->s, .control = f->control, .p = f->p,
                            .vocabulary = &f->all, .number = f->number,
                            .index = f->index, .halvings = f->plan.halvings,
                            .degrees = &n->degrees,
                            .out = f->reduced ? &f->holdout : NULL};
    TRY(index_open(&n->index, f->plan.spilled, err));
    TRY(index_catch_up(&n->index, err));
    *out = n;
    n = NULL;
out:
    fit_end(f);
    ncut_free(n);
    return st;
}
