/* SPDX-License-Identifier: MIT */
/*
 * B is kept as a table of floats, each row divided by its largest entry, with
 * these numbers kept: a word's proportions of topics are exact to the last
 * bits of a float however rare it is. Words that no topic has are passed over.
 *
 * Least squares minimises Σ_i d_i (h_i / n - (Bw)_i)², with d the weights of
 * words: G = B'DB, of the table as it is, is made once, B'Dh / n for each
 * document, both in doubles. PADD and PAMI begin with Σ_i p(k|i) h_i / n, where
 * p(k|i) = B_ik μ_k / Σ_l B_il μ_l, and FOLD ends with it. It is smooth: close
 * documents have close shares, and no topic wins because it is a little
 * likelier.
 */
#include "infer/compose.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "infer/lanes_inl.h"

#define WINDOW_BYTES ((size_t)8 << 20)
#define WINDOW_MOST 4096 /* documents */
#define CHUNK 16         /* of a task */
#define STEPS_OF_ALL 100 /* of least squares, for each topic */

/* With a tenth of its tolerance linear Bayes takes nearly twice as many steps,
 * and shares are as far from the truth to 1 in 500. What one token gives least
 * squares and an inverse is far too much. */
const compose_way compose_ways[] = {
    [KEDGE_INFER_LINEAR_BAYES] = {.iterates = true, .steps = 200,
                                  .tolerance = 1e-2, .least = 1},
    [KEDGE_INFER_LEAST_SQUARES] = {.iterates = true, .least = 2},
    [KEDGE_INFER_PADD] = {.iterates = true, .steps = 50, .tolerance = 1e-3,
                          .of_all = true, .blas = true, .least = 2,
                          .step = "tau", .step_usual = 0.1,
                          .step_faithful = 0.05},
    [KEDGE_INFER_PAMI] = {.iterates = true, .steps = 50, .tolerance = 1e-3,
                          .of_all = true, .blas = true, .least = 2,
                          .step = "rho", .step_usual = 1, .step_faithful = 1},
    [KEDGE_INFER_MEAN] = {.least = 1},
    [KEDGE_INFER_TLI] = {.blas = true, .least = 2},
};

/* Scratch memory of one thread. */
typedef struct place {
    linear *linear;
    squares *squares;
    float *w;  /* stride */
    double *q; /* stride; twice */
} place;

struct compose {
    compose_input in;
    size_t stride, window;
    prior *prior;
    float *table;  /* rows x stride */
    float *scale;  /* rows: what they were divided by */
    double *gram;  /* k x k: SQUARES, PADD and PAMI */
    const double *weight; /* of the losses' squares, or NULL */
    double *shares; /* window x k */
    composed *found; /* window */
    tli *tli;        /* TLI */
    joint *joint;    /* PADD and PAMI: */
    double *learnt;  /* window x joint_width; shares that are settled */
    size_t *rank;    /* window: among documents that were learnt */
    uint64_t given;  /* of these, so far */
    place *place;
    const docs *d; /* of the window that is worked on: */
    size_t first, count;
    const compose_aside *aside; /* or NULL */
};

void compose_free(compose *c)
{
    if (c == NULL)
        return;
    for (unsigned t = 0; c->place != NULL && t < pool_threads(c->in.p); t++) {
        linear_free(c->place[t].linear);
        squares_free(c->place[t].squares);
        mem_free_all(c->place[t].w, c->place[t].q);
    }
    prior_free(c->prior);
    mem_free_all(c->table, c->scale, c->gram, c->shares, c->found);
    tli_free(c->tli);
    joint_free(c->joint);
    mem_free_all(c->learnt, c->rank, c->place, c);
}

static const compose_way *compose_how(const compose *c)
{
    return &compose_ways[c->in.method];
}

