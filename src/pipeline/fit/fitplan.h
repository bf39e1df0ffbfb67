/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_FITPLAN_H
#define PIPELINE_FIT_FITPLAN_H
/*
 * The memory plan (pipeline/plan.h) of a fit.
 */
#include <kedge/fit.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct fit_plan {
    uint64_t entries; /* bytes for ENN's correction */
    uint64_t block;   /* columns of a refinement's basis, 0: none */
    bool spilled;      /* a sketch of the fit's own is on the disk; */
    unsigned halvings; /* of the normalised cut: made by turns of this size */
    uint64_t total;
} fit_plan;

/* What is to be fitted; `topics`: the most of them. And the earlier model that
 * it is compared with, or zeros. */
typedef struct fit_shape {
    uint64_t width, vocabulary, word_bytes, topics, passes;
    uint64_t like_words, like_topics;
    bool damped;   /* the view's statistic */
    bool weighted; /* words have weights */
    uint64_t polish; /* passes */
    bool joined;   /* the view has phrases */
    bool ncut;     /* documents weigh by the normalised cut */
    kedge_cooccurrence cooccurrence; /* what of C is made, if any */
    kedge_rectify rectify;
    uint64_t ways; /* bytes that the ways to topics need beside the usual */
    uint64_t pairs; /* of a sparse C, 0 while that is not known */
    uint64_t all;   /* words of the store, as in viewplan_shape */
    uint64_t choosing; /* bytes that choosing words among them took */
    unsigned processes; /* that have rows of it, or 0: this one has all; */
    unsigned rank;      /* and which of them it is, or one that has none */
    uint64_t dealing;   /* bytes for bringing their words and rows together */
    uint64_t sketching; /* bytes in all that making the sketch takes, 0 where
                           that is there */
} fit_shape;

kedge_status fitplan_make(const fit_shape *shape, const kedge_control *control,
                          fit_plan *out, kedge_error *err);

#endif
