/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_COOCCURRENCE_H
#define PIPELINE_FIT_COOCCURRENCE_H
/* The co-occurrence of a model's words in the documents that it was fitted to,
 * without words' weights: all of it, made again from the store, or without the
 * pairs of words that do not meet. */
#include <kedge/model.h>

#include "pipeline/fit/exact.h"

typedef struct cooccurrence {
    exact *exact;
    size_t words; /* rows, as the model has them */
    filter filter;
    words all;
    uint32_t *order;
    pool *p;
} cooccurrence;

/* EINVAL where the store has no longer what the model was fitted to, or weighs
 * documents by the normalised cut; EBUDGET with the figure where it is too
 * large for the control's memory. There is nothing to close after a failure.
 * Outside of any transaction. */
kedge_status cooccurrence_open(cooccurrence *c, store *s,
                               const kedge_model *m, bool sparse,
                               const kedge_control *control,
                               kedge_error *err);
void cooccurrence_close(cooccurrence *c);

/* words x words, adding up to one; not of what is sparse. */
const double *cooccurrence_matrix(const cooccurrence *c);

/* Row i of either; in `room` for `words` if it is sparse. */
const double *cooccurrence_row(const cooccurrence *c, size_t i, double *room);

#endif
