/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_FIT_H
#define PIPELINE_FIT_FIT_H
/* Fitting, for what goes on with the models. */
#include <kedge/fit.h>

#include "pipeline/models/model.h"

typedef struct fit_wish {
    const uint64_t *topics; /* `count` numbers of them */
    size_t count;
    const kedge_fit_opts *opts;
    /* Asked once it is known what models will be like, before anything is
     * computed: `largest` has words, view and weights of all of them, and the
     * most topics. A failure is the fit's. Or NULL. */
    kedge_status (*foresee)(void *data, const kedge_model *largest,
                            kedge_error *err);
    void *data; /* of that */
} fit_wish;

/* As kedge_fit. */
kedge_status fit_models(kedge_store *s, const fit_wish *wish,
                        const kedge_control *control, kedge_fit_result *out,
                        kedge_error *err);

#endif
