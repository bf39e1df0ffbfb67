/* SPDX-License-Identifier: MIT */
/*
 * Q is held as integers q = round(2^30 Q), |q| <= 2^30. Document m, or part m
 * of one, adds
 *
 *   round(2^-shift a_im s_ml),   s_ml = Σ_i x_im q_il,
 *
 * to entry (i, l): s is an integer below 2^53 and exact, the product is rounded
 * once by the multiplication and once to an integer, both in ways that depend
 * on the document, the word and the column alone. The sums are of integers:
 * their order does not matter. As |s| <= 2^30 Σ_j x_jm, an entry is bounded by
 * 2^30 Σ_m a_im Σ_j x_jm; `shift` brings the largest of these down to 2^61. The
 * own terms are integers as in the sketch, and leave at the end: q_il times
 * their sum.
 */
#include "cooccur/power.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"

#define TILE 64
#define VALUE_BITS 30
#define SUM_BITS 61

struct power {
    size_t words, columns, tiles;
    unsigned threads;
    int shift;
    int32_t *q;     /* tile by tile, words x TILE each */
    int64_t *sum;   /* in the same order */
    int64_t *own;   /* by word: what leaves, times q */
    double **dot;   /* by worker: documents of the window x TILE */
    size_t *dot_capacity;
};

kedge_status power_create(size_t words, size_t columns, double largest,
                          unsigned threads, power **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    power *p = NULL;
    int bits = 0;

    *out = NULL;
    frexp(largest, &bits);
    if (bits > 62)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "there are too many documents for the 64-bit sums of "
                          "a power iteration");
    TRY_MEM(p = mem_new(1, sizeof *p));
    p->words = words;
    p->columns = columns;
    p->tiles = (columns + TILE - 1) / TILE;
    p->threads = threads;
    p->shift = bits + VALUE_BITS > SUM_BITS ? bits + VALUE_BITS - SUM_BITS : 0;
    TRY_MEM(p->q = mem_new2(p->tiles * TILE, words, sizeof *p->q));
    TRY_MEM(p->sum = mem_new2(p->tiles * TILE, words, sizeof *p->sum));
    TRY_MEM(p->own = mem_new(words, sizeof *p->own));
    TRY_MEM(p->dot = mem_new(threads, sizeof *p->dot));
    TRY_MEM(p->dot_capacity = mem_new(threads, sizeof *p->dot_capacity));
    *out = p;
    p = NULL;
out:
    power_free(p);
    return st;
}

void power_free(power *p)
{
    if (p == NULL)
        return;
    for (unsigned i = 0; p->dot != NULL && i < p->threads; i++)
        mem_free(p->dot[i]);
    mem_free_all(p->dot, p->dot_capacity, p->q, p->sum, p->own, p);
}

static size_t power_at(const power *p, size_t id, size_t column)
{
    return (column / TILE * p->words + id) * TILE + column % TILE;
}

void power_set(power *p, size_t id, double *row)
{
    p->own[id] = 0;
    for (size_t c = 0; c < p->columns; c++) {
        const size_t at = power_at(p, id, c);
        p->q[at] = (int32_t)rint(ldexp(row[c], VALUE_BITS));
        p->sum[at] = 0;
        row[c] = ldexp(p->q[at], -VALUE_BITS);
    }
}

kedge_status power_begin(power *p, const window *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (unsigned i = 0; i < p->threads; i++)
        TRY_GROW(p->dot[i], p->dot_capacity[i], w->documents * TILE);
    for (size_t i = 0; i < w->words; i++)
        p->own[w->id[i]] += w->own[i];
out:
    return st;
}

size_t power_tiles(const power *p)
{
    return p->tiles;
}

/* s += x q, integers in doubles. */
KERNEL_CLONES
static void power_add(double *restrict s, const int32_t *restrict q, double x)
{
    for (size_t l = 0; l < TILE; l++)
        s[l] += x * q[l];
}

/* One posting: the product is rounded once to a double and once to an integer,
 * never fused. */
KERNEL_CLONES
static void power_posting(int64_t *restrict sum, const double *restrict s,
                          double a)
{
    for (size_t l = 0; l < TILE; l++) {
        const double x = a * s[l];
        sum[l] += (int64_t)rint(x);
    }
}

void power_tile(power *p, const window *w, size_t tile, unsigned worker)
{
    const int32_t *q = p->q + tile * p->words * TILE;
    int64_t *sum = p->sum + tile * p->words * TILE;
    double *dot = p->dot[worker];
    const double scale = ldexp(1, -p->shift);

    assert(tile < p->tiles && worker < p->threads);
    if (w->documents == 0) /* all of a block were removed: there is no dot */
        return;
    memset(dot, 0, w->documents * TILE * sizeof *dot);
    for (size_t m = 0; m < w->documents; m++)
        for (size_t k = w->start[m]; k < w->start[m + 1]; k++)
            power_add(dot + m * TILE, q + (size_t)w->id[w->local[k]] * TILE,
                      w->value[k]);
    for (size_t i = 0; i < w->words; i++)
        for (size_t k = 2 * w->first[i]; k < 2 * w->first[i + 1]; k++) {
            const window_pair *const pair = &w->pair[k / 2];
            const int64_t a = window_weight(pair, k % 2, w->limb_bits);
            power_posting(sum + (size_t)w->id[i] * TILE,
                          dot + (size_t)pair->document[k % 2] * TILE,
                          scale * (double)a);
        }
}

void power_get(const power *p, size_t id, double scale, double *row)
{
    const double own = (double)p->own[id], unit = ldexp(scale, -VALUE_BITS);

    for (size_t c = 0; c < p->columns; c++) {
        const size_t at = power_at(p, id, c);
        const double diagonal = own * p->q[at];
        row[c] =
            unit * (ldexp((double)p->sum[at], p->shift) - diagonal);
    }
}
