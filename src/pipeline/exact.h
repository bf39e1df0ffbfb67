/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_EXACT_H
#define PIPELINE_EXACT_H
/*
 * C itself, or D C D, made by one pass over the documents in the store, and its
 * leading eigenpairs: for vocabularies whose pairs fit into memory.
 */
#include "base/pool.h"
#include "pipeline/pass.h"
#include "sketch/spectrum.h"

typedef struct exact exact;

typedef struct exact_input {
    pass_input pass;
    const double *weight; /* by rank: d, or NULL */
    double scale;         /* from the sketch's integers to C */
    pool *p;
} exact_input;

kedge_status exact_create(const exact_input *in, exact **out,
                          kedge_error *err);
void exact_free(exact *e); /* accepts NULL */

/* By rank, rows x rows; and its row sums. They live as long as e. */
const double *exact_matrix(const exact *e);
const double *exact_sums(const exact *e);

/* out = C x, both rows x k; `data` is an exact. */
kedge_status exact_apply(void *data, const double *x, size_t k, double *out,
                         kedge_error *err);

/* The k leading eigenpairs: vectors rows x k, values falling. The sketch is
 * where the search begins. They do not depend on which other k are asked
 * for. */
kedge_status exact_vectors(exact *e, const spectrum *s,
                           const spectrum_rows *rows, size_t k,
                           double *vectors, double *values, kedge_error *err);

/* Bytes that stay, and those beside them while C is made and while k eigenpairs
 * are found. */
uint64_t exact_memusage(size_t rows);
uint64_t exact_making_memusage(size_t rows, size_t k, bool damped);

#endif
