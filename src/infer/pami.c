/* SPDX-License-Identifier: MIT */
/*
 * Wanted are w_m on the simplex with the least Σ_m |h_m / n - Bw_m|²_D such
 * that (1/M) Σ_m w_m w_m' = A. Given the constraint Σ w'Gw is settled, and what
 * is left is to make Σ q_m'w_m large, q = B'Dh/n. With A = R'R and W, Q and P
 * of a row for each document, W = QR means (1/M) Q'Q = I. The method of
 * multipliers for Q = P, with P in the set of those for which PR is on the
 * simplex, is, for F = (q_m'R')_m and a multiplier Λ,
 *
 *   P  the nearest to Q + Λ in its set: w has the least |R'^-1 w - v|, which is
 *      w'A^-1 w - 2 (R^-1 v)'w, v the row of Q + Λ, and P = WR^-1
 *   Q  of all with Q'Q = MI the one that has the largest <Q, X>,
 *      X = F + ρ(P - Λ): the polar factor √M X (X'X)^-1/2
 *   Λ += Q - P.
 *
 * Unlike the paper's, which has R'R = MA and Q'Q = I, all rows are √M times as
 * large, and ρ is ρ/M. X'X is k x k, a sum over documents: its inverse root T
 * makes Q of X, a row at a time, so that one pass over documents is one round:
 * with T of the last round's X, which is made again of P and Λ, Q and Λ are
 * brought up to date, then P, and then this round's X'X is added up. First Q
 * is W R^-1 of the shares to begin with, and Λ is zero.
 *
 * ρ is given as a multiple of the median singular value of F / √M, whose
 * squares are the eigenvalues of R (Σ qq' / M) R'. A is made definite by RIDGE
 * times the mean of its diagonal. What is given out is W = PR, which is on the
 * simplex.
 */
#include "infer/joint.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define RIDGE 1e-2
#define LEAST 1e-12 /* of the largest eigenvalue of X'X */
#define STEPS_A_TOPIC 100

struct pami {
    size_t k;
    double step, rho;
    size_t rounds;    /* begun */
    double *r, *back; /* k x k: R, R^-1 */
    double *inverse;  /* k x k: A^-1 */
    double *polar;    /* k x k: T */
    double *vectors, *values; /* k x k, k */
};

void pami_free(pami *p)
{
    if (p == NULL)
        return;
    mem_free_all(p->r, p);
}

kedge_status pami_create(const joint_input *in, pami **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->prior->k;
    const double *const a = in->prior->a;
    double trace = 0;
    pami *p = NULL;

    *out = NULL;
    TRY_MEM(p = mem_new(1, sizeof *p));
    p->k = k;
    p->step = in->step;
    TRY_MEM(p->r = mem_new2(k, 5 * k + 1, sizeof *p->r));
    p->back = p->r + k * k;
    p->inverse = p->back + k * k;
    p->polar = p->inverse + k * k;
    p->vectors = p->polar + k * k;
    p->values = p->vectors + k * k;
    for (size_t t = 0; t < k; t++)
        trace += a[t * k + t];
    for (size_t i = 0; i < k * k; i++) { /* A is made definite */
        const bool own = i % (k + 1) == 0;
        p->r[i] = (a[i] + (own ? RIDGE * trace / (double)k : 0)) /
                  (1 + RIDGE * trace);
        p->back[i] = own ? 1 : 0;
    }
    TRY(blas_cholesky(p->r, k, err));
    blas_solve_right_upper(k, k, p->r, k, p->back, k);
    blas_gemm(false, true, k, k, k, 1, p->back, k, p->back, k, 0, p->inverse,
              k);
    *out = p;
    p = NULL;
out:
    pami_free(p);
    return st;
}

/* ---- a round ------------------------------------------------------------- */

kedge_status pami_begin(pami *p, const double *mean, kedge_error *err)
{
    const size_t k = p->k;

    if (p->rounds++ == 0) { /* ρ, of the eigenvalues of R mean R' */
        blas_gemm(false, false, k, k, k, 1, p->r, k, mean, k, 0, p->polar, k);
        blas_gemm(false, true, k, k, k, 1, p->polar, k, p->r, k, 0,
                  p->vectors, k);
        PASS(blas_eigen(p->vectors, k, p->values, err));
        p->rho = p->step * sqrt(fmax(p->values[k / 2],
                                     LEAST * p->values[k - 1]));
        return KEDGE_OK;
    }
    /* T = (X'X / M)^-1/2 */
    memcpy(p->vectors, mean, k * k * sizeof *mean);
    PASS(blas_eigen(p->vectors, k, p->values, err));
    for (size_t j = 0; j < k; j++) {
        const double value = fmax(p->values[j], LEAST * p->values[k - 1]);
        const double root = value > 0 ? pow(value, -0.25) : 0;
        for (size_t t = 0; t < k; t++)
            p->vectors[j * k + t] *= root;
    }
    blas_gemm(true, false, k, k, k, 1, p->vectors, k, p->vectors, k, 0,
              p->polar, k);
    return KEDGE_OK;
}

/* x = qR' + ρ(P - Λ), and P in `at`. */
static void pami_make_x(const pami *p, const piece *d, double *x, double *at)
{
    const size_t k = p->k;

    blas_gemm(false, false, d->count, k, k, 1, d->w, d->stride, p->back, k, 0,
              at, k);
    blas_gemm(false, true, d->count, k, k, 1, d->q, d->stride, p->r, k, 0, x,
              k);
    for (size_t m = 0; m < d->count; m++)
        for (size_t t = 0; t < k; t++)
            x[m * k + t] += p->rho * (at[m * k + t] -
                                      d->dual[m * d->stride + t]);
}

/* Λ += Q - P, and the new Q + Λ. */
static void pami_follow(const pami *p, const piece *d, double *v)
{
    const size_t k = p->k;
    double *const x = d->work, *const at = x + PIECE_MOST * k;

    if (p->rounds == 1) { /* Q is P */
        blas_gemm(false, false, d->count, k, k, 1, d->w, d->stride, p->back,
                  k, 0, v, k);
        return;
    }
    pami_make_x(p, d, x, at);
    blas_gemm(false, false, d->count, k, k, 1, x, k, p->polar, k, 0, v, k);
    for (size_t m = 0; m < d->count; m++)
        for (size_t t = 0; t < k; t++) {
            const double q = v[m * k + t];
            double *const dual = &d->dual[m * d->stride + t];
            *dual += q - at[m * k + t];
            v[m * k + t] = q + *dual;
        }
}

void pami_run(const pami *p, const piece *d)
{
    const size_t k = p->k;
    double *const x = d->work, *const at = x + PIECE_MOST * k;
    double *const v = at + PIECE_MOST * k;

    pami_follow(p, d, v);
    blas_gemm(false, true, d->count, k, k, 1, v, k, p->back, k, 0, x, k);
    for (size_t m = 0; m < d->count; m++)
        squares_solve(d->squares, k, p->inverse, x + m * k, STEPS_A_TOPIC * k,
                      d->w + m * d->stride);
    pami_make_x(p, d, x, at);
    blas_gemm(true, false, k, k, d->count, 1, x, k, x, k, 0, d->sum, k);
}
