/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_ROWARRAYS_H
#define PIPELINE_FIT_ROWARRAYS_H
/* Arrays that a model keeps of its words and anchors, as doubles. */
#include "pipeline/models/model.h"

/* Of the words alone, whatever their ids: in the order of their bytes, which
 * is order[0 .. count). */
uint64_t rowarrays_digest(const words *list, const uint32_t *order,
                          size_t count);

/* Of each of the m->words rows. */
typedef struct rowarrays_input {
    const double *sums; /* of the co-occurrence's rows */
    const uint32_t *ids;
    const uint64_t *tf, *df;
} rowarrays_input;

/* p(word), ids, tf and df into m. */
kedge_status rowarrays_make(const rowarrays_input *in, kedge_model *m,
                            kedge_error *err);

/* Anchors, residuals and characteristic words as one array, m->small. */
kedge_status rowarrays_small(const law_output *t, kedge_model *m,
                             kedge_error *err);

#endif
