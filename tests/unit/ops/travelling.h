/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_TRAVELLING_H
#define TESTS_UNIT_OPS_TRAVELLING_H
/*
 * Three stores that read some of the shards each, with a sketch of all words
 * and one of a list, and what they export; and a store for all of it.
 */
#include <kedge/parts.h>

#include "ops/lively.h"

#define TRAVELLING_PARTS 3

static const size_t travelling_cuts[TRAVELLING_PARTS + 1] = {0, 3, 7,
                                                             LIVELY_SHARDS};

typedef struct travelling {
    lively part[TRAVELLING_PARTS];
    char file[TRAVELLING_PARTS][96];
    lively all; /* empty at first; nobody is gone of it in the end */
} travelling;

static inline kedge_status travelling_send(lively *from, const char *path,
                                           const kedge_sketch_export_opts *o,
                                           kedge_sketch_export_result *r)
{
    kedge_sketch_export_opts usual;

    kedge_sketch_export_opts_init(&usual);
    return kedge_sketch_export_file(from->p.t.s, path, o != NULL ? o : &usual,
                                    &from->p.c, r, &from->p.t.err);
}

static inline kedge_status travelling_take(lively *into, const char *path,
                                           kedge_sketch_import_result *r)
{
    return kedge_sketch_import(into->p.t.s, path, &into->p.c, r,
                               &into->p.t.err);
}

/* Shards from .. to-1. */
static inline void travelling_fill(lively *l, size_t documents, size_t from,
                                   size_t to)
{
    lively_begin(l, documents);
    lively_read(l, from, to, false);
    kedge_model_free(lively_fit_listed(l));
}

static inline void travelling_begin(travelling *t, size_t documents)
{
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    char name[16];

    kedge_sketch_export_opts_init(&o);
    o.name = name;
    lively_begin(&t->all, documents);
    for (size_t i = 0; i < TRAVELLING_PARTS; i++) {
        lively *const l = &t->part[i];
        travelling_fill(l, documents, travelling_cuts[i],
                        travelling_cuts[i + 1]);
        snprintf(name, sizeof name, "part%zu", i);
        planted_path(&l->p, "part", t->file[i]);
        ck_ok(travelling_send(l, t->file[i], &o, &r), l->p.t.err);
        ck_assert(r.indexes == 2 && r.parts == 1 && r.left == 0);
    }
}

static inline void travelling_end(travelling *t)
{
    for (size_t i = 0; i < TRAVELLING_PARTS; i++)
        lively_end(&t->part[i]);
    lively_end(&t->all);
}

/* The store is whole, and has the totals and the models of one that read all of
 * this; there must be no more to come. */
static inline void travelling_check(lively *l)
{
    const store_totals naive = lively_totals(l);
    const kedge_store_info info = planted_info(&l->p);

    ck_assert_uint_eq(info.documents, naive.documents);
    ck_assert_uint_eq(info.tokens, naive.tokens);
    ck_assert_uint_eq(info.nonzeros, naive.nonzeros);
    ck_assert_mem_eq(info.digest, naive.digest, sizeof naive.digest);
    lively_verify(l);
    lively_check_models(l);
}

#endif
