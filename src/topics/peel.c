/* SPDX-License-Identifier: MIT */
/*
 * The nearest point X_S'h of a row x is found by an active set (active.h),
 * which begins with what h was before the new anchor came. Most rows are not
 * concerned: with the rest r = x - X_S'h, a new anchor x_j changes nothing
 * where r x_j <= r X_S'h, or <= 0 for a cone, where the right side is zero
 * anyway. The rest is computed from the rows themselves, so that nothing is
 * lost when it becomes short.
 */
#include "topics/peel.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"

#define PIECE 256

typedef struct peel_job {
    const peel *l;
    const double *x; /* of the new anchor */
} peel_job;

KERNEL_CLONES
static double peel_dot(const double *restrict a, const double *restrict b,
                       size_t k)
{
    double sum = 0;

    for (size_t c = 0; c < k; c++)
        sum += a[c] * b[c];
    return sum;
}

static const double *peel_row(const peel *l, size_t place)
{
    return l->in->x + l->in->candidate[place] * l->in->k;
}

static size_t peel_doubles(size_t k)
{
    return k + active_doubles(k);
}

/* The shares h anew, and the rest. */
static void peel_again(const peel *l, size_t place, double *scratch)
{
    const size_t k = l->in->k;
    const active_problem problem = {l->sum, l->count, k, l->gram};
    const double *const x = peel_row(l, place);
    double *const h = l->in->scratch + place * k;
    double *const rest = l->rest + place * k, *const v = scratch;

    for (size_t a = 0; a < l->count; a++)
        v[a] = peel_dot(l->in->x + l->row[a] * k, x, k);
    active_row(&problem, v, h, scratch + k);
    memcpy(rest, x, k * sizeof *rest);
    for (size_t a = 0; a < l->count; a++)
        for (size_t c = 0; h[a] > 0 && c < k; c++)
            rest[c] -= h[a] * l->in->x[l->row[a] * k + c];
    l->length[place] = sqrt(peel_dot(rest, rest, k));
}

static void peel_piece(void *data, size_t piece, unsigned worker)
{
    const peel_job *j = data;
    const peel *l = j->l;
    const size_t k = l->in->k, from = piece * PIECE;
    const size_t left = l->in->candidates - from;
    const size_t end = left < PIECE ? l->in->candidates : from + PIECE;

    for (size_t i = from; i < end; i++) {
        const double *const rest = l->rest + i * k;
        const double gain = peel_dot(rest, j->x, k);
        const double bar = peel_dot(rest, peel_row(l, i), k) -
                           l->length[i] * l->length[i];
        if (gain > fmax(bar, 0))
            peel_again(l, i, l->scratch + worker * peel_doubles(k));
    }
}

kedge_status peel_create(pool *p, const anchors_input *in, active_sum sum,
                         peel *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, n = in->candidates;

    *out = (peel){.in = in, .sum = sum};
    TRY_MEM(out->row = mem_new(k, sizeof *out->row));
    TRY_MEM(out->gram = mem_new2(k, k, sizeof *out->gram));
    TRY_MEM(out->rest = mem_new2(n, k, sizeof *out->rest));
    TRY_MEM(out->length = mem_new(n, sizeof *out->length));
    TRY_MEM(out->scratch = mem_new2(pool_threads(p), peel_doubles(k),
                                    sizeof *out->scratch));
    memset(in->scratch, 0, n * k * sizeof *in->scratch);
    for (size_t i = 0; i < n; i++) {
        memcpy(out->rest + i * k, peel_row(out, i), k * sizeof *out->rest);
        out->length[i] = sqrt(peel_dot(out->rest + i * k, out->rest + i * k,
                                       k));
    }
out:
    if (st != KEDGE_OK)
        peel_free(out);
    return st;
}

void peel_free(peel *l)
{
    mem_free(l->row);
    mem_free(l->gram);
    mem_free(l->rest);
    mem_free(l->length);
    mem_free(l->scratch);
    *l = (peel){0};
}

size_t peel_longest(const peel *l)
{
    size_t best = 0;

    for (size_t i = 1; i < l->in->candidates; i++)
        if (l->length[i] > l->length[best])
            best = i;
    return best;
}

void peel_add(pool *p, peel *l, uint64_t row)
{
    const size_t k = l->in->k, n = l->count++;
    peel_job j = {l, l->in->x + row * k};

    l->row[n] = row;
    for (size_t a = 0; a <= n; a++)
        l->gram[a * k + n] = l->gram[n * k + a] =
            peel_dot(l->in->x + l->row[a] * k, j.x, k);
    pool_run(p, (l->in->candidates + PIECE - 1) / PIECE, peel_piece, &j);
}
