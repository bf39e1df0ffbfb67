/* SPDX-License-Identifier: MIT */
/*
 * Document m adds a_im x_jm to C_ij for each two of its words, and takes own_i
 * out of the diagonal (window.h). A word's row is one task's, so that tasks
 * share nothing but what they read. Entries are not negative and at most their
 * row's sum, which a sketch of the same documents keeps below 2^62. Cost: the
 * squares of the documents' words, and 8 N² bytes.
 *
 * Sparse sums have a place for each pair that has anything in common, both ways
 * round; a first look at the windows sets the bits of these pairs, a second one
 * adds. A row's task counts the bits before each 64 of them once, so that a
 * pair's place is one look and one count away.
 */
#include "cooccur/pairsums.h"

#include <assert.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "linalg/tall.h"

#define TASK_WORDS 16 /* of a window */
#define SIDE 64       /* of the squares that change places */
#define TASK_ROWS 32  /* of a product */

/*
 * Of sparse sums there is a bit for each pair, a row of them for each word, and
 * the places that the pairs have one behind the other, rows first. Where one
 * pair in thirty has anything, this is less than the columns' numbers would be;
 * and it does not grow while it is found out.
 */
struct pairsums {
    const uint32_t *rank;
    size_t words;
    int64_t *sum;      /* words x words, or of the pairs; in the end doubles */
    bool sparse;
    size_t pieces;     /* of 64 bits, of a row */
    uint64_t *bit;     /* words x pieces: pairs that have anything */
    size_t *start;     /* words + 1: the place of a row's first pair */
    uint32_t *before;  /* by worker: pieces, of the row at hand */
    uint32_t *column;  /* by worker: words, of that row */
    size_t *next;      /* by row: in finishing */
    const window *w;
    uint32_t *place;   /* by word of the window: its rank */
    size_t capacity;
};

kedge_status pairsums_create(const uint32_t *rank, size_t words,
                             unsigned threads, bool sparse, pairsums **out,
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
    m->sparse = sparse;
    if (sparse) {
        m->pieces = (words + 63) / 64;
        TRY_MEM(m->bit = mem_new2(words, m->pieces, sizeof *m->bit));
        TRY_MEM(m->start = mem_new(words + 1, sizeof *m->start));
        TRY_MEM(m->before = mem_new2(threads, m->pieces, sizeof *m->before));
        TRY_MEM(m->column = mem_new2(threads, words, sizeof *m->column));
        TRY_MEM(m->next = mem_new(words, sizeof *m->next));
    } else {
        TRY_MEM(m->sum = mem_new2(words, words, sizeof *m->sum));
    }
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
    mem_free_all(m->sum, m->bit, m->start, m->before, m->column, m->next,
                 m->place, m);
}

/* ---- places of pairs ----------------------------------------------------- */

KERNEL_CLONES
static size_t bits_count(const uint64_t *bits, size_t pieces)
{
    size_t count = 0;

    for (size_t b = 0; b < pieces; b++)
        count += (size_t)__builtin_popcountll(bits[b]);
    return count;
}

size_t pairsums_pairs(pairsums *m)
{
    for (size_t i = 0; i < m->words; i++)
        m->start[i + 1] =
            m->start[i] + bits_count(m->bit + i * m->pieces, m->pieces);
    return m->start[m->words];
}

kedge_status pairsums_look_again(pairsums *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    assert(m->sparse && m->sum == NULL);
    TRY_MEM(m->sum = mem_new(pairsums_pairs(m), sizeof *m->sum));
out:
    return st;
}

/* How many of a row's pairs lie before each of its pieces. */
KERNEL_CLONES
static void bits_before(const uint64_t *bits, size_t pieces, uint32_t *before)
{
    uint32_t count = 0;

    for (size_t b = 0; b < pieces; b++) {
        before[b] = count;
        count += (uint32_t)__builtin_popcountll(bits[b]);
    }
}

/* The place within its row of a pair that the row has. */
static inline size_t bits_place(const uint64_t *bits, const uint32_t *before,
                                size_t column)
{
    const uint64_t lower = (UINT64_C(1) << column % 64) - 1;

    return before[column / 64] +
           (size_t)__builtin_popcountll(bits[column / 64] & lower);
}

/* The columns of a row's pairs, rising, into room for `words`; how many. */
static size_t pairsums_columns(const pairsums *m, size_t row, uint32_t *column)
{
    const uint64_t *const bits = m->bit + row * m->pieces;
    size_t count = 0;

    for (size_t b = 0; b < m->pieces; b++)
        for (uint64_t left = bits[b]; left != 0; left &= left - 1)
            column[count++] =
                (uint32_t)(64 * b + (size_t)__builtin_ctzll(left));
    return count;
}

/* ---- a window ------------------------------------------------------------ */

