/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/rectifying.h"

#include <math.h>

#include "base/fail.h"
#include "base/run.h"
#include "linalg/tall.h"
#include "rectify/ap.h"
#include "rectify/dr.h"
#include "rectify/enn.h"
#include "rectify/palm.h"

static const struct {
    const char *name;
    uint64_t rounds;
} kinds[] = {
    [KEDGE_RECTIFY_ENN] = {"enn", 5},
    [KEDGE_RECTIFY_NONE] = {"none", 5},
    [KEDGE_RECTIFY_PALM] = {"palm", 100},
    [KEDGE_RECTIFY_IPALM] = {"ipalm", 100},
    [KEDGE_RECTIFY_AP] = {"ap", 15},
    [KEDGE_RECTIFY_DR] = {"dr", 15},
};

uint64_t rectifying_rounds(const kedge_fit_opts *o)
{
    return o->rounds > 0 ? o->rounds : kinds[o->rectify].rounds;
}

const char *rectifying_name(kedge_rectify kind)
{
    return kinds[kind].name;
}

/* ---- products of C ------------------------------------------------------- */

typedef struct products {
    const rectifying_input *in;
    product_input product; /* of the next */
} products;

static kedge_status products_apply(void *data, const double *x, size_t k,
                                   double *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    products *p = data;
    const size_t count = p->in->rows * k;

    if (p->in->exact != NULL) {
        TRY(exact_apply(p->in->exact, x, k, out, err));
        for (size_t i = 0; i < count; i++)
            out[i] /= p->in->total;
    } else {
        TRY(product_scaled(&p->product, x, k, out, err));
        p->product.pass.number++;
    }
out:
    return st;
}

static kedge_status palm_run(const rectifying_input *in, double *y,
                             rectify_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    products p = {.in = in, .product = in->product};
    const warm_operator c = {.rows = in->rows, .data = &p,
                             .apply = products_apply};
    const palm_input palm = {.p = in->product.p, .k = in->k, .c = &c,
                             .inertial = in->kind == KEDGE_RECTIFY_IPALM};
    kedge_control silent = *in->product.pass.control;
    palm_result made;

    if (in->exact == NULL) /* passes tell more */
        silent.progress = NULL;
    p.product.pass.passes = 2 * in->opts.rounds;
    p.product.pass.start = clock_seconds();
    TRY(store_begin_read(in->s, &txn, err));
    p.product.pass.txn = txn;
    TRY(palm_rectify(&palm, y, &in->opts, &silent, &made, err));
    if (in->exact == NULL)
        TRY(pass_finish(&p.product.pass, err));
    *out = made.common;
out:
    store_abort(&txn);
    return st;
}

kedge_status rectifying_run(const rectifying_input *in, const double *values,
                            double *y, rectify_result *out, kedge_error *err)
{
    const kedge_control *const control = in->product.pass.control;
    pool *const p = in->product.p;

    *out = (rectify_result){0};
    for (size_t i = 0; i < tall_own(p, in->rows).count * in->k; i++)
        y[i] *= sqrt(fmax(values[i % in->k], 0));
    switch (in->kind) {
    case KEDGE_RECTIFY_ENN:
        return enn_rectify(p, in->rows, in->k, y, &in->opts, control, out,
                           err);
    case KEDGE_RECTIFY_AP:
        return ap_rectify(p, in->rows, in->k, y, &in->opts, control, out, err);
    case KEDGE_RECTIFY_DR:
        return dr_rectify(p, in->rows, in->k, y, &in->opts, control, out, err);
    case KEDGE_RECTIFY_PALM:
    case KEDGE_RECTIFY_IPALM:
        return palm_run(in, y, out, err);
    case KEDGE_RECTIFY_NONE:
        break;
    }
    return KEDGE_OK;
}
