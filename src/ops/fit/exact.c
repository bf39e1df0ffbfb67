/* SPDX-License-Identifier: MIT */
/*
 * The eigenpairs are searched for in a block of more vectors than are asked
 * for, which begins with those that the sketch has (linalg/warm.h) and a little
 * noise, so that none is left out; the search ends when those asked for are
 * exact but for 1e-9 of the least of them.
 */
#include "ops/fit/fit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/warm.h"

#define TOLERANCE 1e-9
#define NOISE 1e-3      /* its length; a vector has one */
#define STEPS 4         /* between looks at the residuals */
#define SEARCHES 100

void exact_free(exact *e)
{
    if (e == NULL)
        return;
    pairsums_free(e->m);
    mem_free_all(e->rank, e->sums, e);
}

/* ---- C ------------------------------------------------------------------- */

static void exact_task(void *data, size_t task, unsigned worker)
{
    pairsums_task(((exact *)data)->m, task, worker);
}

static kedge_status exact_window(void *data, const window *w, kedge_error *err)
{
    exact *e = data;

    PASS(pairsums_begin(e->m, w, err));
    pool_run(e->f->p, pairsums_tasks(e->m), exact_task, e);
    return KEDGE_OK;
}

/* The first one, where it is sparse, finds which pairs there are. */
static kedge_status exact_pass(exact *e, store_txn *txn, uint64_t number,
                               kedge_error *err)
{
    pass_input pass = fit_pass(e->f, "co-occurrence");

    pass.txn = txn;
    pass.number = number;
    pass.passes += e->sparse;
    pass.start = e->start;
    return pass_run(&pass, exact_window, e, err);
}

kedge_status exact_open(fit *f, store_txn *txn, exact **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    exact *e = NULL;

    *out = NULL;
    TRY_MEM(e = mem_new(1, sizeof *e));
    e->f = f;
    e->rows = f->index.words;
    e->sparse = f->shape.cooccurrence == KEDGE_COOCCURRENCE_SPARSE;
    e->start = clock_seconds();
    TRY_MEM(e->sums = mem_new(e->rows, sizeof *e->sums));
    TRY_MEM(e->rank = mem_new(filter_words(&f->filter)->count,
                              sizeof *e->rank));
    for (size_t i = 0; i < e->rows; i++)
        e->rank[f->w.order[i]] = (uint32_t)i;
    if (e->sparse) {
        TRY(pairsums_create(e->rank, e->rows, pool_threads(f->p), true,
                            &e->m, err));
        TRY(exact_pass(e, txn, 0, err));
        e->pairs = pairsums_pairs(e->m);
    }
    *out = e;
    e = NULL;
out:
    exact_free(e);
    return st;
}

static void exact_squares(void *data, double *squares)
{
    const exact *const e = data;

    pairsums_squares(e->m, e->f->p, squares);
}

static const double *exact_counted_row(void *data, size_t rank, double *room)
{
    return exact_row(data, rank, room);
}

kedge_status exact_make(exact *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const fit *const f = e->f;
    double *room = NULL;

    TRY(e->sparse ? pairsums_look_again(e->m, err)
                  : pairsums_create(e->rank, e->rows, pool_threads(f->p),
                                    false, &e->m, err));
    TRY(exact_pass(e, f->z.txn, e->sparse, err));
    pairsums_finish(e->m, f->p, f->z.scale, f->weight);
    TRY_MEM(room = mem_new(e->rows, sizeof *room));
    for (size_t i = 0; i < e->rows; i++) {
        const double *const row = pairsums_entries(e->m, i, room);
        for (size_t j = 0; j < e->rows; j++)
            e->sums[i] += row[j];
    }
    e->counted = (anchors_matrix){.rows = e->rows, .sums = e->sums, .data = e,
                                  .squares = exact_squares,
                                  .apply = exact_apply,
                                  .row = exact_counted_row};
out:
    mem_free(room);
    return st;
}

const double *exact_matrix(const exact *e)
{
    assert(!e->sparse);
    return pairsums_entries(e->m, 0, NULL);
}

const double *exact_row(const exact *e, size_t rank, double *room)
{
    return pairsums_entries(e->m, rank, room);
}

kedge_status exact_apply(void *data, const double *x, size_t k, double *out,
                         kedge_error *err)
{
    const exact *const e = data;

    (void)err;
    pairsums_multiply(e->m, e->f->p, x, k, out);
    return KEDGE_OK;
}

/* ---- eigenpairs ---------------------------------------------------------- */

/* What the sketch knows of `block` leading vectors, and noise. */
static kedge_status exact_guess(const exact *e, size_t block, double *x,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const spectrum *const s = &e->f->spectrum;
    const size_t n = e->rows, known = block < s->count ? block : s->count;
    const double noise = NOISE / sqrt((double)n);
    double *v = NULL;

    TRY_MEM(v = mem_new2(n, known, sizeof *v));
    TRY(spectrum_vectors(s, &e->f->z.rows, known, e->f->p, v, err));
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < block; c++)
            x[i * block + c] =
                (c < known ? v[i * known + c] : 0) +
                noise * ((double)(hash_stream(c, i) >> 11) * 0x1p-52 - 1);
