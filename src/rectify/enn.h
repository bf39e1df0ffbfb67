/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_ENN_H
#define RECTIFY_ENN_H
/*
 * Epsilon Non-Negative rectification (paper "On-the-Fly Rectification for
 * Robust Large-Vocabulary Topic Inference", Algorithm 3).
 */
#include <kedge/control.h>

#include "base/pool.h"
#include "rectify/rectify.h"

/* y (rows x k) comes in as V Λ^1/2 and becomes the rectified Y. Several
 * processes do it together, of their own rows each. */
kedge_status enn_rectify(pool *p, size_t rows, size_t k, double *y,
                         const rectify_opts *opts,
                         const kedge_control *control, rectify_result *out,
                         kedge_error *err);

/* |I|: the rows that are looked at for negative products. */
size_t enn_picked(size_t rows, size_t k);

/* Bytes beside y and the budget for entries; and of all entries that there can
 * be. */
uint64_t enn_entries(size_t rows, size_t k);

#endif
