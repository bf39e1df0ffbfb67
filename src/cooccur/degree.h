/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_DEGREE_H
#define COOCCUR_DEGREE_H
/*
 * Documents weighed by the normalised cut, so that a group of few documents
 * counts next to one of many: each by one over its degree, how much it has in
 * common with all documents. Degrees below half of the mean count as that.
 *
 *   degrees_open → degrees_add for every window → degrees_finish → windows that
 *   have them (window.h)
 *
 * A document's factor is the same for any order of documents and words, however
 * they are cut into windows.
 */
#include "cooccur/window.h"

typedef struct degrees {
    size_t words, rows;
    bool damped;
    uint64_t documents; /* that were added */
    double *weight;     /* by id: of the word, the largest is 1 */
    uint32_t *norm;     /* by id: what of it counts for documents' lengths */
    uint64_t *sum;      /* by id: Σ_m y_im */
    uint32_t *pull;     /* by id: what an occurrence adds to a degree */
    double least;       /* degrees below count as this one */
} degrees;

/* `order`: the ids of `rows` of the words, all that documents have, in the
 * order of their bytes; `weight` in this order, or NULL: all words weigh 1.
 * `kind`: the statistic. */
kedge_status degrees_open(degrees *g, size_t words, size_t rows,
                          const uint32_t *order, const double *weight,
                          uint32_t kind, kedge_error *err);
void degrees_close(degrees *g);

/* Adds the documents of a window, filled without degrees. ENUMERIC when there
 * are more than 2^30. */
kedge_status degrees_add(degrees *g, const window *w, kedge_error *err);

/* Of all documents, now; `order` as before. */
void degrees_finish(degrees *g, const uint32_t *order);

/* What the weight of the document that begins with m is multiplied by, above 0
 * and at most 1; of a window that is being filled, whose entries have ids. */
double degrees_factor(const degrees *g, const window *w, size_t m);

#endif
