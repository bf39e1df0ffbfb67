/* SPDX-License-Identifier: MIT */
/*
 * What the first documents of a store settle holds for all ranks' stores:
 * one that has none yet, as there were fewer files than processes, begins with
 * what the others have, as if it had read what they did.
 */
#include <kedge/team.h>

#include "base/fail.h"
#include "base/mem.h"
#include "ops/index/index.h"
#include "ops/ranks/gather.h"

/* Views of all words, with nothing in them yet. */
static kedge_status put_views(store_txn *txn, const part_facts *f,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view other;

    for (size_t i = 0; i < f->views; i++) {
        store_view v = f->view[i].view;
        st = store_get_view_record(txn, f->view[i].number, &other, err);
        if (st == KEDGE_OK)
            continue;
        if (st != KEDGE_ENOTFOUND)
            goto out;
        v.words = v.documents = v.skipped = v.tokens = 0;
        v.blocks = v.removals = v.parts = 0;
        v.rows = index_first_rows(f->view[i].number);
        TRY(store_put_view(txn, f->view[i].number, &v, err));
    }
    st = KEDGE_OK;
out:
    return st;
}

static kedge_status take_over(store *s, const store_totals *totals,
                              const part_facts *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const bool empty = totals->documents == 0 && totals->blocks == 0;
    text_settings own = {0};
    bool cuts;

    TRY(store_begin_read(s, &txn, err));
    TRY(text_settings_load(&own, txn, err));
    store_abort(&txn);
    cuts = f->tokenizing.settings.texts && !own.settings.texts;
    if (!cuts && !empty)
        goto out;
    TRY(store_begin_write(s, &txn, err));
    if (cuts)
        TRY(text_settings_put(&f->tokenizing, txn, err));
    if (empty)
        TRY(put_views(txn, f, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    text_settings_free(&own);
    return st;
}

kedge_status kedge_team_settle(const kedge_member *self, kedge_error *err)
{
    API_ENTER(err, {"self", self});
    API_ENTER(err, {"team", self->team}, {"own", self->own});

    kedge_status st = KEDGE_OK;
    part_facts all = {0};
    words known = {0};
    store_totals totals;

    TRY(store_load_words(self->own, &totals, &known, err));
    TRY(gather_facts(self->team, self->own, &totals, &all, err));
    if (all.documents > 0)
        TRY(take_over(self->own, &totals, &all, err));
out:
    words_free(&known);
    part_facts_free(&all);
    return api_leave(st, err);
}
