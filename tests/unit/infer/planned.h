/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_INFER_PLANNED_H
#define TESTS_UNIT_INFER_PLANNED_H
/* Documents of known compositions, as methods of all documents at once see
 * them. */
#include "base/run.h"
#include "infer/joint.h"
#include "infer/priors.h"
#include "linalg/blas.h"

#define PLANNED_ROWS 120 /* words */

typedef struct planned {
    size_t k, documents;
    double *truth; /* documents x k */
    double *gram;  /* k x k */
    double *rows;  /* documents x joint_width(k) */
    prior *prior;  /* of the truth's second moments */
    pool *p;
} planned;

static inline double planned_word(const double *b, const double *w, size_t k)
{
    double p = 0;

    for (size_t t = 0; t < k; t++)
        p += b[t] * w[t];
    return p;
}

/* Counts are around n Bw; words' errors count by 1 / p(word). */
static inline void planned_document(const planned *o, const double *b,
                                    const double *mean, size_t m, chance *c)
{
    double *const row = o->rows + m * joint_width(o->k);
    const double *const w = o->truth + m * o->k;

    for (size_t i = 0; i < PLANNED_ROWS; i++) {
        const double d = 1 / planned_word(b + i * o->k, mean, o->k);
        const double h = planned_word(b + i * o->k, w, o->k) * 2 *
                         chance_unit(c);
        for (size_t t = 0; t < o->k; t++)
            row[t] += d * h * b[i * o->k + t];
        row[2 * o->k] += d * h * h;
    }
    for (size_t t = 0; t < o->k; t++)
        row[o->k + t] = 1 / (double)o->k;
}

static inline void planned_gram(const planned *o, const double *b,
                                const double *mean)
{
    const size_t k = o->k;

    for (size_t i = 0; i < PLANNED_ROWS; i++)
        for (size_t j = 0; j < k * k; j++)
            o->gram[j] += b[i * k + j / k] * b[i * k + j % k] /
                          planned_word(b + i * k, mean, k);
}

static inline double *planned_topics(size_t k, chance *c)
{
    double *const b = dense_new(PLANNED_ROWS, k);

    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < PLANNED_ROWS; i++)
            sum += b[i * k + t] = pow(chance_unit(c), 4) + 1e-4;
        for (size_t i = 0; i < PLANNED_ROWS; i++)
            b[i * k + t] /= sum;
    }
    return b;
}

static inline planned planned_make(size_t k, size_t documents, uint64_t seed)
{
    planned o = {.k = k, .documents = documents,
                 .truth = dense_new(documents, k), .gram = dense_new(k, k),
                 .rows = dense_new(documents, joint_width(k)),
                 .p = dense_pool(2)};
    chance c = {.key = seed};
    OWNED double *b = planned_topics(k, &c), *a = dense_new(k, k);

    for (size_t m = 0; m < documents; m++) {
        double *const w = o.truth + m * k, sum = 0;
        for (size_t t = 0; t < k; t++)
            sum += w[t] = pow(chance_unit(&c), 5);
        for (size_t t = 0; t < k; t++)
            w[t] /= sum;
        for (size_t j = 0; j < k * k; j++)
            a[j] += w[j / k] * w[j % k] / (double)documents;
    }
    o.prior = priors_make(a, k, MANY);
    planned_gram(&o, b, o.prior->mean);
    for (size_t m = 0; m < documents; m++)
        planned_document(&o, b, o.prior->mean, m, &c);
    return o;
}

static inline void planned_free(planned *o)
{
    free(o->truth);
    free(o->gram);
    free(o->rows);
    prior_free(o->prior);
    pool_free(o->p);
}

static inline joint_input planned_input(const planned *o,
                                        kedge_infer_method method)
{
    return (joint_input){.method = method, .folder = ".", .prior = o->prior,
                         .gram = o->gram, .rounds = 60, .tolerance = 1e-4,
                         .step = method == KEDGE_INFER_PADD ? 0.1 : 1,
                         .p = o->p};
}

/* A piece of all documents, with a row as joint.c has it. */
static inline piece planned_piece(const planned *o, double *work)
{
    const size_t k = o->k;
    double *const rows = dense_new(o->documents, 3 * k);
    kedge_error err = {0};
    piece d = {.count = o->documents, .stride = 3 * k, .q = rows,
               .w = rows + k, .dual = rows + 2 * k, .sum = dense_new(k, k),
               .work = work};

    ck_ok(squares_create(k, &d.squares, &err), err);
    for (size_t m = 0; m < o->documents; m++)
        memcpy(rows + m * 3 * k, o->rows + m * joint_width(k),
               2 * k * sizeof *rows);
    return d;
}

static inline void planned_piece_free(piece *d)
{
    squares_free(d->squares);
    free(d->q);
    free(d->sum);
}

#endif
