/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_SQUARE_H
#define RECTIFY_SQUARE_H
/*
 * A matrix of all pairs of words, 8 bytes for each, for rectifications that
 * need every entry of it. Results do not depend on the number of threads.
 */
#include <stdint.h>

#include "base/pool.h"

typedef struct square {
    pool *p;
    size_t rows;
    double *c;     /* rows x rows */
    double *part;  /* by row: what each added up */
} square;

kedge_status square_create(square *s, pool *p, size_t rows, kedge_error *err);
void square_free(square *s);

/* c = beta c + YY', y rows x k. */
void square_compose(square *s, const double *y, size_t k, double beta);

/* Makes other entries of some, `count` in a row, and gives back what is to be
 * added up. */
typedef double square_change(void *data, double *c, size_t count);

/* All entries; the sum of what `change` gave back, in a fixed order. */
double square_each(square *s, square_change *change, void *data);

/* out = C x, both rows x k; `data` is a square. */
kedge_status square_apply(void *data, const double *x, size_t k, double *out,
                          kedge_error *err);

#endif
