/* SPDX-License-Identifier: MIT */
/*
 * A document's topics θ have the mean μ and the covariance Σ = A - μμ', where
 * A = E θθ'. Of n tokens with topics of their own, each drawn from θ, let N_k
 * have topic k. Then
 *
 *   E N/n = μ,  cov(θ, N/n) = Σ,
 *   cov(N/n) = Σ + E (diag θ - θθ') / n = Σ + (diag μ - A) / n
 *
 * and of all estimates that are linear in N the best is
 *
 *   w = μ + M_n (N/n - μ),  M_n = Σ (Σ + (diag μ - A) / n)^-1.
 *
 * N/n - μ adds up to zero, and 1 is in the null space of both matrices, so that
 * c 11' can be added to the second one, which becomes N̂. With Σ V = N̂ V Λ and
 * V'N̂V = I (prior.c), Σ is N̂VΛV'N̂, and the sum in brackets N̂V(Λ + I/n)V'N̂;
 * for any n,
 *
 *   M_n = N̂V diag(nλ / (nλ + 1)) V'.
 *
 * The topics of tokens are not known, but expected: a token of word i has topic
 * k with γ_ik ∝ B_ik w_k, where w is of the n - 1 other tokens, of which there
 * are N - γ_i. With P = N̂V diag(λ / ((n - 1)λ + 1)) V' this is
 *
 *   w_-i = μ + P (N - nμ) - P (γ_i - μ)
 *
 * whose last term is taken by its diagonal: γ_i - μ adds up to zero, so that a
 * number added to a row of P changes nothing; less the mean of what is off the
 * diagonal, row k is nearest to p_k = P_kk - mean of P_kl, and
 *
 *   γ_ik ∝ B_ik max(base_k - p_k γ_ik, FLOOR μ_k),
 *   base = μ + P (N - nμ) + p∘μ,  N = Σ_i h_i γ_i
 *
 * is repeated until N/n stays. For a Dirichlet with the sum s of parameters α,
 * Σ = (diag μ - μμ') / (s + 1), all λ are 1/s, p is 1 / (s + n - 1) and P has
 * nothing else: this is γ_ik ∝ B_ik (N_k - γ_ik + α_k), CVB0. One token has no
 * others: its w_-i is μ, whatever P.
 *
 * γ is kept for the first HELD words of a document. One that has more has so
 * many tokens that the last term is small: there γ_i is taken from base alone.
 */
#include "compose/linear.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"

#define HELD 1024
#define FLOOR 1e-3F
#define LEAP 8.0F /* steps, at most */
#define FAR 0.1F
#define LANES PRIOR_LANES

struct linear {
    float *gamma; /* HELD x stride: γ, each to be multiplied by */
    float *scale; /* HELD */
    float *spare; /* stride: γ of a word that is not held */
    float *part;  /* stride: N/n, as it comes together, */
    float *last, *older; /* and before, and before that */
    float *base, *own, *floor; /* stride: base, p, FLOOR μ */
    float *turned;             /* stride: V'(N/n - μ) */
    float *by_p, *by_m;        /* stride: nλ / ((n - 1)λ + 1), nλ / (nλ + 1) */
};

void linear_free(linear *l)
{
    if (l == NULL)
        return;
    mem_free(l->gamma);
    mem_free(l->scale);
    mem_free(l->spare);
    mem_free(l->older);
    mem_free(l->part);
    mem_free(l->last);
    mem_free(l->base);
    mem_free(l->own);
    mem_free(l->floor);
    mem_free(l->turned);
    mem_free(l->by_p);
    mem_free(l->by_m);
    mem_free(l);
}

kedge_status linear_create(size_t k, linear **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t stride = prior_stride(k);
    linear *l = NULL;

    *out = NULL;
    TRY_MEM(l = mem_new(1, sizeof *l));
    TRY_MEM(l->gamma = mem_new2(HELD, stride, sizeof *l->gamma));
    TRY_MEM(l->scale = mem_new(HELD, sizeof *l->scale));
    TRY_MEM(l->older = mem_new(stride, sizeof *l->older));
    TRY_MEM(l->spare = mem_new(stride, sizeof *l->spare));
    TRY_MEM(l->part = mem_new(stride, sizeof *l->part));
    TRY_MEM(l->last = mem_new(stride, sizeof *l->last));
    TRY_MEM(l->base = mem_new(stride, sizeof *l->base));
    TRY_MEM(l->own = mem_new(stride, sizeof *l->own));
    TRY_MEM(l->floor = mem_new(stride, sizeof *l->floor));
    TRY_MEM(l->turned = mem_new(stride, sizeof *l->turned));
    TRY_MEM(l->by_p = mem_new(stride, sizeof *l->by_p));
    TRY_MEM(l->by_m = mem_new(stride, sizeof *l->by_m));
    *out = l;
    l = NULL;
out:
    linear_free(l);
    return st;
}

