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

/* ---- which pairs have anything --------------------------------------------
 *
 * A bit for each, a row of them for each word, and the places that the pairs
 * have one behind the other, rows first. Where one pair in thirty has, this is
 * less than the columns' numbers would be; and it does not grow while it is
 * found out.
 */

typedef struct pattern {
    size_t words;
    size_t pieces;  /* of 64 bits, of a row */
    uint64_t *bit;  /* words x pieces */
    size_t *start;  /* words + 1: the place of a row's first pair */
} pattern;

static inline uint64_t *pattern_bits(const pattern *p, size_t row)
{
    return p->bit + row * p->pieces;
}

/* Of pairs that have nothing. */
static kedge_status pattern_create(size_t words, pattern *out,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (pattern){.words = words, .pieces = (words + 63) / 64};
    TRY_MEM(out->bit = mem_new2(words, out->pieces, sizeof *out->bit));
    TRY_MEM(out->start = mem_new(words + 1, sizeof *out->start));
out:
    return st;
}

static void pattern_free(pattern *p)
{
    mem_free(p->bit);
    mem_free(p->start);
    *p = (pattern){0};
}

KERNEL_CLONES
static size_t bits_count(const uint64_t *bits, size_t pieces)
{
    size_t count = 0;

    for (size_t b = 0; b < pieces; b++)
        count += (size_t)__builtin_popcountll(bits[b]);
    return count;
}

/* Finds the places; how many there are. */
static size_t pattern_count(pattern *p)
{
    for (size_t i = 0; i < p->words; i++)
        p->start[i + 1] =
            p->start[i] + bits_count(pattern_bits(p, i), p->pieces);
    return p->start[p->words];
}

/* How many of a row's pairs lie before each of its pieces. */
KERNEL_CLONES
static void pattern_before(const uint64_t *bits, size_t pieces,
                           uint32_t *before)
{
    uint32_t count = 0;

    for (size_t b = 0; b < pieces; b++) {
        before[b] = count;
        count += (uint32_t)__builtin_popcountll(bits[b]);
    }
}

/* The place within its row of a pair that the row has. */
static inline size_t pattern_place(const uint64_t *bits,
                                   const uint32_t *before, size_t column)
{
    const uint64_t lower = (UINT64_C(1) << column % 64) - 1;

    return before[column / 64] +
           (size_t)__builtin_popcountll(bits[column / 64] & lower);
}

/* The columns of a row's pairs, rising, into room for `words`; how many. */
static size_t pattern_columns(const pattern *p, size_t row, uint32_t *column)
{
    const uint64_t *const bits = pattern_bits(p, row);
    size_t count = 0;

    for (size_t b = 0; b < p->pieces; b++)
        for (uint64_t left = bits[b]; left != 0; left &= left - 1)
            column[count++] =
                (uint32_t)(64 * b + (size_t)__builtin_ctzll(left));
    return count;
}

/* ---- the sums ------------------------------------------------------------ */

