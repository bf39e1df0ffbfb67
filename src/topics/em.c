/* SPDX-License-Identifier: MIT */
/*
 * With h_i the tallies of a document and θ its topics, p_i = Σ_k θ_k B_ik:
 *
 *   θ_k ∝ PRIOR share_k + θ_k Σ_i h_i B_ik / p_i      STEPS times, from share
 *   n_ik = Σ over documents of h_i θ_k B_ik / p_i     and with it
 *   B_ik ∝ n_ik + KEPT B_ik
 *
 * Documents are taken a window at a time, first each of them for its θ, then
 * each piece of the words for its rows of n. Sums over documents are integers,
 * which add up to the same in any order; a document's own sums run by its rows.
 */
#include "topics/em.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/octet.h"

#define STEPS 20
#define PRIOR 1.0  /* tokens that each document has beside its own */
#define KEPT  0.01 /* tokens that each topic has beside those of documents */
#define LEAST 1e-3 /* of an equal share, that each topic begins with */
#define NEVER 1e-280 /* p below it is that of a word that no topic has */

#define WINDOW_BYTES ((size_t)16 << 20)
#define CHUNK 16   /* documents of a task */
#define PIECES 64  /* of the rows */

#define FINEST 40  /* bits of fraction, */
#define SPACE 61   /* and those of the largest sum */
#define NATS 10    /* bits of the largest -ln p */

/* Of one document, in units of 2^-loss_bits. */
typedef struct measured {
    int64_t loss; /* -Σ h ln p */
    uint64_t tokens;
} measured;

struct em {
    em_input in;
    double *share;  /* k: as they are begun with */
    double *theta;  /* window x k */
    double *spare;  /* threads x k */
    measured *each; /* window */
    uint64_t *n;    /* rows x k, in units of 2^-bits */
    measured total;
    size_t window;  /* documents */
    int bits, loss_bits;
    const docs *d;  /* those in the window: */
    size_t first, count;
};

void em_free(em *o)
{
    if (o == NULL)
        return;
    mem_free_all(o->share, o->theta, o->spare, o->each, o->n, o);
}

/* Bits of fraction such that the sum over all tokens, of up to 2^each a token,
 * has room. */
static int em_bits(uint64_t tokens, int each)
{
    const int room = SPACE - each - (tokens > 0 ? ilogb((double)tokens) + 1
                                                : 0);

    return room < FINEST ? room : FINEST;
}

kedge_status em_create(const em_input *in, em **out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    double sum = 0, all = 0;
    em *o = NULL;

    *out = NULL;
    TRY_MEM(o = mem_new(1, sizeof *o));
    o->in = *in;
    o->window = WINDOW_BYTES / (k * sizeof(double) + sizeof(measured)) + 1;
    o->bits = em_bits(in->tokens, 0);
    o->loss_bits = em_bits(in->tokens, NATS);
    TRY_MEM(o->share = mem_new(k, sizeof *o->share));
    TRY_MEM(o->theta = mem_new2(o->window, k, sizeof *o->theta));
    TRY_MEM(o->spare = mem_new2(pool_threads(in->p), k, sizeof *o->spare));
    TRY_MEM(o->each = mem_new(o->window, sizeof *o->each));
    TRY_MEM(o->n = mem_new2(in->rows, k, sizeof *o->n));
    /* a topic's share may be nothing, or less: all begin with something */
    for (size_t c = 0; c < k; c++)
        sum += fmax(in->share[c], 0);
    for (size_t c = 0; c < k; c++) {
        const double part = sum > 0 ? fmax(in->share[c], 0) / sum : 0;
        all += o->share[c] = fmax(part, LEAST / (double)k);
    }
    for (size_t c = 0; c < k; c++)
        o->share[c] /= all;
    *out = o;
    o = NULL;
out:
    em_free(o);
    return st;
}

void em_begin(em *o)
{
    o->total = (measured){0};
    memset(o->n, 0, o->in.rows * o->in.k * sizeof *o->n);
}

/* ---- a document's topics ------------------------------------------------- */

/* Some entries of a document: words, by their rows, and how often it has
 * them. */
typedef struct bag {
    const uint32_t *word, *tally;
    size_t count;
} bag;

/* Of the document at a place of the window; none where it is too short. */
static bag em_bag(const em *o, size_t at)
{
    const size_t m = o->first + at;
    const size_t *const start = o->d->start + m;

    if (o->d->length[m] < o->in.min_tokens)
        return (bag){0};
    return (bag){o->d->word + start[0], o->d->tally + start[0],
                 start[1] - start[0]};
}