/* ---- words --------------------------------------------------------------- */

static inline float linear_total(const float lane[LANES])
{
    float half[LANES / 2], quarter[LANES / 4];

    for (size_t l = 0; l < LANES / 2; l++)
        half[l] = lane[l] + lane[l + LANES / 2];
    for (size_t l = 0; l < LANES / 4; l++)
        quarter[l] = half[l] + half[l + LANES / 4];
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

/* γ of one word from what it was before, `scale` times `gamma`; gives its sum,
 * which is still to be divided by. */
static inline float linear_expect(const float *restrict row,
                                  const float *restrict base,
                                  const float *restrict own,
                                  const float *restrict floor, float scale,
                                  size_t stride, float *restrict gamma)
{
    float lane[LANES] = {0};

    for (size_t c = 0; c < stride; c += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const float left = base[c + l] - scale * own[c + l] * gamma[c + l];
            const float most = left > floor[c + l] ? left : floor[c + l];
            lane[l] += gamma[c + l] = row[c + l] * most;
        }
    return linear_total(lane);
}

static inline void linear_add(float times, size_t stride,
                              const float *restrict gamma,
                              float *restrict part)
{
    for (size_t c = 0; c < stride; c += LANES)
        for (size_t l = 0; l < LANES; l++)
            part[c + l] += times * gamma[c + l];
}

/* γ ∝ B base, for a word that has none from before. */
static inline float linear_begin(const float *restrict row,
                                 const float *restrict base, size_t stride,
                                 float *restrict gamma)
{
    float lane[LANES] = {0};

    for (size_t c = 0; c < stride; c += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += gamma[c + l] = row[c + l] * base[c + l];
    return linear_total(lane);
}

static inline float linear_inverse(float sum)
{
    return sum > 0 ? 1 / sum : 0;
}

/* All words once: part = N/n. */
KERNEL_CLONES
static void linear_words(const linear *l, const float *table, const bag *g,
                         size_t stride)
{
    const float share = 1 / (float)g->tokens;
    float *const part = l->part, spare;

    for (size_t c = 0; c < stride; c++)
        part[c] = 0;
    for (size_t e = 0; e < g->count; e++) {
        const float *const row = table + g->row[e] * stride;
        float *const gamma = e < HELD ? l->gamma + e * stride : l->spare;
        float *const scale = e < HELD ? l->scale + e : &spare;

        if (e >= HELD)
            spare = linear_inverse(linear_begin(row, l->base, stride, gamma));
        *scale = linear_inverse(linear_expect(row, l->base, l->own, l->floor,
                                              *scale, stride, gamma));
        linear_add(*scale * share * (float)g->tally[e], stride, gamma, part);
    }
}

/* ---- topics -------------------------------------------------------------- */

/* out += rows' (scale∘x): row j of the matrix times scale_j x_j. */
static inline void linear_multiply(const float *restrict matrix, size_t rows,
                                   size_t stride, const float *restrict scale,
                                   const float *restrict x,
                                   float *restrict out)
{
    for (size_t j = 0; j < rows; j++) {
        const float *const restrict row = matrix + j * stride;
        const float times = scale != NULL ? scale[j] * x[j] : x[j];
        for (size_t c = 0; c < stride; c++)
            out[c] += times * row[c];
    }
}

/* turned = V' part - V' μ. V'μ is not quite zero where A was noisy. */
KERNEL_CLONES
static void linear_turn(const linear *l, const prior *p)
{
    for (size_t c = 0; c < p->stride; c++) {
        l->turned[c] = 0;
        l->base[c] = l->part[c] - p->mu[c];
    }
    linear_multiply(p->v, p->k, p->stride, NULL, l->base, l->turned);
}

KERNEL_CLONES
static void linear_base(const linear *l, const prior *p)
{
    for (size_t c = 0; c < p->stride; c++)
        l->base[c] = p->mu[c] + l->own[c] * p->mu[c];
    linear_multiply(p->nv, p->k, p->stride, l->by_p, l->turned, l->base);
}

KERNEL_CLONES
static void linear_shares(const linear *l, const prior *p, float *w)
{
    float sum = 0;

    for (size_t c = 0; c < p->stride; c++)
        w[c] = p->mu[c];
    linear_multiply(p->nv, p->k, p->stride, l->by_m, l->turned, w);
    for (size_t c = 0; c < p->stride; c++) {
        w[c] = w[c] > l->floor[c] ? w[c] : l->floor[c];
        sum += w[c];
    }
    for (size_t c = 0; c < p->stride; c++)
        w[c] /= sum;
}

/* What depends on n alone; γ is zero, and so is p where there is but one
 * token. */
KERNEL_CLONES
static void linear_open(linear *l, const prior *p, const bag *g)
{
    const float n = (float)g->tokens;

    for (size_t c = 0; c < p->stride; c++) {
        const float x = p->lambda[c];
        l->by_m[c] = n * x / (n * x + 1);
        l->by_p[c] = n > 1 ? x / ((n - 1) * x + 1) : 0;
        l->floor[c] = FLOOR * p->mu[c];
        l->base[c] = p->mu[c];
        l->own[c] = 0;
        l->last[c] = p->mu[c];
    }
}

/* p = Σ_j own_j λ_j / ((n - 1)λ_j + 1), and the scale of P becomes that for
 * N/n. */
KERNEL_CLONES
static void linear_own(linear *l, const prior *p, const bag *g)
{
    for (size_t j = 0; j < p->k; j++) {
        const float *const restrict row = p->own + j * p->stride;
        const float times = l->by_p[j];
        for (size_t c = 0; c < p->stride; c++)
            l->own[c] += times * row[c];
        l->by_p[j] *= (float)g->tokens;
    }
    for (size_t c = 0; c < p->stride; c++)
        l->own[c] = l->own[c] > 0 ? l->own[c] : 0;
}

/* By how much N/n moved. */
KERNEL_CLONES
static float linear_moved(const linear *l, size_t stride)
{
    float lane[LANES] = {0};

    for (size_t c = 0; c < stride; c += LANES)
        for (size_t i = 0; i < LANES; i++)
            lane[i] += fabsf(l->part[c + i] - l->last[c + i]);
    return linear_total(lane);
}

/* Two steps, r and then r + v, are taken for the beginning of a geometric
 * series whose end is gone to: x + 2 a r + a² v with a = |r| / |v|, from 1, the
 * second step, to `most`. What would be below FAR of the second step stays
 * there. */
KERNEL_CLONES
static void linear_leap(const linear *l, size_t stride, float most)
{
    float of_r[LANES] = {0}, of_v[LANES] = {0}, sum = 0, a;

    for (size_t c = 0; c < stride; c += LANES)
        for (size_t i = 0; i < LANES; i++) {
            const float r = l->last[c + i] - l->older[c + i];
            const float v = l->part[c + i] - l->last[c + i] - r;
            of_r[i] += r * r;
            of_v[i] += v * v;
        }
    a = linear_total(of_v);
    a = a > 0 ? sqrtf(linear_total(of_r) / a) : 1;
    a = a < 1 ? 1 : a > most ? most : a;
    for (size_t c = 0; c < stride; c++) {
        const float r = l->last[c] - l->older[c];
        const float v = l->part[c] - l->last[c] - r;
        const float to = l->older[c] + 2 * a * r + a * a * v;
        const float least = FAR * l->part[c];
        l->part[c] = to > least ? to : least;
        sum += l->part[c];
    }
    for (size_t c = 0; c < stride; c++)
        l->part[c] /= sum;
}

/* What is newest becomes the last. */
static void linear_turn_over(linear *l)
{
    float *const keep = l->older;

    l->older = l->last;
    l->last = l->part;
    l->part = keep;
}

size_t linear_solve(linear *l, const prior *p, const float *table,
                    const bag *g, const linear_opts *opts, float *w,
                    bool *settled)
{
    const size_t held = g->count < HELD ? g->count : HELD;
    size_t step = 0, since = 0; /* the last leap */
    float moved, before = INFINITY, most = LEAP;

    memset(l->gamma, 0, held * p->stride * sizeof *l->gamma);
    memset(l->scale, 0, held * sizeof *l->scale);
    linear_open(l, p, g);
    do {
        linear_words(l, table, g, p->stride);
        moved = linear_moved(l, p->stride);
        *settled = g->tokens == 1 || moved < (float)opts->tolerance;
        if (step == 0) {
            linear_own(l, p, g);
        } else if (++since == 2 && !*settled) {
            most = moved < before ? most : fmaxf(most / 2, 1);
            linear_leap(l, p->stride, most);
            before = moved;
            since = 0;
        }
        linear_turn(l, p);
        linear_base(l, p);
        linear_turn_over(l);
    } while (++step < opts->steps && !*settled);
    linear_shares(l, p, w);
    return step;
}

uint64_t linear_memusage(size_t k)
{
    return (HELD + 16) * 4 * (uint64_t)prior_stride(k) + 4096;
}
