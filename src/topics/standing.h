/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_STANDING_H
#define TOPICS_STANDING_H
/*
 * How near words came to be anchors, when these were chosen by pivoted QR: at
 * each step, how far a word's row stood out of the span of the anchors before,
 * beside the one that was chosen there.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

typedef struct standing_input {
    size_t rows, k;
    double *x;              /* rows x k, of embed.h; destroyed */
    const bool *candidate;  /* rows */
    const uint64_t *anchor; /* k rows, as they were chosen one after another */
} standing_input;

typedef struct standing {
    uint64_t row;  /* that is asked about */
    uint64_t rank; /* its best among the candidates, from 1; 0: there was no
                      step */
    size_t step;   /* at which it was that, the first */
    double share;  /* how far it stood out there, of how far the anchor did */
} standing;

/* Fills in all but the row. */
kedge_status standing_find(pool *p, const standing_input *in, standing *asked,
                           size_t count, kedge_error *err);

#endif
