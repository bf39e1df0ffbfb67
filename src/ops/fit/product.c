/* SPDX-License-Identifier: MIT */
/*
 * On their way in, rows are those of D Q and d, each column divided by its
 * largest entry, for power_set; or as they are, where q is plain.
 */
#include "ops/fit/fit.h"

#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/power.h"

typedef struct product {
    const fit *f;
    const double *weight; /* by rank, or NULL: 1 */
    const double *q;      /* rows x given */
    double *plain;        /* q, where it goes as it is, else NULL */
    size_t rows, given;
    size_t columns;       /* with that of the weights, where sums are wanted */
    double *scale;        /* columns */
    double *row;
    power *power;
    const window *w;
} product;

static void product_row(const product *p, size_t i)
{
    const double weight = p->weight != NULL ? p->weight[i] : 1;

    for (size_t c = 0; c < p->given; c++)
        p->row[c] = weight * p->q[i * p->given + c];
    if (p->columns > p->given)
        p->row[p->given] = weight;
}

static void product_tile(void *data, size_t tile, unsigned worker)
{
    const product *p = data;

    power_tile(p->power, p->w, tile, worker);
}

static kedge_status product_window(void *data, const window *w,
                                   kedge_error *err)
{
    product *p = data;

    p->w = w;
    PASS(power_begin(p->power, w, err));
    pool_run(p->f->p, power_tiles(p->power), product_tile, p);
    return KEDGE_OK;
}

/* What bounds a word's Σ_m a_im Σ_j x_jm: its row's sum and its own term, which
 * is no more than the sum, if joint, and else 2^S a document, less than twice
 * that with its rounding. */
static double product_largest(const fit *f)
{
    const store_view *const v = &f->view;
    double most = 0;

    for (size_t i = 0; i < v->words; i++)
        most = fmax(most, f->z.sums[i]);
    most /= f->z.scale;
    return 1 + (statistic_damped(v->statistic)
                    ? most + ldexp((double)v->documents,
                                   (int)v->weight_bits + 1)
                    : 2 * most);
}

/* Row i goes in. */
static void product_set(const product *p, size_t i)
{
    const size_t id = p->f->w.order[i];

    if (p->plain != NULL) {
        power_set(p->power, id, p->plain + i * p->given);
        return;
    }
    product_row(p, i);
    for (size_t c = 0; c < p->columns; c++)
        p->row[c] = p->scale[c] > 0 ? p->row[c] / p->scale[c] : 0;
    power_set(p->power, id, p->row);
}

/* And comes out, multiplied. */
static void product_get(const product *p, size_t i, double *out, double *sums)
{
    const size_t id = p->f->w.order[i];
    const double weight = p->weight != NULL ? p->weight[i] : 1;

    if (p->plain != NULL) {
        power_get(p->power, id, p->f->z.scale, out + i * p->given);
        return;
    }
    power_get(p->power, id, p->f->z.scale, p->row);
    for (size_t c = 0; c < p->given; c++)
        out[i * p->given + c] = weight * p->scale[c] * p->row[c];
    if (p->columns > p->given)
        sums[i] = weight * p->scale[p->given] * p->row[p->given];
}

static kedge_status product_make(product *p, const pass_input *pass,
                                 double *out, double *sums, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    p->rows = p->f->view.words;
    p->columns = p->given + (sums != NULL ? 1 : 0);
    TRY_MEM(p->scale = mem_new(p->columns, sizeof *p->scale));
    TRY_MEM(p->row = mem_new(p->columns, sizeof *p->row));
    for (size_t i = 0; p->plain == NULL && i < p->rows; i++) {
        product_row(p, i);
        for (size_t c = 0; c < p->columns; c++)
            p->scale[c] = fmax(p->scale[c], fabs(p->row[c]));
    }
    TRY(power_create(filter_words(&p->f->filter)->count, p->columns,
                     product_largest(p->f), pool_threads(p->f->p), &p->power,
                     err));
    for (size_t i = 0; i < p->rows; i++)
        product_set(p, i);
    TRY(pass_run(pass, product_window, p, err));
    for (size_t i = 0; i < p->rows; i++)
        product_get(p, i, out, sums);
out:
    mem_free_all(p->scale, p->row);
    power_free(p->power);
    return st;
}

kedge_status product_run(fit *f, const pass_input *pass, const double *weight,
                         const double *q, size_t k, double *out, double *sums,
                         kedge_error *err)
{
    product p = {.f = f, .weight = weight, .q = q, .given = k};

    return product_make(&p, pass, out, sums, err);
}

kedge_status product_plain(fit *f, const pass_input *pass, double *q, size_t k,
                           double *out, kedge_error *err)
{
    product p = {.f = f, .plain = q, .given = k};

    return product_make(&p, pass, out, NULL, err);
}
