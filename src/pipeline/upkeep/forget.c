/* SPDX-License-Identifier: MIT */
/* Forgetting: a model, or a view with its sketch, leaves the store. */
#include <kedge/life.h>

#include "base/fail.h"
#include "pipeline/shares/keeping.h"
#include "pipeline/views/views.h"
#include "store/store.h"

kedge_status kedge_forget_model(kedge_store *s, const char *name,
                                kedge_error *err)
{
    API_ENTER(err, {"store", s}, {"name", name});

    kedge_status st = KEDGE_OK;
    const uint8_t *header;
    size_t size;

    TRY(store_begin_write(s, UINT64_C(1) << 20, err));
    st = store_get_model_header(s, name, &header, &size, err);
    if (st == KEDGE_ENOTFOUND)
        kedge_fail(err, st,
                   "the store has no model \"%s\"; 'kedge info STORE' lists "
                   "them", name);
    TRY(st);
    TRY(store_drop_model(s, name, err));
    TRY(store_commit(s, err));
    keeping_forget(s, name);
out:
    store_abort(s);
    return api_leave(st, err);
}

/* A damaged one can be forgotten, too. */
static kedge_status forget_look(kedge_store *s, uint64_t number,
                                kedge_error *err)
{
    kedge_status st = KEDGE_ENOTFOUND;
    store_view view;

    if (number <= UINT32_MAX)
        st = store_get_view_record(s, (uint32_t)number, &view, err);
    if (st == KEDGE_ENOTFOUND)
        return kedge_fail(err, st,
                          "the store has no view %llu; 'kedge info STORE' "
                          "lists them", (unsigned long long)number);
    return st == KEDGE_ECORRUPT ? KEDGE_OK : st;
}

kedge_status kedge_forget_view(kedge_store *s, uint64_t number,
                               kedge_error *err)
{
    API_ENTER(err, {"store", s});

    kedge_status st = KEDGE_OK;

    TRY(store_begin_read(s, err));
    st = forget_look(s, number, err);
    store_abort(s);
    TRY(st);
    TRY(views_drop(s, (uint32_t)number, err));
out:
    return api_leave(st, err);
}
