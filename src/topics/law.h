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
#include "topics/anchors.h"
#include "topics/simplex.h"

/* Which of the ways to take; zeros are the algorithm as it is printed. */
typedef struct law_ways {
    kedge_anchors anchors;
    size_t project; /* see kedge_fit_opts, */
    uint64_t seed;  /* and of the projection */
    kedge_solver solver;
    kedge_recover recover;
    bool legal;     /* A is projected: by legal_project */
    bool several;   /* anchors were given for some topic, */
    bool banned;    /* words banned: only to be reported */
} law_ways;

/* Where several processes work together, `rows` are all, and arrays with a
 * value by row have the own ones (linalg/tall.h); anchors and words are
 * numbers of rows among all. */
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
    const kedge_control *control; /* hears of it and stops it, or NULL */
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

/* Topics come in order of falling share, the row sums of A; ways.recover may be
 * the one without anchors, below. ECANCELED when the control stops it. */
kedge_status law_fit(pool *p, const law_input *in, law_output *out,
                     kedge_error *err);
void law_free(law_output *o);

/* After B was changed: A is computed from it and the same rows as before, and
 * topics come in order of falling share again. Where words have weights, B and
 * A are without them, before and after. */
kedge_status law_correlate(pool *p, const law_input *in, law_output *out,
                           kedge_error *err);

/* Renumbers the topics: topic order[n] becomes topic n. */
kedge_status law_permute(size_t rows, size_t k, const size_t *order,
                         law_output *out, kedge_error *err);

/* The floor that follows the corpus: 1 document in 3,000, between 30 and 100,
 * and low enough to leave 20 candidates a topic. */
uint64_t law_default_min_df(const uint64_t *df, size_t rows,
                            uint64_t documents, size_t k);

/* ---- without anchors ---------------------------------------------------- */

/*
 * AnchorFree (paper "Anchor-Free Correlated Topic Modeling: Identifiability and
 * Algorithm", Algorithm 2): topics without a word that is one topic's alone,
 * from the same rows and to the same output as law_fit. `steps` of the output
 * are the rounds of all starts. As a topic's anchor serves the candidate word
 * that is most the topic's own, and its residual is 0;
 * characteristic words co-occur most with the topic as a whole. `diagonal` and
 * what is for ADMM are not looked at.
 */
kedge_status anchorfree_fit(pool *p, const law_input *in, law_output *out,
                            kedge_error *err);

/* Room for an output, for law_free even after a failure. */
kedge_status law_output_create(size_t rows, size_t k, law_output *out,
                               kedge_error *err);

/* The characteristic words: rows of the largest in each column of `values` (own
 * rows x k). */
kedge_status law_list(pool *p, size_t rows, size_t k, const double *values,
                      law_output *out, kedge_error *err);

/* ---- other ways to topics ----------------------------------------------- */

/*
 * Recover, the first of its kind: topics by a matrix inverse.
 *
 * b (rows x k): topics of the statistics YY' with anchors in these k rows,
 * columns not negative and summing to one. The correlations that go with them
 * are diag(z) Y_S Y_S' diag(z), with z (k). ENUMERIC when the anchors' rows
 * depend on each other, or a topic has no mass.
 */
kedge_status recover_topics(pool *p, size_t rows, size_t k, const double *y,
                            const uint64_t *anchor, double *b, double *z,
                            kedge_error *err);

#define KL_COLUMNS 2000 /* of the statistics that are told apart */

/*
 * RecoverKL: mixtures of the anchors' rows that make words' rows as likely as
 * possible, instead of as near.
 *
 * shares (rows x k): each row is not negative, sums to 1, and minimises the
 * divergence of the word's row from the mixture of the anchors' rows, to 1e-9
 * nats; see kl.c for what a row is. d (rows) are the sums of the rows of YY',
 * `columns` are told apart at most, and `now` is told of the words. The same
 * for any number of threads.
 */
kedge_status kl_solve(pool *p, const law_input *in, const double *d,
                      const uint64_t *anchor, size_t columns,
                      const stage *now, double *shares, simplex_result *out,
                      kedge_error *err);

/* ---- words as points ---------------------------------------------------- */

/*
 * Words as points: rows of X = diag(d)^-1 Y R' with C C' = Y R'R Y', between
 * which distances and angles are those between the normalised rows of C. Of
 * C = YY' that is R'R = Y'Y.
 */
/* d = Y (Y'e), the row sums of YY'; `scratch` has k. */
void embed_sums(pool *p, size_t rows, size_t k, const double *y,
                double *scratch, double *d);

/* R (k x k), upper triangular, in place of R'R; an empty column of Y stays
 * empty. */
kedge_status embed_factor(double *gram, size_t k, kedge_error *err);

/* The same with R'. */
kedge_status embed_root(double *gram, size_t k, kedge_error *err);

/* x (rows x k) by R' (k x k) in `root`. A row is divided by its d; where that
 * is not positive by its sum; a row without either is zero. */
void embed_rows(pool *p, size_t rows, size_t k, const double *y,
                const double *d, const double *sums, const double *root,
                double *x);

/* ---- correlations ------------------------------------------------------- */

/* `a` (k x k) becomes the nearest matrix, by the sum of squares, that is
 * symmetric, has no negative entry and sums to one. */
void legal_project(double *a, size_t k);

/*
 * alpha (k): of the Dirichlet with the mean of A (k x k, symmetric) and with
 * second moments that are nearest to A's, by the sum of squares. *misfit: how
 * far these are from A's, relative to them. false, with zeros, where there is
 * none: a topic without a share, or topics that vary less or more than any
 * Dirichlet's.
 */
bool dirichlet_match(const double *a, size_t k, double *alpha, double *misfit);

/* The sum of alpha alone, 0 where there is none. */
kedge_status dirichlet_total(const double *a, size_t k, double *total,
                             double *misfit, kedge_error *err);

#endif
