/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INDEX_VIEWPLAN_H
#define PIPELINE_INDEX_VIEWPLAN_H
/*
 * The memory plan (pipeline/plan.h) of a sketch, of documents that come or that
 * are stored, and of what is chosen for it.
 */
#include "pipeline/plan.h"

/* Of a sketch. `width` 0: chosen here. */
typedef struct viewplan_shape {
    plan_input input;    /* of what comes; zeros for viewplan_make */
    uint64_t width, vocabulary;
    uint64_t word_bytes; /* of the vocabulary's text */
    bool damped;         /* its statistic is */
    bool joined;         /* with phrases */
    bool stored;         /* of documents of the store: viewplan_make sets it; */
    uint64_t entries;    /* so many entries have they, 0: not known */
    uint64_t all;        /* words of the store, where these are some of them;
                            their text is in word_bytes; else 0 */
} viewplan_shape;

/* Columns that are usual for so many words, whatever the budget: a model is the
 * same wherever it is made. */
uint64_t viewplan_width(uint64_t vocabulary);

/* EBUDGET when even a file-backed sketch and the smallest turns do not fit: the
 * message has what they take. */
kedge_status viewplan_ingest(const viewplan_shape *shape, bool no_sketch,
                             const kedge_control *control, ingest_plan *out,
                             kedge_error *err);

/* The same of a view's sketch, made of stored documents. */
kedge_status viewplan_make(const viewplan_shape *shape,
                           const kedge_control *control, ingest_plan *out,
                           kedge_error *err);

/* Choosing the words of a view among those of the store, before it is known
 * how many they are. Words, where the text of each is, and `choosing`, bytes
 * that it takes beside them: all that there is by then. */
kedge_status viewplan_choosing(uint64_t all, uint64_t word_bytes,
                               uint64_t choosing,
                               const kedge_control *control, uint64_t *total,
                               kedge_error *err);

/* Going through the documents for phrases; `bytes`: what is left of the budget
 * for counting pairs. */
kedge_status viewplan_phrases(uint64_t vocabulary, uint64_t word_bytes,
                              const kedge_control *control, uint64_t *bytes,
                              kedge_error *err);

#endif
