/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_LAW_H
#define TOPICS_LAW_H
/*
 * Low-rank Anchor Word algorithm (paper "On-the-Fly Rectification for Robust
 * Large-Vocabulary Topic Inference", Algorithm 5): from the rectified Y to
 * anchors S, topics B and topic co-occurrence A.
 */
#include <kedge/fit.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "topics/anchors.h"
#include "topics/simplex.h"

/* Which methods to use; all zeros: the algorithm of the paper. */
typedef struct law_ways {
    kedge_anchors anchors;
    size_t project; /* kedge_fit_opts.projection */
    uint64_t seed;  /* of the projection */
    kedge_solver solver;
    kedge_recover recover;
    bool legal;     /* legal_project is applied to A */
    bool several;   /* reported only: some topic was given several anchors, */
    bool banned;    /* words were banned */
} law_ways;

/* With several processes `rows` counts all rows, arrays by row have this rank's
 * own (linalg/tall.h), and anchors and words are numbers among all rows. */
typedef struct law_input {
    size_t rows, k;
    const double *y;    /* rows x k */
    const double *sums; /* rows: the exact C·1, not negative */
    const double *weight; /* rows, or NULL. y and sums are of D C D; b and a
                             are of C, see law.c */
    const uint64_t *df; /* rows */
    uint64_t min_df;    /* of an anchor */
    bool diagonal;      /* A from the rows of the anchors */
    law_ways ways;
    const given *given; /* anchors of the first topics, or NULL: pivoted QR
                           finds the others */
    const bool *banned; /* rows that must not be anchors, or NULL */
    const anchors_matrix *counted; /* for COUNTED: C before rectification */
    size_t steps;       /* most steps of ADMM */
    double tolerance;   /* of ADMM; the other solvers': law.c */
    const kedge_control *control; /* for progress and `stop`; may be NULL */
} law_input;

#define LAW_CHARACTERISTIC 40 /* words kept for each anchor */

typedef struct law_output {
    double *b;        /* rows x k; columns sum to 1 */
    double *a;        /* k x k, symmetric */
    uint64_t *anchor; /* k rows; the first of several that were given */
    double *residual; /* k: distances of the anchors, see anchors.h */
    uint64_t *characteristic; /* k x LAW_CHARACTERISTIC rows: the words that
                                 co-occur most with the anchor */
    size_t characteristic_count; /* per topic: LAW_CHARACTERISTIC or `rows` */
    double sum, negative; /* sums of A and of its negative entries, before
                             legal_project */
    size_t candidates;
    size_t steps;     /* of the solver, for the slowest word */
    size_t unsettled; /* words not converged after the last step */
} law_output;

/* Topics are in the order of falling prevalence, the row sums of A. For
 * ways.recover ANCHOR_FREE it calls anchorfree_fit. ECANCELED, ENUMERIC. */
kedge_status law_fit(pool *p, const law_input *in, law_output *out,
                     kedge_error *err);
void law_free(law_output *o);

/* Computes A again after B was changed, from the rows of the same input, and
 * sorts the topics by prevalence again. B and A are without weights, before and
 * after. */
kedge_status law_correlate(pool *p, const law_input *in, law_output *out,
                           kedge_error *err);

/* Renumbers the topics: topic order[n] becomes topic n. */
kedge_status law_permute(size_t rows, size_t k, const size_t *order,
                         law_output *out, kedge_error *err);

/* The default of min_df: 1/3000 of the documents, between 30 and 100, and lower
 * if that leaves fewer than 20 candidates per topic. */
uint64_t law_default_min_df(const uint64_t *df, size_t rows,
                            uint64_t documents, size_t k);

/* ---- without anchors ---------------------------------------------------- */

