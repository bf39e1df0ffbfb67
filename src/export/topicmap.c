/* SPDX-License-Identifier: MIT */
/*
 * Hellinger's distance of two topics is sqrt(1 - sum_i sqrt(b_ik b_il)), so all
 * of them come from one product of the roots with themselves. The correlation
 * coefficient of two topics' shares is their covariance A_kl - s_k s_l over the
 * root of the variances'; where these are not positive it is 0. Topics are put
 * in order by how far their rows of coefficients are from each other: those are
 * together that go with the same others.
 *
 * The eigenvalues of B A B' are those of R A R', where R'R = B'B.
 */
#include "export/page.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define PIECE 256 /* rows of a product at a time */

/* Row i of what is multiplied with itself. */
typedef void take_row(const kedge_model *m, size_t i, double *out);

static void take_roots(const kedge_model *m, size_t i, double *out)
{
    const double *const b = m->weighted != NULL ? m->weighted
                                                : m->probabilities;

    for (size_t t = 0; t < m->topics; t++)
        out[t] = sqrt(fmax(b[i * m->topics + t], 0));
}

static void take_weighted(const kedge_model *m, size_t i, double *out)
{
    const double weight = m->weights != NULL ? m->weights[i] : 1;

    for (size_t t = 0; t < m->topics; t++)
        out[t] = weight * m->probabilities[i * m->topics + t];
}

/* out (topics x topics) = a'a, a piece of rows after the other. */
static kedge_status square(const kedge_model *m, take_row *take, double *out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;
    double *piece = NULL;

    TRY_MEM(piece = mem_new2(PIECE, k, sizeof *piece));
    memset(out, 0, k * k * sizeof *out);
    for (size_t i = 0; i < m->words; i += PIECE) {
        const size_t rows = m->words - i < PIECE ? m->words - i : PIECE;
        for (size_t r = 0; r < rows; r++)
            take(m, i + r, piece + r * k);
        blas_square(k, rows, piece, k, 1, out, k);
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            out[i * k + j] = out[j * k + i];
out:
    mem_free(piece);
    return st;
}

static void find_coefficients(const kedge_model *m, topicmap *t)
{
    const size_t k = m->topics;
    const double *const a = m->correlations, *const s = m->shares;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            const double over = (a[i * k + i] - s[i] * s[i]) *
                                (a[j * k + j] - s[j] * s[j]);
            const double c = (a[i * k + j] - s[i] * s[j]) / sqrt(over);
            t->coefficient[i * k + j] = i == j        ? 1
                                        : !(over > 0) ? 0
                                                      : fmax(-1, fmin(1, c));
        }
}

static kedge_status find_order(topicmap *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = t->topics, third = (k + 2) / 3;
    double *apart = NULL;

    TRY_MEM(apart = mem_new2(k, k, sizeof *apart));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++) {
                const double d = t->coefficient[i * k + l] -
                                 t->coefficient[j * k + l];
                sum += d * d;
            }
            apart[i * k + j] = apart[j * k + i] = sqrt(sum);
        }
    TRY(seriation_find(apart, k,
                       third < TOPICMAP_GROUPS ? third : TOPICMAP_GROUPS,
                       t->order, t->group, err));
out:
    mem_free(apart);
    return st;
}

static void find_words(const kedge_model *m, topicmap *t)
{
    for (size_t i = 0; i < m->words; i++)
        for (size_t k = 0; k < m->topics; k++) {
            const double p = m->probabilities[i * m->topics + k];
            if (!(p > 0))
                continue;
            t->effective[k] -= p * log(p);
            if (m->mix[i] > 0)
                t->specificity[k] += p * log(p / m->mix[i]);
        }
    for (size_t k = 0; k < m->topics; k++)
        t->effective[k] = exp(t->effective[k]);
}

/* Topics that are not independent have no spectrum of their own. */
static kedge_status find_product(const kedge_model *m, topicmap *t,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;
    double *r = NULL, *half = NULL, *whole = NULL;

    TRY_MEM(r = mem_new2(k, k, sizeof *r));
    TRY_MEM(half = mem_new2(k, k, sizeof *half));
    TRY_MEM(whole = mem_new2(k, k, sizeof *whole));
    TRY(square(m, take_weighted, r, err));
    if (blas_cholesky(r, k, NULL) != KEDGE_OK)
        goto out;
    blas_gemm(false, false, k, k, k, 1, r, k, m->correlations, k, 0, half, k);
    blas_gemm(false, true, k, k, k, 1, half, k, r, k, 0, whole, k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            whole[j * k + i] = whole[i * k + j];
    TRY_MEM(t->eigenvalues = mem_new(k, sizeof *t->eigenvalues));
    TRY(blas_eigen(whole, k, half, err));
    for (size_t i = 0; i < k; i++)
        t->eigenvalues[i] = half[k - 1 - i];
out:
    mem_free_all(r, half, whole);
    return st;
}

kedge_status topicmap_make(const kedge_model *m, topicmap *out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;

    *out = (topicmap){.topics = k};
    TRY(blas_begin(1, err));
    TRY_MEM(out->distance = mem_new2(k, k, sizeof *out->distance));
    TRY_MEM(out->coefficient = mem_new2(k, k, sizeof *out->coefficient));
    TRY_MEM(out->order = mem_new(k, sizeof *out->order));
    TRY_MEM(out->group = mem_new(k, sizeof *out->group));
    TRY_MEM(out->place = mem_new(k, sizeof *out->place));
    TRY_MEM(out->effective = mem_new(k, sizeof *out->effective));
    TRY_MEM(out->specificity = mem_new(k, sizeof *out->specificity));
    TRY(square(m, take_roots, out->distance, err));
    for (size_t i = 0; i < k * k; i++)
        out->distance[i] =
            i / k == i % k ? 0 : sqrt(fmax(1 - out->distance[i], 0));
    find_coefficients(m, out);
    TRY(find_order(out, err));
    TRY(placement_find(out->distance, out->order, m->shares, m->topics,
                       out->place, &out->height, err));
    find_words(m, out);
    if (m->eigenvalues != NULL) {
        out->of_statistics = true;
        TRY_MEM(out->eigenvalues = mem_new(k, sizeof *out->eigenvalues));
        memcpy(out->eigenvalues, m->eigenvalues,
               k * sizeof *out->eigenvalues);
    } else {
        TRY(find_product(m, out, err));
    }
out:
    blas_end();
    if (st != KEDGE_OK)
        topicmap_free(out);
    return st;
}

void topicmap_free(topicmap *t)
{
    mem_free_all(t->distance, t->coefficient, t->order, t->group, t->place,
                 t->effective, t->specificity, t->eigenvalues);
    *t = (topicmap){0};
}
