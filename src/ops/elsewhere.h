/* SPDX-License-Identifier: MIT */
#ifndef OPS_ELSEWHERE_H
#define OPS_ELSEWHERE_H
/*
 * What cannot be done where documents are elsewhere, in one set of words.
 */
#include "store/store.h"

/* EINVAL where some of the documents that the totals count are elsewhere;
 * `what` needs all of them: "--power-iter" or "evaluating". */
kedge_status elsewhere_refuse(const store_totals *t, const char *what,
                              kedge_error *err);

/* The same, of the store as it is now; no transaction may be open. */
kedge_status elsewhere_check(store *s, const char *what, kedge_error *err);

/* EINVAL where the index, which is of this number, lacks parts: it can never
 * get them. */
kedge_status elsewhere_check_index(const store_totals *t, uint32_t number,
                                   const store_index *index, kedge_error *err);

/* How many documents are the store's own; a transaction is open. */
kedge_status elsewhere_own(store_txn *txn, const store_totals *t, uint64_t *own,
                           kedge_error *err);

#endif
