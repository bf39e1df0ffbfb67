/* SPDX-License-Identifier: MIT */
/*
 * B is kept as a table of floats, each row divided by its largest entry, with
 * these numbers beside it: a word's proportions of topics are exact to the last
 * bits of a float however rare it is. Words that no topic has are passed over.
 *
 * Least squares minimises Σ_i d_i (h_i / n - (Bw)_i)², with d the weights of
 * words: G = B'DB, of the table as it is, is made once, B'Dh / n for each
 * document, both in doubles.
 */
#include "compose/compose.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "compose/linear.h"
#include "compose/prior.h"
#include "compose/squares.h"

#define WINDOW_BYTES ((size_t)8 << 20)
#define WINDOW_MOST 4096 /* documents */
#define CHUNK 16         /* of a task */
#define LANES PRIOR_LANES
#define STEPS_OF_ALL 100 /* of least squares, for each topic */

/* Scratch memory of one thread. */
typedef struct place {
    linear *linear;
    squares *squares;
    float *w;  /* stride */
    double *q; /* stride */
} place;

struct compose {
    compose_input in;
    size_t stride, window;
    prior *prior;
    float *table;  /* rows x stride */
    float *scale;  /* rows: what they were divided by */
    double *gram;  /* k x k: SQUARES */
    double *shares; /* window x k */
    composed *found; /* window */
    place *place;
    const docs *d; /* of the window that is worked on: */
    size_t first, count;
};

void compose_free(compose *c)
{
    if (c == NULL)
        return;
    for (unsigned t = 0; c->place != NULL && t < pool_threads(c->in.p); t++) {
        linear_free(c->place[t].linear);
        squares_free(c->place[t].squares);
        mem_free(c->place[t].w);
        mem_free(c->place[t].q);
    }
    prior_free(c->prior);
    mem_free(c->table);
    mem_free(c->scale);
    mem_free(c->gram);
    mem_free(c->shares);
    mem_free(c->found);
    mem_free(c->place);
    mem_free(c);
}

static size_t compose_window(size_t k)
{
    const size_t fits = WINDOW_BYTES / (k * sizeof(double)) + 1;

    return fits < WINDOW_MOST ? fits : WINDOW_MOST;
}

/* ---- the table ----------------------------------------------------------- */

static void compose_fill(compose *c)
{
    const size_t k = c->in.k;

    for (size_t i = 0; i < c->in.rows; i++) {
        const double *const row = c->in.b + i * k;
        float *const to = c->table + i * c->stride;
        double most = 0;

        for (size_t t = 0; t < k; t++)
            most = fmax(most, row[t]);
        c->scale[i] = (float)most;
        for (size_t t = 0; t < k && c->scale[i] > 0; t++)
            to[t] = (float)fmax(row[t] / c->scale[i], 0);
    }
}

/* d of a word. */
static double compose_weight(const compose *c, size_t i)
{
    return c->in.weight != NULL ? c->in.weight[i] : 1;
}

/* G, a row of it a task. */
static void compose_gram_row(void *data, size_t t, unsigned worker)
{
    compose *const c = data;
    const size_t k = c->in.k;
    double *const sum = c->gram + t * k;

    (void)worker;
    for (size_t i = 0; i < c->in.rows; i++) {
        const float *const row = c->table + i * c->stride;
        const double scale = c->scale[i];
        const double times = compose_weight(c, i) * scale * scale * row[t];
        for (size_t l = 0; l < k && times > 0; l++)
            sum[l] += times * row[l];
    }
}

static kedge_status compose_open_place(const compose *c, place *w,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(w->w = mem_new(c->stride, sizeof *w->w));
    TRY_MEM(w->q = mem_new(c->stride, sizeof *w->q));
    if (c->in.method == COMPOSE_LINEAR)
        TRY(linear_create(c->in.k, &w->linear, err));
    else
        TRY(squares_create(c->in.k, &w->squares, err));
out:
    return st;
}

kedge_status compose_create(const compose_input *in, compose **out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    compose *c = NULL;

    *out = NULL;
    TRY_MEM(c = mem_new(1, sizeof *c));
    c->in = *in;
    c->stride = prior_stride(k);
    c->window = compose_window(k);
    TRY_MEM(c->place = mem_new(pool_threads(in->p), sizeof *c->place));
    TRY_MEM(c->table = mem_new2(in->rows, c->stride, sizeof *c->table));
    TRY_MEM(c->scale = mem_new(in->rows, sizeof *c->scale));
    TRY_MEM(c->shares = mem_new2(c->window, k, sizeof *c->shares));
    TRY_MEM(c->found = mem_new(c->window, sizeof *c->found));
    TRY(prior_create(in->a, k, in->documents, &c->prior, err));
    compose_fill(c);
    if (in->method == COMPOSE_SQUARES) {
        TRY_MEM(c->gram = mem_new2(k, k, sizeof *c->gram));
        pool_run(in->p, k, compose_gram_row, c);
    }
    for (unsigned t = 0; t < pool_threads(in->p); t++)
        TRY(compose_open_place(c, &c->place[t], err));
    c->in.b = NULL;
    *out = c;
    c = NULL;
out:
    compose_free(c);
    return st;
}

/* ---- a document ---------------------------------------------------------- */

