/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_DEGREE_H
#define SKETCH_DEGREE_H
/*
 * Documents weighed by the normalised cut, so that a group of few documents
 * counts beside one of many: each by one over its degree, how much it has in
 * common with all documents.
 *
 *   degrees_open → degrees_add for every window → degrees_finish → windows that
 *   have them (window.h), and degree_factor
 *
 * A document's factor is the same for any order of documents and words, however
 * they are cut into windows.
 */
#include <math.h>

#include "sketch/window.h"

typedef struct degrees {
    size_t words;
    uint64_t documents; /* that were added */
    uint64_t *sum;      /* by id: 2^32 Σ_m y_im, without the words' weights */
    uint32_t *pull;     /* by id: what an occurrence adds to a degree; the
                           largest is 2^31 */
    double least;       /* degrees below count as this one */
} degrees;

/* For words below `words`. */
kedge_status degrees_open(degrees *g, size_t words, kedge_error *err);
void degrees_close(degrees *g);

/* Adds the documents of a window, filled without degrees. ENUMERIC when there
 * are more than 2^30. */
kedge_status degrees_add(degrees *g, const window *w, kedge_error *err);

/* Of all documents now; `order`: the words' ids in the order of their bytes,
 * and `weight` by the same order, or NULL: all words weigh 1. */
void degrees_finish(degrees *g, const uint32_t *order, const double *weight);

/* What a document's weight in the statistic is multiplied by, above 0 and at
 * most 1; `pull`: Σ_i x_i pull_i, `square`: what the weight is one over. */
static inline double degree_factor(const degrees *g, uint64_t pull,
                                   double square)
{
    return g->least / fmax((double)pull / sqrt(square), g->least);
}

/* Bytes, by words. */
uint64_t degrees_memusage(uint64_t words);

#endif
