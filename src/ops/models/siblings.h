/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_SIBLINGS_H
#define OPS_MODELS_SIBLINGS_H
/* Models of other numbers of topics that were fitted like one that is there. */
#include "ops/models/model.h"

#define SIBLINGS_MOST 32

typedef struct sibling {
    char name[64];
    uint64_t topics, serial;
    double eigenspace_error, sum_correlations;
} sibling;

/*
 * Those of the same view and documents and with the same options, one for each
 * number of topics (of several the one fitted last), and `m` itself among them;
 * by rising numbers. *count is at most SIBLINGS_MOST, the nearest ones to m.
 * ECORRUPT, EIO, ENOMEM.
 */
kedge_status siblings_find(store *s, const kedge_model *m,
                           sibling out[SIBLINGS_MOST], size_t *count,
                           kedge_error *err);

#endif
