/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_KL_H
#define TOPICS_KL_H
/* RecoverKL: the shares that words' rows have of the anchors' rows, as likely
 * as can be instead of as near. */
#include "topics/given.h"
#include "topics/simplex.h"

#define KL_COLUMNS 2000 /* of the statistics that are told apart */

typedef struct kl_input {
    size_t rows, k;
    const double *y;    /* rows x k: the statistics are YY' */
    const double *sums; /* rows: columns of the largest are told apart */
    const double *d;    /* rows: sums of the rows of YY' */
    const uint64_t *anchor; /* k rows, */
    const given *given; /* and topics with several, or NULL */
    size_t columns;     /* told apart at most: KL_COLUMNS */
    const stage *told;  /* of its words, or NULL */
} kl_input;

/*
 * shares (rows x k): each row is not negative, sums to 1, and minimises the
 * divergence of the word's row from the mixture of the anchors' rows, to 1e-9
 * nats; see kl.c for what a row is. The same for any number of threads.
 */
kedge_status kl_solve(pool *p, const kl_input *in, double *shares,
                      simplex_result *out, kedge_error *err);

#endif
