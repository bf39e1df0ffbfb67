/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_SWEEP_H
#define KEDGE_SWEEP_H
/*
 * Helps to choose the number of topics: fits several numbers to one sketch,
 * measures all models in one pass over the stored documents, and names the
 * numbers that stand out.
 *
 *   kedge_sweep_opts_init(&opts);
 *   opts.topics = numbers, opts.count = 5;
 *   kedge_sweep(store, &opts, &control, &result, &err);
 */
#include <kedge/eval.h>
#include <kedge/fit.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_sweep_opts {
    const uint64_t *topics; /* rising numbers of topics */
    size_t count;           /* of these: 1 to KEDGE_EVAL_MODELS_MOST */
    kedge_fit_opts fit;     /* for kedge_fit; `eigenvalues` is not used. Models
                               are named "<name>-k<K>", also if count is 1;
                               "k<K>" if `name` is NULL */
    kedge_eval_opts eval;   /* for kedge_eval */
    bool discard;           /* delete the models in the end, after a failure
                               too. EINVAL if the store has a model of such a
                               name. Default false */
} kedge_sweep_opts;

/* Sets the defaults of fit and eval; no numbers of topics. */
KEDGE_API void kedge_sweep_opts_init(kedge_sweep_opts *opts);

/* The results for one number of topics K. */
typedef struct kedge_sweep_step {
    kedge_fit_result fit;
    kedge_eval_result eval;
    double eigenvalue;    /* the K-th of the co-occurrence */
    double eigengap;      /* eigenvalue over the next one; NAN unless both are
                             positive */
    double residual;      /* least distance of an anchor from the span of the
                             anchors before it; 0 without anchors */
    double anchor_gap;    /* residual over that of the next step; NAN unless
                             both are positive */
} kedge_sweep_step;

/* A number of topics that stands out by one of the measures. */
typedef struct kedge_sweep_candidate {
    uint64_t step;      /* index in kedge_sweep_result.steps */
    const char *by;     /* "spectrum", "anchors", "approximation", "held-out",
                           "first words" */
    const char *reason; /* a sentence; static */
    double figure;      /* the value that stands out */
} kedge_sweep_candidate;

#define KEDGE_SWEEP_CANDIDATES 5

typedef struct kedge_sweep_result {
    kedge_sweep_step *steps; /* in the order of opts.topics */
    uint64_t count;          /* of steps */
    double *eigenvalues; /* of the co-occurrence, falling */
    uint64_t spectrum;   /* number of eigenvalues: one more than the most
                            topics, or all if there are fewer */
    kedge_sweep_candidate candidate[KEDGE_SWEEP_CANDIDATES];
    uint64_t candidates; /* number of candidates; 0: nothing stands out */
} kedge_sweep_result;

/*
 * Fits and measures a model for each number of topics. The store must be open
 * for writing; models stay in it, in place of models of the same names, unless
 * opts.discard is set. Options and memory for the measures are checked before
 * the first fit.
 *
 * Reads the documents once, for the measures, besides what the fit needs. If
 * the models do not fit into control->memory together, it measures them in
 * groups, with a pass each, and logs so. If a number of topics cannot be fitted
 * (ENUMERIC), it and all larger ones are left out, which is logged: the result
 * then has fewer steps.
 *
 * The result belongs to the caller (kedge_sweep_free). Statuses as kedge_fit
 * and kedge_eval.
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
