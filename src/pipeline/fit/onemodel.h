/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_ONEMODEL_H
#define PIPELINE_FIT_ONEMODEL_H
/* One model, from the groundwork to the store. */
#include "pipeline/fit/groundwork.h"

/* Of k topics, one of `count` models that are fitted. */
kedge_status onemodel_fit(fit *f, uint64_t k, size_t count,
                          kedge_fit_result *r, kedge_error *err);

#endif
