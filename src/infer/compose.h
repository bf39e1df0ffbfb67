/* SPDX-License-Identifier: MIT */
#ifndef INFER_COMPOSE_H
#define INFER_COMPOSE_H
/*
 * Compositions: which share of a document each topic has. Documents come in
 * any portions; what is found of one does not depend on these nor on the number
 * of threads, and but for PADD and PAMI on that document alone. With these two
 * it depends on all: all are learnt first, and come again once these are
 * settled, in the same order.
 */
#include <kedge/infer.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/docs.h"
#include "base/pool.h"
#include "infer/tli.h"
#include "infer/joint.h"

/* How a method goes about it, where nothing else is said. */
typedef struct compose_way {
    bool iterates;    /* some steps, of a document or of all: */
    size_t steps;     /* at most; 0: as many as it takes */
    double tolerance; /* it ends when shares move by less; 0: it has none */
    bool of_all;      /* documents are settled together */
    bool blas;        /* all threads call the BLAS */
    uint64_t least;   /* tokens of a document; one of fewer is left alone */
    const char *step; /* what its step is called, or NULL: it has none, */
    double step_usual, step_faithful;
} compose_way;

extern const compose_way compose_ways[]; /* by kedge_infer_method */

typedef struct compose_input {
    size_t rows, k;
    const double *b;      /* rows x k, columns sum to 1; not needed later */
    const double *a;      /* k x k: correlations, as a model has them */
    const double *weight; /* rows: of a word's square; NULL: 1. SQUARES, and
                             PADD and PAMI unless faithful */
    uint64_t documents;   /* that the model was learnt from */
    kedge_infer_method method;
    size_t steps;     /* of a document, at most, and with PADD and PAMI of all;
                         0, not with these: as many as it takes */
    double tolerance; /* LINEAR, PADD and PAMI stop when shares move by less */
    double step;      /* PADD: τ; PAMI: ρ */
    bool faithful;    /* PADD and PAMI: words weigh the same; TLI: tli.h */
    const char *folder; /* PADD and PAMI: for a file */
    const kedge_control *control; /* of compose_create, with TLI */
    pool *p;
} compose_input;

/* What is found of a document besides its shares. */
typedef struct composed {
    uint64_t tokens; /* of words that some topic has: it is made of these */
    double residual; /* half of Σ |h_i / n - Σ_k B_ik w_k|, over all words:
                        0 to 1, and 1 without tokens */
    uint32_t steps;
    bool settled; /* within the steps */
} composed;

typedef struct compose compose;

kedge_status compose_create(const compose_input *in, compose **out,
                            kedge_error *err);
void compose_free(compose *c); /* accepts NULL */

/* Of TLI, else NULL. */
const tli_report *compose_inverse(const compose *c);

/* PADD and PAMI: documents are learnt, and when all of them are, settled. */
kedge_status compose_learn(compose *c, const docs *d, kedge_error *err);
kedge_status compose_settle(compose *c, const kedge_control *control,
                            joint_report *out, kedge_error *err);

/* What one of the threads does meanwhile. */
typedef struct compose_aside {
    void (*run)(void *data);
    void *data;
} compose_aside;

/*
 * Takes documents `first` and following of a batch, as many as there is room
 * for, and gives in *count how many these are; where there are any `aside`,
 * unless it is NULL, is run once. Words are rows, rising. What
 * was found lasts until the next call: shares are in rows of k, in the order of
 * documents, not negative and of the sum one. A document without tokens has the
 * mean of all. EIO of PADD's and PAMI's file, EINVAL where documents are others
 * than were learnt; else only KEDGE_OK.
 */
kedge_status compose_add(compose *c, const docs *d, size_t first,
                         const compose_aside *aside, size_t *count,
                         kedge_error *err);
const double *compose_shares(const compose *c, size_t document);
const composed *compose_found(const compose *c, size_t document);

#endif
