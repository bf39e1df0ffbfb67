/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_LAW_H
#define TOPICS_LAW_H
/*
 * Low-rank Anchor Word algorithm (paper "On-the-Fly Rectification for Robust
 * Large-Vocabulary Topic Inference", Algorithm 5): from the rectified Y to
 * anchors S, topics B and correlations A.
 */
#include <kedge/fit.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "topics/given.h"

/* Which of the ways to take; zeros are the algorithm as it is printed. */
typedef struct law_ways {
    kedge_anchors anchors;
    size_t project; /* see kedge_fit_opts, */
    uint64_t seed;  /* and of the projection */
    kedge_solver solver;
    kedge_recover recover;
    bool legal;     /* A is projected: see legal.h */
    bool several;   /* anchors were given for some topic, */
    bool banned;    /* words banned: only for telling */
} law_ways;

/* Where several processes work together, `rows` are all, and what has a value
 * by row is of the own ones (linalg/tall.h); anchors and words are told by
 * their place among all. */
typedef struct law_input {
    size_t rows, k;
    const double *y;    /* rows x k */
    const double *sums; /* rows: the exact C·1, not negative */
    const double *weight; /* rows, or NULL: y and sums are those of D C D, and
                             b and a become those of C: see law.c */
    const uint64_t *df; /* rows */
    uint64_t min_df;    /* of an anchor */
    bool diagonal;      /* A from the anchors' rows alone */
    law_ways ways;
    const given *given; /* anchors of the first topics, or NULL: pivoted QR
                           finds the others */
    const bool *banned; /* rows that are no anchors, or NULL */
    const anchors_matrix *counted; /* what y is of, for COUNTED */
    size_t steps;       /* of ADMM at most, */
    double tolerance;   /* and its changes; see law.c for the others' */
    const kedge_control *control; /* is told of it and stops it, or NULL */
} law_input;

#define LAW_CHARACTERISTIC 40 /* words kept for each anchor */

typedef struct law_output {
    double *b;        /* rows x k; columns sum to 1 */
    double *a;        /* k x k, symmetric */
    uint64_t *anchor; /* k rows; of several given for a topic the first */
    double *residual; /* k: how far anchors stick out: see anchors.h */
    uint64_t *characteristic; /* k x LAW_CHARACTERISTIC rows, the words that
                                 co-occur most with the anchor */
    size_t characteristic_count; /* of each: LAW_CHARACTERISTIC or `rows` */
    double sum, negative; /* of A, and of its negative entries, before it was
                             made legal */
    size_t candidates;
    size_t steps;     /* of the solver, at most */
    size_t unsettled; /* words that ran out of steps */
} law_output;

/* Topics come in order of falling share, the row sums of A. ECANCELED when it
 * is to stop. */
kedge_status law_fit(pool *p, const law_input *in, law_output *out,
                     kedge_error *err);
void law_free(law_output *o);

/* B was changed: A follows it, by the same way from the same rows, and topics
 * come in order of falling share again. Where words have weights, B and A are
 * without them, before and after. */
kedge_status law_correlate(pool *p, const law_input *in, law_output *out,
                           kedge_error *err);

/* Numbers the topics anew: order[n] is the one that becomes topic n. */
kedge_status law_permute(size_t rows, size_t k, const size_t *order,
                         law_output *out, kedge_error *err);

/* The floor that follows the corpus: 1 document in 3,000, between 30 and 100,
 * and low enough to leave 20 candidates a topic. */
uint64_t law_default_min_df(const uint64_t *df, size_t rows,
                            uint64_t documents, size_t k);

#endif
