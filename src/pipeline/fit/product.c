/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/product.h"

#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/batch.h"
#include "sketch/power.h"

/* ---- the rows that are multiplied ---------------------------------------- */

/* On their way in and out: those of D Q and d, each column divided by its
 * largest entry, for power_set; or as they are. */
typedef struct factor {
    const double *weight; /* by rank, or NULL: 1 */
    const double *q;      /* rows x given */
    double *plain;        /* q, where it goes as it is, else NULL */
    size_t rows, given;
    size_t columns;       /* with that of the weights, where they are in it */
    double *scale;        /* columns */
    double *row;
} factor;

static void factor_free(factor *f)
{
    mem_free(f->scale);
    mem_free(f->row);
}

static void factor_row(const factor *f, size_t i)
{
    const double weight = f->weight != NULL ? f->weight[i] : 1;

    for (size_t c = 0; c < f->given; c++)
        f->row[c] = weight * f->q[i * f->given + c];
    if (f->columns > f->given)
        f->row[f->given] = weight;
}

/* Whose rows and columns are given; finds the columns' scales. */
static kedge_status factor_open(factor *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (f->plain != NULL)
        return KEDGE_OK;
    TRY_MEM(f->scale = mem_new(f->columns, sizeof *f->scale));
    TRY_MEM(f->row = mem_new(f->columns, sizeof *f->row));
    for (size_t i = 0; i < f->rows; i++) {
        factor_row(f, i);
        for (size_t c = 0; c < f->columns; c++)
            f->scale[c] = fmax(f->scale[c], fabs(f->row[c]));
    }
out:
    return st;
}

/* ---- the pass ------------------------------------------------------------ */

typedef struct product {
    const product_input *in;
    factor f;
    power *power;
    const window *w;
} product;

static void product_tile(void *data, size_t tile, unsigned worker)
{
    const product *p = data;

    power_tile(p->power, p->w, tile, worker);
}

static kedge_status product_window(void *data, const window *w,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    product *p = data;

    p->w = w;
    TRY(power_begin(p->power, w, err));
    pool_run(p->in->p, power_tiles(p->power), product_tile, p);
out:
    return st;
}

/* What bounds a word's Σ_m a_im Σ_j x_jm: its row's sum and its own term, which
 * is no more than the sum, if joint, and else 2^S a document, less than twice
 * that with its rounding. */
static double product_largest(const product_input *in, size_t rows)
{
    const store_view *const v = in->pass.view;
    double most = 0;

    for (size_t i = 0; i < rows; i++)
        most = fmax(most, in->sums[i]);
    most /= in->scale;
    return 1 + (statistic_damped(v->statistic)
                    ? most + ldexp((double)v->documents,
                                   (int)v->weight_bits + 1)
                    : 2 * most);
}

/* Row i goes in. */
static void product_set(product *p, size_t i)
{
    const factor *const f = &p->f;
    const size_t id = p->in->pass.order[i];

    if (f->plain != NULL) {
        power_set(p->power, id, f->plain + i * f->given);
        return;
    }
    factor_row(f, i);
    for (size_t c = 0; c < f->columns; c++)
        f->row[c] = f->scale[c] > 0 ? f->row[c] / f->scale[c] : 0;
    power_set(p->power, id, f->row);
}

/* And comes out, multiplied. */
static void product_get(const product *p, size_t i, double *out, double *sums)
{
    const factor *const f = &p->f;
    const size_t id = p->in->pass.order[i];
    const double weight = f->weight != NULL ? f->weight[i] : 1;

    if (f->plain != NULL) {
        power_get(p->power, id, p->in->scale, out + i * f->given);
        return;
    }
    power_get(p->power, id, p->in->scale, f->row);
    for (size_t c = 0; c < f->given; c++)
        out[i * f->given + c] = weight * f->scale[c] * f->row[c];
    if (f->columns > f->given)
        sums[i] = weight * f->scale[f->given] * f->row[f->given];
}

static kedge_status product_make(product *p, double *out, double *sums,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const product_input *const in = p->in;

    p->f.rows = in->pass.view->words;
    p->f.weight = in->weight;
    p->f.columns = p->f.given + (sums != NULL ? 1 : 0);
    TRY(factor_open(&p->f, err));
    TRY(power_create(filter_words(in->pass.filter)->count, p->f.columns,
                     product_largest(in, p->f.rows), pool_threads(in->p),
                     &p->power, err));
    for (size_t i = 0; i < p->f.rows; i++)
        product_set(p, i);
    TRY(pass_run(&in->pass, product_window, p, err));
    for (size_t i = 0; i < p->f.rows; i++)
        product_get(p, i, out, sums);
out:
    factor_free(&p->f);
    power_free(p->power);
    return st;
}

kedge_status product_run(const product_input *in, double *q, size_t columns,
                         double *out, double *sums, kedge_error *err)
{
    product p = {.in = in,
                 .f = {.q = q, .given = columns,
                       .plain = in->weight == NULL ? q : NULL}};

    return product_make(&p, out, sums, err);
}

kedge_status product_scaled(const product_input *in, const double *q,
                            size_t columns, double *out, kedge_error *err)
{
    product p = {.in = in, .f = {.q = q, .given = columns}};

    return product_make(&p, out, NULL, err);
}
