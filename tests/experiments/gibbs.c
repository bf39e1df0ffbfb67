/* SPDX-License-Identifier: MIT */
/*
 * A reference: topics by collapsed Gibbs sampling (Griffiths and Steyvers
 * 2004), given their number and the priors.
 *
 *   gibbs BURN KEEP EVERY SEED < problem > topics
 *
 * What is known is α and β, of symmetric Dirichlets; of p(word | topic) only
 * the size is taken. In turn each token of word i in document m gets a topic k
 * with probabilities ∝ (N_ik + β) (N_mk + α) / (N_k + rows β), N of the other
 * tokens. After BURN iterations come KEEP states, EVERY iterations apart;
 * the answer is the mean of their (N_ik + β) / (N_k + rows β).
 */
#include <stdio.h>
#include <string.h>

#include "base/clones.h"
#include "base/hash.h"
#include "base/mem.h"
#include "problem.h"

#define LANES 8 /* sums beside one another */

typedef struct gibbs {
    const problem *p;
    size_t k, stride; /* stride: k, made a multiple of LANES */
    double alpha, beta;
    uint64_t seed, drawn; /* random numbers so far */
    uint32_t *topic;  /* of each token, by entries in their order */
    double *word;     /* rows x stride: N_ik + β */
    double *all;      /* stride: N_k + rows β */
    double *over;     /* stride: 1 / all; 0 beyond k */
    double *document; /* stride: N_mk + α */
    double *chance;   /* stride */
    double *mean;     /* rows x k */
} gibbs;

static double gibbs_uniform(gibbs *g)
{
    const uint64_t bits = hash_stream(g->seed, g->drawn++) >> 11;

    return ((double)bits + 0.5) * 0x1p-53;
}

static void gibbs_open(gibbs *g, const problem *p)
{
    size_t tokens = 0;

    g->p = p;
    g->k = p->k;
    g->stride = (p->k + LANES - 1) / LANES * LANES;
    g->alpha = p->known[0];
    g->beta = p->known[1];
    for (uint64_t e = 0; e < p->entries; e++)
        tokens += p->tally[e];
    g->topic = problem_room(tokens + 1, sizeof *g->topic);
    g->word = problem_room(p->rows * g->stride, sizeof *g->word);
    g->all = problem_room(g->stride, sizeof *g->all);
    g->over = problem_room(g->stride, sizeof *g->over);
    g->document = problem_room(g->stride, sizeof *g->document);
    g->chance = problem_room(g->stride, sizeof *g->chance);
    g->mean = problem_room(p->rows * p->k, sizeof *g->mean);
    for (size_t i = 0; i < p->rows * g->stride; i++)
        g->word[i] = g->beta;
    for (size_t t = 0; t < g->k; t++) {
        g->all[t] = (double)p->rows * g->beta;
        g->over[t] = 1 / g->all[t];
    }
}

static void gibbs_close(gibbs *g)
{
    mem_free(g->topic);
    mem_free(g->word);
    mem_free(g->all);
    mem_free(g->over);
    mem_free(g->document);
    mem_free(g->chance);
    mem_free(g->mean);
}

/* A topic, by u: first one of the lanes, which have the topics l, l + LANES,
 * ..., then a topic of it. */
KERNEL_CLONES
static uint32_t gibbs_draw(const gibbs *g, const double *restrict word,
                           double u)
{
    double *restrict const chance = g->chance;
    double lane[LANES] = {0}, all = 0;
    size_t t = 0;

    for (size_t c = 0; c < g->stride; c += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += chance[c + l] =
                word[c + l] * g->document[c + l] * g->over[c + l];
    for (size_t l = 0; l < LANES; l++)
        all += lane[l];
    u *= all;
    for (size_t l = 0; l < LANES; l++) {
        t = lane[l] > 0 ? l : t;
        if (u < lane[l])
            break;
        u -= lane[l];
    }
    for (size_t c = t; c < g->stride; c += LANES) {
        t = chance[c] > 0 ? c : t;
        if (u < chance[c])
            break;
        u -= chance[c];
    }
    return (uint32_t)t;
}

static void gibbs_count(gibbs *g, double *word, size_t t, double by)
{
    word[t] += by;
    g->document[t] += by;
    g->all[t] += by;
    g->over[t] = 1 / g->all[t];
}

/* The tokens of one document, from `at` on in their order; where the next one's
 * begin. */
static size_t gibbs_document(gibbs *g, size_t m, size_t at, int first)
{
    const problem *const p = g->p;
    size_t i = at;

    for (size_t t = 0; t < g->k; t++)
        g->document[t] = g->alpha;
    for (uint64_t e = p->start[m]; e < p->start[m + 1]; e++)
        for (uint32_t n = 0; n < p->tally[e]; n++, i++)
            g->document[g->topic[i]] += first ? 0 : 1;
    i = at;
    for (uint64_t e = p->start[m]; e < p->start[m + 1]; e++) {
        double *const word = g->word + p->word[e] * g->stride;
        for (uint32_t n = 0; n < p->tally[e]; n++, i++) {
            if (!first)
                gibbs_count(g, word, g->topic[i], -1);
            g->topic[i] = gibbs_draw(g, word, gibbs_uniform(g));
            gibbs_count(g, word, g->topic[i], 1);
        }
    }
    return i;
}

static void gibbs_round(gibbs *g, int first)
{
    size_t at = 0;

    for (size_t m = 0; m < g->p->documents; m++)
        at = gibbs_document(g, m, at, first);
}

static void gibbs_keep(gibbs *g, double share)
{
    for (size_t i = 0; i < g->p->rows; i++)
        for (size_t t = 0; t < g->k; t++)
            g->mean[i * g->k + t] +=
                share * g->word[i * g->stride + t] * g->over[t];
}

int main(int argc, char **argv)
{
    gibbs g = {0};
    problem p;

    if (argc != 5)
        problem_fail("gibbs BURN KEEP EVERY SEED");
    problem_read(&p);
    if (p.numbers != 2)
        problem_fail("α and β are needed");
    const size_t burn = (size_t)problem_number(argv[1]);
    const size_t keep = (size_t)problem_number(argv[2]);
    const size_t every = (size_t)problem_number(argv[3]);
    g.seed = (uint64_t)problem_number(argv[4]);
    gibbs_open(&g, &p);
    for (size_t round = 0; round < burn; round++)
        gibbs_round(&g, round == 0);
    for (size_t state = 0; state < keep; state++) {
        for (size_t round = 0; round < every; round++)
            gibbs_round(&g, burn == 0 && state == 0 && round == 0);
        gibbs_keep(&g, 1 / (double)keep);
    }
    problem_tell(g.mean, p.rows * p.k);
    gibbs_close(&g);
    problem_free(&p);
    return 0;
}
