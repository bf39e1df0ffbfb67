/* SPDX-License-Identifier: MIT */
#include "bench/planting.h"

#include <math.h>

#include "base/gate.h"
#include "unit.h"

enum { WORDS = 20000, TOPICS = 50 };

static kedge_corpus_opts some_opts(void)
{
    kedge_corpus_opts o;

    kedge_corpus_opts_init(&o, KEDGE_SHAPE_NYTIMES);
    o.vocabulary = WORDS;
    o.topics = TOPICS;
    return o;
}

static planting some_planting(const kedge_corpus_opts *o)
{
    kedge_error err = {0};
    planting p;

    ck_ok(planting_make(o, &p, &err), err);
    return p;
}

static double topic_share(const planting *p, size_t t)
{
    return t == 0 ? p->upto[0] : p->upto[t] - p->upto[t - 1];
}

/* Adds what a list's cells say of its words. */
static void add_list(const planting *p, size_t list, double share,
                     double *chance)
{
    const size_t from = p->list_at[list], to = p->list_at[list + 1];

    for (size_t i = from; i < to; i++) {
        const double own = ldexp((double)p->cells[i].share, -32);
        chance[p->cells[i].own] += share * own / (double)(to - from);
        chance[p->cells[i].other] += share * (1 - own) / (double)(to - from);
    }
}

START_TEST(ids_are_ranks_that_were_shuffled)
{
    const kedge_corpus_opts o = some_opts();
    planting p = some_planting(&o);
    bool *const seen = calloc(WORDS, sizeof *seen);
    double moved = 0;

    for (size_t id = 0; id < WORDS; id++) {
        ck_assert_uint_lt(p.rank[id], WORDS);
        ck_assert(!seen[p.rank[id]]);
        seen[p.rank[id]] = true;
        moved += fabs((double)p.rank[id] - (double)id);
    }
    /* a third of the range, for orders that know nothing of each other */
    ck_assert_double_eq_tol(moved / WORDS / WORDS, 1.0 / 3, 0.01);
    free(seen);
    planting_free(&p);
}
END_TEST

/* General words have exactly their part of Zipf's law, those of topics as
 * nearly as lists can have it. */
START_TEST(all_lists_together_keep_the_law)
{
    const kedge_corpus_opts o = some_opts();
    planting p = some_planting(&o);
    double *const chance = calloc(WORDS, sizeof *chance);
    double sum = 0, moved = 0;

    add_list(&p, 0, p.general, chance);
    for (size_t t = 0; t < TOPICS; t++)
        add_list(&p, t + 1, (1 - p.general) * topic_share(&p, t), chance);
    for (size_t r = 1; r <= WORDS; r++)
        sum += pow((double)r + o.shift, -o.exponent);
    for (size_t id = 0; id < WORDS; id++) {
        const uint32_t rank = p.rank[id];
        const double law = pow(rank + 1 + o.shift, -o.exponent) / sum;
        const double off = fabs(chance[id] / law - 1);
        if (p.home[rank][0] == PLANTING_NONE)
            ck_assert_double_lt(off, 1e-6);
        moved += law * off;
    }
    ck_assert_double_lt(moved, 0.12);
    free(chance);
    planting_free(&p);
}
END_TEST

/* Every topic has its share of words, frequent ones among them, and a list has
 * no word of another home. */
START_TEST(topics_have_words_of_their_own)
{
    const kedge_corpus_opts o = some_opts();
    planting p = some_planting(&o);
    size_t own[TOPICS] = {0}, frequent[TOPICS] = {0}, topical = 0, two = 0;

    for (size_t r = 0; r < WORDS; r++) {
        const uint16_t *const home = p.home[r];
        if (home[0] == PLANTING_NONE)
            continue;
        topical++;
        two += home[1] != PLANTING_NONE;
        ck_assert_uint_ne(home[0], home[1]);
        own[home[0]]++;
        frequent[home[0]] += r < WORDS / 10;
    }
    ck_assert_double_eq_tol((double)topical / WORDS, 0.5, 0.02);
    ck_assert_double_eq_tol((double)two / (double)topical, 0.3, 0.02);
    for (size_t t = 0; t < TOPICS; t++) {
        const double share = topic_share(&p, t);
        ck_assert_double_eq_tol((double)own[t], share * (double)topical, 4);
        ck_assert_double_eq_tol((double)frequent[t],
                                share * (double)topical / 10, 6);
        for (size_t i = p.list_at[t + 1]; i < p.list_at[t + 2]; i++) {
            const uint16_t *const home = p.home[p.rank[p.cells[i].own]];
            ck_assert(home[0] == t || home[1] == t);
        }
    }
    planting_free(&p);
}
END_TEST

START_TEST(groups_part_the_topics)
{
    kedge_corpus_opts o = some_opts();
    size_t topics[] = {2, 3, 50, 99, 100};

    for (int c = 0; c < 5; c++) {
        int seen[100] = {0};
        planting p;
        o.topics = topics[c];
        p = some_planting(&o);
        ck_assert_uint_eq(p.groups, (size_t)sqrt((double)topics[c]));
        ck_assert_uint_eq(p.group_at[p.groups], topics[c]);
        for (size_t g = 0; g < p.groups; g++)
            for (size_t i = p.group_at[g]; i < p.group_at[g + 1]; i++) {
                seen[p.grouped[i].own]++;
                ck_assert_uint_eq(planting_group(&p, p.grouped[i].own), g);
                ck_assert_uint_eq(planting_group(&p, p.grouped[i].other), g);
            }
        for (size_t t = 0; t < topics[c]; t++)
            ck_assert_int_eq(seen[t], 1);
        planting_free(&p);
    }
}
END_TEST

/* As few words as the options allow leave no list empty. */
START_TEST(the_smallest_have_a_word_in_each_list)
{
    kedge_corpus_opts o = some_opts();

    for (o.topics = 2; o.topics <= 2000; o.topics *= 3) {
        planting p;
        o.vocabulary = 32 * o.topics;
        for (o.seed = 1; o.seed < 6; o.seed++) {
            p = some_planting(&o);
            for (size_t list = 0; list <= p.topics; list++)
                ck_assert_uint_lt(p.list_at[list], p.list_at[list + 1]);
            planting_free(&p);
        }
    }
}
END_TEST

START_TEST(it_survives_that_memory_runs_out)
{
    const kedge_corpus_opts o = some_opts();
    kedge_status st = KEDGE_ENOMEM;
    kedge_error err = {0};
    planting p;

    for (long k = 0; st == KEDGE_ENOMEM; k++) {
        ck_assert_int_lt(k, 200);
        gate_allow(k);
        st = planting_make(&o, &p, &err);
        gate_open();
        ck_assert_int_eq(st == KEDGE_OK, p.rank != NULL);
    }
    ck_ok(st, err);
    planting_free(&p);
}
END_TEST

UNIT_SUITE("planting",
    ids_are_ranks_that_were_shuffled,
    all_lists_together_keep_the_law,
    topics_have_words_of_their_own,
    groups_part_the_topics,
    the_smallest_have_a_word_in_each_list,
    it_survives_that_memory_runs_out)
