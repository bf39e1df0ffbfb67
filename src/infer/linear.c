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
 * is repeated until N/n stays, which begins at μ. Words are gone through LANES
 * at a time, and what these change of N reaches the next at once, by the
 * diagonal of P alone: base moves by OVER p∘ΔN, further than it would be moved
 * by what is known so far, as more of the same is to come (successive
 * over-relaxation). To be as near takes a third of the steps less; the whole of
 * P follows at the end of each, so that where it ends is the same.
 *
 * For a Dirichlet with the sum s of parameters α,
 * Σ = (diag μ - μμ') / (s + 1), all λ are 1/s, p is 1 / (s + n - 1) and P has
 * nothing else: this is γ_ik ∝ B_ik (N_k - γ_ik + α_k), CVB0. One token has no
 * others: its w_-i is μ, whatever P.
 *
 * γ is kept for the first HELD words of a document. One that has more has so
 * many tokens that the last term is small: there γ_i is taken from base alone.
 */
#include "infer/linear.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "infer/lanes_inl.h"

#define HELD 1024
#define PIECE 1024 /* words: a multiple of LANES, as HELD is */
#define FLOOR 1e-3F
#define OVER 1.7F
#define EVERY 3     /* steps there is a leap, */
#define LEAP 16.0F /* of so many steps at most */
#define FAR 0.1F

struct linear {
    size_t blocks; /* of all that follow, unless said otherwise */
    lanes *gamma;  /* HELD x blocks: γ, each to be multiplied by */
    float *scale;  /* HELD */
    float *share;  /* HELD: of the document's tokens */
    lanes *spare;  /* LANES x blocks: γ of words that are not held */
    lanes *said;   /* HELD / LANES x blocks: of N/n, by words that are taken
                      together */
    lanes *piece, *part; /* N/n, as it comes together, */
    lanes *last, *older; /* and before, and before that */
    lanes *base, *own, *floor; /* base, p, FLOOR μ */
    lanes *turned;       /* V'(N/n - μ) */
    lanes *times;        /* that, by_p or by_m times */
    lanes *by_p, *by_m;  /* nλ / ((n - 1)λ + 1), nλ / (nλ + 1) */
    lanes *all;          /* from `piece` on: their memory */
};

void linear_free(linear *l)
{
    if (l == NULL)
        return;
    mem_free_all(l->gamma, l->scale, l->share, l->spare, l->said, l->all, l);
}

kedge_status linear_create(size_t k, linear **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t stride = prior_stride(k), blocks = stride / LANES;
    linear *l = NULL;

    *out = NULL;
    TRY_MEM(l = mem_new(1, sizeof *l));
    l->blocks = blocks;
    TRY_MEM(l->gamma = mem_new2(HELD, blocks, sizeof *l->gamma));
    TRY_MEM(l->scale = mem_new(HELD, sizeof *l->scale));
    TRY_MEM(l->share = mem_new(HELD, sizeof *l->share));
    TRY_MEM(l->spare = mem_new2(LANES, blocks, sizeof *l->spare));
    TRY_MEM(l->said = mem_new2(HELD / LANES, blocks, sizeof *l->said));
    TRY_MEM(l->all = mem_new2(11, blocks, sizeof *l->all));
    lanes **const part[] = {&l->piece, &l->part, &l->last, &l->older,
                            &l->base, &l->own, &l->floor, &l->turned,
                            &l->times, &l->by_p, &l->by_m};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        *part[i] = l->all + i * blocks;
    *out = l;
    l = NULL;
out:
    linear_free(l);
    return st;
}

/* ---- words --------------------------------------------------------------- */

/* Words of a step, from one on. */
static inline size_t linear_step_words(const bag *g, size_t from)
{
    return g->count - from < LANES ? g->count - from : LANES;
}

/* γ of the words from `from` on, and what each is to be multiplied by. Where
 * there are fewer than LANES, the others' γ is what it was. */
LANES_INLINE void linear_expect(const linear *l, const float *table,
                                const bag *g, size_t from, size_t blocks,
                                lanes *gamma, float *scale)
{
    const lanes none = {0};
    const size_t words = linear_step_words(g, from);
    lanes copy[3][LANES_FEW], sum[LANES], total, inverse;
    const lanes_prior known = {lanes_near(l->base, blocks, copy[0]),
                               lanes_near(l->own, blocks, copy[1]),
                               lanes_near(l->floor, blocks, copy[2])};

    for (size_t e = 0; e < words; e++) {
        const lanes *const row =
            (const lanes *)table + g->row[from + e] * blocks;
        lanes *const own = gamma + e * blocks;

        if (from >= HELD) {
            scale[e] = lanes_product(row, l->base, blocks, own);
            scale[e] = scale[e] > 0 ? 1 / scale[e] : 0;
        }
        lanes_expect(row, &known, scale[e], blocks, own, &sum[e]);
    }
    for (size_t e = words; e < LANES; e++)
        sum[e] = none;
    lanes_totals(sum, &total);
    inverse = 1 / total;
    *(lanes *)scale = (lanes)((lanes_mask)inverse & (total > none));
}

/* What share of the tokens the words from `from` on are. */
LANES_INLINE void linear_weigh(const bag *g, size_t from, float *share)
{
    const size_t words = linear_step_words(g, from);

    for (size_t e = 0; e < words; e++)
        share[e] = (float)g->tally[from + e] / (float)g->tokens;
    for (size_t e = words; e < LANES; e++)
        share[e] = 0;
}

/* What words say now goes into the sum and, less what the same ones said
 * before, into base. */
LANES_INLINE void linear_update(const linear *l, const float *times,
                              const bag *g, size_t from, size_t blocks)
{
    const bool held = from < HELD;
    const lanes *const gamma = held ? l->gamma + from * blocks : l->spare;
    lanes *const said = held ? l->said + from / LANES * blocks : NULL;
    const float on = OVER * (float)g->tokens;
    lanes now;

    for (size_t b = 0; b < blocks; b++) {
        lanes_sum(times, gamma + b, blocks, &now);
        l->piece[b] += now;
        if (!held)
            continue;
        l->base[b] += on * l->own[b] * (now - said[b]);
        said[b] = now;
    }
}

/* All words once: part = N/n. Each piece of PIECE words has a sum of its own,
 * so that those of a long document do not get lost. */
LANES_INLINE void linear_words_of(const linear *l, const float *table,
                                  const bag *g, size_t blocks)
{
    lanes spare[2], times;

    for (size_t b = 0; b < blocks; b++)
        l->part[b] = l->piece[b] = (lanes){0};
    for (size_t from = 0; from < g->count; from += LANES) {
        const bool held = from < HELD;
        lanes *const gamma = held ? l->gamma + from * blocks : l->spare;
        float *const scale = held ? l->scale + from : (float *)&spare[0];
        float *const share = held ? l->share + from : (float *)&spare[1];

        if (!held)
            linear_weigh(g, from, share);
        linear_expect(l, table, g, from, blocks, gamma, scale);
        times = *(lanes *)scale * *(lanes *)share;
        linear_update(l, (float *)&times, g, from, blocks);
        if (from + LANES < g->count && (from + LANES) % PIECE != 0)
            continue;
        for (size_t b = 0; b < blocks; b++) {
            l->part[b] += l->piece[b];
            l->piece[b] = (lanes){0};
        }
    }
}

/* Few blocks are known to the compiler. */
KERNEL_CLONES
static void linear_words(const linear *l, const float *table, const bag *g)
{
    switch (l->blocks) {
    case 1:
        linear_words_of(l, table, g, 1);
        break;
    case 2:
        linear_words_of(l, table, g, 2);
        break;
    case 3:
        linear_words_of(l, table, g, 3);
        break;
    case 4:
        linear_words_of(l, table, g, 4);
        break;
    case 7:
        linear_words_of(l, table, g, 7);
        break;
    default:
        linear_words_of(l, table, g, l->blocks);
    }
}

/* ---- topics -------------------------------------------------------------- */

/* turned = V'(part - μ) */
KERNEL_CLONES
static void linear_turn(const linear *l, const prior *p)
{
    const lanes *const mu = (const lanes *)p->mu;

    for (size_t b = 0; b < l->blocks; b++) {
        l->turned[b] = (lanes){0};
        l->times[b] = l->part[b] - mu[b];
    }
    lanes_multiply((const lanes *)p->v, p->k, l->blocks,
                   (const float *)l->times, l->turned);
}

/* base = μ + p∘μ + N̂V by_p∘turned */
KERNEL_CLONES
static void linear_base(const linear *l, const prior *p)
{
    const lanes *const mu = (const lanes *)p->mu;

    for (size_t b = 0; b < l->blocks; b++) {
        l->base[b] = mu[b] + l->own[b] * mu[b];
        l->times[b] = l->by_p[b] * l->turned[b];
    }
    lanes_multiply((const lanes *)p->nv, p->k, l->blocks,
                   (const float *)l->times, l->base);
}

KERNEL_CLONES
static void linear_shares(const linear *l, const prior *p, lanes *w)
{
    lanes sum = {0};
    float all;

    for (size_t b = 0; b < l->blocks; b++) {
        w[b] = ((const lanes *)p->mu)[b];
        l->times[b] = l->by_m[b] * l->turned[b];
    }
    lanes_multiply((const lanes *)p->nv, p->k, l->blocks,
                   (const float *)l->times, w);
    for (size_t b = 0; b < l->blocks; b++) {
        lanes_most(&w[b], &l->floor[b], &w[b]);
        sum += w[b];
    }
    all = lanes_total(&sum);
    for (size_t b = 0; b < l->blocks; b++)
        w[b] /= all;
}

/* What depends on n alone, where N/n = μ; where there is but one token, p is
 * zero. */
KERNEL_CLONES
static void linear_open(const linear *l, const prior *p, const bag *g)
{
    const lanes none = {0};
    const float n = (float)g->tokens;

    for (size_t b = 0; b < l->blocks; b++) {
        const lanes x = ((const lanes *)p->lambda)[b];
        const lanes mu = ((const lanes *)p->mu)[b];
        l->by_m[b] = n * x / (n * x + 1);
        l->by_p[b] = n > 1 ? x / ((n - 1) * x + 1) : x * 0;
        l->floor[b] = FLOOR * mu;
        l->base[b] = l->last[b] = mu;
        l->own[b] = none;
    }
    lanes_multiply((const lanes *)p->own, p->k, l->blocks,
                   (const float *)l->by_p, l->own);
    for (size_t b = 0; b < l->blocks; b++) {
        l->by_p[b] *= n;
        lanes_most(&l->own[b], &none, &l->own[b]);
    }
}

/* Words that nobody asked yet say what is known of them before. */
static void linear_assume(const linear *l, const prior *p, const bag *g,
                          size_t held)
{
    memset(l->scale, 0, held * sizeof *l->scale);
    for (size_t from = 0; from < held; from += LANES) {
        float *const share = l->share + from;

        linear_weigh(g, from, share);
        for (size_t b = 0; b < l->blocks; b++)
            l->said[from / LANES * l->blocks + b] =
                lanes_total((const lanes *)share) * ((const lanes *)p->mu)[b];
    }
}

/* Rows of the table come from afar, all at once rather than one by one. */
static void linear_fetch(const linear *l, const float *table, const bag *g)
{
    const size_t held = g->count < HELD ? g->count : HELD;

    for (size_t e = 0; e < held; e++)
        for (size_t b = 0; b < l->blocks; b++)
            __builtin_prefetch((const lanes *)table +
                               g->row[e] * l->blocks + b);
}

/* By how much N/n moved. */
KERNEL_CLONES
static float linear_moved(const linear *l)
{
    lanes sum = {0};

    for (size_t b = 0; b < l->blocks; b++) {
        const lanes on = l->part[b] - l->last[b], back = -on;
        lanes by;

        lanes_most(&on, &back, &by);
        sum += by;
    }
    return lanes_total(&sum);
}

/* How many steps like the last two, r and then r + v, a leap takes: |r| / |v|,
 * from 1, the second of them, to `most`. */
KERNEL_CLONES
static float linear_reach(const linear *l, float most)
{
    lanes of_r = {0}, of_v = {0};
    float r, v;

    for (size_t b = 0; b < l->blocks; b++) {
        const lanes one = l->last[b] - l->older[b];
        const lanes less = l->part[b] - l->last[b] - one;
        of_r += one * one;
        of_v += less * less;
    }
    r = lanes_total(&of_r);
    v = lanes_total(&of_v);
    return v > 0 ? fminf(fmaxf(sqrtf(r / v), 1), most) : 1;
}

/* The last two steps are taken for the beginning of a geometric series whose
 * end is gone to: x + 2 a r + a² v. What would be below FAR of the second step
 * stays there. `times` gets what N/n was multiplied by. */
KERNEL_CLONES
static void linear_leap(const linear *l, float a, size_t held)
{
    const lanes tiny = (lanes){0} + FLT_MIN;
    lanes sum = {0};
    float all;

    for (size_t b = 0; b < l->blocks; b++) {
        const lanes r = l->last[b] - l->older[b];
        const lanes v = l->part[b] - l->last[b] - r;
        const lanes far = l->older[b] + 2 * a * r + a * a * v;
        const lanes least = FAR * l->part[b];
        lanes to, from;

        lanes_most(&far, &least, &to);
        lanes_most(&l->part[b], &tiny, &from);
        l->times[b] = to / from;
        l->part[b] = to;
        sum += to;
    }
    all = lanes_total(&sum);
    for (size_t b = 0; b < l->blocks; b++) {
        l->times[b] /= all;
        l->part[b] /= all;
    }
    /* what words said is as if they had said what was leapt to */
    for (size_t from = 0; from < held; from += LANES)
        for (size_t b = 0; b < l->blocks; b++)
            l->said[from / LANES * l->blocks + b] *= l->times[b];
}

size_t linear_solve(linear *l, const prior *p, const float *table,
                    const bag *g, size_t steps, double tolerance, float *w,
                    bool *settled)
{
    const size_t held = g->count < HELD ? g->count : HELD;
    float moved, before = INFINITY, most = LEAP;
    size_t step = 0;

    linear_fetch(l, table, g);
    linear_open(l, p, g);
    linear_assume(l, p, g, held);
    do {
        linear_words(l, table, g);
        moved = linear_moved(l);
        *settled = g->tokens == 1 || moved < (float)tolerance;
        if ((step + 1) % EVERY == 0 && !*settled) {
            most = moved < before ? most : fmaxf(most / 2, 1);
            linear_leap(l, linear_reach(l, most), held);
            before = moved;
        }
        linear_turn(l, p);
        if (!*settled)
            linear_base(l, p);
        lanes *const oldest = l->older;
        l->older = l->last;
        l->last = l->part;
        l->part = oldest;
    } while (++step < steps && !*settled);
    linear_shares(l, p, (lanes *)w);
    return step;
}
