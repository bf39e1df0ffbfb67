/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_COOCCURRENCE_H
#define PIPELINE_COOCCURRENCE_H
/* The co-occurrence of a model's words in the documents that it was fitted to,
 * without words' weights: all of it, made again from the store. */
#include <kedge/model.h>

#include "pipeline/exact.h"

typedef struct cooccurrence {
    exact *exact;
    size_t words; /* rows, as the model has them */
    lens lens;
    words all;
    uint32_t *order;
    pool *p;
} cooccurrence;

/* EINVAL where the store has no longer what the model was fitted to, or weighs
 * documents by the normalised cut; EBUDGET with the figure where it is too
 * large for the control's memory. There is nothing to close after a failure.
 * Outside of any transaction. */
kedge_status cooccurrence_open(cooccurrence *c, store *s,
                               const kedge_model *m,
                               const kedge_control *control,
                               kedge_error *err);
void cooccurrence_close(cooccurrence *c);

/* words x words, adding up to one. */
const double *cooccurrence_matrix(const cooccurrence *c);

#endif
