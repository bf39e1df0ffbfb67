/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_DR_H
#define RECTIFY_DR_H
/*
 * Cyclic Douglas-Rachford iteration (paper "Practical Correlated Topic Modeling
 * and Analysis via the Rectified Anchor Word Algorithm", supplement, Algorithm
 * 2), of every pair of words.
 */
#include <kedge/control.h>

#include "base/pool.h"
#include "rectify/rectify.h"

/* y (rows x k) comes in as V Λ^1/2 of a C that adds up to one, and becomes the
 * rectified Y; YY' adds up to one. */
kedge_status dr_rectify(pool *p, size_t rows, size_t k, double *y,
                        const rectify_opts *opts, const kedge_control *control,
                        rectify_result *out, kedge_error *err);

#endif
