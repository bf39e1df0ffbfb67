/* SPDX-License-Identifier: MIT */
/*
 * The rows of C = B A (DB)' are points of Y = B with R'R = A (DB)'(DB) A: the
 * weights scale columns, and of rows, which are normalised, nothing but these.
 * With W the weighted topics, s their sums before they were scaled to one and
 * LL' = W'W that is R' = A S L.
 */
#include "pipeline/models/wordspace.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"
#include "topics/embed.h"

void wordspace_free(wordspace *w)
{
    mem_free(w->x);
    mem_free(w->candidate);
    *w = (wordspace){0};
}

/* The room between a model and its points. */
typedef struct making {
    double *d;    /* words */
    double *gram; /* k x k */
    double *half; /* k x k */
    double *mass; /* k: column sums of D B */
} making;

static kedge_status making_create(const kedge_model *m, making *w,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;

    TRY_MEM(w->d = mem_new(m->words, sizeof *w->d));
    TRY_MEM(w->gram = mem_new2(k, k, sizeof *w->gram));
    TRY_MEM(w->half = mem_new2(k, k, sizeof *w->half));
    TRY_MEM(w->mass = mem_new(k, sizeof *w->mass));
out:
    return st;
}

static void making_free(making *w)
{
    mem_free(w->d);
    mem_free(w->gram);
    mem_free(w->half);
    mem_free(w->mass);
}

/* s; of a model without weights 1. */
static void making_masses(const kedge_model *m, double *mass)
{
    const size_t k = m->topics;

    for (size_t t = 0; t < k; t++)
        mass[t] = m->weights == NULL ? 1 : 0;
    for (size_t i = 0; i < m->words && m->weights != NULL; i++)
        for (size_t t = 0; t < k; t++)
            mass[t] += m->weights[i] * m->probabilities[i * k + t];
}

/* d = B A s, and R' in w->gram. */
static kedge_status making_modelled(pool *p, const kedge_model *m, making *w,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;
    const double *const b =
        m->weighted != NULL ? m->weighted : m->probabilities;
    const double *const a = m->correlations;

    making_masses(m, w->mass);
    TRY(tall_cross(p, m->words, b, k, b, k, w->gram, err));
    TRY(embed_root(w->gram, k, err));
    for (size_t s = 0; s < k; s++)
        for (size_t t = 0; t < k; t++)
            w->gram[s * k + t] *= w->mass[s];
    blas_gemm(false, false, k, k, k, 1, a, k, w->gram, k, 0, w->half, k);
    memcpy(w->gram, w->half, k * k * sizeof *w->gram);
    blas_gemm(false, false, k, 1, k, 1, a, k, w->mass, 1, 0, w->half, 1);
    tall_multiply(p, m->words, m->probabilities, k, w->half, 1, 0, w->d);
out:
    return st;
}

static void wordspace_judge(const kedge_model *m, const double *d,
                            bool *candidate)
{
    for (size_t i = 0; i < m->words; i++)
        candidate[i] = m->df[i] >= (double)m->figures.anchor_min_df &&
                       d[i] > 0 && m->word_probability[i] > 0;
}

kedge_status wordspace_make(pool *p, const kedge_model *m, wordspace *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;
    const double *const y = m->rectified;
    making w = {0};

    *out = (wordspace){.rectified = y != NULL};
    TRY_MEM(out->x = mem_new2(m->words, k, sizeof *out->x));
    TRY_MEM(out->candidate = mem_new(m->words, sizeof *out->candidate));
    TRY(making_create(m, &w, err));
    if (y != NULL) {
        embed_sums(p, m->words, k, y, w.mass, w.d);
        TRY(tall_cross(p, m->words, y, k, y, k, w.gram, err));
        TRY(embed_root(w.gram, k, err));
    } else {
        TRY(making_modelled(p, m, &w, err));
    }
    wordspace_judge(m, w.d, out->candidate);
    embed_rows(p, &(embed_input){m->words, k,
                                 y != NULL ? y : m->probabilities, w.d,
                                 m->word_probability},
               w.gram, out->x);
out:
    making_free(&w);
    if (st != KEDGE_OK)
        wordspace_free(out);
    return st;
}

double wordspace_cosine(const wordspace *w, size_t k, size_t a, size_t b)
{
    const double *const left = w->x + a * k, *const right = w->x + b * k;
    double both = 0, one = 0, other = 0;

    for (size_t c = 0; c < k; c++) {
        both += left[c] * right[c];
        one += left[c] * left[c];
        other += right[c] * right[c];
    }
    return one > 0 && other > 0 ? both / sqrt(one * other) : 0;
}
