/* SPDX-License-Identifier: MIT */
#ifndef INFER_TLI_H
#define INFER_TLI_H
/*
 * TLI, the thresholded linear inverse: a document's shares are a matrix P times
 * its words, where PB = I and entries of P are small, without those that could
 * as well be none.
 */
#include <kedge/control.h>

#include "base/pool.h"
#include "infer/linear.h"

typedef struct tli_input {
    const double *b; /* rows x k; not needed later */
    size_t rows, k;
    bool faithful; /* the threshold as it was printed */
    pool *p;
    const kedge_control *control;
} tli_input;

/* Of P. */
typedef struct tli_report {
    double largest; /* entry */
    double bias;    /* entry of PB - I */
    double gap;     /* of a topic's largest entry to the least there can be */
    size_t biased;  /* topics for which PB = I asks for too much */
} tli_report;

typedef struct tli {
    tli_report report;
    size_t rows, k, stride;
    bool faithful;
    float *p; /* rows x stride: P transposed */
} tli;

/* BLAS is called by all threads of the pool. ECANCELED, ENUMERIC, ENOMEM. */
kedge_status tli_create(const tli_input *in, tli **out, kedge_error *err);
void tli_free(tli *t); /* accepts NULL */

/*
 * The bag has two tokens at least, of rows that are not zero, and no others
 * count. `w` (k) gets shares that are not negative, of any sum above 0. `work`:
 * scratch, twice prior_stride(k).
 */
void tli_solve(const tli *t, const bag *g, double *work, double *w);

/* ---- rows of P ---------------------------------------------------------- */

/*
 * A row of the left inverse whose entries are small: of all p with B'p = e_k
 * the one whose largest entry, without its sign, is least; or, with a bias,
 * where B'p is as near to e_k as θ times that entry.
 */
/* Scratch memory of one thread. */
typedef struct inverse inverse;

typedef struct inverse_found {
    double largest; /* λ: the largest |p_i| */
    double bias;    /* δ: the largest entry of |B'p - e_k|, as it came out */
    double gap;     /* λ is larger than the least one by less than this share */
    size_t steps;
    const double *row; /* `rows`, until the next call */
} inverse_found;

/* `b` is rows x k, rows of zeros allowed, and stays with the caller. The stop
 * of `control`, or NULL, is asked before each step, on the thread that solves:
 * where it says so, none is found. */
kedge_status inverse_create(const double *b, size_t rows, size_t k,
                            const kedge_control *control, inverse **out,
                            kedge_error *err);
void inverse_free(inverse *s); /* accepts NULL */

/*
 * `theta`: 0, or more for a bias. False: there is none with entries up to
 * `most`, or none was found, as B's columns are nearly dependent. Only with
 * true is there *found. The BLAS is to be single-threaded.
 */
bool inverse_solve(inverse *s, size_t topic, double theta, double most,
                   inverse_found *found);

#endif
