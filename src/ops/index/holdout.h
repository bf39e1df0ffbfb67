/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_HOLDOUT_H
#define OPS_INDEX_HOLDOUT_H
/*
 * Documents that are held out of a fit. Whether a document is one of them
 * follows from its words, as they are stored, and a seed: neither the order of
 * documents matters, nor batches, nor which index sees them. Documents of the
 * same words stay together.
 */
#include "base/docs.h"
#include "base/words.h"
#include "store/digest.h"

typedef struct holdout {
    double share; /* chance of a document */
    uint64_t key;
    digests words;
} holdout;

/* `all`: the store's words. The caller closes it, after a failure as well. */
kedge_status holdout_open(holdout *h, const words *all, double share,
                          uint64_t seed, kedge_error *err);
void holdout_close(holdout *h);

/* Of the documents from `first` on, whose words have the store's ids, those
 * that are held out stay in the batch, or only the others. ECORRUPT. */
kedge_status holdout_keep(const holdout *h, docs *d, size_t first, bool held,
                          kedge_error *err);

#endif
