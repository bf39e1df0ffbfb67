/* SPDX-License-Identifier: MIT */
/* Forgetting: a model, or an index with its sketch, leaves the store. */
#include <kedge/maintain.h>

#include "base/fail.h"
#include "ops/index/index.h"
#include "ops/infer/saved.h"
#include "ops/models/model.h"
#include "store/store.h"

kedge_status kedge_drop_model(kedge_store *s, const char *name,
                              kedge_error *err)
{
    API_ENTER(err, {"store", s}, {"name", name});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const uint8_t *header;
    size_t size;

    TRY(store_begin_write(s, &txn, err));
    st = store_get_model_header(txn, name, &header, &size, err);
    if (st == KEDGE_ENOTFOUND)
        st = model_missing(txn, name, err);
    TRY(st);
    TRY(store_drop_model(txn, name, err));
    TRY(store_commit(&txn, err));
    saved_drop(s, name);
out:
    store_abort(&txn);
    return api_leave(st, err);
}

kedge_status kedge_drop_index(kedge_store *s, uint64_t number,
                              kedge_error *err)
{
    API_ENTER(err, {"store", s});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_index index;

    TRY(store_begin_read(s, &txn, err));
    st = number <= UINT32_MAX
             ? store_get_index_record(txn, (uint32_t)number, &index, err)
             : KEDGE_ENOTFOUND;
    store_abort(&txn);
    if (st == KEDGE_ENOTFOUND)
        kedge_fail(err, st,
                   "the store has no index %llu; 'kedge info STORE' lists them",
                   (unsigned long long)number);
    if (st != KEDGE_ECORRUPT) /* a damaged one can be dropped, too */
        TRY(st);
    TRY(index_drop(s, (uint32_t)number, err));
out:
    return api_leave(st, err);
}
