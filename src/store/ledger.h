/* SPDX-License-Identifier: MIT */
#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H
/* The record that makes a database a store, and tells its format. */
#include "store/store.h"

kedge_status ledger_put_format(store_txn *txn, kedge_error *err);
/* EVERSION when a newer program wrote the store. */
kedge_status ledger_check_format(store_txn *txn, kedge_error *err);

/* As store_get_totals, of which nothing is held against what there is. */
kedge_status ledger_get_totals(store_txn *txn, store_totals *out,
                               kedge_error *err);

/* Limits that the open transaction goes by from now on; NULL: those that the
 * totals tell. */
void ledger_set_limits(store_txn *txn, const store_limits *limits);

/* Limits are these from now on, where they were less: something was put. */
kedge_status ledger_raise(store_txn *txn, const store_limits *to,
                          kedge_error *err);

#endif
