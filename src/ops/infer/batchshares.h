/* SPDX-License-Identifier: MIT */
#ifndef OPS_INFER_BATCHSHARES_H
#define OPS_INFER_BATCHSHARES_H
/*
 * How large topics are in each batch, by kept compositions. Batches are in the
 * order in which the store got their first sources; sources without a batch are
 * one batch, without a name. All sums are integers.
 */
#include "ops/models/model.h"
#include "ops/infer/saved.h"

typedef struct batchshares {
    bool there;       /* compositions are kept with this very model */
    kedge_saved_info about;
    size_t count;     /* batches that still have documents of the set */
    char (*name)[64]; /* count */
    uint64_t *documents; /* count: with a word that the model knows */
    uint64_t *units;  /* count x topics: their shares, added up, in 1 /
                         STORE_UNITS */
} batchshares;

/* EBUDGET, ECORRUPT, ECANCELED, EIO, ENOMEM; on failure there is nothing to
 * free. */
kedge_status batchshares_find(store *s, const kedge_model *m,
                              const kedge_control *control, batchshares *out,
                              kedge_error *err);
void batchshares_free(batchshares *b);

/* Mean share of the topic in the batch's documents. */
double batchshares_share(const batchshares *b, size_t topics, size_t batch,
                         size_t topic);

#endif
