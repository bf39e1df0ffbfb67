/* SPDX-License-Identifier: MIT */
#include "pipeline/intake/beside.h"

#include "base/fail.h"
#include "pipeline/views/follow.h"
#include "sketch/statistic.h"

/* Whether all words are a view by this one; else `next` is a free number. */
typedef struct looking {
    uint32_t kind, next;
    bool has;
} looking;

static kedge_status look_at(void *data, uint32_t number, store_view *record,
                            kedge_error *err)
{
    looking *const l = data;

    (void)err;
    if (number >= l->next)
        l->next = number + 1;
    l->has |= !record->listed && record->statistic == l->kind;
    return KEDGE_OK;
}

/* Nothing was added to it yet. */
static kedge_status beside_put(store *s, uint32_t number,
                               const store_view *first, uint32_t kind,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const store_view record = {
        .statistic = kind,
        .weight_bits = statistic_weight_bits(kind),
        .value_bits = statistic_value_bits(kind),
        .width = first->width,
        .seed = first->seed,
        .min_tokens = first->min_tokens,
        .words = first->words,
        .rows = 2 * number,
    };

    TRY(store_begin_write(s, &txn, err));
    TRY(store_put_view(txn, number, &record, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

kedge_status beside_add(store *s, const char *statistics, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_view first;
    uint32_t kind;

    for (size_t i = 0;; i++) {
        st = statistic_listed(statistics, i, &kind, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        looking l = {.kind = kind, .next = FOLLOW_VIEW + 1};
        TRY(store_begin_read(s, &txn, err));
        st = store_get_view_record(txn, FOLLOW_VIEW, &first, err);
        if (st == KEDGE_OK)
            st = store_each_view(txn, look_at, &l, err);
        store_abort(&txn);
        if (st == KEDGE_ENOTFOUND) /* no document came */
            return KEDGE_OK;
        TRY(st);
        if (!l.has)
            TRY(beside_put(s, l.next, &first, kind, err));
    }
out:
    return st;
}
