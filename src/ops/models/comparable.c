/* SPDX-License-Identifier: MIT */
/* Headers of all models are looked at; their arrays stay where they are. */
#include <string.h>

#include "base/fail.h"
#include "ops/models/model.h"

/* Of the same documents, seen and treated alike. Numbers of indexes that were
 * dropped are given again. */
static bool is_comparable(const kedge_model *a, const kedge_model *b)
{
    const store_index *const v = &a->index, *const w = &b->index;
    const kedge_fit_result *const f = &a->figures, *const g = &b->figures;
    uint8_t ways[METHODS_BYTES], others[METHODS_BYTES];

    methods_pack(&a->ways, ways);
    methods_pack(&b->ways, others);
    return a->index_place > 0 && a->index_place == b->index_place &&
           v->statistic == w->statistic && v->listed == w->listed &&
           v->width == w->width && v->seed == w->seed &&
           v->min_tokens == w->min_tokens && v->joined == w->joined &&
           strcmp(v->rule, w->rule) == 0 && a->words == b->words &&
           memcmp(a->digest, b->digest, sizeof a->digest) == 0 &&
           memcmp(ways, others, sizeof ways) == 0 &&
           a->correlations_kind == b->correlations_kind &&
           f->power_iter == g->power_iter && f->em_iter == g->em_iter &&
           f->rectify == g->rectify && f->term_weight == g->term_weight &&
           f->cooccurrence == g->cooccurrence && f->ncut == g->ncut;
}

static uint64_t away(uint64_t topics, uint64_t from)
{
    return topics > from ? topics - from : from - topics;
}

/* Into its place by topics, or over one of as many that was fitted before; of
 * too many, the end that is farther from m goes. */
static void put(const kedge_model *m, const kedge_model *other,
                uint64_t serial, comparable *out, size_t *count)
{
    comparable all[COMPARABLE_MOST + 1];
    comparable it = {.topics = other->topics, .serial = serial,
                     .sketch_error = other->figures.sketch_error,
                     .sum_correlations = other->figures.topic_cooccurrence_sum};
    size_t at = 0;

    memcpy(it.name, other->name, sizeof it.name);
    while (at < *count && out[at].topics < it.topics)
        at++;
    if (at < *count && out[at].topics == it.topics) {
        if (out[at].serial < it.serial)
            out[at] = it;
        return;
    }
    memcpy(all, out, *count * sizeof *all);
    memmove(all + at + 1, all + at, (*count - at) * sizeof *all);
    all[at] = it;
    *count += 1;
    if (*count > COMPARABLE_MOST) {
        const bool first = away(all[0].topics, m->topics) >
                           away(all[COMPARABLE_MOST].topics, m->topics);
        memmove(all, all + first, COMPARABLE_MOST * sizeof *all);
        *count = COMPARABLE_MOST;
    }
    memcpy(out, all, *count * sizeof *all);
}

kedge_status comparable_find(store *s, const kedge_model *m,
                             comparable out[COMPARABLE_MOST], size_t *count,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_model other;
    char name[64];

    *count = 0;
    put(m, m, UINT64_MAX, out, count); /* no other of as many topics counts */
    TRY(store_begin_read(s, &txn, err));
    for (uint64_t i = 0;
         (st = store_get_model_name(txn, i, name, err)) == KEDGE_OK; i++) {
        TRY(model_get_header(txn, name, &other, err));
        if (is_comparable(m, &other))
            put(m, &other, other.serial & ~MODEL_SWEPT, out, count);
    }
    st = st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
out:
    store_abort(&txn);
    return st;
}
