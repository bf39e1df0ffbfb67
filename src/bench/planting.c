/* SPDX-License-Identifier: MIT */
/*
 * p(rank r) ~ (r + 1 + shift)^-exponent, the law of Zipf and Mandelbrot. Half
 * of the words, at random, are general ones and in every document alike. The
 * others are at home in one topic, or, three in ten of them, in two, which
 * share them evenly. As lists of words are drawn from as often as their words
 * weigh together, all of it keeps the law.
 *
 * First homes go round by the golden ratio, so that each topic has its share of
 * frequent and of rare words and none is left without: topics stand out alike.
 *
 * Topics are in √T groups, and of unequal shares, 1 / √place in the group.
 */
#include "bench/planting.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

#define GENERAL_WORDS 0.5
#define SECOND_HOMES  0.3
#define GOLDEN_TURN   0.61803398874989485

/* Streams of the seed. */
enum { OF_KIND, OF_SECOND, OF_WHICH, OF_ORDER };

static double uniform(uint64_t seed, uint64_t stream, uint64_t i)
{
    return (double)(hash_stream(hash_stream(seed, stream), i) >> 11) * 0x1p-53;
}

/* ---- topics -------------------------------------------------------------- */

static double share_of(const planting *p, size_t topic)
{
    return topic == 0 ? p->upto[0] : p->upto[topic] - p->upto[topic - 1];
}

static void share_out(planting *p)
{
    double sum = 0;

    for (size_t t = 0; t < p->topics; t++) {
        sum += 1 / sqrt((double)(t / p->groups) + 1);
        p->upto[t] = sum;
    }
    for (size_t t = 0; t < p->topics; t++)
        p->upto[t] /= sum;
}

static kedge_status build_topics(planting *p, uint32_t *item, double *weight,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t at = 0;

    for (size_t g = 0; g < p->groups; g++) {
        size_t count = 0;
        p->group_at[g] = at;
        for (size_t t = g; t < p->topics; t += p->groups, count++) {
            item[count] = (uint32_t)t;
            weight[count] = share_of(p, t);
        }
        TRY(alias_build(item, weight, count, p->grouped + at, err));
        at += count;
    }
    p->group_at[p->groups] = at;
    for (size_t t = 0; t < p->topics; t++) {
        item[t] = (uint32_t)t;
        weight[t] = share_of(p, t);
    }
    TRY(alias_build(item, weight, p->topics, p->any, err));
out:
    return st;
}

