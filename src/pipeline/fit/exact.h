/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_EXACT_H
#define PIPELINE_FIT_EXACT_H
/*
 * C itself, or D C D, made by one pass over the documents in the store, and its
 * leading eigenpairs: for vocabularies whose pairs fit into memory. Sparse, it
 * is the same without the pairs that no document has together; which these are
 * takes a pass more.
 */
#include "base/pool.h"
#include "pipeline/index/pass.h"
#include "sketch/spectrum.h"
#include "topics/anchors.h"

typedef struct exact exact;

typedef struct exact_input {
    pass_input pass;
    const double *weight; /* by rank: d, or NULL */
    double scale;         /* from the sketch's integers to C */
    bool sparse;
    pool *p;
} exact_input;

/* In two steps, for what has to know between them how large it becomes: of the
 * first input documents' and words' weights and the scale are not looked at;
 * whether it is sparse the second does not change. */
kedge_status exact_open(const exact_input *in, exact **out, kedge_error *err);
kedge_status exact_make(exact *e, const exact_input *in, kedge_error *err);

void exact_free(exact *e); /* accepts NULL */

/* Of a sparse one: pairs of words that meet, both ways round. */
uint64_t exact_pairs(const exact *e);

/* By rank, rows x rows, of one that is not sparse; a row of any, which where it
 * is sparse is in `room`; and the sums of rows. They live as long as e. */
const double *exact_matrix(const exact *e);
const double *exact_row(const exact *e, size_t rank, double *room);
const double *exact_sums(const exact *e);

/* out = C x, both rows x k; `data` is an exact. */
kedge_status exact_apply(void *data, const double *x, size_t k, double *out,
                         kedge_error *err);

/* As anchors are looked for in it. It lives as long as e; NULL of NULL. */
const anchors_matrix *exact_counted(const exact *e);

/* The k leading eigenpairs: vectors rows x k, values falling. The sketch is
 * where the search begins. They do not depend on which other k are asked
 * for. */
kedge_status exact_vectors(exact *e, const spectrum *s,
                           const spectrum_rows *rows, size_t k,
                           double *vectors, double *values, kedge_error *err);


#endif
