/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include <math.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

#define CHUNK 32    /* documents of a task */
#define PORTION 4096 /* of those that are measured at a time */

/* ---- halves -------------------------------------------------------------- */

void halves_free(halves *h)
{
    docs_free(&h->first);
    docs_free(&h->second);
}

/* Heads of so many coins. */
static uint32_t heads(uint64_t key, uint32_t coins, uint64_t *at)
{
    uint32_t sum = 0;

    for (; coins > 0; coins -= coins < 64 ? coins : 64) {
        const uint64_t bits = hash_stream(key, (*at)++);
        const uint64_t all = UINT64_MAX;
        sum += (uint32_t)__builtin_popcountll(
            bits & (coins < 64 ? all >> (64 - coins) : all));
    }
    return sum;
}

static bool halves_put(halves *h, const docs *d, size_t m, uint64_t key)
{
    uint64_t at = 0;

    if (!docs_begin(&h->first, d->position[m]) ||
        !docs_begin(&h->second, d->position[m]))
        return false;
    for (size_t e = d->start[m]; e < d->start[m + 1]; e++) {
        const uint32_t one = heads(key, d->tally[e], &at);
        if (one > 0 && !docs_push(&h->first, d->word[e], one))
            return false;
        if (one < d->tally[e] &&
            !docs_push(&h->second, d->word[e], d->tally[e] - one))
            return false;
    }
    return true;
}

kedge_status halves_split(halves *h, const docs *d, uint64_t key, double share,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(&h->first);
    docs_clear(&h->second);
    for (size_t m = 0; m < d->count; m++) {
        const uint64_t own = hash_stream(key, d->position[m]);
        const uint64_t coins = hash_mix(own ^ HASH_GOLDEN);
        uint64_t one = 0, at = 0; /* tokens of the first half; coins thrown */
        if (!((double)(hash_mix(own) >> 11) < ldexp(share, 53)))
            continue;
        for (size_t e = d->start[m]; e < d->start[m + 1]; e++)
            one += heads(coins, d->tally[e], &at);
        if (one > 0 && one < d->length[m])
            TRY_MEM(halves_put(h, d, m, coins));
    }
out:
    return st;
}

/* ---- likelihood ---------------------------------------------------------- */

void completion_free(completion *c)
{
    if (c == NULL)
        return;
    mem_free_all(c->unigram, c->part, c);
}

kedge_status completion_create(const plain_model *m, pool *p, completion **out,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    completion *c = NULL;
    double sum = 0;

    *out = NULL;
    TRY_MEM(c = mem_new(1, sizeof *c));
    c->in = *m;
    c->p = p;
    TRY_MEM(c->unigram = mem_new(m->rows, sizeof *c->unigram));
    TRY_MEM(c->part = mem_new(PORTION, sizeof *c->part));
    for (size_t i = 0; i < m->rows; i++)
        sum += m->tf[i] + 1;
    for (size_t i = 0; i < m->rows; i++)
        c->unigram[i] = (m->tf[i] + 1) / sum;
    *out = c;
    c = NULL;
out:
    completion_free(c);
    return st;
}

static void completion_chunk(void *data, size_t chunk, unsigned worker)
{
    const completion *const c = data;
    const docs *const d = c->d;
    const size_t end = (chunk + 1) * CHUNK, k = c->in.k;

    (void)worker;
    for (size_t i = chunk * CHUNK; i < end && i < c->count; i++) {
        const size_t m = c->from + i;
        c->part[i] = 0;
        for (size_t e = d->start[m]; e < d->start[m + 1]; e++) {
            const double *const b = c->in.b + d->word[e] * k;
            double p = 0;
            for (size_t t = 0; t < k; t++)
                p += c->shares[i * k + t] * b[t];
            p = (1 - COMPLETION_UNIGRAM) * p +
                COMPLETION_UNIGRAM * c->unigram[d->word[e]];
            c->part[i] += d->tally[e] * log(p);
        }
    }
}

void completion_add(completion *c, const docs *second, size_t from,
                    size_t count, const double *shares)
{
    for (size_t done = 0; done < count; done += c->count) {
        c->d = second;
        c->from = from + done;
        c->count = count - done < PORTION ? count - done : PORTION;
        c->shares = shares + done * c->in.k;
        pool_run(c->p, (c->count + CHUNK - 1) / CHUNK, completion_chunk, c);
        for (size_t i = 0; i < c->count; i++) {
            c->sum += c->part[i];
            c->tokens += second->length[c->from + i];
        }
    }
    c->documents += count;
}

double completion_likelihood(const completion *c)
{
    return c->tokens > 0 ? c->sum / (double)c->tokens : NAN;
}
