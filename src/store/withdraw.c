/* SPDX-License-Identifier: MIT */
/* A store that was made for nothing is taken off the disk again. */
#include "store/env.h"

/* No document came, nor was any there that left again. */
static bool is_empty(store *s)
{
    store_totals t;
    bool empty;

    store_abort(s);
    if (env_idle(s, false, NULL) != KEDGE_OK) /* it failed to map more */
        return env_reopen(s, NULL) == KEDGE_OK && is_empty(s);
    empty = store_begin_read(s, NULL) == KEDGE_OK &&
            store_get_totals(s, &t, NULL) == KEDGE_OK && t.documents == 0 &&
            t.blocks == 0 && t.removed == 0;
    store_abort(s);
    return empty;
}

void kedge_store_withdraw(kedge_store *s)
{
    if (s != NULL && env_made(s) && is_empty(s)) {
        env_give_up(s); /* nobody reads the files any more */
        directory_remove(env_directory(s));
    }
    kedge_store_close(s);
}
