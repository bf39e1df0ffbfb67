/* SPDX-License-Identifier: MIT */
#include "cooccur/window.h"

#include "base/fail.h"
#include "base/mem.h"

kedge_status basket_create(size_t rows, basket *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (basket){0};
    TRY_MEM(out->row = mem_new(rows, sizeof *out->row));
    TRY_MEM(out->x = mem_new(rows, sizeof *out->x));
out:
    if (st != KEDGE_OK)
        basket_free(out);
    return st;
}

void basket_free(basket *b)
{
    mem_free(b->row);
    mem_free(b->x);
    *b = (basket){0};
}

/* A word that two parts share has entries side by side. */
static void basket_fill(basket *b, const window *w, size_t from, size_t to)
{
    b->count = 0;
    for (size_t k = from; k < to; k++) {
        const uint32_t row = w->id[w->local[k]];
        if (b->count > 0 && b->row[b->count - 1] == row) {
            b->x[b->count - 1] += w->value[k];
            continue;
        }
        b->row[b->count] = row;
        b->x[b->count++] = w->value[k];
    }
}

size_t basket_read(basket *b, const window *w, size_t m)
{
    const size_t next = m + w->parts[m];
    double sum = 0, squares = 0, pairs;

    b->damped = w->statistic != NULL && statistic_damped(w->statistic->kind);
    basket_fill(b, w, w->start[m], w->start[next]);
    for (size_t i = 0; i < b->count; i++) {
        sum += b->x[i];
        squares += b->x[i] * b->x[i];
    }
    pairs = b->damped ? squares : sum * (sum - 1);
    b->weight = pairs > 0 ? 1 / pairs : 0;
    b->mass = b->weight * (sum * sum - (b->damped ? squares : sum));
    return next;
}
