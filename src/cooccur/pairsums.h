/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_PAIRSUMS_H
#define COOCCUR_PAIRSUMS_H
/*
 * C itself, for vocabularies small enough: every pair of words, from windows,
 * by the integers of the sketch's kernel. What is added up is the C of which
 * the sketch is C Ω to the last bit, in any order of documents and on any
 * number of threads; rounding each weight once makes it a little unsymmetric,
 * and pairsums_finish takes the mean of the two sides.
 *
 *   pairsums_create → (pairsums_begin → pairsums_task for every task) for every
 *   window → pairsums_finish
 *
 * Sparse, it is the same numbers but for the zeros of pairs that no document
 * has together, in memory that follows the others. Who these are is found out
 * by a look at all windows that comes before:
 *
 *   pairsums_create → all windows → pairsums_pairs → pairsums_look_again → all
 *   windows again → pairsums_finish
 */
#include "base/pool.h"
#include "cooccur/window.h"

typedef struct pairsums pairsums;

/* `rank` (by id, `words` of them) is the row of each word; it stays the
 * caller's. */
kedge_status pairsums_create(const uint32_t *rank, size_t words,
                             unsigned threads, bool sparse, pairsums **out,
                             kedge_error *err);
void pairsums_free(pairsums *m); /* accepts NULL */

/* Looks at a window; then every task, on any thread, adds its part. */
kedge_status pairsums_begin(pairsums *m, const window *w, kedge_error *err);
size_t pairsums_tasks(const pairsums *m);
void pairsums_task(pairsums *m, size_t task, unsigned worker);

/* Sparse: pairs that came together so far, both ways round, each word with
 * itself among them. */
size_t pairsums_pairs(pairsums *m);

/* Makes room for these; what comes from now on is added, not looked at. */
kedge_status pairsums_look_again(pairsums *m, kedge_error *err);

/* Makes scale D (C + C') D / 2 of it, doubles in the memory that the integers
 * had; weight NULL: D is one. */
void pairsums_finish(pairsums *m, pool *p, double scale, const double *weight);

/* After it: row `rank`, which is m's, so that dense rows follow each other; or
 * in `room` for `words` if it is sparse. For one thread at a time. */
const double *pairsums_entries(const pairsums *m, size_t rank, double *room);

/* After it too: out = C x, both words x k, the same on any number of
 * threads. */
void pairsums_multiply(const pairsums *m, pool *p, const double *x, size_t k,
                       double *out);

/* After it too: the squared length of each row. */
void pairsums_squares(const pairsums *m, pool *p, double *out);

#endif
