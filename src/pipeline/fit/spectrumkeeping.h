/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_SPECTRUMKEEPING_H
#define PIPELINE_FIT_SPECTRUMKEEPING_H
/*
 * The spectrum of a view's sketch, which does not depend on the number of
 * topics and takes most of a fit's time: it is kept in the store by the first
 * fit, for those after it. It is taken from there when it is of exactly these
 * rows and weights, made by the same arithmetic, so that models are the same
 * bytes either way.
 */
#include <kedge/fit.h>

#include "base/pool.h"
#include "pipeline/fit/sketchrows.h"
#include "store/store.h"

typedef struct spectrumkeeping_input {
    store *s;
    uint32_t number;        /* of the view */
    const store_view *view; /* with as many words as there are rows */
    sketchrows *z;
    kedge_weight weight;    /* that these are weighed by */
    const kedge_control *control;
    pool *p;
} spectrumkeeping_input;

/* The spectrum, solved, and the sums of all rows. In transactions of its own,
 * in which rows are read as well. What cannot be kept, as the disk is full, is
 * made by the next fit again. */
kedge_status spectrumkeeping_make(const spectrumkeeping_input *in,
                                  spectrum *out, kedge_error *err);

#endif
