/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_FITCHECK_H
#define PIPELINE_FIT_FITCHECK_H
/*
 * What a fit can be asked for: the options' defaults, which are
 * kedge_fit_opts_init, and whether what was asked makes sense, before anything
 * is looked at.
 */
#include <kedge/fit.h>

#include "store/store.h"

/* EINVAL for none, too many, or one that comes twice. */
kedge_status fitcheck_topics(const uint64_t *topics, size_t count,
                             kedge_error *err);

/* EINVAL: a view of so many words, `rows`, with a sketch of so many columns,
 * does not have them. */
kedge_status fitcheck_most(uint64_t topics, size_t rows, size_t width,
                           kedge_error *err);

/* ENOTFOUND: a sketched view without documents that have words together. */
kedge_status fitcheck_view(const store_view *view, kedge_error *err);

/* ENOTFOUND where there are no documents; EINVAL where they are elsewhere, for
 * what passes over them. */
kedge_status fitcheck_totals(const store_totals *totals,
                             const kedge_fit_opts *opts, kedge_error *err);

/* What of C what was asked for needs; and whether that is C itself. */
kedge_cooccurrence fitcheck_cooccurrence(const kedge_fit_opts *o);
bool fitcheck_exact(const kedge_fit_opts *o);

/* What is taken where nothing was said. */
kedge_anchors fitcheck_anchors(const kedge_fit_opts *o);
kedge_solver fitcheck_solver(const kedge_fit_opts *o);

/* EINVAL, for so many models. */
kedge_status fitcheck_opts(const kedge_fit_opts *o, size_t count,
                           kedge_error *err);

#endif
