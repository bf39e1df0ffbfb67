/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_PAIRSUMS_H
#define SKETCH_PAIRSUMS_H
/*
 * C itself, for vocabularies small enough: every pair of words, from windows,
 * by the integers of the sketch's kernel. What is added up is the C of which
 * the sketch is C Ω to the last bit, in any order of documents and on any
 * number of threads; rounding each weight once makes it a little unsymmetric,
 * and pairsums_finish takes the mean of the two sides.
 *
 *   pairsums_create → (pairsums_begin → pairsums_task for every task) for every
 *   window → pairsums_finish
 */
#include "base/pool.h"
#include "sketch/window.h"

typedef struct pairsums pairsums;

/* `rank` (by id, `words` of them) is the row of each word; it stays the
 * caller's. */
kedge_status pairsums_create(const uint32_t *rank, size_t words, pairsums **out,
                            kedge_error *err);
void pairsums_free(pairsums *m); /* accepts NULL */

/* Looks at a window; then every task, on any thread, adds its part. */
kedge_status pairsums_begin(pairsums *m, const window *w, kedge_error *err);
size_t pairsums_tasks(const pairsums *m);
void pairsums_task(pairsums *m, size_t task);

/* Row `rank`, as it was added up: `words` integers. Before pairsums_finish. */
const int64_t *pairsums_row(const pairsums *m, size_t rank);

/* scale D (C + C') D / 2 as doubles, rows x rows by rank, in the memory that
 * the integers had; weight NULL: D is one. It belongs to m. */
const double *pairsums_finish(pairsums *m, pool *p, double scale,
                             const double *weight);

/* Bytes. */
uint64_t pairsums_memusage(uint64_t words);

#endif