static bag compose_bag(const compose *c, size_t at)
{
    const size_t *const start = c->d->start + c->first + at;
    bag g = {c->d->word + start[0], c->d->tally + start[0],
             start[1] - start[0], 0};

    for (size_t e = 0; e < g.count; e++)
        if (c->scale[g.row[e]] > 0)
            g.tokens += g.tally[e];
    return g;
}

/* B'Dh / n */
KERNEL_CLONES
static void compose_product(const compose *c, const bag *g, double *restrict q)
{
    const size_t stride = c->stride;

    for (size_t t = 0; t < stride; t++)
        q[t] = 0;
    for (size_t e = 0; e < g->count; e++) {
        const float *const restrict row = c->table + g->row[e] * stride;
        const double d = c->in.weight != NULL ? c->in.weight[g->row[e]] : 1;
        const double times = d * c->scale[g->row[e]] * g->tally[e] /
                             (double)g->tokens;
        for (size_t t = 0; t < stride; t++)
            q[t] += times * row[t];
    }
}

/* Half of what h / n and Bw differ by: words that the document has not are
 * what is left of Bw. */
KERNEL_CLONES
static double compose_residual(const compose *c, const bag *g, const float *w)
{
    const size_t stride = c->stride;
    double sum = 0, rest = 1;

    for (size_t e = 0; e < g->count; e++) {
        const float *const restrict row = c->table + g->row[e] * stride;
        float lane[LANES] = {0}, p = 0;

        if (!(c->scale[g->row[e]] > 0))
            continue;
        for (size_t t = 0; t < stride; t += LANES)
            for (size_t l = 0; l < LANES; l++)
                lane[l] += row[t + l] * w[t + l];
        for (size_t l = 0; l < LANES; l++)
            p += lane[l];
        p *= c->scale[g->row[e]];
        sum += fabs(g->tally[e] / (double)g->tokens - p);
        rest -= p;
    }
    return 0.5 * (sum + fmax(rest, 0));
}

static void compose_linear(const compose *c, place *w, const bag *g,
                           double *shares, composed *found)
{
    const linear_opts opts = {c->in.steps > 0 ? c->in.steps : SIZE_MAX,
                              c->in.tolerance};

    found->steps = (uint32_t)linear_solve(w->linear, c->prior, c->table, g,
                                          &opts, w->w, &found->settled);
    for (size_t t = 0; t < c->in.k; t++)
        shares[t] = w->w[t];
}

static void compose_squares(const compose *c, place *w, const bag *g,
                            double *shares, composed *found)
{
    const size_t k = c->in.k;
    const size_t most = c->in.steps > 0 ? c->in.steps : STEPS_OF_ALL * k;

    compose_product(c, g, w->q);
    memset(shares, 0, k * sizeof *shares);
    found->steps = (uint32_t)squares_solve(w->squares, k, c->gram, w->q, most,
                                           shares);
    found->settled = found->steps > 0;
    if (!found->settled)
        found->steps = (uint32_t)most;
    for (size_t t = 0; t < k; t++)
        w->w[t] = (float)shares[t];
}

/* What one token tells least squares is far too much: it is left alone. */
static void compose_document(compose *c, size_t at, place *w)
{
    const bag g = compose_bag(c, at);
    double *const shares = c->shares + at * c->in.k;
    composed *const found = &c->found[at];
    const uint64_t least = c->in.method == COMPOSE_LINEAR ? 1 : 2;
    double sum = 0;

    *found = (composed){.tokens = g.tokens, .residual = 1, .settled = true};
    if (g.tokens < least)
        memcpy(shares, c->prior->mean, c->in.k * sizeof *shares);
    else if (c->in.method == COMPOSE_LINEAR)
        compose_linear(c, w, &g, shares, found);
    else
        compose_squares(c, w, &g, shares, found);
    for (size_t t = 0; t < c->in.k; t++)
        sum += shares[t];
    for (size_t t = 0; t < c->in.k; t++) {
        shares[t] /= sum;
        w->w[t] = (float)shares[t];
    }
    if (g.tokens > 0)
        found->residual = compose_residual(c, &g, w->w);
}

static void compose_chunk(void *data, size_t chunk, unsigned worker)
{
    compose *const c = data;
    const size_t from = chunk * CHUNK;

    for (size_t at = from; at < from + CHUNK && at < c->count; at++)
        compose_document(c, at, &c->place[worker]);
}

size_t compose_add(compose *c, const docs *d, size_t first)
{
    const size_t left = d->count - first;

    c->d = d;
    c->first = first;
    c->count = left < c->window ? left : c->window;
    if (c->count > 0)
        pool_run(c->in.p, (c->count - 1) / CHUNK + 1, compose_chunk, c);
    c->d = NULL;
    return c->count;
}

const double *compose_shares(const compose *c, size_t document)
{
    return c->shares + document * c->in.k;
}

const composed *compose_found(const compose *c, size_t document)
{
    return &c->found[document];
}

uint64_t compose_memusage(size_t rows, size_t k, unsigned threads)
{
    const uint64_t stride = prior_stride(k);
    const uint64_t each = linear_memusage(k) + squares_memusage(k) +
                          16 * stride;

    return (uint64_t)rows * (4 * stride + 4) + 8 * (uint64_t)k * k +
           compose_window(k) * (8 * k + sizeof(composed)) +
           prior_memusage(k) + threads * each;
}
