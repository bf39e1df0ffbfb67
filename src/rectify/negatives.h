/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_NEGATIVES_H
#define RECTIFY_NEGATIVES_H
/*
 * The correction of ENN: E = max(-Y_I Y', 0) and its mirror image, for the rows
 * I of largest norm, kept sparse: by row, entries for the columns in I. What
 * belongs to a row outside I stands for its mirror image too.
 *
 * A tile of rows whose entries would outgrow its share of the budget is not
 * kept but made again whenever E is applied.
 */
#include <stdint.h>

#include "base/pool.h"

#define NEGATIVES_TILE 128 /* rows that are multiplied at a time */

/* |I|: rows of largest norm whose products with all others are looked at. */
static inline size_t negatives_rows(size_t rows, size_t k)
{
    return 10 * k + 1000 < rows ? 10 * k + 1000 : rows;
}

/* A column in I and a value. */
#define NEGATIVES_ENTRY (sizeof(uint16_t) + sizeof(float))

typedef struct negatives negatives;

/* Room for rectifying rows x k with `picked` rows in I. `budget`: bytes that
 * the entries may take in all. The pool stays with it. */
kedge_status negatives_create(pool *p, size_t rows, size_t k, size_t picked,
                              uint64_t budget, negatives **out,
                              kedge_error *err);
void negatives_free(negatives *e); /* accepts NULL */

typedef struct negatives_found {
    double sum;   /* Σ_ij E_ij, both images */
    double share; /* of negatives in Y_I Y' */
    double noise; /* how far E x may be off for orthonormal x, rows x k: it is
                     applied in single precision */
} negatives_found;

/* Finds I and the entries for this Y, which must stay while E is applied. */
kedge_status negatives_find(negatives *e, const double *y,
                            negatives_found *out, kedge_error *err);

/* out = Y (Y' x) + E x + shift e (e' x), all rows x k. */
kedge_status negatives_apply(negatives *e, double shift, const double *x,
                             double *out, kedge_error *err);

#endif
