/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PARTS_PAIRING_H
#define PIPELINE_PARTS_PAIRING_H
/*
 * Which sketch of a part is added to which of the store: that of the same kind
 * of words, by the same rule and statistic. These have to agree in all that a
 * sketch is made by.
 */
#include <kedge/control.h>

#include "pipeline/parts/partfile.h"

typedef struct pair {
    size_t theirs;       /* place among the part's views */
    uint32_t number;     /* of the store's, */
    bool exists;         /* which is there; or comes with the part */
    store_view view;     /* of the store, as it is; or as it begins */
    uint32_t fresh_rows; /* the number that the sums go under */
    /* what became of it */
    uint64_t rows;
    double total;
    store_list list;     /* where it has one: of both */
} pair;

/* Of the same words, by the same rule and statistic. */
bool pairing_same_kind(const store_view *a, const store_view *b);

/* EINVAL where two of these cannot be added up; `number` is that of ours. */
kedge_status pairing_agree(uint32_t number, const store_view *ours,
                           const store_view *theirs, kedge_error *err);

/* An empty one is {0}. */
typedef struct pairing {
    pair *pair;
    size_t count;
} pairing;

/*
 * Only an empty store gets views that it has not. What is left out, of either,
 * is told. EINVAL where two do not agree, both values in the message; or where
 * none can be added up, while there are some. A transaction is open.
 */
kedge_status pairing_make(pairing *out, store_txn *txn,
                          const store_totals *totals,
                          const partfile_facts *facts,
                          const kedge_control *control, kedge_error *err);
void pairing_free(pairing *p);

/* The pair of the part's view at this place, or NULL. */
pair *pairing_find(const pairing *p, size_t theirs);

#endif
