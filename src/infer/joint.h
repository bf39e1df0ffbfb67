/* SPDX-License-Identifier: MIT */
#ifndef INFER_JOINT_H
#define INFER_JOINT_H
/*
 * Compositions that are found of all documents at once, so that together they
 * agree with the correlations A: Σ ww' / M is to be near A while each w is near
 * its document. What is known of documents lies in a file, in the order in
 * which they came; a part of them is in memory at a time.
 *
 *   joint_create(&in, &w, &err);
 *   joint_add(w, count, rows, &err);   ... until all are there
 *   joint_settle(w, control, &report, &err);
 *   joint_read(w, first, count, shares, &err);
 *
 * Results depend on the documents and their order alone, not on how they were
 * added nor on the number of threads.
 */
#include <kedge/control.h>
#include <kedge/infer.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "infer/linear.h"
#include "infer/squares.h"

typedef struct joint_input {
    kedge_infer_method method; /* PADD or PAMI */
    const char *folder;  /* for the file */
    const prior *prior;
    const double *gram;  /* k x k: B'DB, to be there until the end */
    bool faithful;       /* PADD: as it was printed */
    size_t rounds;       /* at most */
    double tolerance;    /* ends when shares move by less on average */
    double step;         /* PADD: τ; PAMI: ρ */
    pool *p;
} joint_input;

/* How it ended, on average of a document. */
typedef struct joint_report {
    uint64_t documents;
    size_t rounds;
    bool settled;  /* within the rounds */
    double moved;  /* shares in the last round, all added up */
    double loss;   /* Σ_i d_i (h_i / n - (Bw)_i)² */
    double strayed; /* |Σ ww' / M - A|, Frobenius */
} joint_report;

typedef struct joint joint;

/* BLAS is called by all threads of the pool from here on. */
kedge_status joint_create(const joint_input *in, joint **out,
                          kedge_error *err);
void joint_free(joint *w); /* accepts NULL */

/* Numbers of a row of joint_add: B'Dh / n, shares to begin with (of the sum
 * one), and Σ_i d_i (h_i / n)². */
static inline size_t joint_width(size_t k)
{
    return 2 * k + 1;
}

kedge_status joint_add(joint *w, size_t count, const double *rows,
                       kedge_error *err);
kedge_status joint_settle(joint *w, const kedge_control *control,
                          joint_report *out, kedge_error *err);

/* Shares, in rows of k. EINVAL: there are no such documents. */
kedge_status joint_read(joint *w, uint64_t first, size_t count, double *shares,
                        kedge_error *err);

/* ---- a round ------------------------------------------------------------ */

/*
 * The documents that one task works on: the same ones whatever the number of
 * threads, so that sums over pieces, in their order, are the same as well.
 */
#define PIECE_MOST 128 /* documents */

typedef struct piece {
    size_t count, stride; /* documents; numbers from one row to the next */
    double *q;            /* B'Dh / n */
    double *w;            /* shares; in and out */
    double *dual;         /* PAMI: Λ, in and out */
    double *sum;          /* k x k: PAMI: Σ xx', out */
    double *work;         /* scratch: 3 x PIECE_MOST x k */
    squares *squares;
} piece;

/*
 * PADD, prior-aware dual decomposition: a penalty Λ on pairs of topics, the
 * same for all documents, grows until pairs are as frequent as A says.
 */
typedef struct padd padd;

kedge_status padd_create(const joint_input *in, padd **out, kedge_error *err);
void padd_free(padd *p); /* accepts NULL */

/* Before a round: Λ follows `mean` (k x k), Σ ww' / M of the last round, or
 * stays where that is NULL, before the first. `documents`: M. */
kedge_status padd_begin(padd *p, const double *mean, uint64_t documents,
                        kedge_error *err);

/* The shares of a piece's documents, given Λ. */
void padd_run(const padd *p, const piece *d);

/*
 * PAMI, prior-aware manifold iteration: compositions whose second moments are
 * A exactly, and others that are on the simplex, are brought together.
 */
typedef struct pami pami;

kedge_status pami_create(const joint_input *in, pami **out, kedge_error *err);
void pami_free(pami *p); /* accepts NULL */

/* Before a round: `mean` (k x k) is Σ sum / M of the pieces of the last round,
 * or before the first Σ qq' / M. */
kedge_status pami_begin(pami *p, const double *mean, kedge_error *err);

/* A round of a piece's documents. */
void pami_run(const pami *p, const piece *d);

#endif
