/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_LEADING_H
#define RECTIFY_LEADING_H
/*
 * The projection to what is positive semidefinite and of rank K, round by
 * round: eigenvectors that begin where the round before left them.
 *
 *   leading_create → leading_guess → (leading_find → leading_update) each round
 */
#include "linalg/tall.h"
#include "linalg/warm.h"
#include "rectify/rounds.h"

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

kedge_status leading_create(leading *l, pool *p, size_t rows, size_t k,
                            kedge_error *err);
void leading_free(leading *l);

/* The eigenvectors to start from: Y's columns at unit length. A column that the
 * spectrum left empty (no K positive eigenvalues) starts as noise. */
void leading_guess(leading *l, const double *y);

/* What of a round a search is. */
typedef struct leading_part {
    const rounds *at;
    double from, to;
} leading_part;

/* The leading eigenpairs of `a`, as well as `opts` needs them. */
kedge_status leading_find(leading *l, const warm_operator *a,
                          const rectify_opts *opts, const leading_part *part,
                          kedge_error *err);

/* y = X Λ^1/2, negative eigenvalues as zero; *change is |YY' - old YY'| over
 * |old YY'|. */
kedge_status leading_update(leading *l, double *y, double *change,
                            kedge_error *err);

/* |Y'e|², which is the sum of YY'. */
double leading_total(size_t rows, size_t k, const double *y);

/* y scaled so that YY' adds up to one, where it adds up to something. */
void leading_normalise(size_t rows, size_t k, double *y);

#endif
