/* SPDX-License-Identifier: MIT */
#include "rectify/square.h"

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

kedge_status square_create(square *s, pool *p, size_t rows, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *s = (square){.p = p, .rows = rows};
    TRY_MEM(s->c = mem_new2(rows, rows, sizeof *s->c));
    TRY_MEM(s->part = mem_new(rows, sizeof *s->part));
out:
    return st;
}

void square_free(square *s)
{
    mem_free(s->c);
    mem_free(s->part);
    *s = (square){0};
}

/* ---- YY' ----------------------------------------------------------------- */

typedef struct composing {
    square *s;
    const double *y;
    size_t k;
    double beta;
} composing;

static void compose_group(void *data, size_t group, unsigned worker)
{
    const composing *const j = data;
    const size_t n = j->s->rows, from = tall_group(n, group);
    const size_t count = tall_group(n, group + 1) - from;

    (void)worker;
    if (count > 0)
        blas_gemm(false, true, count, n, j->k, 1, j->y + from * j->k, j->k,
                  j->y, j->k, j->beta, j->s->c + from * n, n);
}

void square_compose(square *s, const double *y, size_t k, double beta)
{
    composing j = {s, y, k, beta};

    pool_run(s->p, TALL_GROUPS, compose_group, &j);
}

/* ---- entry by entry ------------------------------------------------------ */

typedef struct changing {
    square *s;
    square_change *change;
    void *data;
} changing;

static void change_row(void *data, size_t row, unsigned worker)
{
    const changing *const j = data;

    (void)worker;
    j->s->part[row] =
        j->change(j->data, j->s->c + row * j->s->rows, j->s->rows);
}

double square_each(square *s, square_change *change, void *data)
{
    changing j = {s, change, data};
    double sum = 0;

    pool_run(s->p, s->rows, change_row, &j);
    for (size_t i = 0; i < s->rows; i++)
        sum += s->part[i];
    return sum;
}

kedge_status square_apply(void *data, const double *x, size_t k, double *out,
                          kedge_error *err)
{
    square *const s = data;

    (void)err;
    tall_multiply(s->p, s->rows, s->c, s->rows, x, k, 0, out);
    return KEDGE_OK;
}