kedge_status pairsums_begin(pairsums *m, const window *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    m->w = w;
    TRY_GROW(m->place, m->capacity, w->words);
    for (size_t i = 0; i < w->words; i++)
        m->place[i] = m->rank[w->id[i]];
out:
    return st;
}

size_t pairsums_tasks(const pairsums *m)
{
    return (m->w->words + TASK_WORDS - 1) / TASK_WORDS;
}

/* A word's row: of a matrix; or of its pairs, and then with bits, of which
 * none are counted while they are still being set. */
typedef struct line {
    int64_t *sum;
    uint64_t *bits;
    uint32_t *before;
} line;

static line pairsums_line(const pairsums *m, size_t rank, unsigned worker)
{
    line l = {.sum = m->sum};

    if (!m->sparse) {
        l.sum += rank * m->words;
        return l;
    }
    l.bits = m->bit + rank * m->pieces;
    if (m->sum == NULL)
        return l;
    l.sum += m->start[rank];
    l.before = m->before + worker * m->pieces;
    bits_before(l.bits, m->pieces, l.before);
    return l;
}

KERNEL_CLONES
static void line_add_sparse(const line *l, const window *w,
                            const uint32_t *place, size_t document, int64_t a)
{
    for (size_t k = w->start[document]; k < w->start[document + 1]; k++)
        l->sum[bits_place(l->bits, l->before, place[w->local[k]])] +=
            a * w->value[k];
}

/* A pair is there both ways round even where one of the weights rounds to
 * zero: bits are set by any. */
static void pairsums_posting(const pairsums *m, const line *l, size_t document,
                             int64_t a)
{
    const window *const w = m->w;
    const size_t from = w->start[document], to = w->start[document + 1];

    if (l->sum == NULL) {
        for (size_t k = from; k < to; k++) {
            const size_t column = m->place[w->local[k]];
            l->bits[column / 64] |= UINT64_C(1) << column % 64;
        }
    } else if (a != 0 && m->sparse) {
        line_add_sparse(l, w, m->place, document, a);
    } else if (a != 0) {
        for (size_t k = from; k < to; k++)
            l->sum[m->place[w->local[k]]] += a * w->value[k];
    }
}

void pairsums_task(pairsums *m, size_t task, unsigned worker)
{
    const window *const w = m->w;
    const size_t from = task * TASK_WORDS, left = w->words - from;
    const size_t to = from + (left < TASK_WORDS ? left : TASK_WORDS);

    for (size_t i = from; i < to; i++) {
        const size_t rank = m->place[i];
        const line l = pairsums_line(m, rank, worker);
        for (size_t k = 2 * w->first[i]; k < 2 * w->first[i + 1]; k++) {
            const window_pair *const pair = &w->pair[k / 2];
            pairsums_posting(m, &l, pair->document[k % 2],
                             window_weight(pair, k % 2, w->limb_bits));
        }
        if (l.sum != NULL)
            l.sum[m->sparse ? bits_place(l.bits, l.before, rank) : rank] -=
                w->own[i];
    }
}

/* ---- both sides the same ------------------------------------------------- */

/* What is done with all rows: finishing, or a product, or lengths. */
typedef struct rows_job {
    const pairsums *m;
    double scale;
    const double *weight;
    const double *x; /* words x k */
    size_t k;
    double *out;
} rows_job;

/* Two sums, of i with j and of j with i, become the entry of both. */
static void finish_pair(const rows_job *f, size_t i, size_t j, int64_t *one,
                        int64_t *other)
{
    const double mean = 0.5 * ((double)*one + (double)*other);
    const double d = f->weight != NULL ? f->weight[i] * f->weight[j] : 1;
    const double x = f->scale * d * mean;

    memcpy(one, &x, sizeof x);
    memcpy(other, &x, sizeof x);
}

/* SIDE rows from the diagonal on, by squares, and their mirror images. */
static void finish_task(void *data, size_t task, unsigned worker)
{
    const rows_job *const f = data;
    int64_t *const sum = f->m->sum;
    const size_t n = f->m->words, from = task * SIDE;
    const size_t to = n - from < SIDE ? n : from + SIDE;

    (void)worker;
    for (size_t left = from; left < n; left += SIDE) {
        const size_t right = n - left < SIDE ? n : left + SIDE;
        for (size_t i = from; i < to; i++)
            for (size_t j = left > i ? left : i; j < right; j++)
                finish_pair(f, i, j, &sum[i * n + j], &sum[j * n + i]);
    }
}

/* Row after row: what a row j > i has with i comes behind what it has with
 * those before i. */
static void finish_sparse(const rows_job *f)
{
    const pairsums *const m = f->m;

    memcpy(m->next, m->start, m->words * sizeof *m->next);
    for (size_t i = 0; i < m->words; i++) {
        const size_t count = pairsums_columns(m, i, m->column);
        for (size_t c = 0; c < count; c++) {
            const size_t j = m->column[c];
            if (j >= i)
                finish_pair(f, i, j, &m->sum[m->start[i] + c],
                            &m->sum[m->next[j]++]);
        }
    }
}

