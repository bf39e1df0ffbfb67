/* SPDX-License-Identifier: MIT */
#include "pipeline/team/adopt.h"

#include <string.h>

#include "base/fail.h"
#include "pipeline/parts/parts.h"
#include "pipeline/views/follow.h"
#include "sketch/statistic.h"

/* A view of the same measures with the same list; *number is UINT32_MAX when
 * there is none, *next one that is free. */
static kedge_status find(const adopt_input *in, store_txn *txn,
                         uint32_t *number, uint32_t *next, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list list = {0};
    store_view view;
    uint32_t found;

    *number = UINT32_MAX;
    *next = FOLLOW_VIEW + 1;
    for (uint32_t from = 0; *number == UINT32_MAX; from = found + 1) {
        st = store_next_view(txn, from, &found, &view, err);
        if (st == KEDGE_ENOTFOUND) {
            st = KEDGE_OK;
            break;
        }
        TRY(st);
        *next = found >= *next ? found + 1 : *next;
        if (!part_same_kind(&view, in->like) ||
            part_views_agree(found, &view, in->like, NULL) != KEDGE_OK)
            continue;
        if (view.listed)
            TRY(store_get_list(txn, found, &list, err));
        if (!view.listed ||
            (list.count == in->count &&
             (in->count == 0 || memcmp(list.ids, in->ids,
                                       in->count * sizeof *in->ids) == 0)))
            *number = found;
    }
out:
    store_list_free(&list);
    return st;
}

static kedge_status declare(const adopt_input *in, uint32_t number,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_view v = *in->like;
    store_totals totals;

    if (!v.listed)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: there is no view of all words, statistic %s and "
                          "%llu columns, as there is elsewhere",
                          store_path(in->s), statistic_name(v.statistic),
                          (unsigned long long)v.width);
    TRY(store_begin_write(in->s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    v.words = in->count;
    v.documents = v.skipped = v.tokens = v.blocks = v.parts = 0;
    v.removals = totals.removals;
    v.total = 0;
    v.rows = 2 * number;
    TRY(store_put_view(txn, number, &v, err));
    TRY(store_put_list(txn, number, in->ids, in->count, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status look(const adopt_input *in, uint32_t number,
                         store_totals *totals, store_view *view,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(in->s, &txn, err));
    TRY(store_get_totals(txn, totals, err));
    TRY(store_get_view_record(txn, number, view, err));
out:
    store_abort(&txn);
    return st;
}

kedge_status adopt_view(const adopt_input *in, uint32_t *number,
                        store_view *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;
    uint32_t next;
    bool fresh;

    TRY(store_begin_read(in->s, &txn, err));
    st = find(in, txn, number, &next, err);
    store_abort(&txn);
    TRY(st);
    fresh = *number == UINT32_MAX;
    if (fresh) {
        TRY(declare(in, next, err));
        *number = next;
    }
    TRY(look(in, *number, &totals, out, err));
    if (!store_view_is_current(out, &totals)) {
        if (!out->listed)
            out->words = in->all->count;
        TRY(views_follow_one(in->s, in->all, *number, out, in->control, in->p,
                             err));
        TRY(look(in, *number, &totals, out, err));
    }
    if (fresh)
        TRY(views_keep(in->s, &(views_choice){.number = *number,
                                              .asked = in->like->asked},
                       err));
out:
    return st;
}
