/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_PEEL_H
#define TOPICS_PEEL_H
/*
 * What is left of each candidate's row when the nearest point of the anchors'
 * hull is taken off: SNPA and XRAY choose by it, anchor after anchor.
 */
#include "topics/active.h"
#include "topics/anchors.h"

typedef struct peel {
    const anchors_input *in;
    active_sum sum; /* the hull: mixtures of anchors and zero, or all that are
                       no less than zero */
    size_t count;   /* of anchors so far */
    uint64_t *row;  /* them: in->k at most */
    double *gram;   /* k x k: products of their rows */
    double *rest;   /* candidates x k: what is left, */
    double *length; /* and its length */
    double *scratch; /* for each worker */
} peel;

/* All of every row is left. in->scratch holds the shares of anchors that each
 * row has. */
kedge_status peel_create(pool *p, const anchors_input *in, active_sum sum,
                         peel *out, kedge_error *err);
void peel_free(peel *l);

/* The candidate of which most is left: its place. */
size_t peel_longest(const peel *l);

/* The row becomes an anchor. */
void peel_add(pool *p, peel *l, uint64_t row);

#endif
