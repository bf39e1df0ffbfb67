/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include <math.h>

#include "linalg/dense.h"
#include "ops/planted.h"

/* The cosine of two rows of a matrix with n columns. */
static double cosine(const double *a, const double *b, size_t n)
{
    double both = 0;

    for (size_t i = 0; i < n; i++)
        both += a[i] * b[i];
    return both / dense_norm(a, n) / dense_norm(b, n);
}

/* Rows of C = left right' at full length; both are words x topics. */
static double *whole(const kedge_model *m, const double *left,
                     const double *right)
{
    return dense_times(dense_as(left, m->topics),
                       dense_turned(right, m->topics), m->words, m->topics,
                       m->words);
}

/* B A, and D B of a model with weights. */
static double *modelled(const kedge_model *m)
{
    double *const ba = dense_times(dense_as(m->probabilities, m->topics),
                                   dense_as(m->correlations, m->topics),
                                   m->words, m->topics, m->topics);
    double *const db = dense_copy(m->probabilities, m->words * m->topics);
    double *c;

    for (size_t i = 0; m->weights != NULL && i < m->words * m->topics; i++)
        db[i] *= m->weights[i / m->topics];
    c = whole(m, ba, db);
    free(ba);
    free(db);
    return c;
}

static void check(const kedge_model *m, bool rectified)
{
    OWNED double *c = rectified ? whole(m, m->rectified, m->rectified)
                                      : modelled(m);
    OWN(pool_end) pool *p = dense_pool(2);
    kedge_error err = {0};
    wordspace w;

    ck_ok(wordspace_make(p, m, &w, &err), err);
    ck_assert(w.rectified == rectified);
    for (size_t i = 0; i < m->words; i++)
        for (size_t j = 0; j < m->words; j++)
            ck_assert_double_eq_tol(
                wordspace_cosine(&w, m->topics, i, j),
                cosine(c + i * m->words, c + j * m->words, m->words), 1e-8);
    for (size_t t = 0; t < m->topics; t++)
        ck_assert(w.candidate[m->anchors[t]]);
    wordspace_free(&w);
}

TEST(words_are_as_far_apart_as_their_whole_rows)
{
    PLANTED_STORE(p);
    for (int weighted = 0; weighted < 2; weighted++)
        for (int rectified = 0; rectified < 2; rectified++) {
            kedge_fit_opts o = planted_opts();
            OWN(model_end) kedge_model *m = NULL;
            o.term_weight = weighted ? KEDGE_TERM_WEIGHT_IDF
                                     : KEDGE_TERM_WEIGHT_NONE;
            o.save_spectrum = rectified;
            m = planted_fit(&p, PLANTED_TOPICS, &o, NULL);
            check(m, rectified);
        }
}
