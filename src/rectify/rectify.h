/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_RECTIFY_H
#define RECTIFY_RECTIFY_H
/*
 * Rectifications: statistics C = YY' that are positive, of rank K and add up to
 * one. What all of them are asked for and give back, and the table of them.
 */
#include <kedge/control.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "linalg/warm.h"

typedef struct rectify_opts {
    size_t rounds;          /* at most */
    double tolerance;       /* stop when a round changes YY' relatively by
                               less */
    uint64_t budget;        /* ENN: bytes for the correction's entries */
    const warm_operator *c; /* PALM: C, adding up to one */
} rectify_opts;

typedef struct rectify_result {
    size_t rounds;
    double change;         /* of YY' in the last round, relative */
    size_t products;       /* of ENN: of rows x K blocks, in all rounds */
    double negative_share; /* of what is looked at, before the first round */
    double first, last;    /* PALM: what is minimised, but for |C|² / 2, after
                              the first round and the last */
} rectify_result;

/* y (rows x k) comes in as V Λ^1/2, of a C that adds up to one, and becomes the
 * rectified Y. ECANCELED when it is to stop. */
typedef kedge_status rectify_run(pool *p, size_t rows, size_t k, double *y,
                                 const rectify_opts *opts,
                                 const kedge_control *control,
                                 rectify_result *out, kedge_error *err);

/* Epsilon non-negative (paper "On-the-Fly Rectification for Robust
 * Large-Vocabulary Topic Inference", Algorithm 3). Several processes do it
 * together, of their own rows each. */
rectify_run enn_rectify;

/* Proximal Alternating Linearized Minimization (the same paper, Algorithm 4),
 * and its inertial variant: a Y that is not negative itself. A round takes two
 * products with C. */
rectify_run palm_rectify, ipalm_rectify;

/* Alternating projection and cyclic Douglas-Rachford iteration, of every pair
 * of words (paper "Practical Correlated Topic Modeling and Analysis via the
 * Rectified Anchor Word Algorithm", supplement, Algorithms 1 and 2). */
rectify_run ap_rectify, dr_rectify;

typedef struct rectify_method {
    rectify_run *run; /* or NULL: Y stays */
    uint64_t rounds;  /* where nobody says how many */
    bool products;    /* it takes products with C: passes over the documents */
    bool pairs;       /* it holds all pairs of words: of a dense C */
} rectify_method;

extern const rectify_method rectify_methods[]; /* by kedge_rectify */

#endif
