/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_HOLDOUT_H
#define OPS_INDEX_HOLDOUT_H
/*
 * Documents held out of a fit. The draw depends on a document's words, as they
 * are stored, and on a seed: not on the order of documents, on batches or on
 * the index. Documents of the same words are on the same side.
 */
#include "base/docs.h"
#include "base/words.h"
#include "store/digest.h"

typedef struct holdout {
    double share; /* probability of a document */
    uint64_t key;
    digests words;
} holdout;

/* `all`: the store's words. The caller closes it, after a failure as well. */
kedge_status holdout_open(holdout *h, const words *all, double share,
                          uint64_t seed, kedge_error *err);
void holdout_close(holdout *h);

/* Drops documents of the batch from `first` on, whose words have the store's
 * ids: all but the held-out ones, or all but the others. ECORRUPT. */
kedge_status holdout_keep(const holdout *h, docs *d, size_t first, bool held,
                          kedge_error *err);

#endif
