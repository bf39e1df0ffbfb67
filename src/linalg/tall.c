/* SPDX-License-Identifier: MIT */
#include "linalg/tall.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

tall_part tall_of(size_t rows, size_t rank, size_t size)
{
    tall_part part = {.rows = rows, .first = TALL_GROUPS * rank / size,
                      .end = TALL_GROUPS * (rank + 1) / size};

    part.from = tall_group(rows, part.first);
    part.count = tall_group(rows, part.end) - part.from;
    return part;
}

tall_part tall_own(const pool *p, size_t rows)
{
    const communicator *const t = pool_comm(p);

    return tall_of(rows, comm_rank(t), comm_size(t));
}

typedef struct run_job {
    const tall_part *own;
    pool_task *run;
    void *data;
} run_job;

static void run_group(void *data, size_t task, unsigned worker)
{
    const run_job *const j = data;

    j->run(j->data, j->own->first + task, worker);
}

void tall_run(pool *p, const tall_part *own, pool_task *run, void *data)
{
    run_job j = {own, run, data};

    pool_run(p, own->end - own->first, run_group, &j);
}

static size_t group_tiles(const tall_part *own, size_t group, size_t size)
{
    const size_t rows = tall_at(own, group + 1) - tall_at(own, group);

    return (rows + size - 1) / size;
}

size_t tall_tiles(const tall_part *own, size_t size)
{
    size_t tiles = 0;

    for (size_t g = own->first; g < own->end; g++)
        tiles += group_tiles(own, g, size);
    return tiles;
}

size_t tall_tile(const tall_part *own, size_t size, size_t tile,
                 size_t *count)
{
    size_t g = own->first, from, end;

    for (; tile >= group_tiles(own, g, size); g++)
        tile -= group_tiles(own, g, size);
    from = tall_at(own, g) + tile * size;
    end = tall_at(own, g + 1);
    *count = end - from < size ? end - from : size;
    return from;
}

typedef struct rows_job {
    tall_part own;
    const double *a;
    size_t k, count;
    const uint64_t *row;
} rows_job;

static void add_rows(void *data, void *value)
{
    const rows_job *const j = data;
    double *const sum = value;

    for (size_t i = 0; i < j->own.count; i++)
        for (size_t c = 0; c < j->k; c++)
            sum[c] += j->a[i * j->k + c];
}

void tall_sums(pool *p, size_t rows, const double *a, size_t k, double *sum)
{
    rows_job j = {.own = tall_own(p, rows), .a = a, .k = k};

    memset(sum, 0, k * sizeof *sum);
    comm_reduce(pool_comm(p), sum, k * sizeof *sum, add_rows, &j);
}

static void put_rows(void *data, void *value)
{
    const rows_job *const j = data;
    double *const out = value;

    for (size_t n = 0; n < j->count; n++) {
        const size_t at = (size_t)j->row[n] - j->own.from;
        if (j->row[n] >= j->own.from && at < j->own.count)
            memcpy(out + n * j->k, j->a + at * j->k, j->k * sizeof *out);
    }
}

void tall_rows(pool *p, size_t rows, const double *a, size_t k,
               const uint64_t *row, size_t count, double *out)
{
    rows_job j = {tall_own(p, rows), a, k, count, row};

    comm_reduce(pool_comm(p), out, count * k * sizeof *out, put_rows, &j);
}

void tall_collect(pool *p, size_t rows, const double *a, size_t k,
                  double *all)
{
    communicator *const t = pool_comm(p);
    const tall_part own = tall_own(p, rows);

    memmove(all + own.from * k, a, own.count * k * sizeof *a);
    for (unsigned r = 0; r < comm_size(t); r++) {
        const tall_part part = tall_of(rows, r, comm_size(t));
        comm_bcast(t, all + part.from * k, part.count * k * sizeof *a, r);
    }
}

void tall_bring(pool *p, size_t rows, const double *a, size_t k, double *all)
{
    communicator *const t = pool_comm(p);
    const tall_part own = tall_own(p, rows);
    const size_t row = k * sizeof *a;

    if (comm_rank(t) > 0) {
        comm_send(t, a, own.count * row, 0);
        return;
    }
    memcpy(all, a, own.count * row);
    for (unsigned r = 1; r < comm_size(t); r++) {
        const tall_part part = tall_of(rows, r, t->size);
        comm_recv(t, all + part.from * k, part.count * row, r);
    }
}

