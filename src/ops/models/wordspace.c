/* SPDX-License-Identifier: MIT */
/*
 * The rows of C = B A (DB)' are points of Y = B with R'R = A (DB)'(DB) A: the
 * weights scale columns, and of rows, which are normalised, nothing but these.
 * With W the weighted topics, s their sums before they were scaled to one and
 * LL' = W'W that is R' = A S L.
 */
#include "ops/models/model.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"
#include "topics/law.h"

void wordspace_free(wordspace *w)
{
    mem_free_all(w->x, w->candidate);
    *w = (wordspace){0};
}

/* d = B A s, and R' in `r`; the s of a model without weights are 1. */
static kedge_status wordspace_model(pool *p, const kedge_model *m, double *d,
                                    double *r, double *half, double *mass,
                                    kedge_error *err)
{
    const size_t k = m->topics;
    const double *const b =
        m->weighted != NULL ? m->weighted : m->probabilities;
    const double *const a = m->correlations;

    for (size_t t = 0; t < k; t++)
        mass[t] = m->weights == NULL ? 1 : 0;
    for (size_t i = 0; i < m->words && m->weights != NULL; i++)
        for (size_t t = 0; t < k; t++)
            mass[t] += m->weights[i] * m->probabilities[i * k + t];
    PASS(tall_cross(p, m->words, b, k, b, k, r, err));
    PASS(embed_root(r, k, err));
    for (size_t s = 0; s < k; s++)
        for (size_t t = 0; t < k; t++)
            r[s * k + t] *= mass[s];
    blas_gemm(false, false, k, k, k, 1, a, k, r, k, 0, half, k);
    memcpy(r, half, k * k * sizeof *r);
    blas_gemm(false, false, k, 1, k, 1, a, k, mass, 1, 0, half, 1);
    tall_multiply(p, m->words, m->probabilities, k, half, 1, 0, d);
    return KEDGE_OK;
}

kedge_status wordspace_make(pool *p, const kedge_model *m, wordspace *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = m->words, k = m->topics;
    const double *const y = m->rectified;
    double *d = NULL, *r = NULL, *half = NULL, *mass = NULL;

    *out = (wordspace){.rectified = y != NULL};
    TRY_MEM(out->x = mem_new2(n, k, sizeof *out->x));
    TRY_MEM(out->candidate = mem_new(n, sizeof *out->candidate));
    TRY_MEM(d = mem_new(n, sizeof *d));
    TRY_MEM(r = mem_new2(k, k, sizeof *r));
    TRY_MEM(half = mem_new2(k, k, sizeof *half));
    TRY_MEM(mass = mem_new(k, sizeof *mass));
    if (y != NULL) {
        embed_sums(p, n, k, y, mass, d);
        TRY(tall_cross(p, n, y, k, y, k, r, err));
        TRY(embed_root(r, k, err));
    } else {
        TRY(wordspace_model(p, m, d, r, half, mass, err));
    }
    for (size_t i = 0; i < n; i++)
        out->candidate[i] = m->df[i] >= (double)m->figures.anchor_min_df &&
                            d[i] > 0 && m->word_probability[i] > 0;
    embed_rows(p, n, k, y != NULL ? y : m->probabilities, d,
               m->word_probability, r, out->x);
out:
    mem_free_all(d, r, half, mass);
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
