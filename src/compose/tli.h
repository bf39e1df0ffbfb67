/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_TLI_H
#define COMPOSE_TLI_H
/*
 * TLI, the thresholded linear inverse: a document's shares are a matrix P times
 * its words, where PB = I and entries of P are small, without those that could
 * as well be none.
 */
#include <kedge/control.h>

#include "base/pool.h"
#include "compose/linear.h"

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

typedef struct tli tli;

/* BLAS is called by all threads of the pool. ECANCELED, ENUMERIC, ENOMEM. */
kedge_status tli_create(const tli_input *in, tli **out, kedge_error *err);
void tli_free(tli *t); /* accepts NULL */

/*
 * The bag has two tokens at least, of rows that are not zero, and no others
 * count. `w` (k) gets shares that are not negative, of any sum above 0. `work`:
 * scratch, twice prior_stride(k).
 */
void tli_solve(const tli *t, const bag *g, double *work, double *w);

const tli_report *tli_tell(const tli *t);

#endif
