/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_NCUT_H
#define PIPELINE_FIT_NCUT_H
/*
 * A sketch whose documents are weighed by the normalised cut (sketch/degree.h),
 * for one fit: made by two passes over the documents in the store, kept in
 * memory or in a nameless file, and gone with the fit.
 */
#include <kedge/control.h>

#include "pipeline/index/filter.h"
#include "sketch/degree.h"
#include "sketch/sketch.h"
#include "store/store.h"

typedef struct ncut ncut;

typedef struct ncut_input {
    store *s;              /* outside of any transaction */
    uint32_t number;       /* of the view, */
    const store_view *view; /* as it is */
    const words *all;      /* the store's */
    filter *filter;            /* what the view sees */
    const uint32_t *order; /* rank → number in its words */
    const double *weight;  /* of words, by rank, or NULL */
    bool spilled;          /* the sketch lives in a file-backed mapping */
    unsigned halvings;     /* of a turn (batch_limits_of) */
    const kedge_control *control;
    pool *p;
} ncut_input;

kedge_status ncut_create(const ncut_input *in, ncut **out, kedge_error *err);
void ncut_free(ncut *n); /* accepts NULL */

/* They live as long as n. Of NULL there are none, NULL. */
const degrees *ncut_degrees(const ncut *n);
const sketch *ncut_sketch(const ncut *n);

/* What it is planned by; `joined`: the view has phrases. */

#endif