void pairsums_finish(pairsums *m, pool *p, double scale, const double *weight)
{
    rows_job f = {.m = m, .scale = scale, .weight = weight};

    if (m->sparse)
        finish_sparse(&f);
    else
        pool_run(p, (m->words + SIDE - 1) / SIDE, finish_task, &f);
}

/* ---- what it has become -------------------------------------------------- */

/* Row `rank`: all of it, or what it has of pairs; how many these are. */
static const double *pairsums_values(const pairsums *m, size_t rank,
                                     size_t *count)
{
    const double *const c = (const double *)(const void *)m->sum;

    *count = m->sparse ? m->start[rank + 1] - m->start[rank] : m->words;
    return c + (m->sparse ? m->start[rank] : rank * m->words);
}

const double *pairsums_entries(const pairsums *m, size_t rank, double *room)
{
    size_t count;
    const double *const c = pairsums_values(m, rank, &count);

    if (!m->sparse)
        return c;
    pairsums_columns(m, rank, m->column);
    memset(room, 0, m->words * sizeof *room);
    for (size_t i = 0; i < count; i++)
        room[m->column[i]] = c[i];
    return room;
}

/* Four rows of x at a time, so that `out` is read and written less. */
KERNEL_CLONES
static void multiply_row(double *restrict out, const double *restrict x,
                         size_t k, const uint32_t *column, const double *c,
                         size_t count)
{
    size_t e = 0;

    memset(out, 0, k * sizeof *out);
    for (; e + 4 <= count; e += 4) {
        const double *const x0 = x + column[e] * k;
        const double *const x1 = x + column[e + 1] * k;
        const double *const x2 = x + column[e + 2] * k;
        const double *const x3 = x + column[e + 3] * k;
        for (size_t l = 0; l < k; l++)
            out[l] += c[e] * x0[l] + c[e + 1] * x1[l] + c[e + 2] * x2[l] +
                      c[e + 3] * x3[l];
    }
    for (; e < count; e++) {
        const double *const row = x + column[e] * k;
        for (size_t l = 0; l < k; l++)
            out[l] += c[e] * row[l];
    }
}

/* One column: four sums at a time, of entries that take turns. */
KERNEL_CLONES
static double multiply_one(const double *restrict x, const uint32_t *column,
                           const double *c, size_t count)
{
    double sum[4] = {0};
    size_t e = 0;

    for (; e + 4 <= count; e += 4)
        for (size_t l = 0; l < 4; l++)
            sum[l] += c[e + l] * x[column[e + l]];
    for (; e < count; e++)
        sum[0] += c[e] * x[column[e]];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* The rows of a task, up to *to. */
static size_t task_rows(const pairsums *m, size_t task, size_t *to)
{
    const size_t from = task * TASK_ROWS, left = m->words - from;

    *to = left < TASK_ROWS ? m->words : from + TASK_ROWS;
    return from;
}

static void multiply_task(void *data, size_t task, unsigned worker)
{
    const rows_job *const job = data;
    const pairsums *const m = job->m;
    uint32_t *const column = m->column + worker * m->words;
    size_t to, count;

    for (size_t i = task_rows(m, task, &to); i < to; i++) {
        const double *const c = pairsums_values(m, i, &count);
        pairsums_columns(m, i, column);
        if (job->k == 1)
            job->out[i] = multiply_one(job->x, column, c, count);
        else
            multiply_row(job->out + i * job->k, job->x, job->k, column, c,
                         count);
    }
}

void pairsums_multiply(const pairsums *m, pool *p, const double *x, size_t k,
                       double *out)
{
    rows_job job = {.m = m, .x = x, .k = k, .out = out};

    if (m->sparse)
        pool_run(p, (m->words + TASK_ROWS - 1) / TASK_ROWS, multiply_task,
                 &job);
    else
        tall_multiply(p, m->words, (const double *)(const void *)m->sum,
                      m->words, x, k, 0, out);
}

static void square_task(void *data, size_t task, unsigned worker)
{
    const rows_job *const job = data;
    size_t to, count;

    (void)worker;
    for (size_t i = task_rows(job->m, task, &to); i < to; i++) {
        const double *const c = pairsums_values(job->m, i, &count);
        double sum = 0;
        for (size_t e = 0; e < count; e++)
            sum += c[e] * c[e];
        job->out[i] = sum;
    }
}

void pairsums_squares(const pairsums *m, pool *p, double *out)
{
    rows_job job = {.m = m, .out = out};

    pool_run(p, (m->words + TASK_ROWS - 1) / TASK_ROWS, square_task, &job);
}
