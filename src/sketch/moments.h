/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_MOMENTS_H
#define SKETCH_MOMENTS_H
/*
 * C itself, for vocabularies small enough: every pair of words, from windows,
 * by the integers of the sketch's kernel. What is added up is the C of which
 * the sketch is C Ω to the last bit, in any order of documents and on any
 * number of threads; rounding each weight once makes it a little unsymmetric,
 * and moments_finish takes the mean of the two sides.
 *
 *   moments_create → (moments_begin → moments_task for every task) for every
 *   window → moments_finish
 */
#include "base/pool.h"
#include "sketch/window.h"

typedef struct moments moments;

/* `rank` (by id, `words` of them) is the row of each word; it stays the
 * caller's. */
kedge_status moments_create(const uint32_t *rank, size_t words, moments **out,
                            kedge_error *err);
void moments_free(moments *m); /* accepts NULL */

/* Looks at a window; then every task, on any thread, adds its part. */
kedge_status moments_begin(moments *m, const window *w, kedge_error *err);
size_t moments_tasks(const moments *m);
void moments_task(moments *m, size_t task);

/* Row `rank`, as it was added up: `words` integers. Before moments_finish. */
const int64_t *moments_row(const moments *m, size_t rank);

/* scale D (C + C') D / 2 as doubles, rows x rows by rank, in the memory that
 * the integers had; weight NULL: D is one. It belongs to m. */
const double *moments_finish(moments *m, pool *p, double scale,
                             const double *weight);

/* Bytes. */
uint64_t moments_memusage(uint64_t words);

#endif
