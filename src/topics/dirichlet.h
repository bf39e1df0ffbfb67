/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_DIRICHLET_H
#define TOPICS_DIRICHLET_H
/* The Dirichlet whose moments are those of a model's correlations. */
#include <kedge/status.h>

#include <stdbool.h>
#include <stddef.h>

/*
 * alpha (k): of the Dirichlet with the mean of A (k x k, symmetric) and with
 * second moments that are nearest to A's, by the sum of squares. *misfit: how
 * far these are from A's, relative to them. false, with zeros, where there is
 * none: a topic without a share, or topics that vary less or more than any
 * Dirichlet's.
 */
bool dirichlet_match(const double *a, size_t k, double *alpha, double *misfit);

/* The sum of alpha alone, 0 where there is none. */
kedge_status dirichlet_total(const double *a, size_t k, double *total,
                             double *misfit, kedge_error *err);

#endif
