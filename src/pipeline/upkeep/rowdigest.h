/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_UPKEEP_ROWDIGEST_H
#define PIPELINE_UPKEEP_ROWDIGEST_H
/*
 * What a saved sketch holds, as one number: words and rows in the order of the
 * words' bytes. Rows of zeros are passed over, so that words which came and
 * went leave no trace.
 */
#include <kedge/control.h>

#include "base/words.h"
#include "store/store.h"

typedef struct rowdigest {
    store_txn *txn;
    const words *all;
    const uint32_t *order; /* ids of all words in the order of their bytes */
    const kedge_control *control;
} rowdigest;

/* Of a view that the store has. One without a sketch gives 0. ECORRUPT where
 * the rows do not add up to the view's total. */
kedge_status rowdigest_make(const rowdigest *r, uint32_t number,
                            const store_view *v, uint64_t *digest,
                            kedge_error *err);

#endif
