/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_ROUNDS_H
#define RECTIFY_ROUNDS_H
/* Rounds until little changes, and the projection to rank K in each of them:
 * what rectifications have in common. */
#include "base/run.h"
#include "linalg/tall.h"
#include "rectify/rectify.h"

/* Where they are. */
typedef struct rounds {
    stage progress;
    unsigned long before; /* rounds */
} rounds;

/* A share of this round is done; ECANCELED when it is to stop. */
kedge_status rounds_within(const rounds *r, double share, kedge_error *err);

/* One round; out->rounds is how many there were before, and out->change is to
 * be what it changed. */
typedef kedge_status rounds_step(void *data, const rounds *at,
                                 rectify_result *out, kedge_error *err);

/* As many as `opts` says, fewer where one changes less than its tolerance.
 * Clears *out. ECANCELED when it is to stop, between two rounds. */
kedge_status rounds_run(rounds_step *step, void *data,
                        const rectify_opts *opts,
                        const kedge_control *control, rectify_result *out,
                        kedge_error *err);

/* ---- projections to rank K ----------------------------------------------- */

/*
 * The projection to what is positive semidefinite and of rank K, round by
 * round: eigenvectors that begin where the round before left them.
 *
 *   leading_create → leading_project each round → leading_free
 */
typedef struct leading {
    pool *p;
    size_t rows, k;
    tall_part own;  /* of the rows; matrices have these */
    double *x;      /* rows x k: eigenvectors */
    double *values; /* k, falling */
    double *old, *cross; /* k x k: Y'Y before, and between the rounds */
    warm_work work;
    size_t products; /* that were asked for */
} leading;

/* The eigenvectors to start from: Y's columns at unit length. A column that the
 * spectrum left empty (no K positive eigenvalues) starts as noise. */
kedge_status leading_create(leading *l, pool *p, size_t rows, size_t k,
                            const double *y, kedge_error *err);
void leading_free(leading *l);

/* What of a round a search is. */
typedef struct leading_part {
    const rounds *at;
    double from, to;
} leading_part;

/* y = X Λ^1/2 of the leading eigenpairs of `a`, as well as `opts` needs them,
 * negative eigenvalues as zero; *change is |YY' - old YY'| over |old YY'|. */
kedge_status leading_project(leading *l, const warm_operator *a,
                             const rectify_opts *opts,
                             const leading_part *part, double *y,
                             double *change, kedge_error *err);

/* |Y'e|², which is the sum of YY'. */
double leading_total(size_t rows, size_t k, const double *y);

/* y scaled so that YY' adds up to one, where it adds up to something. */
void leading_normalise(size_t rows, size_t k, double *y);

#endif
