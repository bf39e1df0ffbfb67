/* SPDX-License-Identifier: MIT */
#ifndef METRICS_RANKING_H
#define METRICS_RANKING_H
/*
 * Which words to show of a topic. With B the p(word | topic) and s the topics'
 * shares, p(topic k | word i) is B_ik s_k / sum_l B_il s_l. The relevance is
 * B_ik^2l p(k | i)^(2-2l), of words that are both frequent in the topic and its
 * own: l = 1 orders words as B does, 0 as p(k | i). So l goes all the way from
 * words that most documents of a topic have to those that no other topic has.
 * Words' weights are left out of it: they would begin the way in its middle.
 */
#include <stdbool.h>
#include <stddef.h>

#include <kedge/model.h>

typedef struct ranking {
    size_t rows, topics;
    const double *b;     /* rows x topics */
    const double *share; /* topics */
    const double *mix;   /* rows: the sums over l, from ranking_mix */
    const double *weighted; /* rows x topics, or NULL: B is */
} ranking;

/* mix[i] = sum_l B_il s_l; every topic's ranking needs them. */
void ranking_mix(const double *b, const double *share, size_t rows,
                 size_t topics, double *mix);

/* A row with what it is ranked by. Relevance is 0 where `mix` is not above. */
kedge_ranked_word ranking_word(const ranking *r, size_t topic, double lambda,
                               size_t row);

typedef struct ranking_order {
    kedge_rank by; /* probability, relevance or weighted */
    double lambda; /* of relevance */
} ranking_order;

/*
 * The first `count` rows of a topic in this order, the larger first, ties by
 * row. Rows of probability 0 are left out. Returns how many there are.
 */
size_t ranking_top(const ranking *r, size_t topic, ranking_order order,
                   kedge_ranked_word *out, size_t count);

/* kedge_model_exclusivity. */
double ranking_exclusivity(const ranking *r, size_t topic);
/* kedge_model_is_background; the topics together (topics x topics). */
bool ranking_background(const ranking *r, const double *a, size_t topic);

#endif
