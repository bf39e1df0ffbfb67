/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_ANCHORING_H
#define PIPELINE_FIT_ANCHORING_H
/*
 * What a fit is told of its anchors, as rows of its words: a file of anchors, a
 * file of words that are none, or the anchors of an earlier model.
 */
#include <kedge/fit.h>

#include "base/words.h"
#include "store/store.h"
#include "topics/law.h"

typedef struct anchoring {
    given given;
    bool *banned; /* by row, or NULL */
} anchoring;

typedef struct anchoring_input {
    store *s;
    const kedge_control *control;
    const words *all;    /* the store's */
    const uint32_t *ids; /* row → id */
    size_t rows;
} anchoring_input;

/* The files that `opts` names. ENOTFOUND, EIO, EFORMAT of them; EINVAL for an
 * anchor that is no word of the fit, or is banned. */
kedge_status anchoring_read(const anchoring_input *in,
                            const kedge_fit_opts *opts, anchoring *out,
                            kedge_error *err);
void anchoring_free(anchoring *a);

/* The ways that `opts` asks for, with anchors like these. */
law_ways anchoring_ways(const anchoring *a, const kedge_fit_opts *opts,
                        uint64_t seed);

/* EINVAL when anchors are given for more than `k` topics, or are asked for
 * correlations or topics by their own rows where topics have several. */
kedge_status anchoring_check(const anchoring *a, const kedge_fit_opts *opts,
                             uint64_t k, kedge_error *err);

/* The anchors of the model `like` are those that are given. Words that are not
 * among the fit's, or are banned, are left to be found, and told of. EINVAL for
 * a model with several anchors a topic, or with more than `k`. */
kedge_status anchoring_take(const anchoring_input *in, const char *like,
                            uint64_t k, anchoring *a, kedge_error *err);

#endif
