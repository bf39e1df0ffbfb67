/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_SKETCHROWS_H
#define PIPELINE_FIT_SKETCHROWS_H
/*
 * The saved sketch as a source of rows for the spectrum: decoded by many
 * threads, scaled to C's own units, in the order of the words' bytes; times the
 * words' weights where there are any. Some of the rows that the store has may
 * be left out.
 */
#include <pthread.h>

#include "base/pool.h"
#include "base/words.h"
#include "sketch/sketch.h"
#include "sketch/spectrum.h"
#include "store/store.h"

typedef struct sketchrows {
    spectrum_rows rows;
    store_txn *txn; /* of the caller, who sets it: rows are read in it */
    const store_view *view;
    unsigned threads;
    double *sums;          /* by rank: C·1, filled by the first sweep */
    double scale;          /* from the sketch's integers to C's own units */
    pthread_mutex_t lock;  /* the store is used by one thread at a time */
    store_rows *scratch;   /* by worker */
    int64_t *values;       /* by worker: a chunk */
    const uint32_t *place; /* by row: which of the store's it is; NULL: all */
    size_t stored;         /* rows that the store has, */
    int64_t *around;       /* and by worker: a chunk of them */
    const sketch *made;    /* rows come from it; NULL: from the store */
    const uint32_t *order; /* of `made`: rank → id */
    uint64_t *key;
} sketchrows;

/* `order`: rank → id. */
kedge_status sketchrows_create(sketchrows *r, const store_view *view,
                               const words *vocabulary, const uint32_t *order,
                               const kedge_control *control, kedge_error *err);

/* The view's words and `order` are some of those that the store has rows of:
 * `place` tells which of its `stored` rows, rising. It is the caller's and
 * stays. */
kedge_status sketchrows_pick(sketchrows *r, const uint32_t *place,
                             size_t stored, kedge_error *err);
void sketchrows_free(sketchrows *r);

/* From a view's integers to C's own units. */
double sketchrows_scale(const store_view *v);

/* The sums alone, before anything is read: all of them. */
kedge_status sketchrows_sums(sketchrows *r, pool *p, kedge_error *err);

/* A sweep found those of this process's rows; now everybody has all. */
void sketchrows_collect(sketchrows *r, pool *p);

/* From now on rows and sums are those of `made`, a sketch of the same words by
 * the same test matrix, times `scale`. It and `order` are the caller's and
 * stay. */
void sketchrows_take(sketchrows *r, const sketch *made, const uint32_t *order,
                     double scale);

/* From now on rows are times their weights, by rank; the sums are not. `weight`
 * is the caller's and stays. */
void sketchrows_weigh(sketchrows *r, const double *weight);

#endif