/*
 * AnchorFree (paper "Anchor-Free Correlated Topic Modeling: Identifiability and
 * Algorithm", Algorithm 2): topics without anchor words, with the input and
 * output of law_fit. `steps` are the rounds of all starts. A topic's anchor is
 * the candidate with the largest p(topic | word), its residual 0;
 * characteristic words are those that co-occur most with the topic. `diagonal`
 * and the members for ADMM are not used.
 */
kedge_status anchorfree_fit(pool *p, const law_input *in, law_output *out,
                            kedge_error *err);

/* Allocates an output; law_free frees it, after a failure too. */
kedge_status law_output_create(size_t rows, size_t k, law_output *out,
                               kedge_error *err);

/* The characteristic words of each topic: the rows with the largest entries in
 * its column of `values` (own rows x k). */
kedge_status law_list(pool *p, size_t rows, size_t k, const double *values,
                      law_output *out, kedge_error *err);

/* ---- other ways to topics ----------------------------------------------- */

/*
 * Recover, the first published method: topics by a matrix inverse.
 *
 * b (rows x k): the topics of YY' for these k anchors; columns are not negative
 * and sum to 1. Their topic co-occurrence is diag(z) Y_S Y_S' diag(z), with z
 * (k). ENUMERIC (the anchors' rows are linearly dependent, or a topic has no
 * mass).
 */
kedge_status recover_topics(pool *p, size_t rows, size_t k, const double *y,
                            const uint64_t *anchor, double *b, double *z,
                            kedge_error *err);

#define KL_COLUMNS 2000 /* words whose columns are used one by one */

/*
 * RecoverKL: mixtures of the anchors' rows by divergence in place of squares.
 *
 * shares (rows x k): each row is not negative, sums to 1, and minimises the
 * Kullback-Leibler divergence of the word's row from the mixture of the
 * anchors' rows, to 1e-9 nats (kl.c describes the rows). d (rows): row sums of
 * YY'. At most `columns` columns are used one by one, the others as one. `now`
 * gets the progress. The same for any number of threads.
 */
kedge_status kl_solve(pool *p, const law_input *in, const double *d,
                      const uint64_t *anchor, size_t columns,
                      const stage *now, double *shares, simplex_result *out,
                      kedge_error *err);

/* ---- words as points ---------------------------------------------------- */

/*
 * Words as points: rows of X = diag(d)^-1 Y R' with C C' = Y R'R Y'. Distances
 * and angles between them are those of the normalised rows of C. For C = YY',
 * R'R = Y'Y.
 */
/* d = Y (Y'e), the row sums of YY'; `scratch` has k. */
void embed_sums(pool *p, size_t rows, size_t k, const double *y,
                double *scratch, double *d);

/* R (k x k), upper triangular, in place of R'R; an empty column of Y stays
 * empty. */
kedge_status embed_factor(double *gram, size_t k, kedge_error *err);

/* The same with R'. */
kedge_status embed_root(double *gram, size_t k, kedge_error *err);

/* x (rows x k), with R' (k x k) in `root`. A row is divided by its d, or by its
 * sum if d is not positive; a row for which neither is positive becomes 0. */
void embed_rows(pool *p, size_t rows, size_t k, const double *y,
                const double *d, const double *sums, const double *root,
                double *x);

/* ---- topic co-occurrence ------------------------------------------------ */

/* Replaces `a` (k x k) by the nearest matrix (least squares) that is symmetric,
 * not negative, and sums to 1. */
void legal_project(double *a, size_t k);

/*
 * alpha (k): of the Dirichlet that has the mean of A (k x k, symmetric) and the
 * second moments nearest to A's (least squares). *misfit: their relative
 * distance from A's. false, with zeros, if there is none: a topic has
 * prevalence 0, or topics vary less or more than a Dirichlet allows.
 */
bool dirichlet_match(const double *a, size_t k, double *alpha, double *misfit);

/* The sum of alpha alone, 0 where there is none. */
kedge_status dirichlet_total(const double *a, size_t k, double *total,
                             double *misfit, kedge_error *err);

#endif
