/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_MATCH_H
#define TOPICS_MATCH_H
/*
 * Which topics of two models are the same: first those with the same anchor
 * word, where the topics themselves are near, then the others so that the sum
 * of the distances is the least. One topic has one partner at most.
 *
 * The distance of two topics is their total variation, half the sum of the
 * differences |p(word | topic) - p'(word | topic')|: 0 for the same topic, 1
 * for two without a word in common.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

/*
 * Topics farther apart than MATCH_LIMIT are not the same; topics with the same
 * anchor are, up to MATCH_ANCHOR_LIMIT, whatever else is near.
 *
 * Measured between models of half a corpus and of the whole, three corpora of
 * news and blogs (2,200 to 5,000 documents), 20 and 50 topics. All topics with
 * the same anchor were 0.17 to 0.56 apart. Of pairs formed by distance, those
 * at 0.3 to 0.4 share 7 of their 10 most probable words, at 0.5 to 0.6 4 or 5,
 * at 0.6 to 0.7 2 or 3, and beyond 0.8 none. Few are near 0.7: where there is
 * no partner, the nearest topic is farther away.
 */
#define MATCH_LIMIT        0.7
#define MATCH_ANCHOR_LIMIT 0.6

#define MATCH_NONE SIZE_MAX

/* One of the two models. Words count that both have; the others' probability is
 * in no minimum, see match.c. */
typedef struct match_side {
    const double *b;      /* rows x k: p(word | topic), columns sum to 1 */
    size_t k;
    const uint32_t *row;  /* of the i-th common word */
    const uint64_t *anchor; /* k rows */
} match_side;

/* distance[i * right->k + j], from 0 to 1; the same for any number of threads.
 * `common`: words that both models have. */
void match_distances(pool *p, const match_side *left, const match_side *right,
                     size_t common, double *distance);

/*
 * partner[i], for each of the `rows` rows: its column, or MATCH_NONE. The sum
 * of the costs of all pairs, plus `limit` for each that could be formed but is
 * not, is the least there is; no pair costs more than `limit`. Costs are from 0
 * to 1 and count to 2^-40. Of equally good answers it is always the same.
 */
kedge_status match_assign(const double *cost, size_t rows, size_t cols,
                          double limit, size_t *partner, kedge_error *err);

/* partner[i]: the right topic that the left topic i is, or MATCH_NONE. The
 * distances are those of match_distances. */
kedge_status match_topics(const match_side *left, const match_side *right,
                          size_t common, const double *distance,
                          size_t *partner, kedge_error *err);

/*
 * order[n]: the one of `k` topics that gets number n. Those that have a partner
 * among the `old` numbered ones get its number, as far as there is such a
 * number below k; the others get the free numbers, first come, first served.
 */
kedge_status match_order(const size_t *partner, size_t old, size_t k,
                         size_t *order, kedge_error *err);

#endif
