/* SPDX-License-Identifier: MIT */
/*
 * References: expected topic proportions of a document by sampling, given its
 * words and the prior, which the methods under test do not know.
 *
 *   sampling dirichlet BURN KEEP SEED < problem > proportions
 *   sampling normal BURN KEEP SEED < problem > proportions
 *
 * dirichlet: what is known is α (k). Collapsed Gibbs: in turn each token gets a
 * topic k with probabilities ∝ B_ik (N_k + α_k), N of the other tokens;
 * proportions are the mean of N + α, brought to the sum one.
 *
 * normal: proportions are softmax(m + Lx), x of independent normal numbers;
 * known are m (k) and L, k x k, lower triangular, a column after the other.
 * Topics of tokens are summed over, ln p(h | x) = Σ_i h_i ln Σ_k B_ik w_k,
 * whose slope by (m + Lx)_k is w_k (Σ_i h_i B_ik / p_i - n), and x is drawn
 * by Hamiltonian steps: the length of a path is PATH times a number from 0.5
 * to 1.5, and its steps become shorter or longer while burning, until as many
 * ends are taken as AIM says. Proportions are the mean of w.
 *
 * A document's answer depends on itself, its place and the seed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clones.h"
#include "base/hash.h"
#include "base/mem.h"
#include "problem.h"

#define PATH 1.5
#define AIM 0.8
#define LONGEST 64 /* steps of a path */
#define FIRST 0.1  /* length of a step */
#define LANES 8    /* sums beside one another */

/* One document, and what is worked with. */
typedef struct sampler {
    const problem *p;
    size_t k, stride, burn, keep; /* stride: k, made a multiple of LANES */
    uint64_t key, drawn; /* random numbers so far */
    size_t words, tokens;
    double *row;    /* words x stride: B of these words */
    double *times;  /* words: how often */
    uint32_t *of, *topic; /* tokens: its word, and its topic */
    double *count;  /* stride: N + α, or w */
    size_t *below;  /* k: the first row after column j's last number */
    double *x, *momentum, *slope, *kept, *saved_slope, *r; /* stride */
} sampler;

static double sampler_uniform(sampler *s)
{
    const uint64_t bits = hash_stream(s->key, s->drawn++) >> 11;

    return ((double)bits + 0.5) * 0x1p-53;
}

static double sampler_normal(sampler *s)
{
    const double radius = sqrt(-2 * log(sampler_uniform(s)));

    return radius * cos(2 * 3.14159265358979323846 * sampler_uniform(s));
}

static size_t most_of(const problem *p, int tokens)
{
    size_t most = 1;

    for (uint64_t m = 0; m < p->documents; m++) {
        size_t size = 0;
        for (uint64_t e = p->start[m]; e < p->start[m + 1]; e++)
            size += tokens ? p->tally[e] : 1;
        most = size > most ? size : most;
    }
    return most;
}

static void sampler_open(sampler *s, const problem *p)
{
    const size_t words = most_of(p, 0), tokens = most_of(p, 1);
    double **const vector[] = {&s->count, &s->x, &s->momentum, &s->slope,
                               &s->kept, &s->saved_slope, &s->r};

    s->p = p;
    s->k = p->k;
    s->stride = (p->k + LANES - 1) / LANES * LANES;
    s->row = problem_room(words * s->stride, sizeof *s->row);
    s->times = problem_room(words, sizeof *s->times);
    s->of = problem_room(tokens, sizeof *s->of);
    s->topic = problem_room(tokens, sizeof *s->topic);
    s->below = problem_room(p->k, sizeof *s->below);
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        *vector[i] = problem_room(s->stride, sizeof **vector[i]);
}

static void sampler_close(sampler *s)
{
    double *const vector[] = {s->count, s->x, s->momentum, s->slope, s->kept,
                              s->saved_slope, s->r, s->row, s->times};

    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        mem_free(vector[i]);
    mem_free(s->of);
    mem_free(s->topic);
    mem_free(s->below);
}

