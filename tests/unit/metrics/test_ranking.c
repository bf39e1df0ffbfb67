/* SPDX-License-Identifier: MIT */
#include "metrics/ranking.h"

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "unit.h"

/* A topic matrix of few small fractions: sums and products are exact, and
 * there are many ties and zeros. */
typedef struct scene {
    ranking r;
    double *b, *share, *mix;
} scene;

static scene scene_make(uint64_t seed, size_t rows, size_t topics)
{
    scene s = {0};
    uint64_t at = 0;

    s.b = mem_new2(rows, topics, sizeof *s.b);
    s.share = mem_new(topics, sizeof *s.share);
    s.mix = mem_new(rows, sizeof *s.mix);
    for (size_t i = 0; i < rows * topics; i++) {
        const uint64_t pick = hash_stream(seed, at++) % 24;
        s.b[i] = pick < 8 ? 0 : (double)(pick - 7) / 1024;
    }
    for (size_t t = 0; t < topics; t++)
        s.share[t] = (double)(hash_stream(seed, at++) % 8 + 1) / 64;
    ranking_mix(s.b, s.share, rows, topics, s.mix);
    s.r = (ranking){rows, topics, s.b, s.share, s.mix, NULL};
    return s;
}

static void scene_free(scene *s)
{
    mem_free(s->b);
    mem_free(s->share);
    mem_free(s->mix);
}

typedef struct scored {
    double score;
    size_t row;
} scored;

static int compare(const void *left, const void *right)
{
    const scored *const x = left, *const y = right;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static double naive_own(const ranking *r, size_t topic, size_t row)
{
    double sum = 0;

    for (size_t l = 0; l < r->topics; l++)
        sum += r->b[row * r->topics + l] * r->share[l];
    return sum > 0
               ? r->b[row * r->topics + topic] * r->share[topic] / sum
               : 0;
}

static double naive_weighted(const ranking *r, size_t topic, size_t row)
{
    const size_t at = row * r->topics + topic;

    return r->weighted != NULL ? r->weighted[at] : r->b[at];
}

static double naive_relevance(const ranking *r, size_t topic, double lambda,
                              size_t row)
{
    const double own = naive_own(r, topic, row);
    const double p = r->b[row * r->topics + topic];

    if (lambda == 0.5)
        return p * own;
    return own > 0 ? pow(p, 2 * lambda) * pow(own, 2 - 2 * lambda) : 0;
}

static double naive_score(const ranking *r, size_t topic, ranking_order order,
                          size_t row)
{
    switch (order.by) {
    case KEDGE_RANK_RELEVANCE:
        return naive_relevance(r, topic, order.lambda, row);
    case KEDGE_RANK_WEIGHTED:
        return naive_weighted(r, topic, row);
    default:
        return r->b[row * r->topics + topic];
    }
}

static size_t naive_sort(const ranking *r, size_t topic, ranking_order order,
                         scored *list)
{
    size_t size = 0;

    for (size_t i = 0; i < r->rows; i++) {
        const double p = r->b[i * r->topics + topic];
        if (p > 0)
            list[size++] = (scored){naive_score(r, topic, order, i), i};
    }
    qsort(list, size, sizeof *list, compare);
    return size;
}

static void check_topic(const ranking *r, size_t topic, ranking_order order)
{
    const size_t counts[] = {0, 1, 2, 7, 20, r->rows, r->rows + 10};
    OWNED scored *list = mem_new(r->rows, sizeof *list);
    const size_t size = naive_sort(r, topic, order, list);

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        OWNED kedge_ranked_word *out = mem_new(counts[c], sizeof *out);
        const size_t got = ranking_top(r, topic, order, out, counts[c]);

        ck_assert_uint_eq(got, counts[c] < size ? counts[c] : size);
        for (size_t i = 0; i < got; i++) {
            ck_assert_uint_eq(out[i].row, list[i].row);
            ck_assert_double_eq(out[i].probability,
                                r->b[out[i].row * r->topics + topic]);
            ck_assert_double_eq(out[i].relevance,
                                naive_relevance(r, topic, order.lambda,
                                                out[i].row));
            ck_assert_double_eq(out[i].weighted,
                                naive_weighted(r, topic, out[i].row));
        }
    }
}

static const ranking_order orders[] = {
    {KEDGE_RANK_PROBABILITY, 0.5}, {KEDGE_RANK_RELEVANCE, 0.5},
    {KEDGE_RANK_WEIGHTED, 0.5},    {KEDGE_RANK_RELEVANCE, 0},
    {KEDGE_RANK_RELEVANCE, 1},     {KEDGE_RANK_RELEVANCE, 0.25}};

#define ORDERS (sizeof orders / sizeof *orders)

