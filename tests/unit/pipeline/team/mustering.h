/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_PIPELINE_TEAM_MUSTERING_H
#define TESTS_UNIT_PIPELINE_TEAM_MUSTERING_H
/* What the stores of a crew have together, at rank 0. */
#include "pipeline/gathered.h"
#include "pipeline/team/muster.h"

typedef struct mustering {
    gathered *g;
    muster m;            /* rank 0's */
    kedge_status status; /* likewise */
} mustering;

static inline kedge_status mustering_one(gathered *g, team *t, muster *out)
{
    lively *const l = &g->member[t->rank];
    store_totals totals;
    words all = {0};
    kedge_status st;

    ck_ok(store_load_words(l->p.t.s, &totals, &all, &l->p.t.err), l->p.t.err);
    st = muster_call(t, l->p.t.s, &totals, &all, &l->p.c, out, &l->p.t.err);
    words_free(&all);
    return st;
}

/* Where rank 0 does not agree with what the last one tells it, the others go
 * on to their words: it hears them out. */
static inline void mustering_work(void *data, team *t)
{
    mustering *const w = data;
    lively *const l = &w->g->member[t->rank];
    kedge_error err = {0};
    tallies none = {0};
    muster m;

    if (t->rank == 0) {
        w->status = mustering_one(w->g, t, &w->m);
        if (w->status != KEDGE_OK)
            ck_ok(tallies_join(t, &none, &l->p.c, &err), err);
        tallies_free(&none);
        return;
    }
    ck_ok(mustering_one(w->g, t, &m), l->p.t.err);
    ck_assert_uint_eq(m.words.w.count, 0);
    ck_assert(m.facts.parts == 0 && m.facts.part == NULL);
    muster_free(&m);
}

/* Rank 0's status; what it has is the caller's to free. */
static inline kedge_status mustering_run(mustering *w, gathered *g)
{
    *w = (mustering){.g = g};
    crew_run(g->size, mustering_work, w);
    return w->status;
}

#endif