/* The topic at this place of all, which is from 0 to 1. */
static uint16_t topic_at(const planting *p, double place)
{
    size_t low = 0, high = p->topics - 1;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (place < p->upto[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint16_t)low;
}

/* ---- words --------------------------------------------------------------- */

static void find_homes(const kedge_corpus_opts *o, planting *p)
{
    double turn = 0;

    for (size_t r = 0; r < p->words; r++) {
        uint16_t *const home = p->home[r];
        home[0] = home[1] = PLANTING_NONE;
        if (r == 0 || uniform(o->seed, OF_KIND, r) < GENERAL_WORDS)
            continue; /* there is a general word at least */
        turn += GOLDEN_TURN;
        turn -= floor(turn);
        home[0] = topic_at(p, turn);
        if (uniform(o->seed, OF_SECOND, r) < SECOND_HOMES)
            home[1] = topic_at(p, uniform(o->seed, OF_WHICH, r));
        if (home[1] == home[0])
            home[1] = PLANTING_NONE;
    }
}

/* Fisher and Yates. */
static void shuffle(uint64_t seed, uint32_t *rank, size_t count)
{
    const uint64_t key = hash_stream(seed, OF_ORDER);

    for (size_t i = 0; i < count; i++) {
        const size_t j = ((hash_stream(key, i) >> 32) * (i + 1)) >> 32;
        rank[i] = rank[j];
        rank[j] = (uint32_t)i;
    }
}

static double weight_of(const kedge_corpus_opts *o, size_t rank)
{
    return pow((double)rank + 1 + o->shift, -o->exponent);
}

/* How many words each list has, as list_at; and what of all weight is in the
 * first. */
static size_t measure_lists(const kedge_corpus_opts *o, planting *p)
{
    double general = 0, sum = 0;

    for (size_t r = 0; r < p->words; r++) {
        const double weight = weight_of(o, r);
        sum += weight;
        if (p->home[r][0] == PLANTING_NONE) {
            general += weight;
            p->list_at[1]++;
            continue;
        }
        for (int h = 0; h < PLANTING_HOMES; h++)
            if (p->home[r][h] != PLANTING_NONE)
                p->list_at[p->home[r][h] + 2]++;
    }
    p->general = general / sum;
    for (size_t list = 0; list <= p->topics; list++)
        p->list_at[list + 1] += p->list_at[list];
    return p->list_at[p->topics + 1];
}

static void put_in_lists(const kedge_corpus_opts *o, const planting *p,
                         size_t *next, uint32_t *item, double *weight)
{
    for (size_t id = 0; id < p->words; id++) {
        const uint16_t *const home = p->home[p->rank[id]];
        const double whole = weight_of(o, p->rank[id]);
        const bool two = home[1] != PLANTING_NONE;
        for (int h = 0; h < 1 + two; h++) {
            const size_t list =
                home[0] == PLANTING_NONE ? 0 : (size_t)home[h] + 1;
            item[next[list]] = (uint32_t)id;
            weight[next[list]++] = two ? whole / 2 : whole;
        }
    }
}

static kedge_status build_lists(const kedge_corpus_opts *o, planting *p,
                                kedge_error *err)
{
    const size_t count = measure_lists(o, p);
    kedge_status st = KEDGE_OK;
    size_t *next = NULL;
    uint32_t *item = NULL;
    double *weight = NULL;

    TRY_MEM(p->cells = mem_new(count, sizeof *p->cells));
    TRY_MEM(next = mem_new(p->topics + 1, sizeof *next));
    TRY_MEM(item = mem_new(count, sizeof *item));
    TRY_MEM(weight = mem_new(count, sizeof *weight));
    memcpy(next, p->list_at, (p->topics + 1) * sizeof *next);
    put_in_lists(o, p, next, item, weight);
    for (size_t list = 0; list <= p->topics; list++) {
        const size_t at = p->list_at[list];
        TRY(alias_build(item + at, weight + at, p->list_at[list + 1] - at,
                        p->cells + at, err));
    }
out:
    mem_free(next);
    mem_free(item);
    mem_free(weight);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status make_room(planting *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(p->rank = mem_new(p->words, sizeof *p->rank));
    TRY_MEM(p->home = mem_new(p->words, sizeof *p->home));
    TRY_MEM(p->upto = mem_new(p->topics, sizeof *p->upto));
    TRY_MEM(p->list_at = mem_new(p->topics + 2, sizeof *p->list_at));
    TRY_MEM(p->any = mem_new(p->topics, sizeof *p->any));
    TRY_MEM(p->grouped = mem_new(p->topics, sizeof *p->grouped));
    TRY_MEM(p->group_at = mem_new(p->groups + 1, sizeof *p->group_at));
out:
    return st;
}

kedge_status planting_make(const kedge_corpus_opts *opts, planting *p,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *item = NULL;
    double *weight = NULL;

    *p = (planting){
        .words = (size_t)opts->vocabulary,
        .topics = (size_t)opts->topics,
        .groups = (size_t)sqrt((double)opts->topics),
    };
    TRY(make_room(p, err));
    TRY_MEM(item = mem_new(p->topics, sizeof *item));
    TRY_MEM(weight = mem_new(p->topics, sizeof *weight));
    share_out(p);
    TRY(build_topics(p, item, weight, err));
    find_homes(opts, p);
    shuffle(opts->seed, p->rank, p->words);
    TRY(build_lists(opts, p, err));
out:
    mem_free(item);
    mem_free(weight);
    if (st != KEDGE_OK)
        planting_free(p);
    return st;
}

void planting_free(planting *p)
{
    mem_free(p->rank);
    mem_free(p->home);
    mem_free(p->upto);
    mem_free(p->list_at);
    mem_free(p->cells);
    mem_free(p->any);
    mem_free(p->grouped);
    mem_free(p->group_at);
    *p = (planting){0};
}

/* A word is in its lists as often as is likely, and a little more; the longest
 * list is that of the general words. */
uint64_t planting_memusage(uint64_t words, uint64_t topics)
{
    const double general = GENERAL_WORDS * (double)words;
    const double listed =
        general + (1 + SECOND_HOMES) * ((double)words - general);
    const double each = sizeof(alias_cell) + sizeof(uint32_t) + sizeof(double);

    return (uint64_t)(1.02 * (each * listed + sizeof(size_t) * general)) +
           words * (sizeof(uint32_t) + PLANTING_HOMES * sizeof(uint16_t)) +
           128 * topics + (1 << 16);
}
