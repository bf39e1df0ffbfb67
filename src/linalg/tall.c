/* SPDX-License-Identifier: MIT */
#include "linalg/tall.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

typedef struct tall_job {
    size_t rows, k, l;
    const double *a, *b;
    double beta;
    double *c;
} tall_job;

static void tall_cross_group(void *data, size_t group, unsigned worker)
{
    const tall_job *j = data;
    const size_t from = tall_group(j->rows, group);
    const size_t count = tall_group(j->rows, group + 1) - from;

    (void)worker;
    if (count > 0)
        blas_gemm(true, false, j->k, j->l, count, 1, j->a + from * j->k, j->k,
                  j->b + from * j->l, j->l, 0, j->c + group * j->k * j->l,
                  j->l);
}

kedge_status tall_cross(pool *p, size_t rows, const double *a, size_t k,
                        const double *b, size_t l, double *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    tall_job j = {.rows = rows, .k = k, .l = l, .a = a, .b = b};

    TRY_MEM(j.c = mem_new2(TALL_GROUPS, k * l, sizeof *j.c));
    pool_run(p, TALL_GROUPS, tall_cross_group, &j);
    memcpy(out, j.c, k * l * sizeof *out);
    for (size_t g = 1; g < TALL_GROUPS; g++)
        for (size_t i = 0; i < k * l; i++)
            out[i] += j.c[g * k * l + i];
out:
    mem_free(j.c);
    return st;
}

static void tall_multiply_group(void *data, size_t group, unsigned worker)
{
    const tall_job *j = data;
    const size_t from = tall_group(j->rows, group);
    const size_t count = tall_group(j->rows, group + 1) - from;

    (void)worker;
    blas_gemm(false, false, count, j->l, j->k, 1, j->a + from * j->k, j->k,
              j->b, j->l, j->beta, j->c + from * j->l, j->l);
}

void tall_multiply(pool *p, size_t rows, const double *a, size_t k,
                   const double *t, size_t l, double beta, double *c)
{
    tall_job j = {.rows = rows, .k = k, .l = l, .a = a, .b = t,
                  .beta = beta, .c = c};

    pool_run(p, TALL_GROUPS, tall_multiply_group, &j);
}

/* Rows of tall_combine that are in the making at a time, on each thread. */
#define COMBINE_ROWS 256

typedef struct combine_job {
    size_t rows, k;
    double *x;
    const double *m, *y, *n;
    double *scratch; /* COMBINE_ROWS x k for each worker */
} combine_job;

static void tall_combine_group(void *data, size_t group, unsigned worker)
{
    const combine_job *j = data;
    const size_t k = j->k, end = tall_group(j->rows, group + 1);
    double *made = j->scratch + worker * COMBINE_ROWS * k;

    for (size_t at = tall_group(j->rows, group); at < end;
         at += COMBINE_ROWS) {
        const size_t n = end - at < COMBINE_ROWS ? end - at : COMBINE_ROWS;
        blas_gemm(false, false, n, k, k, 1, j->x + at * k, k, j->m, k, 0, made,
                  k);
        if (j->y != NULL)
            blas_gemm(false, false, n, k, k, 1, j->y + at * k, k, j->n, k, 1,
                      made, k);
        memcpy(j->x + at * k, made, n * k * sizeof *made);
    }
}

kedge_status tall_combine(pool *p, size_t rows, double *x, size_t k,
                          const double *m, const double *y, const double *n,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    combine_job j = {.rows = rows, .k = k, .x = x, .m = m, .y = y, .n = n};

    TRY_MEM(j.scratch = mem_new2(pool_threads(p), COMBINE_ROWS * k,
                                 sizeof *j.scratch));
    pool_run(p, TALL_GROUPS, tall_combine_group, &j);
out:
    mem_free(j.scratch);
    return st;
}

static void tall_solve_group(void *data, size_t group, unsigned worker)
{
    const tall_job *j = data;
    const size_t from = tall_group(j->rows, group);

    (void)worker;
    blas_solve_right_upper(tall_group(j->rows, group + 1) - from, j->k, j->b,
                           j->k, j->c + from * j->k, j->k);
}

void tall_solve(pool *p, size_t rows, double *x, size_t k, const double *r)
{
    tall_job j = {.rows = rows, .k = k, .b = r, .c = x};

    pool_run(p, TALL_GROUPS, tall_solve_group, &j);
}
