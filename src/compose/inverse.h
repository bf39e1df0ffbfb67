/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_INVERSE_H
#define COMPOSE_INVERSE_H
/*
 * A row of the left inverse whose entries are small: of all p with B'p = e_k
 * the one whose largest entry, without its sign, is least; or, with a bias,
 * where B'p is as near to e_k as θ times that entry.
 */
#include <kedge/control.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scratch memory of one thread. */
typedef struct inverse inverse;

typedef struct inverse_found {
    double largest; /* λ: the largest |p_i| */
    double bias;    /* δ: the largest entry of |B'p - e_k|, as it came out */
    double gap;     /* λ is larger than the least one by less than this share */
    size_t steps;
} inverse_found;

/* `b` is rows x k, rows of zeros allowed, and stays with the caller. */
kedge_status inverse_create(const double *b, size_t rows, size_t k,
                            inverse **out, kedge_error *err);
void inverse_free(inverse *s); /* accepts NULL */

/* Its `stop` is asked before each step from now on, on the thread that solves:
 * where it says so, none is found. */
void inverse_heed(inverse *s, const kedge_control *control);

/*
 * `theta`: 0, or more for a bias. False: there is none with entries up to
 * `most`, or none was found, as B's columns are nearly dependent. Only with
 * true is there *found and, until the next call, inverse_row of `rows`. The
 * BLAS is to be single-threaded.
 */
bool inverse_solve(inverse *s, size_t topic, double theta, double most,
                   inverse_found *found);
const double *inverse_row(const inverse *s);

#endif
