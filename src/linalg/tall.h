/* SPDX-License-Identifier: MIT */
#ifndef LINALG_TALL_H
#define LINALG_TALL_H
/*
 * Tall matrices, a row per word: products along and across their rows by a
 * pool of threads, with results that do not depend on the number of threads.
 * Rows are cut into TALL_GROUPS pieces, whatever the pool; a piece is one BLAS
 * call on one thread, and sums over pieces are taken in their order.
 *
 * Where several processes work together, each has some of these pieces: `rows`
 * are all that there are, and a matrix is those rows of it that are this
 * process's own. What has no rows, as k x k sums, all have alike.
 */
#include <stdint.h>

#include "base/pool.h"

#define TALL_GROUPS 16

/* First row of a group; tall_group(rows, TALL_GROUPS) is `rows`. Cuts are
 * multiples of 8 rows so that pieces stay aligned. */
static inline size_t tall_group(size_t rows, size_t group)
{
    return group == TALL_GROUPS ? rows
                                : rows / 8 * group / TALL_GROUPS * 8;
}

/* What this process has. */
typedef struct tall_part {
    size_t rows;       /* of all */
    size_t first, end; /* groups first .. end-1, */
    size_t from, count; /* which are these rows */
} tall_part;

tall_part tall_own(const pool *p, size_t rows);

/* What another has, of `size` processes. */
tall_part tall_of(size_t rows, size_t rank, size_t size);

/* Rows of a group, from the first own row on. */
static inline size_t tall_at(const tall_part *own, size_t group)
{
    return tall_group(own->rows, group) - own->from;
}

/* Runs a task for each own group, by its number. */
void tall_run(pool *p, const tall_part *own, pool_task *run, void *data);

/* Own rows in tiles of `size` rows at most, none with rows of two groups: how
 * many there are; the rows of one, from the first own row on. */
size_t tall_tiles(const tall_part *own, size_t size);
size_t tall_tile(const tall_part *own, size_t size, size_t tile,
                 size_t *count);

/* sum (k) = the sums of a's columns, where a is rows x k. */
void tall_sums(pool *p, size_t rows, const double *a, size_t k, double *sum);

/* The rows of a (rows x k) that are named, whoever has them: out is
 * count x k. */
void tall_rows(pool *p, size_t rows, const double *a, size_t k,
               const uint64_t *row, size_t count, double *out);

/* all (rows x k) = what each has of it. The own rows may lie in `all`. */
void tall_collect(pool *p, size_t rows, const double *a, size_t k,
                  double *all);

/* The same for rank 0 alone; the others' `all` is NULL. */
void tall_bring(pool *p, size_t rows, const double *a, size_t k, double *all);

/* out (k x l) = a' b, where a is rows x k and b rows x l. */
kedge_status tall_cross(pool *p, size_t rows, const double *a, size_t k,
                        const double *b, size_t l, double *out,
                        kedge_error *err);

/* c (rows x l) = beta c + a t, where a is rows x k and t is k x l. c is not a,
 * unless beta is 0 and the caller knows that no tile of a is needed twice. */
void tall_multiply(pool *p, size_t rows, const double *a, size_t k,
                   const double *t, size_t l, double beta, double *c);

/* x (rows x k) = x m + y n, in place, with k x k matrices m and n; y may be
 * NULL. */
kedge_status tall_combine(pool *p, size_t rows, double *x, size_t k,
                          const double *m, const double *y, const double *n,
                          kedge_error *err);

/* x (rows x k) = x R^-1, in place, with upper triangular R (k x k). */
void tall_solve(pool *p, size_t rows, double *x, size_t k, const double *r);

#endif
