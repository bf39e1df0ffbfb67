/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_FITTED_H
#define TESTS_UNIT_OPS_FITTED_H
/*
 * Fits of the planted corpus: whole, or step by step; what all models are like;
 * and the co-occurrence that they are of, by naive means.
 */
#include "base/fail.h"
#include "base/gate.h"
#include "cooccur/corpus.h"
#include "linalg/blas.h"
#include "ops/fit/fit.h"
#include "ops/planted.h"

static inline void fitted_check(const kedge_model *m, double sum)
{
    const uint64_t n = kedge_model_words(m), k = kedge_model_topics(m);
    const double *const b = kedge_model_probabilities(m);
    const double *const a = kedge_model_topic_cooccurrence(m);
    const double *const share = kedge_model_prevalence(m);
    double all = 0;

    for (uint64_t t = 0; t < k; t++) {
        double column = 0;
        for (uint64_t i = 0; i < n; i++) {
            ck_assert_double_ge(b[i * k + t], 0);
            column += b[i * k + t];
        }
        ck_assert_double_eq_tol(column, 1, 1e-9);
        for (uint64_t l = 0; l < k; l++) {
            ck_assert_double_eq(a[t * k + l], a[l * k + t]);
            all += a[t * k + l];
        }
        if (t > 0)
            ck_assert_double_ge(share[t - 1], share[t]);
        for (uint64_t l = 0; l < t; l++)
            ck_assert_uint_ne(kedge_model_anchors(m)[t],
                              kedge_model_anchors(m)[l]);
    }
    ck_assert_double_eq_tol(all, sum, 1e-12);
}

/* A list of so many words, as a file. */
static inline void fitted_list(planted *p, size_t count, char path[96])
{
    FILE *f = planted_file(planted_path(p, "list", path));

    for (size_t i = 0; i < count; i++)
        fprintf(f, "w%03zu\n", i * 37 % PLANTED_WORDS);
    ck_assert_int_eq(fclose(f), 0);
}

static inline kedge_status fitted_try(planted *p, const uint64_t *topics,
                                      size_t count, const kedge_fit_opts *o)
{
    kedge_fit_result r[4];

    return kedge_fit(p->t.s, topics, count, o, &p->c, r, &p->t.err);
}

/* C by ranks, that is by the words' bytes, dense, of the documents of five
 * tokens or more. */
static inline double *fitted_dense(const docs *d, uint32_t kind)
{
    enum { n = PLANTED_WORDS };
    const bool damped = statistic_damped(kind);
    double *const c = calloc(n * n, sizeof *c), total = 0;

    for (size_t m = 0; m < d->count; m++) {
        const double length = (double)d->length[m];
        double x[n] = {0}, scale = damped ? 0 : length * (length - 1);
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            const double value =
                damped ? (double)corpus_value(kind, d->tally[k], 5)
                       : d->tally[k];
            x[d->word[k] * 37 % n] = value;
            scale += damped ? value * value : 0;
        }
        for (size_t i = 0; length >= 5 && i < n; i++)
            for (size_t j = 0; x[i] > 0 && j < n; j++) {
                const double own = i != j ? 0 : damped ? x[i] * x[i] : x[i];
                const double add = (x[i] * x[j] - own) / scale;
                c[i * n + j] += add;
                total += add;
            }
    }
    for (size_t i = 0; i < n * n; i++)
        c[i] /= total;
    return c;
}

/* By itself, under this name. */
static inline kedge_model *fitted_alone(planted *p, uint64_t k,
                                        uint64_t passes,
                                        kedge_term_weight weight,
                                        const char *name)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    o.power_iter = passes;
    o.term_weight = weight;
    o.save_spectrum = true;
    o.name = name;
    return planted_fit(p, k, &o, NULL);
}

/* ---- step by step -------------------------------------------------------- */

typedef struct steps {
    planted p;
    kedge_fit_opts o;
    fit_wish wish;
    kedge_comm_traffic none;
    fit f;
} steps;

/* Another fit in the same store. */
static inline void steps_again(steps *b)
{
    fit_free(&b->f);
    b->f = (fit){.s = b->p.t.s, .wish = &b->wish, .opts = &b->o,
                 .control = &b->p.c, .traffic = &b->none};
}

static inline void steps_begin(steps *b, const uint64_t *topics, size_t count)
{
    *b = (steps){.wish = {.topics = topics, .count = count, .opts = &b->o}};
    planted_whole(&b->p);
    kedge_fit_opts_init(&b->o);
    steps_again(b);
    blas_begin(4, NULL);
}

static inline void steps_end(steps *b)
{
    fit_free(&b->f);
    blas_end();
    planted_end(&b->p);
}

#define STEPS(b, topics, count) \
    OWN(steps_end) steps b;     \
    steps_begin(&b, topics, count)

/* Up to where models are made; the first that fails ends it. */
static inline kedge_status steps_try(steps *b)
{
    fit *const f = &b->f;
    kedge_error *const err = &b->p.t.err;

    PASS(fit_choose(f, err));
    PASS(fit_plan_models(f, b->wish.topics, b->wish.count, err));
    PASS(pool_create(b->p.c.threads, &f->p, err));
    PASS(fit_follow(f, err));
    PASS(fit_prepare(f, err));
    return fit_eigenvalues(f, err);
}

static inline void steps_go(steps *b)
{
    ck_ok(steps_try(b), b->p.t.err);
}

#endif
