/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_BENCH_H
#define TESTS_UNIT_OPS_BENCH_H
/* A fit of the planted corpus that goes step by step. */
#include "base/gate.h"
#include "linalg/blas.h"
#include "ops/fit/fit.h"
#include "ops/fitted.h"

typedef struct bench {
    planted p;
    kedge_fit_opts o;
    fit_wish wish;
    kedge_comm_traffic none;
    fit f;
} bench;

static inline void bench_begin(bench *b, const uint64_t *topics, size_t count)
{
    *b = (bench){.wish = {.topics = topics, .count = count, .opts = &b->o}};
    fitted_begin(&b->p);
    kedge_fit_opts_init(&b->o);
    b->f = (fit){.s = b->p.t.s, .wish = &b->wish, .opts = &b->o,
                 .control = &b->p.c, .traffic = &b->none};
    blas_begin(4, NULL);
}

static inline void bench_end(bench *b)
{
    fit_free(&b->f);
    blas_end();
    planted_end(&b->p);
}

/* Another fit in the same store. */
static inline void bench_again(bench *b)
{
    fit_free(&b->f);
    b->f = (fit){.s = b->p.t.s, .wish = &b->wish, .opts = &b->o,
                 .control = &b->p.c, .traffic = &b->none};
}

/* Up to where models are made; the first that fails ends it. */
static inline kedge_status bench_try(bench *b)
{
    fit *const f = &b->f;
    kedge_error *const err = &b->p.t.err;
    kedge_status st = fit_choose(f, err);

    if (st == KEDGE_OK)
        st = fit_plan_models(f, b->wish.topics, b->wish.count, err);
    if (st == KEDGE_OK)
        st = pool_create(b->p.c.threads, &f->p, err);
    if (st == KEDGE_OK)
        st = fit_follow(f, err);
    if (st == KEDGE_OK)
        st = fit_prepare(f, err);
    if (st == KEDGE_OK)
        st = fit_eigenvalues(f, err);
    return st;
}

static inline void bench_lay(bench *b)
{
    ck_ok(bench_try(b), b->p.t.err);
}

#endif