static bool compose_by_squares(const compose *c)
{
    return c->in.method == KEDGE_INFER_LEAST_SQUARES || compose_how(c)->of_all;
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
        const double d = c->weight != NULL ? c->weight[i] : 1;
        const double times = d * scale * scale * row[t];
        for (size_t l = 0; l < k && times > 0; l++)
            sum[l] += times * row[l];
    }
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
    c->window = WINDOW_BYTES / (k * sizeof(double)) + 1;
    c->window = c->window < WINDOW_MOST ? c->window : WINDOW_MOST;
    TRY_MEM(c->place = mem_new(pool_threads(in->p), sizeof *c->place));
    TRY_MEM(c->table = mem_new2(in->rows, c->stride, sizeof *c->table));
    TRY_MEM(c->scale = mem_new(in->rows, sizeof *c->scale));
    TRY_MEM(c->shares = mem_new2(c->window, k, sizeof *c->shares));
    TRY_MEM(c->found = mem_new(c->window, sizeof *c->found));
    TRY(prior_create(in->a, k, in->documents, &c->prior, err));
    compose_fill(c);
    c->weight = in->faithful ? NULL : in->weight;
    if (compose_by_squares(c)) {
        TRY_MEM(c->gram = mem_new2(k, k, sizeof *c->gram));
        pool_run(in->p, k, compose_gram_row, c);
    }
    if (compose_how(c)->of_all) {
        TRY_MEM(c->learnt = mem_new2(c->window, joint_width(k),
                                     sizeof *c->learnt));
        TRY_MEM(c->rank = mem_new(c->window, sizeof *c->rank));
        TRY(joint_create(&(joint_input){.method = in->method,
                                        .folder = in->folder,
                                        .prior = c->prior, .gram = c->gram,
                                        .faithful = in->faithful,
                                        .rounds = in->steps,
                                        .tolerance = in->tolerance,
                                        .step = in->step, .p = in->p},
                         &c->joint, err));
    }
    if (in->method == KEDGE_INFER_TLI)
        TRY(tli_create(&(tli_input){.b = in->b, .rows = in->rows, .k = k,
                                    .faithful = in->faithful, .p = in->p,
                                    .control = in->control},
                       &c->tli, err));
    for (unsigned t = 0; t < pool_threads(in->p); t++) {
        place *const w = &c->place[t];
        TRY_MEM(w->w = mem_new(c->stride, sizeof *w->w));
        TRY_MEM(w->q = mem_new2(c->stride, 2, sizeof *w->q));
        if (in->method == KEDGE_INFER_LINEAR_BAYES)
            TRY(linear_create(k, &w->linear, err));
        else if (compose_by_squares(c))
            TRY(squares_create(k, &w->squares, err));
    }
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
static void compose_product(const compose *c, const bag *g,
                            double *restrict q)
{
    const double *const weight = c->weight;
    const size_t stride = c->stride;

    for (size_t t = 0; t < stride; t++)
        q[t] = 0;
    for (size_t e = 0; e < g->count; e++) {
        const float *const restrict row = c->table + g->row[e] * stride;
        const double d = weight != NULL ? weight[g->row[e]] : 1;
        const double times = d * c->scale[g->row[e]] * g->tally[e] /
                             (double)g->tokens;
        for (size_t t = 0; t < stride; t++)
            q[t] += times * row[t];
    }
}

/* Bw of the words from `from` on, at most LANES, over their scales. */
LANES_INLINE void compose_predict(const compose *c, const bag *g, size_t from,
                                  const float *w, lanes *out)
{
    const size_t blocks = c->stride / LANES;
    lanes sum[LANES] = {{0}};

    for (size_t e = 0; e < LANES && from + e < g->count; e++) {
        const lanes *const row =
            (const lanes *)(c->table + g->row[from + e] * c->stride);
        for (size_t b = 0; b < blocks; b++)
            sum[e] += row[b] * ((const lanes *)w)[b];
    }
    lanes_totals(sum, out);
}

/* Half of what h / n and Bw differ by: words that the document has not are
 * what is left of Bw. */
KERNEL_CLONES
static double compose_residual(const compose *c, const bag *g, const float *w)
{
    double sum = 0, rest = 1;
    lanes bw;

    for (size_t e = 0; e < g->count; e++) {
        const float scale = c->scale[g->row[e]];

        if (e % LANES == 0)
            compose_predict(c, g, e, w, &bw);
        if (!(scale > 0))
            continue;
        sum += fabs(g->tally[e] / (double)g->tokens - bw[e % LANES] * scale);
        rest -= bw[e % LANES] * scale;
    }
    return 0.5 * (sum + fmax(rest, 0));
}

/* Σ_i p(k|i) h_i / n; sums of LANES numbers go on side by side. */
KERNEL_CLONES
static void compose_fold(const compose *c, const bag *g, double *restrict q,
                         double *restrict shares)
{
    const size_t stride = c->stride;
    const float *const restrict mean = c->prior->mu;
    double *const restrict sum = q + stride;

    memset(sum, 0, stride * sizeof *sum);
    for (size_t e = 0; e < g->count; e++) {
        const float *const restrict row = c->table + g->row[e] * stride;
        double lane[LANES] = {0}, p = 0, times;

        for (size_t t = 0; t < stride; t += LANES)
            for (size_t l = 0; l < LANES; l++)
                lane[l] += q[t + l] = (double)row[t + l] * (double)mean[t + l];
        for (size_t l = 0; l < LANES; l++)
            p += lane[l];
        times = p > 0 ? g->tally[e] / p : 0;
        for (size_t t = 0; t < stride; t++)
            sum[t] += times * q[t];
    }
    memcpy(shares, sum, c->in.k * sizeof *shares);
}

/* To a sum of one. */
static void compose_scale(double *shares, size_t k)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++)
        sum += shares[t];
    for (size_t t = 0; t < k; t++)
        shares[t] /= sum;
}

