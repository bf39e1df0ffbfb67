/* SPDX-License-Identifier: MIT */
/* Headers of all models are looked at; their arrays stay where they are. */
#include "ops/models/siblings.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* Of the same documents, seen and treated alike. Numbers of views that were
 * forgotten are given again. */
static bool is_sibling(const kedge_model *a, const kedge_model *b)
{
    const store_view *const v = &a->view, *const w = &b->view;
    const law_ways *const s = &a->ways, *const t = &b->ways;

    return a->view_place > 0 && a->view_place == b->view_place &&
           v->statistic == w->statistic && v->listed == w->listed &&
           v->width == w->width && v->seed == w->seed &&
           v->min_tokens == w->min_tokens && v->joined == w->joined &&
           strcmp(v->rule, w->rule) == 0 && a->words == b->words &&
           a->digest[0] == b->digest[0] && a->digest[1] == b->digest[1] &&
           a->refined == b->refined && a->polished == b->polished &&
           a->rectify == b->rectify && a->weight == b->weight &&
           a->correlations_kind == b->correlations_kind &&
           a->cooccurrence == b->cooccurrence && a->ncut == b->ncut &&
           s->anchors == t->anchors && s->several == t->several &&
           s->banned == t->banned && s->project == t->project &&
           s->solver == t->solver && s->recover == t->recover &&
           s->legal == t->legal;
}

static sibling sibling_of(const kedge_model *m)
{
    sibling it = {.topics = m->topics, .serial = m->serial,
                  .eigenspace_error = m->figures.eigenspace_error,
                  .sum_correlations = m->figures.cooccurrence_sum};

    memcpy(it.name, m->name, sizeof it.name);
    return it;
}

static uint64_t away(uint64_t topics, uint64_t from)
{
    return topics > from ? topics - from : from - topics;
}

/* Into its place by topics, or over one of as many that was fitted before; of
 * too many, the end that is farther from m goes. */
static void take(const kedge_model *m, const sibling *it, sibling *out,
                 size_t *count)
{
    sibling all[SIBLINGS_MOST + 1];
    size_t at = 0;

    while (at < *count && out[at].topics < it->topics)
        at++;
    if (at < *count && out[at].topics == it->topics) {
        if (out[at].serial < it->serial)
            out[at] = *it;
        return;
    }
    memcpy(all, out, *count * sizeof *all);
    memmove(all + at + 1, all + at, (*count - at) * sizeof *all);
    all[at] = *it;
    *count += 1;
    if (*count > SIBLINGS_MOST) {
        const bool first = away(all[0].topics, m->topics) >
                           away(all[SIBLINGS_MOST].topics, m->topics);
        memmove(all, all + first, SIBLINGS_MOST * sizeof *all);
        *count = SIBLINGS_MOST;
    }
    memcpy(out, all, *count * sizeof *all);
}

kedge_status siblings_find(store *s, const kedge_model *m,
                           sibling out[SIBLINGS_MOST], size_t *count,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_store_info totals;
    sibling own = sibling_of(m);

    *count = 0;
    TRY(kedge_store_get_info(s, &totals, err));
    own.serial = UINT64_MAX; /* no other one of as many topics counts */
    take(m, &own, out, count);
    for (uint64_t i = 0; i < totals.models; i++) {
        kedge_model_info info;
        kedge_model other = {0};
        sibling it;

        TRY(kedge_store_get_model(s, i, &info, err));
        TRY(store_begin_read(s, &txn, err));
        st = model_get_header(txn, info.name, &other, err);
        store_abort(&txn);
        TRY(st);
        it = sibling_of(&other);
        if (is_sibling(m, &other))
            take(m, &it, out, count);
    }
out:
    return st;
}
