/* SPDX-License-Identifier: MIT */
#ifndef CLI_RANKINFER_H
#define CLI_RANKINFER_H
/*
 * Inference by several ranks: each tells of the documents that it has, by the
 * model that is in STORE, into a file of its own.
 */
#include <kedge/infer.h>

#include "options.h"
#include "ranks.h"

typedef struct rankinfer {
    const team *t;
    const char *store, *file; /* "FILE.2" is the one of rank 2 */
    bool whole;               /* the library writes it, at once */
    const kedge_infer_opts *opts;
    /* Gives everything out: to the path, or where that is NULL to standard
     * output, which is this rank's file then. */
    kedge_status (*give)(void *data, kedge_infer *f, const char *path,
                         kedge_error *err);
    void *data;
    kedge_infer_result result; /* of all, on rank 0 */
} rankinfer;

/* As rankfit_run. */
int rankinfer_run(rankinfer *r, common *c);

#endif
