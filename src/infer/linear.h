/* SPDX-License-Identifier: MIT */
#ifndef INFER_LINEAR_H
#define INFER_LINEAR_H
/*
 * Linear Bayes: the expected topics of a document, given its words and what is
 * known of topics before it is read. A document's answer depends on that
 * document alone.
 */
#include <kedge/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What is known of a document's topics before it is read: their mean and how
 * they go together, from a model's correlations A, which are noisy, made ready
 * for estimates that are linear in counts. Matrices are `k` rows of
 * `stride` floats each, a multiple of PRIOR_LANES; what is beyond the k-th is
 * zero.
 */
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

/* A document: rows of the table of words, each once. Rows of zeros are passed
 * over. */
typedef struct bag {
    const uint32_t *row, *tally;
    size_t count;
    uint64_t tokens; /* the sum of the tallies, where rows are not zero */
} bag;

/* Scratch memory of one thread. */
typedef struct linear linear;

kedge_status linear_create(size_t k, linear **out, kedge_error *err);
void linear_free(linear *l); /* accepts NULL */

/*
 * `table` has a row of prior_stride(k) floats for each word: p(word | topic)
 * times a number of its own, for it is the topics' proportions that count. The
 * bag has a token at least. It stops when shares move by less than `tolerance`,
 * added up, and after so many steps at most. `w` (stride) gets the shares. Both
 * are aligned as mem_new does it. Gives the steps that were taken; *settled:
 * they were enough.
 */
size_t linear_solve(linear *l, const prior *p, const float *table,
                    const bag *g, size_t steps, double tolerance, float *w,
                    bool *settled);

#endif
