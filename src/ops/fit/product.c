/* SPDX-License-Identifier: MIT */
/*
 * On their way in, rows are those of D Q and d, each column divided by its
 * largest entry, for power_set; or as they are, where q is plain.
 */
#include "ops/fit/fit.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/power.h"

typedef struct product {
    const fit *f;
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
    product *p = data;

    p->w = w;
    PASS(power_begin(p->power, w, err));
    pool_run(p->f->p, power_tiles(p->power), product_tile, p);
    return KEDGE_OK;
}

/* What bounds a word's Σ_m a_im Σ_j x_jm: its row's sum and its own term, which
 * is no more than the sum, if joint, and else 2^S a document, less than twice
 * as much with its rounding. */
static double product_largest(const fit *f)
{
    const store_index *const v = &f->index;
    double most = 0;

    for (size_t i = 0; i < v->words; i++)
        most = fmax(most, f->z.sums[i]);
    most /= f->z.scale;
    return 1 + (statistic_damped(v->statistic)
                    ? most + ldexp((double)v->documents,
                                   (int)v->weight_bits + 1)
                    : 2 * most);
}

/* Row i of D Q, and the weight after it where there is a column for it. */
static void product_row(const double *weight, const double *q, size_t k,
                        size_t columns, size_t i, double *row)
{
    const double d = weight != NULL ? weight[i] : 1;

    for (size_t c = 0; c < k; c++)
        row[c] = d * q[i * k + c];
    if (columns > k)
        row[k] = d;
}

kedge_status product_run(fit *f, const pass_input *pass, const double *weight,
                         const double *q, double *plain, size_t k, double *out,
                         double *sums, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t rows = f->index.words, columns = k + (sums != NULL ? 1 : 0);
    product p = {.f = f};
    double *scale = NULL, *row = NULL;

    TRY_MEM(scale = mem_new(columns, sizeof *scale));
    TRY_MEM(row = mem_new(columns, sizeof *row));
    for (size_t i = 0; i < rows; i++) {
        product_row(weight, q, k, columns, i, row);
        for (size_t c = 0; c < columns; c++)
            scale[c] = plain != NULL ? 1 : fmax(scale[c], fabs(row[c]));
    }
    TRY(power_create(filter_words(&f->filter)->count, columns,
                     product_largest(f), pool_threads(f->p), &p.power, err));
    for (size_t i = 0; i < rows; i++) {
        product_row(weight, q, k, columns, i, row);
        for (size_t c = 0; c < columns; c++)
            row[c] = scale[c] > 0 ? row[c] / scale[c] : 0;
        power_set(p.power, f->w.order[i], row);
        if (plain != NULL)
            memcpy(plain + i * k, row, k * sizeof *row);
    }
    TRY(pass_run(pass, product_window, &p, err));
    for (size_t i = 0; i < rows; i++) {
        const double d = weight != NULL ? weight[i] : 1;
        power_get(p.power, f->w.order[i], f->z.scale, row);
        for (size_t c = 0; c < k; c++)
            out[i * k + c] = d * scale[c] * row[c];
        if (sums != NULL)
            sums[i] = d * scale[k] * row[k];
    }
out:
    mem_free_all(scale, row);
    power_free(p.power);
    return st;
}
