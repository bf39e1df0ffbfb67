/* SPDX-License-Identifier: MIT */
/* A store that was made for nothing is taken off the disk again. */
#include "store/directory.h"
#include "store/kv.h"

/* No document came, nor was any there that left again. It is looked at anew,
 * whatever is open in it, or failed. */
static bool is_empty(store *s)
{
    store_txn *txn = NULL;
    store_totals t;
    const bool empty = kv_reopen(s, NULL) == KEDGE_OK &&
                       store_begin_read(s, &txn, NULL) == KEDGE_OK &&
                       store_get_totals(txn, &t, NULL) == KEDGE_OK &&
                       t.documents == 0 && t.blocks == 0 && t.removed == 0;

    store_abort(&txn);
    return empty;
}

void kedge_store_withdraw(kedge_store *s)
{
    if (s != NULL && kv_made(s) && is_empty(s)) {
        kv_give_up(s); /* nobody reads the files any more */
        directory_remove(kv_directory(s));
    }
    kedge_store_close(s);
}