out:
    mem_free(v);
    return st;
}

kedge_status exact_vectors(exact *e, size_t k, double *vectors, double *values,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = e->rows, wide = k + k / 2 + 8; /* converges sooner */
    const size_t block = wide < n ? wide : n;
    const warm_operator a = {.rows = n, .data = e, .apply = exact_apply};
    warm_work work = {0};
    double *x = NULL, *found = NULL;

    TRY_MEM(x = mem_new2(n, block, sizeof *x));
    TRY_MEM(found = mem_new(block, sizeof *found));
    TRY(exact_guess(e, block, x, err));
    TRY(warm_work_create(n, block, &work, err));
    for (int search = 0; search < SEARCHES; search++) {
        double rest = 0; /* of the first k columns */
        unsigned applied;
        TRY(run_check(e->f->control, err));
        TRY(warm_eigen(e->f->p, &a, block, x, found, 0, STEPS, &work, &applied,
                       err));
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < k; c++)
                rest += work.r[i * block + c] * work.r[i * block + c];
        if (applied < STEPS || sqrt(rest) <= TOLERANCE * fabs(found[k - 1]))
            break;
    }
    memcpy(values, found, k * sizeof *values);
    for (size_t i = 0; i < n; i++)
        memcpy(vectors + i * k, x + i * block, k * sizeof *x);
out:
    warm_work_free(&work);
    mem_free_all(x, found);
    return st;
}

/* ---- that of a model ----------------------------------------------------- */

/* The model's index, as it was: with the same documents and words. Its rows
 * become numbers of the index's words. */
static kedge_status cooccurrence_look(fit *f, store_txn *txn,
                                      const kedge_model *m, kedge_error *err)
{
    filter *const l = &f->filter;
    store_index *const index = &f->index;
    uint32_t *order;
    bool stale;

    f->number = (uint32_t)(m->index_place - 1);
    PASS(store_get_totals(txn, &f->totals, err));
    PASS(plan_get_words(txn, f->control, &f->all, err));
    stale = m->index_place == 0 ||
            memcmp(f->totals.digest, m->digest, sizeof m->digest) != 0 ||
            store_get_index_record(txn, f->number, index, NULL) != KEDGE_OK ||
            (index->listed && index->words != m->words) ||
            index->blocks != f->totals.blocks;
    if (!stale) {
        PASS(filter_open(l, txn, f->number, index, &f->all, err));
        PASS(model_order(m, f->all.count, &f->w.order, err));
        order = f->w.order;
        for (size_t r = 0; l->number != NULL && r < m->words; r++) {
            order[r] = order[r] < l->ids ? l->number[order[r]] : FILTER_NONE;
            stale |= order[r] == FILTER_NONE;
        }
    }
    if (stale)
        return kedge_fail(err, KEDGE_EINVAL,
                          "the store has changed since model %s was fitted, "
                          "and so has the co-occurrence; fit the model "
                          "again", m->name);
    index->words = m->words;
    return KEDGE_OK;
}

static kedge_status cooccurrence_plan(const fit *f, bool sparse,
                                      uint64_t pairs, kedge_error *err)
{
    const unsigned threads = f->control->threads;
    const size_t n = f->index.words;
    uint64_t total;

    return plan_walk(
        &(walk_shape){.what = sparse ? "the co-occurrence of words that meet"
                                     : "the co-occurrence of all pairs of "
                                       "words",
                      .threads = threads, .vocabulary = n,
                      .word_bytes = words_bytes(&f->all), .blocks = 1,
                      .more = memory_square(n, pairs, sparse, threads) +
                              memory_square_making(
                                  n, 1, STORE_BLOCK_ENTRIES,
                                  statistic_damped(f->index.statistic))},
        f->control, &total, err);
}

kedge_status fit_open_cooccurrence(fit *f, store *s, const kedge_model *m,
                                   bool sparse, const kedge_control *control,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    *f = (fit){.s = s, .control = control,
               .shape.cooccurrence = sparse ? KEDGE_COOCCURRENCE_SPARSE
                                            : KEDGE_COOCCURRENCE_DENSE};
    if (m->figures.ncut)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "model %s weights documents by the normalised cut: its "
                       "co-occurrence cannot be exported", m->name));
    TRY(store_begin_read(s, &txn, err));
    TRY(cooccurrence_look(f, txn, m, err));
    TRY(cooccurrence_plan(f, sparse, 0, err));
    TRY(pool_open(control, &f->p, err));
    f->z.scale = sketchrows_scale(&f->index);
    TRY(exact_open(f, txn, &f->exact, err));
    TRY(cooccurrence_plan(f, sparse, f->exact->pairs, err));
    f->z.txn = txn;
    TRY(exact_make(f->exact, err));
out:
    f->z.txn = NULL;
    store_abort(&txn);
    if (st != KEDGE_OK)
        fit_free(f);
    return st;
}
