/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_SPECTRUM_H
#define COOCCUR_SPECTRUM_H
/*
 * From the sketch Z = C Ω (N x L) to the leading eigenpairs of C, in two sweeps
 * over row blocks of Z and work on L x L matrices between them.
 *
 *   spectrum_gram → spectrum_solve → spectrum_vectors
 *
 * With several processes each reads its own rows (linalg/tall.h) and gets their
 * part of the eigenvectors; everything else is the same in all.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

/* The rows of Z, in the order of the words' bytes. */
typedef struct spectrum_rows {
    size_t rows, width;
    const uint64_t *key; /* each row's row of Ω */
    const double *weight; /* each row's weight d_i > 0: eigenpairs of D C D;
                             NULL: of C */
    const kedge_control *control; /* of sweeps; or NULL */
    void *data;
    /* Reads rows from .. from+count-1 as doubles, count x width. Called from
     * several threads (`worker`), for at most SPECTRUM_PIECE rows that do not
     * cross a multiple of SPECTRUM_PIECE. */
    kedge_status (*read)(void *data, size_t from, size_t count,
                         unsigned worker, double *z, kedge_error *err);
} spectrum_rows;

#define SPECTRUM_PIECE 256 /* rows that are read at a time */

/* The last columns are used in no solve, only to estimate the error. */
#define SPECTRUM_HELD_OUT 16

typedef struct spectrum {
    size_t width; /* L */
    size_t used;  /* L less the held-out columns */
    bool weighted;
    size_t count; /* of eigenpairs: as many as the sketch gives */
    double *zz;   /* Z'Z, L x L, exactly symmetric */
    double *zo;   /* Z'Ω = Ω'CΩ, L x L, symmetric too */
    double *turn; /* used x count: V = Z turn */
    double *values; /* count, falling */
} spectrum;

void spectrum_free(spectrum *s);

/* First sweep. */
kedge_status spectrum_gram(const spectrum_rows *z, pool *p, spectrum *out,
                           kedge_error *err);

/* The ridge against noise with weights; without weights 0 is better. */
#define SPECTRUM_RIDGE 0.03

/* All eigenvalues and `turn`, so that a model does not depend on the other
 * models of its fit. `ridge` is that of the least squares for the core, as a
 * share of their mean eigenvalue. */
kedge_status spectrum_solve(spectrum *s, double ridge, kedge_error *err);

/* For a spectrum that was stored: spectrum_create allocates, the caller fills
 * in the upper triangles of zz and zo and all the rest, spectrum_complete fills
 * in the lower triangles. */
kedge_status spectrum_create(const spectrum_rows *z, spectrum *out,
                             kedge_error *err);
void spectrum_complete(spectrum *s);

/* What the last bits depend on besides rows and weights, as text:
 * "openblas 0.3.21 (Haswell), x86-64-v3, 2048 by 192, 1". */
void spectrum_arithmetic(char text[96]);

/* Second sweep: the first `count` eigenvectors, own rows x count. */
kedge_status spectrum_vectors(const spectrum *s, const spectrum_rows *z,
                              size_t count, pool *p, double *vectors,
                              kedge_error *err);

/* An orthonormal basis of the sketch's range: its *count leading left singular
 * vectors (rows x *count); *count falls to the rank of the sketch. */
kedge_status spectrum_range_vectors(const spectrum *s, const spectrum_rows *z,
                                    size_t *count, pool *p, double *vectors,
                                    kedge_error *err);

/* Errors of the first `count` eigenpairs, estimated by the held-out columns.
 * With weights all norms are of D^-1 X in place of X (see spectrum.c), and
 * `residual` is scaled as if the columns of D^-1 V had length 1. */
typedef struct spectrum_error {
    double residual;    /* ||C V - V Λ||, Frobenius */
    double eigenspace;  /* the same, over ||Λ|| */
    double gap;         /* the same, over the least of these eigenvalues;
                           infinite if it is not positive */
    double unexplained; /* ||C - V Λ V'|| / ||C|| */
} spectrum_error;

kedge_status spectrum_estimate(const spectrum *s, size_t count,
                               spectrum_error *out, kedge_error *err);

/* The same for other eigenpairs, `vectors` and `values`, by a third sweep. */
kedge_status spectrum_measure(const spectrum *s, const spectrum_rows *z,
                              size_t count, const double *vectors,
                              const double *values, pool *p,
                              spectrum_error *out, kedge_error *err);

/* Columns of a sketch of this width that are not held out. */
size_t spectrum_used(size_t width);

/* The largest `count` of eigenpairs that a sketch of this width can give. */
size_t spectrum_limit(size_t width);

#endif
