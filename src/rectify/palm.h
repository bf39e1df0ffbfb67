/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_PALM_H
#define RECTIFY_PALM_H
/*
 * Proximal Alternating Linearized Minimization (paper "On-the-Fly Rectification
 * for Robust Large-Vocabulary Topic Inference", Algorithm 4), and its inertial
 * variant: a Y that is not negative itself.
 */
#include <kedge/control.h>

#include <stdbool.h>

#include "linalg/warm.h"
#include "rectify/rectify.h"

typedef struct palm_input {
    pool *p;
    size_t k;
    const warm_operator *c; /* C, adding up to one */
    bool inertial;
} palm_input;

/* What is minimised, but for |C|² / 2, which does not change. */
typedef struct palm_result {
    rectify_result common;
    double first; /* after the first round, */
    double last;  /* and after the last */
} palm_result;

/* y (rows x k) comes in as V Λ^1/2 and becomes the rectified Y >= 0; YY' adds
 * up to one. A round takes two products with C. */
kedge_status palm_rectify(const palm_input *in, double *y,
                          const rectify_opts *opts,
                          const kedge_control *control, palm_result *out,
                          kedge_error *err);

#endif
