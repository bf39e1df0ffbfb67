/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_WEIGHTS_H
#define COOCCUR_WEIGHTS_H
/*
 * Word weights d, one for each row: statistics are D C D instead of C, with
 * D = diag(d). All weights are positive, so that they can be divided out again.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

/* Of a word that is in all documents, or nearly so. */
#define WEIGHTS_IDF_LEAST 0.01

/* d_i = ln(documents / df_i), and WEIGHTS_IDF_LEAST at least; a df of 0 counts
 * as 1, and one beyond `documents` as these. */
void weights_idf(const uint64_t *df, size_t rows, uint64_t documents,
                 double *weight);

/* d_i = sums_i^-1/2. A row without a sum has nothing to be weighted; it gets
 * what the least of the others has, so that its weight is a number. */
void weights_root(const double *sums, size_t rows, double *weight);

/* D C D as its leading eigenpairs know it: vectors rows x k, of which each
 * process has its own rows (linalg/tall.h). */
typedef struct weights_pairs {
    size_t rows, k;
    const double *vectors, *values;
} weights_pairs;

/* The row sums of D C D from those of C, which are exact, and its eigenpairs:
 * positive wherever C's are. All processes have all of them. */
kedge_status weights_sums(pool *p, const double *weight, const double *sums,
                          const weights_pairs *known, double *out,
                          kedge_error *err);

/* So that D C D adds up to one: divides its row sums by their total, which is
 * returned, and the weights (into `out`) by the total's root. */
double weights_normalise(const double *weight, double *sums, size_t rows,
                         double *out);

#endif
