/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_SWEEP_H
#define KEDGE_SWEEP_H
/*
 * How many topics: models of several numbers of them, fitted from one sketch
 * and measured in one pass over the stored documents, and which of the numbers
 * stand out.
 */
#include <kedge/eval.h>
#include <kedge/fit.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_sweep_opts {
    const uint64_t *topics; /* numbers that rise, */
    size_t count;           /* up to KEDGE_EVAL_MODELS_MOST of them */
    kedge_fit_opts fit;     /* as kedge_fit has it; `eigenvalues` is not looked
                               at. Names end in "-k<K>", that of one as well */
    kedge_eval_opts eval;   /* as kedge_eval has it */
    bool discard;           /* no model stays, however it ends: EINVAL where
                               there is one of such a name before; default
                               false */
} kedge_sweep_opts;

/* The defaults of both; no numbers. */
KEDGE_API void kedge_sweep_opts_init(kedge_sweep_opts *opts);

/* One number of topics. */
typedef struct kedge_sweep_step {
    kedge_fit_result fit;
    kedge_eval_result eval;
    double eigenvalue;    /* the K-th of the statistics, */
    double eigengap;      /* over the next one; NAN where one of them is not
                             above 0, or is none */
    double residual;      /* how far the anchor stands out, beyond the ones
                             before it, that of this model's does least; 0
                             without anchors; */
    double anchor_gap;    /* over that of the next step; NAN as above */
} kedge_sweep_step;

/* A number of topics that stands out, and what by. */
typedef struct kedge_sweep_candidate {
    uint64_t step;      /* from 0 */
    const char *by;     /* "spectrum", "anchors", "approximation", "held-out",
                           "first words" */
    const char *reason; /* in words */
    double figure;      /* that the reason is about */
} kedge_sweep_candidate;

#define KEDGE_SWEEP_CANDIDATES 5

typedef struct kedge_sweep_result {
    kedge_sweep_step *steps;
    uint64_t count;
    double *eigenvalues; /* of the statistics, falling */
    uint64_t spectrum;   /* how many: one more than the most topics, where
                            the statistics have that many */
    kedge_sweep_candidate candidate[KEDGE_SWEEP_CANDIDATES];
    uint64_t candidates; /* what stands out by nothing has none */
} kedge_sweep_result;

/*
 * Fits and measures a model for each of the numbers. The models stay in the
 * store, which is open for writing, and take the places of those that had their
 * names; what is asked of measures, and whether there is memory for them, is
 * looked at before anything is fitted.
 * Documents are read once, for the measures, unless the fit itself needs them,
 * or all models do not find room at a time within control->memory: then in
 * parts, which is logged. Numbers of topics that the statistics do not hold are
 * left out, which is logged: the result has fewer steps then. It belongs to the
 * caller (kedge_sweep_free).
 * As kedge_fit and kedge_eval.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_sweep(kedge_store *store, const kedge_sweep_opts *opts,
            const kedge_control *control, kedge_sweep_result *out,
            kedge_error *err);
KEDGE_API void kedge_sweep_free(kedge_sweep_result *result);

#ifdef __cplusplus
}
#endif
#endif