/* Words that no topic has are passed over. */
static void sampler_document(sampler *s, size_t m, uint64_t seed)
{
    const problem *const p = s->p;
    const uint64_t end = p->start[m + 1];

    s->key = hash_stream(seed, m);
    s->drawn = 0;
    s->words = s->tokens = 0;
    for (uint64_t e = p->start[m]; e < end; e++) {
        const double *const from = p->b + (size_t)p->word[e] * s->k;
        double sum = 0;
        for (size_t t = 0; t < s->k; t++)
            sum += from[t];
        if (!(sum > 0))
            continue;
        memcpy(s->row + s->words * s->stride, from, s->k * sizeof *from);
        for (uint32_t i = 0; i < p->tally[e]; i++)
            s->of[s->tokens++] = (uint32_t)s->words;
        s->times[s->words++] = p->tally[e];
    }
}

/* ---- Dirichlet ----------------------------------------------------------- */

/* A topic for a token of this word, with probabilities ∝ row∘count: first one
 * of the lanes, which have the topics l, l + LANES, ..., then a topic of it. */
KERNEL_CLONES
static uint32_t sampler_draw(const sampler *s, const double *restrict row,
                             double u)
{
    double lane[LANES] = {0}, all = 0;
    size_t t = 0;

    for (size_t c = 0; c < s->stride; c += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += row[c + l] * s->count[c + l];
    for (size_t l = 0; l < LANES; l++)
        all += lane[l];
    u *= all;
    for (size_t l = 0; l < LANES; l++) {
        t = lane[l] > 0 ? l : t;
        if (u < lane[l])
            break;
        u -= lane[l];
    }
    for (size_t c = t; c < s->k; c += LANES) {
        const double own = row[c] * s->count[c];
        t = own > 0 ? c : t;
        if (u < own)
            break;
        u -= own;
    }
    return (uint32_t)t;
}

static void sampler_sweep(sampler *s, int first)
{
    for (size_t i = 0; i < s->tokens; i++) {
        if (!first)
            s->count[s->topic[i]] -= 1;
        s->topic[i] = sampler_draw(s, s->row + s->of[i] * s->stride,
                                   sampler_uniform(s));
        s->count[s->topic[i]] += 1;
    }
}

static void sampler_gibbs(sampler *s, double *shares)
{
    memcpy(s->count, s->p->known, s->k * sizeof *s->count);
    for (size_t sweep = 0; sweep < s->burn + s->keep; sweep++) {
        sampler_sweep(s, sweep == 0);
        for (size_t t = 0; t < s->k && sweep >= s->burn; t++)
            shares[t] += s->count[t];
    }
}

/* ---- logistic normal ----------------------------------------------------- */

static const double *sampler_column(const sampler *s, size_t j)
{
    return s->p->known + s->k * (j + 1);
}

/* What is below a column's last number is not gone through. */
static void sampler_measure(sampler *s)
{
    for (size_t j = 0; j < s->k; j++) {
        const double *const column = sampler_column(s, j);
        s->below[j] = s->k;
        while (s->below[j] > j && column[s->below[j] - 1] == 0)
            s->below[j]--;
    }
}

/* count = softmax(m + Lx) */
static void sampler_soften(sampler *s)
{
    double most = -INFINITY, all = 0;

    memcpy(s->count, s->p->known, s->k * sizeof *s->count);
    for (size_t j = 0; j < s->k; j++)
        for (size_t t = j; t < s->below[j]; t++)
            s->count[t] += sampler_column(s, j)[t] * s->x[j];
    for (size_t t = 0; t < s->k; t++)
        most = fmax(most, s->count[t]);
    for (size_t t = 0; t < s->k; t++)
        all += s->count[t] = exp(s->count[t] - most);
    for (size_t t = 0; t < s->k; t++)
        s->count[t] /= all;
}

/* ln p(h | w) and r = Σ_i h_i B_i / p_i */
KERNEL_CLONES
static double sampler_words(const sampler *s)
{
    double sum = 0;

    for (size_t t = 0; t < s->stride; t++)
        s->r[t] = 0;
    for (size_t i = 0; i < s->words; i++) {
        const double *const row = s->row + i * s->stride;
        double lane[LANES] = {0}, p = 0, by;
        for (size_t t = 0; t < s->stride; t += LANES)
            for (size_t l = 0; l < LANES; l++)
                lane[l] += row[t + l] * s->count[t + l];
        for (size_t l = 0; l < LANES; l++)
            p += lane[l];
        p = fmax(p, 1e-300);
        sum += s->times[i] * log(p);
        by = s->times[i] / p;
        for (size_t t = 0; t < s->stride; t++)
            s->r[t] += by * row[t];
    }
    return sum;
}

/* ln p(h, x), but for constants, with its slope by x. */
static double sampler_value(sampler *s)
{
    double value;

    sampler_soften(s);
    value = sampler_words(s);
    for (size_t t = 0; t < s->k; t++)
        s->r[t] = s->count[t] * (s->r[t] - (double)s->tokens);
    for (size_t j = 0; j < s->k; j++) {
        const double *const column = sampler_column(s, j);
        double sum = 0;
        for (size_t t = j; t < s->below[j]; t++)
            sum += column[t] * s->r[t];
        s->slope[j] = sum - s->x[j];
        value -= 0.5 * s->x[j] * s->x[j];
    }
    return value;
}

static double sampler_energy(const sampler *s)
{
    double sum = 0;

    for (size_t j = 0; j < s->k; j++)
        sum += s->momentum[j] * s->momentum[j];
    return 0.5 * sum;
}

static void sampler_push(sampler *s, double by)
{
    for (size_t j = 0; j < s->k; j++)
        s->momentum[j] += by * s->slope[j];
}

/* One path from x, whose value is *value and whose slope is there; gives the
 * chance that its end is taken. */
static double sampler_path(sampler *s, double step, double *value)
{
    const double length = PATH * (0.5 + sampler_uniform(s));
    const size_t bytes = s->k * sizeof *s->x;
    const double steps = fmin(ceil(length / step), LONGEST);
    double before, after = 0, chance;

    for (size_t j = 0; j < s->k; j++)
        s->momentum[j] = sampler_normal(s);
    memcpy(s->kept, s->x, bytes);
    memcpy(s->saved_slope, s->slope, bytes);
    before = *value - sampler_energy(s);
    for (double i = 0; i < steps; i++) {
        sampler_push(s, step / 2);
        for (size_t j = 0; j < s->k; j++)
            s->x[j] += step * s->momentum[j];
        after = sampler_value(s);
        sampler_push(s, step / 2);
    }
    chance = exp(fmin(after - sampler_energy(s) - before, 0));
    chance = chance >= 0 ? chance : 0; /* not a number: gone too far */
    if (sampler_uniform(s) < chance) {
        *value = after;
        return chance;
    }
    memcpy(s->x, s->kept, bytes);
    memcpy(s->slope, s->saved_slope, bytes);
    return chance;
}

/* Gives the mean chance of the paths that were kept. */
static double sampler_hamilton(sampler *s, double *shares)
{
    double step = log(FIRST), value, taken = 0;

    memset(s->x, 0, s->k * sizeof *s->x);
    value = sampler_value(s);
    for (size_t path = 0; path < s->burn + s->keep; path++) {
        const double chance = sampler_path(s, exp(step), &value);
        if (path < s->burn) {
            step += (chance - AIM) * 2 / sqrt((double)path + 4);
            continue;
        }
        taken += chance;
        sampler_soften(s);
        for (size_t t = 0; t < s->k; t++)
            shares[t] += s->count[t];
    }
    return taken / (double)s->keep;
}

int main(int argc, char **argv)
{
    sampler s = {0};
    problem p;
    double taken = 0;

    if (argc != 5)
        problem_fail("sampling dirichlet|normal BURN KEEP SEED");
    const int normal = strcmp(argv[1], "normal") == 0;
    problem_read(&p);
    if (p.numbers != (normal ? p.k + p.k * p.k : p.k))
        problem_fail("there is too much or too little that is known");
    s.burn = (size_t)problem_number(argv[2]);
    s.keep = (size_t)problem_number(argv[3]);
    sampler_open(&s, &p);
    if (normal)
        sampler_measure(&s);
    for (size_t m = 0; m < p.documents; m++) {
        double *const shares = p.shares + m * p.k;
        double all = 0;
        sampler_document(&s, m, (uint64_t)problem_number(argv[4]));
        if (normal)
            taken += sampler_hamilton(&s, shares);
        else
            sampler_gibbs(&s, shares);
        for (size_t t = 0; t < p.k; t++)
            all += shares[t];
        for (size_t t = 0; t < p.k; t++)
            shares[t] /= all;
    }
    if (normal)
        fprintf(stderr, "%.3f taken\n", taken / (double)p.documents);
    problem_write(&p);
    sampler_close(&s);
    problem_free(&p);
    return 0;
}
