/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_ANCHORS_H
#define TOPICS_ANCHORS_H
/*
 * Anchor words: the rows that span the others best. There are several ways to
 * choose them, of which each has a file: anchors.c pivoted QR, farthest.c
 * FastAnchorWords, spa.c, snpa.c and xray.c what they are called after, and
 * counted.c pivoted QR of the statistics as they were counted.
 */
#include <kedge/fit.h>

#include <stdint.h>

#include "base/pool.h"

/* The statistics themselves, C or D C D, rows x rows, where they are there. */
typedef struct anchors_matrix {
    size_t rows;
    const double *sums; /* of the rows */
    void *data;         /* of what follows */
    /* The squared length of each row. */
    void (*squares)(void *data, double *squares);
    /* out = C x, both rows x k, the same on any number of threads */
    kedge_status (*apply)(void *data, const double *x, size_t k, double *out,
                          kedge_error *err);
    /* One row, in `room` for it unless it stands somewhere. */
    const double *(*row)(void *data, size_t row, double *room);
} anchors_matrix;

typedef struct anchors_input {
    kedge_anchors kind;
    size_t k;        /* of a row, and anchors to be chosen */
    const double *x; /* rows of k: distances between them are those between
                        normalised rows of the statistics */
    const anchors_matrix *counted; /* for COUNTED, which has no look at x */
    const uint64_t *candidate; /* rows that can be anchors */
    size_t candidates;
    size_t from; /* the row that candidate 0 counts from: what is chosen has
                    this added. Several processes choose together by pivoted
                    QR, each of its own rows */
    double *scratch; /* candidates x k: for SNPA and XRAY; all rows x k for
                        COUNTED */
    const stage *told; /* of each that is found, or NULL */
} anchors_input;

/*
 * chosen[]: rows, all different. residual[]: how far each sticks out, as the
 * way that chose it has it. The same for any number of threads; ties go to the
 * first. ENUMERIC when the candidates do not hold so many.
 */
kedge_status anchors_find(pool *p, const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err);

/* So many are found; ECANCELED when it is to stop. */
kedge_status anchors_tell(size_t found, const anchors_input *in,
                          kedge_error *err);

/* ENUMERIC: there are only `found` anchors. */
kedge_status anchors_few(size_t found, const anchors_input *in,
                         kedge_error *err);

/*
 * Pivoted QR on the given rows of x (each k long): `count` times the row whose
 * part outside the span of those chosen before is longest, ties to the first.
 * chosen[] holds places in `candidate`; residual[] that part's length.
 * ENUMERIC when the candidates span less than `count` dimensions.
 */
kedge_status anchors_pivot(pool *p, const double *x, size_t k,
                           const uint64_t *candidate, size_t candidates,
                           size_t count, uint64_t *chosen, double *residual,
                           kedge_error *err);

/* Takes a direction, of unit length or zero, out of each row of x (rows x k);
 * norm[]: what is left of its squared length. */
void anchors_strip(pool *p, size_t rows, size_t k, double *x,
                   double *direction, double *norm);

/* What of the point is outside the first `count` rows of `basis` (rows of k, of
 * unit length and orthogonal), as the next of them; its length. */
double anchors_outside(double *basis, size_t count, const double *point,
                       size_t k);

/*
 * Completes anchors that are given, by pivoted QR: the first `given` of k stand
 * at point (given x k); chosen[] and residual[] get the others from there on,
 * and residual[] of those given what of them is outside the span of those
 * before. ENUMERIC when one given adds nothing, or too few are left.
 */
kedge_status anchors_complete(pool *p, const anchors_input *in,
                              const double *point, size_t given,
                              uint64_t *chosen, double *residual,
                              kedge_error *err);

#endif