/* Weights change the order, and none of the probabilities. */
TEST(ranking_agrees_with_a_full_sort)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        const size_t rows = 1 + hash_stream(seed, 1000) % 300;
        const size_t topics = 1 + hash_stream(seed, 2000) % 9;
        OWN(scene_free) scene s = scene_make(seed, rows, topics);
        OWNED double *w = mem_new2(rows, topics, sizeof *w);

        for (size_t i = 0; i < rows * topics; i++)
            w[i] = s.b[i] * (double)(1 + hash_stream(seed, i / topics) % 7) / 4;
        s.r.weighted = seed < 30 ? NULL : w;
        for (size_t t = 0; t < topics; t++)
            for (size_t o = 0; o < ORDERS; o++)
                check_topic(&s.r, t, orders[o]);
    }
}

static void check_same_order(const ranking *r, ranking_order a,
                             ranking_order b)
{
    kedge_ranked_word one[40], other[40];
    const size_t got = ranking_top(r, 0, a, one, 40);

    ck_assert_uint_eq(ranking_top(r, 0, b, other, 40), got);
    for (size_t i = 0; i < got; i++)
        ck_assert_uint_eq(one[i].row, other[i].row);
}

TEST(lambda_goes_from_the_topics_own_to_the_frequent)
{
    static const double share[] = {0.5, 0.5};
    /* rows: frequent and shared, its own and rare, in between */
    static const double b[] = {0.5, 0.5, 0.0625, 0, 0.25, 0.125};
    double mix[3];
    const ranking r = {3, 2, b, share, mix, NULL};
    kedge_ranked_word out[3];

    ranking_mix(b, share, 3, 2, mix);
    check_same_order(&r, (ranking_order){KEDGE_RANK_RELEVANCE, 1},
                     (ranking_order){KEDGE_RANK_PROBABILITY, 0.5});
    ck_assert_uint_eq(
        ranking_top(&r, 0, (ranking_order){KEDGE_RANK_RELEVANCE, 0}, out, 3),
        3);
    ck_assert_uint_eq(out[0].row, 1);
    ck_assert_uint_eq(out[1].row, 2);
    ck_assert_uint_eq(out[2].row, 0);
    ck_assert_double_eq(out[1].relevance, pow(2.0 / 3, 2));
}

TEST(ranking_bears_odd_shares)
{
    const double b[] = {0.5, 0, 0.25, NAN, 0, 1, -0.5, 0};
    const double share[] = {0, 1};
    double mix[4];
    const ranking r = {4, 2, b, share, mix, NULL};
    kedge_ranked_word out[4];

    ranking_mix(b, share, 4, 2, mix);
    ck_assert_uint_eq(ranking_top(&r, 0, orders[1], out, 4), 2);
    ck_assert_uint_eq(out[0].row, 0);
    ck_assert_double_eq(out[0].relevance, 0);
    ck_assert_double_eq(out[1].relevance, 0);
    ck_assert_uint_eq(ranking_top(&r, 1, orders[0], out, 4), 1);
    ck_assert_uint_eq(out[0].row, 2);
}

/* The mean of p(topic | word) over the first ten words by relevance. */
TEST(exclusivity_is_that_of_the_first_words)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        OWN(scene_free) scene s = scene_make(seed, 60, 4);
        for (size_t t = 0; t < 4; t++) {
            kedge_ranked_word first[10];
            double sum = 0;
            const size_t got = ranking_top(
                &s.r, t, (ranking_order){KEDGE_RANK_RELEVANCE, KEDGE_LAMBDA},
                first, 10);
            ck_assert_uint_eq(got, 10);
            for (size_t i = 0; i < got; i++)
                sum += naive_own(&s.r, t, first[i].row);
            ck_assert_double_eq_tol(ranking_exclusivity(&s.r, t), sum / 10,
                                    1e-15);
        }
    }
}

/* Two topics: shares of the first from half of all documents up. */
TEST(large_topics_that_keep_to_themselves_are_no_background)
{
    const double b[] = {1, 0, 0, 1}; /* words of their own */
    double share[2], mix[2];
    const ranking r = {2, 2, b, share, mix, NULL};

    for (int i = 5; i < 10; i++) {
        const double p = i / 10.0, q = 1 - p;
        const double apart[] = {p, 0, 0, q}, chance[] = {p * p, p * q, p * q,
                                                         q * q};
        share[0] = mix[0] = p;
        share[1] = mix[1] = q;
        ck_assert(!ranking_background(&r, apart, 0));
        ck_assert(!ranking_background(&r, apart, 1));
        ck_assert(ranking_background(&r, chance, 0));
        ck_assert(ranking_background(&r, chance, 1));
    }
}
