/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_RECTIFYING_H
#define PIPELINE_FIT_RECTIFYING_H
/*
 * The rectification that was asked for, with the products of C that it takes:
 * by C itself where that is there, else by passes over the documents in the
 * store.
 */
#include <kedge/fit.h>

#include "pipeline/fit/exact.h"
#include "pipeline/fit/product.h"
#include "rectify/rectify.h"

typedef struct rectifying_input {
    store *s;
    kedge_rectify kind;
    rectify_opts opts;
    size_t rows, k;
    exact *exact;                 /* or NULL, and then */
    product_input product;        /* with normalised weights, or none */
    double total;                 /* of what `exact` adds up to */
} rectifying_input;

/* y (own rows x k) comes in as the eigenvectors of these k eigenvalues and
 * becomes the rectified Y, or V Λ^1/2 where nothing was asked for. Outside of
 * any transaction. */
kedge_status rectifying_run(const rectifying_input *in, const double *values,
                            double *y, rectify_result *out, kedge_error *err);

/* Rounds that are made at most. */
uint64_t rectifying_rounds(const kedge_fit_opts *o);

/* "enn", ... */
const char *rectifying_name(kedge_rectify kind);


#endif
