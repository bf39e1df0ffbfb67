/* SPDX-License-Identifier: MIT */
#ifndef METRICS_RANKING_H
#define METRICS_RANKING_H
/*
 * The order in which to show the words of a topic. With B = p(word | topic) and
 * s = p(topic), p(topic k | word i) is B_ik s_k / Σ_l B_il s_l. The relevance
 * with λ is B_ik^2λ p(k | i)^(2-2λ): λ = 1 orders words by B, 0 by p(k | i).
 * It does not include the term weights, so that λ covers the whole range from
 * frequent to exclusive words.
 */
#include <stdbool.h>
#include <stddef.h>

#include <kedge/model.h>

typedef struct ranking {
    size_t rows, topics;
    const double *b;     /* rows x topics */
    const double *share; /* topics */
    const double *mix;   /* rows: from ranking_mix */
    const double *weighted; /* rows x topics; NULL: B */
} ranking;

/* mix[i] = Σ_l B_il s_l, for all topics. */
void ranking_mix(const double *b, const double *share, size_t rows,
                 size_t topics, double *mix);

/* A row with its figures. The relevance is 0 unless `mix` is positive. */
kedge_ranked_word ranking_word(const ranking *r, size_t topic, double lambda,
                               size_t row);

typedef struct ranking_order {
    kedge_rank by; /* probability, relevance or weighted */
    double lambda; /* of relevance */
} ranking_order;

/*
 * Writes the first `count` rows of a topic in this order, largest first, ties
 * by row, to `out`. Leaves out rows of probability 0. Returns the number
 * written.
 */
size_t ranking_top(const ranking *r, size_t topic, ranking_order order,
                   kedge_ranked_word *out, size_t count);

/* kedge_model_exclusivity. */
double ranking_exclusivity(const ranking *r, size_t topic);
/* kedge_model_is_background; a: topic co-occurrence (topics x topics). */
bool ranking_background(const ranking *r, const double *a, size_t topic);

#endif
