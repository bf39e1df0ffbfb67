/* SPDX-License-Identifier: MIT */
#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H
/* The record that makes a database a store, and tells its format. */
#include "store/store.h"

kedge_status ledger_put_format(store *s, kedge_error *err);
/* EVERSION when a newer program wrote the store. */
kedge_status ledger_check_format(store *s, kedge_error *err);

#endif
