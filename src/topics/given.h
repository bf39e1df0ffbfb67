/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_GIVEN_H
#define TOPICS_GIVEN_H
/* Anchors that were given: of a topic one word, or several, which are taken
 * together ("tandem anchors"). */
#include <stdbool.h>
#include <stdint.h>

#include "topics/anchors.h"

typedef struct given {
    size_t topics;     /* that anchors are given for: the first so many */
    size_t *begin;     /* topics + 1: topic t has the words begin[t] .. */
    uint64_t *row;     /* .. begin[t + 1] - 1 of these */
} given;

void given_free(given *g);

static inline size_t given_words(const given *g, size_t topic)
{
    return g->begin[topic + 1] - g->begin[topic];
}

/* Whether some topic has several. */
bool given_several(const given *g);

/* The topic whose first word this is, or g->topics. */
size_t given_find(const given *g, uint64_t row);

/* The rows of the statistics that words stand for, and what makes them: the
 * row of word i is y_i Y' / d_i, and X_i = y_i R' / d_i. */
typedef struct given_rows {
    size_t rows, k;
    const double *y;    /* rows x k */
    const double *x;    /* rows x k */
    const double *root; /* k x k: R', lower triangular, R'R = Y'Y */
    const double *d;    /* rows: positive for all words that are given */
} given_rows;

/* The row of a topic of several words, not scaled: the `count` entries from the
 * column `from` on, into out. `scratch` has the topic's words times `count`. */
void given_values(const given *g, size_t topic, const given_rows *r,
                  size_t from, size_t count, double *scratch, double *out);

/*
 * point (topics x k): of each topic what stands for its row in inner products
 * with X. gram (k x k): products of the topics' rows with each other, in its
 * first topics x topics entries. A topic's row is that of its word, or the
 * harmonic mean of its words' rows, scaled to sum to one. ENUMERIC where that
 * is zero.
 */
kedge_status given_points(const given *g, const given_rows *r, double *point,
                          double *gram, kedge_error *err);

#endif