KERNEL_CLONES
static void em_step(const double *b, const double *share, size_t k,
                        const bag *g, double *restrict theta,
                        double *restrict next)
{
    double sum = 0;

    for (size_t c = 0; c < k; c++)
        next[c] = 0;
    for (size_t e = 0; e < g->count; e++) {
        const double *const restrict row = b + g->word[e] * k;
        const double p = lane_dot(theta, row, k);
        const double r = p > NEVER ? g->tally[e] / p : 0;
        for (size_t c = 0; c < k; c++)
            next[c] += r * row[c];
    }
    for (size_t c = 0; c < k; c++)
        sum += theta[c] = PRIOR * share[c] + theta[c] * next[c];
    for (size_t c = 0; c < k; c++)
        theta[c] /= sum;
}

/* Its topics θ, and how likely it is by them. */
static void em_document(em *o, size_t at, double *next)
{
    const size_t k = o->in.k;
    const bag g = em_bag(o, at);
    double *const theta = o->theta + at * k, loss = 0;
    measured *const m = &o->each[at];

    *m = (measured){0};
    if (g.count == 0)
        return;
    memcpy(theta, o->share, k * sizeof *theta);
    for (int step = 0; step < STEPS; step++)
        em_step(o->in.b, o->share, k, &g, theta, next);
    for (size_t e = 0; e < g.count; e++) {
        const double p = lane_dot(theta, o->in.b + g.word[e] * k, k);
        if (!(p > NEVER))
            continue;
        loss -= g.tally[e] * log(p);
        m->tokens += g.tally[e];
    }
    m->loss = llrint(ldexp(loss, o->loss_bits));
}

static void em_chunk(void *data, size_t chunk, unsigned worker)
{
    em *const o = data;
    const size_t from = chunk * CHUNK;

    for (size_t at = from; at < from + CHUNK && at < o->count; at++)
        em_document(o, at, o->spare + worker * o->in.k);
}

/* ---- what documents expect of words -------------------------------------- */

/* The first of a document's entries whose word is `row` or later. */
static size_t em_seek(const bag *g, size_t row)
{
    size_t low = 0, high = g->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (g->word[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* n += 2^bits h θ B / p, each part rounded to the nearest integer. */
KERNEL_CLONES
static void em_expect(const double *b, size_t k, const bag *g, double unit,
                          const double *theta, uint64_t *n)
{
    for (size_t e = 0; e < g->count; e++) {
        const double *const restrict row = b + g->word[e] * k;
        uint64_t *const restrict sum = n + g->word[e] * k;
        const double p = lane_dot(theta, row, k);
        const double r = p > NEVER ? unit * g->tally[e] / p : 0;
        for (size_t c = 0; c < k; c++)
            sum[c] += (uint64_t)(int64_t)(r * theta[c] * row[c] + 0.5);
    }
}

static void em_piece(void *data, size_t piece, unsigned worker)
{
    em *const o = data;
    const size_t k = o->in.k;
    const size_t low = o->in.rows * piece / PIECES;
    const size_t high = o->in.rows * (piece + 1) / PIECES;
    const double unit = ldexp(1, o->bits);

    (void)worker;
    for (size_t at = 0; at < o->count; at++) {
        const bag all = em_bag(o, at);
        if (all.count == 0)
            continue;
        const size_t from = em_seek(&all, low);
        const bag part = {all.word + from, all.tally + from,
                          em_seek(&all, high) - from};
        em_expect(o->in.b, k, &part, unit, o->theta + at * k, o->n);
    }
}

void em_add(em *o, const docs *d, bool learning)
{
    o->d = d;
    for (o->first = 0; o->first < d->count; o->first += o->count) {
        const size_t left = d->count - o->first;
        o->count = left < o->window ? left : o->window;
        pool_run(o->in.p, (o->count - 1) / CHUNK + 1, em_chunk, o);
        if (learning)
            pool_run(o->in.p, PIECES, em_piece, o);
        for (size_t at = 0; at < o->count; at++) {
            o->total.loss += o->each[at].loss;
            o->total.tokens += o->each[at].tokens;
        }
    }
    o->d = NULL;
}

/* ---- what came of it ----------------------------------------------------- */

double em_likelihood(const em *o)
{
    if (o->total.tokens == 0)
        return 0;
    return -ldexp((double)o->total.loss, -o->loss_bits) /
           (double)o->total.tokens;
}

void em_learn(em *o)
{
    const size_t rows = o->in.rows, k = o->in.k;
    const double unit = ldexp(1, -o->bits);
    double *const b = o->in.b, *const sum = o->spare;

    for (size_t c = 0; c < k; c++)
        sum[c] = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < k; c++)
            sum[c] += b[i * k + c] =
                unit * (double)o->n[i * k + c] + KEPT * b[i * k + c];
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < k; c++)
            b[i * k + c] /= sum[c];
}
