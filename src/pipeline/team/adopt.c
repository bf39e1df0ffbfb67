/* SPDX-License-Identifier: MIT */
#include "pipeline/team/adopt.h"

#include <string.h>

#include "base/fail.h"
#include "pipeline/parts/pairing.h"
#include "pipeline/index/index.h"
#include "sketch/statistic.h"

/* By the same measures, whatever the words. */
static bool measures_alike(const store_view *a, const store_view *b)
{
    return pairing_same_kind(a, b) && a->width == b->width &&
           a->seed == b->seed && a->min_tokens == b->min_tokens;
}

static kedge_status has_list(const adopt_input *in, store_txn *txn,
                             uint32_t number, store_list *scratch, bool *has,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_get_list(txn, number, scratch, err));
    *has = scratch->count == in->count &&
           (in->count == 0 || memcmp(scratch->ids, in->ids,
                                     in->count * sizeof *in->ids) == 0);
out:
    return st;
}

/* *number is UINT32_MAX when there is none, *next one that is free. */
static kedge_status find(const adopt_input *in, store_txn *txn,
                         uint32_t *number, uint32_t *next, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list scratch = {0};
    store_view view;
    uint32_t found;
    bool has;

    *number = UINT32_MAX;
    *next = INDEX_ALL_WORDS + 1;
    for (uint32_t from = 0; *number == UINT32_MAX; from = found + 1) {
        st = store_next_view(txn, from, &found, &view, err);
        if (st == KEDGE_ENOTFOUND) {
            st = KEDGE_OK;
            break;
        }
        TRY(st);
        *next = found >= *next ? found + 1 : *next;
        if (!measures_alike(&view, in->like))
            continue;
        has = true;
        if (view.listed)
            TRY(has_list(in, txn, found, &scratch, &has, err));
        if (has)
            *number = found;
    }
out:
    store_list_free(&scratch);
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
        TRY(index_sync(in->s, in->all, *number, out, in->control, in->p,
                             err));
        TRY(look(in, *number, &totals, out, err));
    }
    if (fresh)
        TRY(index_keep(in->s, &(index_choice){.number = *number,
                                              .asked = in->like->asked},
                       err));
out:
    return st;
}
