/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_GATHERED_H
#define TESTS_UNIT_OPS_GATHERED_H
/*
 * Stores of several processes, "rank0" and so on, that read some of the shards
 * each, in turns; the store of sums, which is rank 0's; and one that read all.
 */
#include <kedge/parts.h>
#include <kedge/team.h>
#include <kedge/verify.h>

#include "base/threadranks.h"
#include "ops/lively.h"

typedef struct gathered {
    unsigned size;
    lively member[THREADRANKS_MOST];
    lively sum, all;
} gathered;

/* What shards are read with. */
typedef void gathered_ask(kedge_ingest_opts *o);

/* An empty store with this name. */
static inline void gathered_store(lively *l, const char *name,
                                  size_t documents)
{
    scene *const t = &l->p.t;
    char old[80];

    lively_begin(l, documents);
    scene_close(t);
    memcpy(old, t->path, sizeof old);
    snprintf(t->path, sizeof t->path, "%.60s/%.15s", t->root, name);
    snprintf(t->data, sizeof t->data, "%.80s/data.mdb", t->path);
    ck_assert_int_eq(rename(old, t->path), 0);
    scene_open(t, KEDGE_OPEN_WRITE);
}

static inline void gathered_begin_with(gathered *g, unsigned size,
                                       size_t documents, gathered_ask *ask)
{
    *g = (gathered){.size = size};
    gathered_store(&g->sum, "sum", documents);
    gathered_store(&g->all, "all", documents);
    for (unsigned r = 0; r < size; r++) {
        char name[16];
        snprintf(name, sizeof name, "rank%u", r);
        gathered_store(&g->member[r], name, documents);
    }
    for (unsigned r = 0; ask != NULL && r < size; r++)
        ask(&g->member[r].p.o);
    if (ask != NULL)
        ask(&g->all.p.o);
    for (size_t i = 0; i < LIVELY_SHARDS; i++)
        lively_ingest(&g->member[i % size], i, false);
    for (size_t i = 0; i < LIVELY_SHARDS; i++)
        lively_ingest(&g->all, i, false);
}

static inline void gathered_begin(gathered *g, unsigned size, size_t documents)
{
    gathered_begin_with(g, size, documents, NULL);
}

static inline void gathered_end(gathered *g)
{
    for (unsigned r = 0; r < g->size; r++)
        lively_end(&g->member[r]);
    lively_end(&g->sum);
    lively_end(&g->all);
}

/* Words as they come, no view of all of them. */
static inline void gathered_no_vocabulary(kedge_ingest_opts *o)
{
    o->vocabulary = NULL;
}

/* Nothing of a store is wrong. */
static inline void gathered_verify(lively *l)
{
    kedge_verify_result v;

    ck_ok(kedge_verify(l->p.t.s, NULL, NULL, &l->p.c, &v, &l->p.t.err),
          l->p.t.err);
    ck_assert_uint_eq(v.damaged, 0);
    ck_assert(v.counted);
    kedge_verify_free(&v);
}

#endif
