/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_TEAMWORK_H
#define TESTS_UNIT_OPS_TEAMWORK_H
/* Fits by a crew whose members have a store each. */
#include "ops/gathered.h"

#define TEAMWORK_MODELS 3

typedef struct teamwork {
    gathered *g;
    const uint64_t *topics;
    size_t count;
    kedge_fit_opts o;
    bool eigenvalues; /* are wanted */
    double values[THREADRANKS_MOST][16];
    kedge_status status[THREADRANKS_MOST];
    kedge_fit_result r[THREADRANKS_MOST][TEAMWORK_MODELS];
    kedge_comm_traffic traffic[THREADRANKS_MOST];
} teamwork;

static inline void teamwork_fit_one(void *data, communicator *t)
{
    teamwork *const w = data;
    lively *const l = &w->g->member[t->rank];
    kedge_fit_opts o = w->o;

    if (w->eigenvalues)
        o.eigenvalues = w->values[t->rank];
    w->status[t->rank] = kedge_comm_fit(
        &(kedge_member){t, l->p.t.s, t->rank == 0 ? w->g->sum.p.t.s : NULL,
                        &w->traffic[t->rank]},
        w->topics, w->count, &o, &l->p.c, w->r[t->rank], &l->p.t.err);
}

static inline void teamwork_begin(teamwork *w, gathered *g)
{
    static const uint64_t usual[] = {PLANTED_TOPICS};

    *w = (teamwork){.g = g, .topics = usual, .count = 1};
    kedge_fit_opts_init(&w->o);
}

/* Whatever comes of it. */
static inline void teamwork_try(teamwork *w)
{
    threadranks_run(w->g->size, teamwork_fit_one, w);
}

static inline void teamwork_fit(teamwork *w)
{
    teamwork_try(w);
    for (unsigned r = 0; r < w->g->size; r++)
        ck_ok(w->status[r], w->g->member[r].p.t.err);
}

/* The same by one, of the store that has all documents. */
static inline void teamwork_fit_alone(teamwork *w, kedge_fit_result *r)
{
    lively *const l = &w->g->all;

    ck_ok(kedge_fit(l->p.t.s, w->topics, w->count, &w->o, &l->p.c, r,
                    &l->p.t.err), l->p.t.err);
}

static inline kedge_model *teamwork_load(lively *l, const char *name)
{
    kedge_model *m;

    ck_ok(kedge_model_load(l->p.t.s, name, NULL, &m, &l->p.t.err), l->p.t.err);
    return m;
}

#endif
