/* SPDX-License-Identifier: MIT */
/*
 * Document m adds a_im x_jm to C_ij for each two of its words, and takes own_i
 * out of the diagonal (window.h). A word's row is one task's, so that tasks
 * share nothing but what they read. Entries are not negative and at most their
 * row's sum, which a sketch of the same documents keeps below 2^62. Cost: the
 * squares of the documents' words, and 8 N² bytes.
 */
#include "sketch/pairsums.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

#define TASK_WORDS 16 /* of a window */
#define SIDE 64       /* of the squares that change places */

struct pairsums {
    const uint32_t *rank;
    size_t words;
    int64_t *sum;      /* words x words; in the end doubles */
    const window *w;
    uint32_t *place;   /* by word of the window: its rank */
    size_t capacity;
};

kedge_status pairsums_create(const uint32_t *rank, size_t words, pairsums **out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pairsums *m = NULL;

    static_assert(sizeof(int64_t) == sizeof(double), "one takes the other's "
                                                     "place");
    *out = NULL;
    TRY_MEM(m = mem_new(1, sizeof *m));
    m->rank = rank;
    m->words = words;
    TRY_MEM(m->sum = mem_new2(words, words, sizeof *m->sum));
    *out = m;
    m = NULL;
out:
    pairsums_free(m);
    return st;
}

void pairsums_free(pairsums *m)
{
    if (m == NULL)
        return;
    mem_free(m->sum);
    mem_free(m->place);
    mem_free(m);
}

kedge_status pairsums_begin(pairsums *m, const window *w, kedge_error *err)
{
    m->w = w;
    if (!mem_grow((void **)&m->place, &m->capacity, w->words,
                  sizeof *m->place))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (co-occurrence)");
    for (size_t i = 0; i < w->words; i++)
        m->place[i] = m->rank[w->id[i]];
    return KEDGE_OK;
}

size_t pairsums_tasks(const pairsums *m)
{
    return (m->w->words + TASK_WORDS - 1) / TASK_WORDS;
}

static void pairsums_posting(const pairsums *m, size_t document, int64_t a,
                            int64_t *row)
{
    const window *const w = m->w;

    for (size_t k = w->start[document]; k < w->start[document + 1]; k++)
        row[m->place[w->local[k]]] += a * w->value[k];
}

static void pairsums_word(pairsums *m, size_t local)
{
    const window *const w = m->w;
    int64_t *const row = m->sum + (size_t)m->place[local] * m->words;

    for (size_t k = w->first[local]; k < w->first[local + 1]; k++)
        for (unsigned side = 0; side < 2; side++) {
            const int64_t a = window_weight(&w->pair[k], side, w->limb_bits);
            if (a != 0)
                pairsums_posting(m, w->pair[k].document[side], a, row);
        }
    row[m->place[local]] -= w->own[local];
}

void pairsums_task(pairsums *m, size_t task)
{
    const size_t from = task * TASK_WORDS, left = m->w->words - from;
    const size_t count = left < TASK_WORDS ? left : TASK_WORDS;

    for (size_t i = from; i < from + count; i++)
        pairsums_word(m, i);
}

const int64_t *pairsums_row(const pairsums *m, size_t rank)
{
    assert(rank < m->words);
    return m->sum + rank * m->words;
}

/* ---- both sides the same ------------------------------------------------- */

typedef struct evening {
    pairsums *m;
    double scale;
    const double *weight;
} evening;

/* Rows from .. to-1 by columns `left` .. right-1, and their mirror image. */
static void evening_square(const evening *e, size_t from, size_t to,
                           size_t left, size_t right)
{
    const size_t n = e->m->words;
    int64_t *const sum = e->m->sum;
    double *const c = (double *)(void *)sum;

    for (size_t i = from; i < to; i++)
        for (size_t j = left > i ? left : i; j < right; j++) {
            const double mean =
                0.5 * ((double)sum[i * n + j] + (double)sum[j * n + i]);
            const double d =
                e->weight != NULL ? e->weight[i] * e->weight[j] : 1;
            const double x = e->scale * d * mean;
            memcpy(&c[i * n + j], &x, sizeof x);
            memcpy(&c[j * n + i], &x, sizeof x);
        }
}

static void evening_task(void *data, size_t task, unsigned worker)
{
    const evening *const e = data;
    const size_t n = e->m->words, from = task * SIDE;
    const size_t to = n - from < SIDE ? n : from + SIDE;

    (void)worker;
    for (size_t left = from; left < n; left += SIDE)
        evening_square(e, from, to, left, n - left < SIDE ? n : left + SIDE);
}

const double *pairsums_finish(pairsums *m, pool *p, double scale,
                             const double *weight)
{
    evening e = {m, scale, weight};

    pool_run(p, (m->words + SIDE - 1) / SIDE, evening_task, &e);
    return (const double *)(const void *)m->sum;
}

uint64_t pairsums_memusage(uint64_t words)
{
    return 8 * words * words + 8 * words;
}
