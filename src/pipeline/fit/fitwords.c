/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/fitwords.h"

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/index/recount.h"

void fitwords_free(fitwords *w)
{
    mem_free(w->order);
    mem_free(w->ids);
    mem_free(w->place);
    mem_free(w->tf);
    mem_free(w->df);
    *w = (fitwords){0};
}

/* Leaves out of the order what no document holds. */
static void fitwords_pick(fitwords *w, const filter *l, bool listed,
                          const uint64_t *tf, const uint64_t *df)
{
    for (size_t r = 0; r < w->stored; r++) {
        const uint32_t id = filter_id(l, w->order[r]);
        if (df[id] == 0 && !listed)
            continue;
        w->order[w->rows] = w->order[r];
        w->place[w->rows] = (uint32_t)r;
        w->ids[w->rows] = id;
        w->tf[w->rows] = tf[id];
        w->df[w->rows] = df[id];
        w->rows++;
    }
}

kedge_status fitwords_create(fitwords *w, store_txn *txn, const words *all,
                             filter *l, const store_view *view,
                             const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = view->words;
    uint64_t *tf = NULL, *df = NULL;
    words known = *filter_words(l);
    size_t twin;

    *w = (fitwords){.stored = n};
    known.count = n;
    TRY_MEM(w->order = words_order(&known, &twin));
    TRY_MEM(w->ids = mem_new(n, sizeof *w->ids));
    TRY_MEM(w->place = mem_new(n, sizeof *w->place));
    TRY_MEM(w->tf = mem_new(n, sizeof *w->tf));
    TRY_MEM(w->df = mem_new(n, sizeof *w->df));
    TRY_MEM(tf = mem_new(all->count, sizeof *tf));
    TRY_MEM(df = mem_new(all->count, sizeof *df));
    TRY(store_get_counts(txn, tf, df, all->count, err));
    if (view->joined)
        TRY(recount_seen(l, txn, view->blocks, control, tf, df, err));
    fitwords_pick(w, l, view->listed, tf, df);
out:
    mem_free(tf);
    mem_free(df);
    if (st != KEDGE_OK)
        fitwords_free(w);
    return st;
}
