/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_PRIOR_H
#define COMPOSE_PRIOR_H
/*
 * What is known of a document's topics before it is read: their mean and how
 * they go together, from a model's correlations A, which are noisy, made ready
 * for estimates that are linear in counts.
 */
#include <kedge/status.h>

#include <stddef.h>
#include <stdint.h>

/* Matrices are `k` rows of `stride` floats each, a multiple of PRIOR_LANES;
 * what is beyond the k-th is zero. */
#define PRIOR_LANES 16

typedef struct prior {
    size_t k, stride;
    double *a;     /* k x k: legal, see prior.c */
    double *mean;  /* k: A1 */
    double total;  /* of the matched Dirichlet's parameters */
    double shrunk; /* towards it: the share that it has of A, 0 to 1 */
    float *mu;     /* stride: the mean */
    float *lambda; /* stride: eigenvalues, not negative */
    float *v;      /* row c: V_cj over j */
    float *nv;     /* row j: (NV)_cj over c */
    float *own;    /* row j: what the diagonal of P_n is made of, over c */
} prior;

/* `a` is k x k, as a model has it; `documents`: how many it was learnt from. */
kedge_status prior_create(const double *a, size_t k, uint64_t documents,
                          prior **out, kedge_error *err);
void prior_free(prior *p); /* accepts NULL */

static inline size_t prior_stride(size_t k)
{
    return (k + PRIOR_LANES - 1) / PRIOR_LANES * PRIOR_LANES;
}

#endif