typedef struct tall_job {
    tall_part own;
    size_t k, l;
    const double *a, *b;
    double beta;
    double *c; /* of tall_cross: k x l for each own group */
} tall_job;

static void tall_cross_group(void *data, size_t group, unsigned worker)
{
    const tall_job *j = data;
    const size_t from = tall_at(&j->own, group);
    const size_t count = tall_at(&j->own, group + 1) - from;

    (void)worker;
    if (count > 0)
        blas_gemm(true, false, j->k, j->l, count, 1, j->a + from * j->k, j->k,
                  j->b + from * j->l, j->l, 0,
                  j->c + (group - j->own.first) * j->k * j->l, j->l);
}

/* The own groups' sums, after those of the groups before. */
static void tall_cross_add(void *data, void *value)
{
    const tall_job *const j = data;
    const size_t size = j->k * j->l;
    double *const out = value;

    for (size_t g = j->own.first; g < j->own.end; g++) {
        const double *const c = j->c + (g - j->own.first) * size;
        for (size_t i = 0; i < size; i++)
            out[i] = g == 0 ? c[i] : out[i] + c[i];
    }
}

kedge_status tall_cross(pool *p, size_t rows, const double *a, size_t k,
                        const double *b, size_t l, double *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    tall_job j = {.own = tall_own(p, rows), .k = k, .l = l, .a = a, .b = b};

    TRY_MEM(j.c = mem_new2(j.own.end - j.own.first, k * l, sizeof *j.c));
    tall_run(p, &j.own, tall_cross_group, &j);
    comm_reduce(pool_comm(p), out, k * l * sizeof *out, tall_cross_add, &j);
out:
    mem_free(j.c);
    return st;
}

static void tall_multiply_group(void *data, size_t group, unsigned worker)
{
    const tall_job *j = data;
    const size_t from = tall_at(&j->own, group);
    const size_t count = tall_at(&j->own, group + 1) - from;

    (void)worker;
    blas_gemm(false, false, count, j->l, j->k, 1, j->a + from * j->k, j->k,
              j->b, j->l, j->beta, j->c + from * j->l, j->l);
}

void tall_multiply(pool *p, size_t rows, const double *a, size_t k,
                   const double *t, size_t l, double beta, double *c)
{
    tall_job j = {.own = tall_own(p, rows), .k = k, .l = l, .a = a, .b = t,
                  .beta = beta, .c = c};

    tall_run(p, &j.own, tall_multiply_group, &j);
}

/* Rows of tall_combine that are in the making at a time, on each thread. */
#define COMBINE_ROWS 256

typedef struct combine_job {
    tall_part own;
    size_t k;
    double *x;
    const double *m, *y, *n;
    double *scratch; /* COMBINE_ROWS x k for each worker */
} combine_job;

static void tall_combine_group(void *data, size_t group, unsigned worker)
{
    const combine_job *j = data;
    const size_t k = j->k, end = tall_at(&j->own, group + 1);
    double *made = j->scratch + worker * COMBINE_ROWS * k;

    for (size_t at = tall_at(&j->own, group); at < end; at += COMBINE_ROWS) {
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
    combine_job j = {.own = tall_own(p, rows), .k = k, .x = x, .m = m, .y = y,
                     .n = n};

    TRY_MEM(j.scratch = mem_new2(pool_threads(p), COMBINE_ROWS * k,
                                 sizeof *j.scratch));
    tall_run(p, &j.own, tall_combine_group, &j);
out:
    mem_free(j.scratch);
    return st;
}

static void tall_solve_group(void *data, size_t group, unsigned worker)
{
    const tall_job *j = data;
    const size_t from = tall_at(&j->own, group);

    (void)worker;
    blas_solve_right_upper(tall_at(&j->own, group + 1) - from, j->k, j->b,
                           j->k, j->c + from * j->k, j->k);
}

void tall_solve(pool *p, size_t rows, double *x, size_t k, const double *r)
{
    tall_job j = {.own = tall_own(p, rows), .k = k, .b = r, .c = x};

    tall_run(p, &j.own, tall_solve_group, &j);
}
