/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/fail.h"
#include "base/run.h"
#include "ops/fit/fit.h"
#include "rectify/rectify.h"

/* The products of C that a rectification takes: by C itself where that is
 * there, else by passes over the documents in the store. */
typedef struct products {
    fit *f;
    const double *weight; /* normalised, or NULL */
    double total;         /* of what f->exact adds up to */
    pass_input pass;      /* the next */
} products;

static kedge_status products_apply(void *data, const double *x, size_t k,
                                   double *out, kedge_error *err)
{
    products *p = data;
    const size_t count = p->f->index.words * k;

    if (p->f->exact != NULL) {
        PASS(exact_apply(p->f->exact, x, k, out, err));
        for (size_t i = 0; i < count; i++)
            out[i] /= p->total;
    } else {
        PASS(product_run(p->f, &p->pass, p->weight, x, NULL, k, out, NULL,
                         err));
        p->pass.number++;
    }
    return KEDGE_OK;
}

kedge_status fit_rectify(fit *f, kedge_model *m, kedge_fit_result *r,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const rectify_method *const way = &rectify_methods[f->opts->rectify];
    const size_t rows = f->index.words, k = r->topics;
    products p = {.f = f, .weight = m->weights,
                  .total = f->weight != NULL ? f->total : 1};
    const warm_operator c = {.rows = rows, .data = &p,
                             .apply = products_apply};
    const rectify_opts opts = {fitcheck_rounds(f->opts), f->opts->rectify_tol,
                               f->plan.entries, &c};
    kedge_control control = *f->control;
    rectify_result made = {0};

    for (size_t i = 0; i < fit_own(f).count * k; i++)
        m->rectified[i] *= sqrt(fmax(m->eigenvalues[i % k], 0));
    if (way->products) {
        TRY(fit_begin(f, err));
        p.pass = fit_pass(f, "rectify");
        p.pass.passes = 2 * opts.rounds;
        if (f->exact == NULL)
            control.progress = NULL; /* passes tell more */
    }
    if (way->run != NULL)
        TRY(way->run(f->p, rows, k, m->rectified, &opts, &control, &made,
                     err));
    if (way->products && f->exact == NULL)
        TRY(pass_finish(&p.pass, err));
    r->rectify_iter = made.rounds;
    r->products = made.products;
    r->rectify_change = made.change;
    r->negative_share = made.negative_share;
out:
    fit_end(f);
    return st;
}