struct pairsums {
    const uint32_t *rank;
    size_t words;
    int64_t *sum;      /* words x words; in the end doubles */
    bool sparse;       /* it has the pattern's pairs alone, */
    pattern pattern;
    unsigned threads;
    uint32_t *before;  /* by worker: pieces, of the row at hand */
    uint32_t *column;  /* by worker: words, likewise */
    size_t *next;      /* by row: in finishing */
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

kedge_status pairsums_create_sparse(const uint32_t *rank, size_t words,
                                    unsigned threads, pairsums **out,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pairsums *m = NULL;

    *out = NULL;
    TRY_MEM(m = mem_new(1, sizeof *m));
    m->rank = rank;
    m->words = words;
    m->sparse = true;
    m->threads = threads;
    TRY(pattern_create(words, &m->pattern, err));
    TRY_MEM(m->before = mem_new2(threads, m->pattern.pieces,
                                 sizeof *m->before));
    TRY_MEM(m->column = mem_new2(threads, words, sizeof *m->column));
    TRY_MEM(m->next = mem_new(words, sizeof *m->next));
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
    pattern_free(&m->pattern);
    mem_free(m->before);
    mem_free(m->column);
    mem_free(m->next);
    mem_free(m->place);
    mem_free(m);
}

size_t pairsums_pairs(pairsums *m)
{
    return pattern_count(&m->pattern);
}

kedge_status pairsums_look_again(pairsums *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    assert(m->sparse && m->sum == NULL);
    TRY_MEM(m->sum = mem_new(pattern_count(&m->pattern), sizeof *m->sum));
out:
    return st;
}

/* ---- a window ------------------------------------------------------------ */

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

/* A word's row: of a matrix; or of a pattern, and then with bits, of which
 * none are counted while they are still being set. */
typedef struct line {
    int64_t *sum;
    uint64_t *bits;
    uint32_t *before;
} line;

static line pairsums_line(const pairsums *m, size_t rank, unsigned worker)
{
    const pattern *const p = &m->pattern;
    line l = {.sum = m->sum};

    if (!m->sparse) {
        l.sum += rank * m->words;
        return l;
    }
    l.bits = pattern_bits(p, rank);
    if (m->sum == NULL)
        return l;
    l.sum += p->start[rank];
    l.before = m->before + worker * p->pieces;
    pattern_before(l.bits, p->pieces, l.before);
    return l;
}

static void line_add(const line *l, const window *w, const uint32_t *place,
                     size_t document, int64_t a)
{
    for (size_t k = w->start[document]; k < w->start[document + 1]; k++)
        l->sum[place[w->local[k]]] += a * w->value[k];
}

KERNEL_CLONES
static void line_add_sparse(const line *l, const window *w,
                            const uint32_t *place, size_t document, int64_t a)
{
    for (size_t k = w->start[document]; k < w->start[document + 1]; k++)
        l->sum[pattern_place(l->bits, l->before, place[w->local[k]])] +=
            a * w->value[k];
}

/* A pair is there both ways round even where one of the weights rounds to
 * zero: bits are set by any. */
static void pairsums_posting(const pairsums *m, const line *l, size_t document,
                             int64_t a)
{
    const window *const w = m->w;

    if (l->sum == NULL) {
        for (size_t k = w->start[document]; k < w->start[document + 1]; k++) {
            const size_t column = m->place[w->local[k]];
            l->bits[column / 64] |= UINT64_C(1) << column % 64;
        }
    } else if (a != 0 && m->sparse) {
        line_add_sparse(l, w, m->place, document, a);
    } else if (a != 0) {
        line_add(l, w, m->place, document, a);
    }
}

static void pairsums_word(pairsums *m, size_t local, unsigned worker)
{
    const window *const w = m->w;
    const size_t rank = m->place[local];
    const line l = pairsums_line(m, rank, worker);

    for (size_t k = w->first[local]; k < w->first[local + 1]; k++)
        for (unsigned side = 0; side < 2; side++)
            pairsums_posting(m, &l, w->pair[k].document[side],
                             window_weight(&w->pair[k], side, w->limb_bits));
    if (l.sum != NULL)
        l.sum[m->sparse ? pattern_place(l.bits, l.before, rank) : rank] -=
            w->own[local];
}

void pairsums_task(pairsums *m, size_t task, unsigned worker)
{
    const size_t from = task * TASK_WORDS, left = m->w->words - from;
    const size_t count = left < TASK_WORDS ? left : TASK_WORDS;

    for (size_t i = from; i < from + count; i++)
        pairsums_word(m, i, worker);
}

const int64_t *pairsums_row(const pairsums *m, size_t rank)
{
    assert(rank < m->words && !m->sparse);
    return m->sum + rank * m->words;
}

/* ---- both sides the same ------------------------------------------------- */

typedef struct evening {
    pairsums *m;
    double scale;
    const double *weight;
} evening;

/* Two sums, of i with j and of j with i, become the entry of both. */
static void evening_pair(const evening *e, size_t i, size_t j, int64_t *one,
                         int64_t *other)
{
    const double mean = 0.5 * ((double)*one + (double)*other);
    const double d = e->weight != NULL ? e->weight[i] * e->weight[j] : 1;
    const double x = e->scale * d * mean;

    memcpy(one, &x, sizeof x);
    memcpy(other, &x, sizeof x);
}

/* Rows from .. to-1 by columns `left` .. right-1, and their mirror image. */
static void evening_square(const evening *e, size_t from, size_t to,
                           size_t left, size_t right)
{
    const size_t n = e->m->words;
    int64_t *const sum = e->m->sum;

    for (size_t i = from; i < to; i++)
        for (size_t j = left > i ? left : i; j < right; j++)
            evening_pair(e, i, j, &sum[i * n + j], &sum[j * n + i]);
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

/* Row after row: what a row j > i has with i comes behind what it has with
 * those before i. */
static void evening_sparse(const evening *e)
{
    pairsums *const m = e->m;
    const pattern *const p = &m->pattern;

    memcpy(m->next, p->start, m->words * sizeof *m->next);
    for (size_t i = 0; i < m->words; i++) {
        const size_t count = pattern_columns(p, i, m->column);
        for (size_t c = 0; c < count; c++) {
            const size_t j = m->column[c];
            if (j >= i)
                evening_pair(e, i, j, &m->sum[p->start[i] + c],
                             &m->sum[m->next[j]++]);
        }
    }
}

void pairsums_finish(pairsums *m, pool *p, double scale, const double *weight)
{
    evening e = {m, scale, weight};

    if (m->sparse)
        evening_sparse(&e);
    else
        pool_run(p, (m->words + SIDE - 1) / SIDE, evening_task, &e);
}

/* ---- what it has become -------------------------------------------------- */

static const double *pairsums_values(const pairsums *m)
{
    return (const double *)(const void *)m->sum;
}

const double *pairsums_entries(const pairsums *m, size_t rank, double *room)
{
    const double *const c = pairsums_values(m);
    const pattern *const p = &m->pattern;

    if (!m->sparse)
        return c + rank * m->words;
    const size_t count = pattern_columns(p, rank, m->column);
    memset(room, 0, m->words * sizeof *room);
    for (size_t i = 0; i < count; i++)
        room[m->column[i]] = c[p->start[rank] + i];
    return room;
}

typedef struct multiplying {
    const pairsums *m;
    const double *x;
    size_t k;
    double *out;
} multiplying;

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

static void multiply_task(void *data, size_t task, unsigned worker)
{
    const multiplying *const job = data;
    const pairsums *const m = job->m;
    const pattern *const p = &m->pattern;
    uint32_t *const column = m->column + worker * m->words;
    const size_t from = task * TASK_ROWS, left = m->words - from;
    const size_t to = left < TASK_ROWS ? m->words : from + TASK_ROWS;

    for (size_t i = from; i < to; i++) {
        const size_t count = pattern_columns(p, i, column);
        const double *const c = pairsums_values(m) + p->start[i];
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
    multiplying job = {m, x, k, out};

    if (m->sparse)
        pool_run(p, (m->words + TASK_ROWS - 1) / TASK_ROWS, multiply_task,
                 &job);
    else
        tall_multiply(p, m->words, pairsums_values(m), m->words, x, k, 0, out);
}

typedef struct measuring {
    const pairsums *m;
    double *out;
} measuring;

static double measure_row(const double *c, size_t count)
{
    double sum = 0;

    for (size_t e = 0; e < count; e++)
        sum += c[e] * c[e];
    return sum;
}

static void measure_task(void *data, size_t task, unsigned worker)
{
    const measuring *const job = data;
    const pairsums *const m = job->m;
    const size_t *const start = m->pattern.start;
    const size_t from = task * TASK_ROWS, left = m->words - from;
    const size_t to = left < TASK_ROWS ? m->words : from + TASK_ROWS;

    (void)worker;
    for (size_t i = from; i < to; i++)
        job->out[i] =
            m->sparse ? measure_row(pairsums_values(m) + start[i],
                                    start[i + 1] - start[i])
                      : measure_row(pairsums_values(m) + i * m->words,
                                    m->words);
}

void pairsums_squares(const pairsums *m, pool *p, double *out)
{
    measuring job = {m, out};

    pool_run(p, (m->words + TASK_ROWS - 1) / TASK_ROWS, measure_task, &job);
}
