/* SPDX-License-Identifier: MIT */
#ifndef INFER_COMPOSE_H
#define INFER_COMPOSE_H
/*
 * Topic proportions of documents, by any of the methods.
 *
 *   compose_create → compose_add for each batch → compose_free
 *
 * The result for a document does not depend on batches, threads or other
 * documents. PADD and PAMI are exceptions: they work on all documents together.
 * For them compose_learn gets all documents first, then compose_settle
 * iterates, then compose_add gets the same documents in the same order.
 */
#include <kedge/infer.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/docs.h"
#include "base/pool.h"
#include "infer/tli.h"
#include "infer/joint.h"

/* A method's properties and defaults. */
typedef struct compose_way {
    bool iterates;    /* over a document, or over all */
    size_t steps;     /* default of the most iterations; 0: no limit */
    double tolerance; /* default of the change that ends it; 0: none */
    bool of_all;      /* joint: works on all documents together */
    bool blas;        /* all threads call the BLAS */
    uint64_t least;   /* tokens of a document to be inferred */
    const char *step; /* name of its step size, "tau"; NULL: none */
    double step_usual, step_faithful; /* defaults; faithful: as published */
} compose_way;

extern const compose_way compose_ways[]; /* by kedge_infer_method */

typedef struct compose_input {
    size_t rows, k;
    const double *b;      /* rows x k, columns sum to 1; not needed later */
    const double *a;      /* k x k: topic co-occurrence */
    const double *weight; /* rows: weight of a word's squared error, NULL: 1.
                             Least squares, and PADD and PAMI unless
                             faithful */
    uint64_t documents;   /* that the model was fitted to */
    kedge_infer_method method;
    size_t steps;     /* most iterations, of a document, or with PADD and PAMI
                         of all; 0, not for these: no limit */
    double tolerance; /* linear Bayes, PADD, PAMI: stop at smaller changes */
    double step;      /* PADD: τ; PAMI: ρ */
    bool faithful;    /* as published. PADD, PAMI: without word weights; TLI:
                         see tli.h */
    const char *folder; /* PADD and PAMI: of their file */
    const kedge_control *control; /* TLI: of compose_create */
    pool *p;
} compose_input;

/* The result for a document, besides its proportions. */
typedef struct composed {
    uint64_t tokens; /* of words that some topic has; others are not used */
    double residual; /* misfit: half of Σ |h_i / n - Σ_k B_ik w_k| over all
                        words, 0 to 1; 1 without tokens */
    uint32_t steps;  /* iterations made */
    bool settled;    /* converged */
} composed;

typedef struct compose compose;

kedge_status compose_create(const compose_input *in, compose **out,
                            kedge_error *err);
void compose_free(compose *c); /* accepts NULL */

/* The report of TLI; NULL for other methods. */
const tli_report *compose_inverse(const compose *c);

/* Only for PADD and PAMI, see above. */
kedge_status compose_learn(compose *c, const docs *d, kedge_error *err);
kedge_status compose_settle(compose *c, const kedge_control *control,
                            joint_report *out, kedge_error *err);

/* Other work for one of the threads. */
typedef struct compose_aside {
    void (*run)(void *data);
    void *data;
} compose_aside;

/*
 * Infers the documents of a batch from `first` on, as many as there is room
 * for: *count. If there are any, one thread also runs `aside`, which may be
 * NULL. Words are rows, rising. The results are valid until the next call:
 * compose_shares(c, i) has the k proportions of document first + i, not
 * negative and of sum 1. A document without tokens has the prevalence.
 * EIO (the file of PADD and PAMI), EINVAL (other documents than in
 * compose_learn); other methods do not fail.
 */
kedge_status compose_add(compose *c, const docs *d, size_t first,
                         const compose_aside *aside, size_t *count,
                         kedge_error *err);
const double *compose_shares(const compose *c, size_t document);
const composed *compose_found(const compose *c, size_t document);

#endif