static void compose_document(compose *c, size_t at, place *w)
{
    const bag g = compose_bag(c, at);
    const size_t k = c->in.k, bytes = k * sizeof(double);
    double *const shares = c->shares + at * k;
    composed *const found = &c->found[at];
    size_t most = c->in.steps;

    *found = (composed){.tokens = g.tokens, .residual = 1, .settled = true};
    if (g.tokens < compose_how(c)->least) {
        memcpy(shares, c->prior->mean, bytes);
    } else if (c->joint != NULL) {
        memcpy(shares, c->learnt + c->rank[at] * k, bytes);
    } else if (c->in.method == KEDGE_INFER_LINEAR_BAYES) {
        found->steps = (uint32_t)linear_solve(
            w->linear, c->prior, c->table, &g, most > 0 ? most : SIZE_MAX,
            c->in.tolerance, w->w, &found->settled);
        for (size_t t = 0; t < k; t++)
            shares[t] = w->w[t];
    } else if (c->tli != NULL) {
        tli_solve(c->tli, &g, w->q, shares);
        found->steps = 1;
    } else if (c->in.method == KEDGE_INFER_MEAN) {
        compose_fold(c, &g, w->q, shares);
    } else {
        most = most > 0 ? most : STEPS_OF_ALL * k;
        compose_product(c, &g, w->q);
        memset(shares, 0, bytes);
        found->steps = (uint32_t)squares_solve(w->squares, k, c->gram, w->q,
                                               most, shares);
        found->settled = found->steps > 0;
        if (!found->settled)
            found->steps = (uint32_t)most;
    }
    compose_scale(shares, k);
    for (size_t t = 0; t < k; t++)
        w->w[t] = (float)shares[t];
    if (g.tokens > 0)
        found->residual = compose_residual(c, &g, w->w);
}

/* What goes on meanwhile is the first task: it may take the longest. */
static void compose_chunk(void *data, size_t task, unsigned worker)
{
    compose *const c = data;
    const size_t from = (c->aside != NULL ? task - 1 : task) * CHUNK;

    if (c->aside != NULL && task == 0) {
        c->aside->run(c->aside->data);
        return;
    }
    for (size_t at = from; at < from + CHUNK && at < c->count; at++)
        compose_document(c, at, &c->place[worker]);
}

static void compose_look(compose *c, const docs *d, size_t first)
{
    const size_t left = d->count - first;

    c->d = d;
    c->first = first;
    c->count = left < c->window ? left : c->window;
}

/* Documents of the window that were learnt, by their ranks. */
static size_t compose_rank(compose *c)
{
    size_t count = 0;

    for (size_t at = 0; at < c->count; at++) {
        c->rank[at] = count;
        count += compose_bag(c, at).tokens >= compose_how(c)->least;
    }
    return count;
}

kedge_status compose_add(compose *c, const docs *d, size_t first,
                         const compose_aside *aside, size_t *count,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    compose_look(c, d, first);
    if (c->joint != NULL) {
        const size_t known = compose_rank(c);
        TRY(joint_read(c->joint, c->given, known, c->learnt, err));
        c->given += known;
    }
    c->aside = aside;
    if (c->count > 0)
        pool_run(c->in.p, (c->count - 1) / CHUNK + 1 + (aside != NULL),
                 compose_chunk, c);
out:
    c->d = NULL;
    *count = st == KEDGE_OK ? c->count : 0;
    return st;
}

/* ---- all documents ------------------------------------------------------- */

/* Rows of joint_add. */
static void compose_learn_chunk(void *data, size_t chunk, unsigned worker)
{
    compose *const c = data;
    const size_t from = chunk * CHUNK, k = c->in.k;
    double *const q = c->place[worker].q;

    for (size_t at = from; at < from + CHUNK && at < c->count; at++) {
        const bag g = compose_bag(c, at);
        double *const row = c->learnt + c->rank[at] * joint_width(k);

        if (g.tokens < compose_how(c)->least)
            continue;
        compose_fold(c, &g, q, row + k);
        compose_scale(row + k, k);
        compose_product(c, &g, q);
        memcpy(row, q, k * sizeof *row);
        row[2 * k] = 0;
        for (size_t e = 0; e < g.count; e++) {
            const double x = g.tally[e] / (double)g.tokens;
            const double d = c->weight != NULL ? c->weight[g.row[e]] : 1;
            if (c->scale[g.row[e]] > 0)
                row[2 * k] += d * x * x;
        }
    }
}

kedge_status compose_learn(compose *c, const docs *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t first = 0; first < d->count; first += c->count) {
        compose_look(c, d, first);
        const size_t known = compose_rank(c);
        pool_run(c->in.p, (c->count - 1) / CHUNK + 1, compose_learn_chunk, c);
        TRY(joint_add(c->joint, known, c->learnt, err));
    }
out:
    c->d = NULL;
    return st;
}

kedge_status compose_settle(compose *c, const kedge_control *control,
                            joint_report *out, kedge_error *err)
{
    return joint_settle(c->joint, control, out, err);
}

const double *compose_shares(const compose *c, size_t document)
{
    return c->shares + document * c->in.k;
}

const composed *compose_found(const compose *c, size_t document)
{
    return &c->found[document];
}

const tli_report *compose_inverse(const compose *c)
{
    return c->tli != NULL ? &c->tli->report : NULL;
}
