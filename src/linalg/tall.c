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
