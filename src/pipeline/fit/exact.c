/* SPDX-License-Identifier: MIT */
/*
 * The eigenpairs are searched for in a block of more vectors than are asked
 * for, which begins with those that the sketch has (linalg/warm.h) and a little
 * noise, so that none is left out; the search ends when those asked for are
 * exact but for 1e-9 of the least of them.
 */
#include "pipeline/fit/exact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/warm.h"
#include "pipeline/batch.h"
#include "sketch/pairsums.h"

#define TOLERANCE 1e-9
#define NOISE 1e-3      /* length beside a vector's one */
#define STEPS 4         /* between looks at the residuals */
#define SEARCHES 100

struct exact {
    exact_input in;
    size_t rows;
    uint32_t *rank;
    pairsums *m;
    uint64_t pairs;
    double *sums;
    anchors_matrix counted;
};

void exact_free(exact *e)
{
    if (e == NULL)
        return;
    pairsums_free(e->m);
    mem_free(e->rank);
    mem_free(e->sums);
    mem_free(e);
}

/* ---- C ------------------------------------------------------------------- */

static void exact_task(void *data, size_t task, unsigned worker)
{
    exact *e = data;

    pairsums_task(e->m, task, worker);
}

static kedge_status exact_window(void *data, const window *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    exact *e = data;

    TRY(pairsums_begin(e->m, w, err));
    pool_run(e->in.p, pairsums_tasks(e->m), exact_task, e);
out:
    return st;
}

kedge_status exact_open(const exact_input *in, exact **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    exact *e = NULL;

    *out = NULL;
    TRY_MEM(e = mem_new(1, sizeof *e));
    e->in = *in;
    e->rows = in->pass.view->words;
    TRY_MEM(e->sums = mem_new(e->rows, sizeof *e->sums));
    TRY_MEM(e->rank = mem_new(filter_words(in->pass.filter)->count,
                              sizeof *e->rank));
    for (size_t i = 0; i < e->rows; i++)
        e->rank[in->pass.order[i]] = (uint32_t)i;
    if (in->sparse) {
        TRY(pairsums_create_sparse(e->rank, e->rows, pool_threads(in->p),
                                   &e->m, err));
        TRY(pass_run(&in->pass, exact_window, e, err));
        e->pairs = pairsums_pairs(e->m);
    }
    *out = e;
    e = NULL;
out:
    exact_free(e);
    return st;
}

static kedge_status exact_add_up(exact *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *room = NULL;

    TRY_MEM(room = mem_new(e->rows, sizeof *room));
    for (size_t i = 0; i < e->rows; i++) {
        const double *const row = pairsums_entries(e->m, i, room);
        for (size_t j = 0; j < e->rows; j++)
            e->sums[i] += row[j];
    }
out:
    mem_free(room);
    return st;
}

static void exact_squares(void *data, double *squares)
{
    const exact *const e = data;

    pairsums_squares(e->m, e->in.p, squares);
}

static const double *exact_counted_row(void *data, size_t rank, double *room)
{
    return exact_row(data, rank, room);
}

kedge_status exact_make(exact *e, const exact_input *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    e->in = *in;
    TRY(in->sparse ? pairsums_look_again(e->m, err)
                   : pairsums_create(e->rank, e->rows, &e->m, err));
    TRY(pass_run(&in->pass, exact_window, e, err));
    pairsums_finish(e->m, in->p, in->scale, in->weight);
    TRY(exact_add_up(e, err));
    e->counted = (anchors_matrix){.rows = e->rows, .sums = e->sums, .data = e,
                                  .squares = exact_squares,
                                  .apply = exact_apply,
                                  .row = exact_counted_row};
out:
    return st;
}

uint64_t exact_pairs(const exact *e)
{
    return e->pairs;
}

const double *exact_matrix(const exact *e)
{
    assert(!e->in.sparse);
    return pairsums_entries(e->m, 0, NULL);
}

const double *exact_row(const exact *e, size_t rank, double *room)
{
    return pairsums_entries(e->m, rank, room);
}

const double *exact_sums(const exact *e)
{
    return e->sums;
}

kedge_status exact_apply(void *data, const double *x, size_t k, double *out,
                         kedge_error *err)
{
    const exact *const e = data;

    (void)err;
    pairsums_multiply(e->m, e->in.p, x, k, out);
    return KEDGE_OK;
}

const anchors_matrix *exact_counted(const exact *e)
{
    return e != NULL ? &e->counted : NULL;
}

/* ---- eigenpairs ---------------------------------------------------------- */

/* A block for k eigenpairs: more of them converge sooner. */
static size_t exact_block(size_t rows, size_t k)
{
    const size_t block = k + k / 2 + 8;

    return block < rows ? block : rows;
}

/* What the sketch knows of `block` leading vectors, and noise. */
static kedge_status exact_guess(const exact *e, const spectrum *s,
                                const spectrum_rows *rows, size_t block,
                                double *x, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = e->rows, known = block < s->count ? block : s->count;
    const double noise = NOISE / sqrt((double)n);
    double *v = NULL;

    TRY_MEM(v = mem_new2(n, known, sizeof *v));
    TRY(spectrum_vectors(s, rows, known, e->in.p, v, err));
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < block; c++)
            x[i * block + c] =
                (c < known ? v[i * known + c] : 0) +
                noise * ((double)(hash_stream(c, i) >> 11) * 0x1p-52 - 1);
out:
    mem_free(v);
    return st;
}

/* The length of the first k columns of the residuals. */
static double exact_residual(const double *r, size_t rows, size_t block,
                             size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < k; c++)
            sum += r[i * block + c] * r[i * block + c];
    return sqrt(sum);
}

static kedge_status exact_search(exact *e, size_t k, size_t block, double *x,
                                 double *found, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const warm_operator a = {.rows = e->rows, .data = e, .apply = exact_apply};
    warm_work work = {0};
    unsigned applied;

    TRY(warm_work_create(e->rows, block, &work, err));
    for (int i = 0; i < SEARCHES; i++) {
        TRY(run_check(e->in.pass.control, err));
        TRY(warm_eigen(e->in.p, &a, block, x, found, 0, STEPS, &work, &applied,
                       err));
        if (applied < STEPS || exact_residual(work.r, e->rows, block, k) <=
                                   TOLERANCE * fabs(found[k - 1]))
            break;
    }
out:
    warm_work_free(&work);
    return st;
}

kedge_status exact_vectors(exact *e, const spectrum *s,
                           const spectrum_rows *rows, size_t k,
                           double *vectors, double *values, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = e->rows, block = exact_block(n, k);
    double *x = NULL, *found = NULL;

    TRY_MEM(x = mem_new2(n, block, sizeof *x));
    TRY_MEM(found = mem_new(block, sizeof *found));
    TRY(exact_guess(e, s, rows, block, x, err));
    TRY(exact_search(e, k, block, x, found, err));
    memcpy(values, found, k * sizeof *values);
    for (size_t i = 0; i < n; i++)
        memcpy(vectors + i * k, x + i * block, k * sizeof *x);
out:
    mem_free(x);
    mem_free(found);
    return st;
}
