/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_LABORATORY_H
#define TESTS_UNIT_OPS_LABORATORY_H
/*
 * The planted corpus as the stages of a fit see it, in an open read
 * transaction: index, filter, order, sketch and spectrum; and C itself,
 * straight from the documents.
 */
#include "ops/fitted.h"

#define N PLANTED_WORDS
#define TOPICS 4

typedef struct bench {
    planted p;
    kedge_fit_opts o;
    fit f;
    double weight[N]; /* by rank: 1, or from a tenth to nine */
} bench;

/* A read transaction, in which rows are read as well, and its end. */
static inline void bench_read(bench *b)
{
    scene_read(&b->p.t);
    b->f.z.txn = b->p.t.txn;
}

static inline void bench_rest(bench *b)
{
    store_abort(&b->p.t.txn);
    b->f.z.txn = NULL;
}

/* The read transaction stays open. */
static inline void bench_begin_with(bench *b, unsigned threads,
                                    uint64_t width, const char *counted,
                                    bool weighted)
{
    kedge_error err = {0};
    fit *const f = &b->f;
    size_t twin;

    *b = (bench){0};
    blas_begin(4, NULL);
    planted_begin(&b->p, PLANTED_DOCUMENTS);
    b->p.o.sketch_size = width;
    b->p.o.tf = counted;
    planted_fill(&b->p);
    b->p.c.threads = threads;
    kedge_fit_opts_init(&b->o);
    *f = (fit){.s = b->p.t.s, .opts = &b->o, .control = &b->p.c};
    scene_read(&b->p.t);
    ck_ok(pool_create(threads, &f->p, &err), err);
    ck_ok(store_get_words(b->p.t.txn, &f->all, &err), err);
    ck_ok(store_get_index_record(b->p.t.txn, 0, &f->index, &err), err);
    ck_ok(filter_open(&f->filter, b->p.t.txn, 0, &f->index, &f->all, &err),
          err);
    f->w.rows = N;
    f->w.order = words_order(&f->all, &twin);
    ck_ok(sketchrows_create(&f->z, &f->index, &f->all, f->w.order, &b->p.c,
                            &err), err);
    f->z.txn = b->p.t.txn;
    for (size_t i = 0; i < N; i++)
        b->weight[i] = weighted ? 0.1 + (double)(i * 31 % 90) / 10 : 1;
    if (weighted)
        f->z.rows.weight = f->weight = b->weight;
    ck_ok(spectrum_gram(&f->z.rows, f->p, &f->spectrum, &err), err);
    ck_ok(spectrum_solve(&f->spectrum, 0, &err), err);
}

/* C in both of its steps; NULL after a failure. */
static inline kedge_status bench_make_exact(bench *b, bool sparse,
                                            exact **out, kedge_error *err)
{
    kedge_status st;

    b->f.shape.cooccurrence = sparse ? KEDGE_COOCCURRENCE_SPARSE
                                     : KEDGE_COOCCURRENCE_DENSE;
    st = exact_open(&b->f, b->p.t.txn, out, err);
    if (st == KEDGE_OK)
        st = exact_make(*out, err);
    if (st != KEDGE_OK) {
        exact_free(*out);
        *out = NULL;
    }
    return st;
}

static inline exact *bench_exact(bench *b, bool sparse)
{
    kedge_error err = {0};
    exact *e;

    ck_ok(bench_make_exact(b, sparse, &e, &err), err);
    return e;
}

static inline void bench_begin(bench *b, unsigned threads, uint64_t width)
{
    bench_begin_with(b, threads, width, NULL, false);
}

static inline void bench_end(bench *b)
{
    bench_rest(b);
    b->f.weight = NULL; /* the bench's own */
    fit_free(&b->f);
    planted_end(&b->p);
}

#define BENCH(b, threads, width) \
    OWN(bench_end) bench b;      \
    bench_begin(&b, threads, width)

/* D C D, by ranks. */
static inline double *dense(const bench *b)
{
    double *const c = fitted_dense(&b->p.d, b->f.index.statistic);

    for (size_t i = 0; i < N * N; i++)
        c[i] *= b->weight[i / N] * b->weight[i % N];
    return c;
}

/* Of the dense C: value j is the j-th largest, row j its vector. */
static inline void leading_pairs(const bench *b, double *values,
                                 double *vectors)
{
    double *const c = dense(b);
    double all[N];
    kedge_error err = {0};

    ck_ok(blas_eigen(c, N, all, &err), err);
    for (size_t j = 0; j < TOPICS; j++) {
        values[j] = all[N - 1 - j];
        memcpy(vectors + j * N, c + (N - 1 - j) * N, N * sizeof *c);
    }
    free(c);
}

/* How far the vectors are from the exact ones, up to their signs. */
static inline double distance(const double *got, const double *vectors)
{
    double worst = 0;

    for (size_t j = 0; j < TOPICS; j++) {
        double dot = 0, rest = 0;
        for (size_t i = 0; i < N; i++)
            dot += got[i * TOPICS + j] * vectors[j * N + i];
        for (size_t i = 0; i < N; i++) {
            const double x = got[i * TOPICS + j] - dot * vectors[j * N + i];
            rest += x * x;
        }
        worst = fmax(worst, sqrt(rest) + fabs(fabs(dot) - 1));
    }
    return worst;
}

#endif
