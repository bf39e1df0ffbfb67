/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_PIECE_H
#define COMPOSE_PIECE_H
/*
 * The documents that one task works on: the same ones whatever the number of
 * threads, so that sums over pieces, in their order, are the same as well.
 */
#include <stddef.h>

#include "compose/squares.h"

#define PIECE_MOST 128 /* documents */

typedef struct piece {
    size_t count, stride; /* documents; numbers from one row to the next */
    double *q;            /* B'Dh / n */
    double *w;            /* shares; in and out */
    double *dual;         /* PAMI: Λ, in and out */
    double *sum;          /* k x k: PAMI: Σ xx', out */
    double *work;         /* scratch: 3 x PIECE_MOST x k */
    squares *squares;
} piece;

#endif
