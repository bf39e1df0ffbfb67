/* SPDX-License-Identifier: MIT */
/*
 * Wanted are w_m on the simplex with the least
 *
 *   (1/M) Σ_m |h_m / n - Bw_m|²_D   such that   (1/M) Σ_m w_m w_m' = A.
 *
 * With a multiplier Λ, symmetric, of the constraint this is, but for constants,
 *
 *   (1/M) Σ_m { w_m'(G + Λ)w_m - 2 q_m'w_m } - <Λ, A>,
 *
 * G = B'DB, q = B'Dh/n. Given Λ each document has a problem of its own; the
 * slope by Λ is E = (1/M) Σ ww' - A, and Λ goes up along it. So that a step
 * means the same whatever the size of topics and of losses, it is scaled entry
 * by entry: w_k is of the size √A_kk, and G_kk A_kk is what topic k has in the
 * loss, which gives
 *
 *   Λ_kl += τ √(G_kk G_ll / (A_kk A_ll)) E_kl.
 *
 * D = diag(1 / p(word)) makes all words' errors of one size: counts of a word
 * vary as p(word). A constant matrix added to Λ changes nothing on the simplex,
 * where w'11'w = 1, so that Λ's entries need no sign.
 *
 * As it was printed (faithful), D is 1, the sum is not divided by M, which
 * makes it Λ / M above, Λ += τE, and its negative entries become 0.
 *
 * On the simplex, with Π = I - 11'/k, S = G + Λ and r = S1/k, w'Sw is
 * w'ΠSΠw + 2(Πr)'w and a constant. ΠSΠ + c11' is definite where S is on what
 * adds up to zero. Where that has a negative eigenvalue -λ, the problem is a
 * difference of convex ones: -λw'w is replaced by its tangent at the w so far,
 * which makes q + λw of q, until w stays (CCP). All other problems are solved
 * at once, and exactly.
 */
#include "infer/joint.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define TANGENTS 20    /* of a round, at most */
#define ENOUGH 1e-4    /* w moves by less, all added up */
#define LEAST_A 1e-12
#define BEYOND 1e-9    /* of the mean of G's diagonal: more than λ */
#define STEPS_A_TOPIC 100

struct padd {
    size_t k;
    const double *gram;
    const double *a;
    bool faithful;
    double step;
    double *dual;  /* k x k: Λ */
    double *size;  /* k: √(G_kk / A_kk) */
    double *s;     /* k x k: what is solved with */
    double *eigen; /* k x k, */
    double *vector; /* k: of the least eigenvalue */
    double *r;  /* k: Πr */
    double low; /* λ */
};

void padd_free(padd *p)
{
    if (p == NULL)
        return;
    mem_free_all(p->dual, p);
}

kedge_status padd_create(const joint_input *in, padd **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->prior->k;
    padd *p = NULL;

    *out = NULL;
    TRY_MEM(p = mem_new(1, sizeof *p));
    *p = (padd){.k = k, .gram = in->gram, .a = in->prior->a,
                .faithful = in->faithful, .step = in->step};
    TRY_MEM(p->dual = mem_new2(k, 3 * k + 3, sizeof *p->dual));
    p->s = p->dual + k * k;
    p->eigen = p->s + k * k;
    p->size = p->eigen + k * k;
    p->vector = p->size + k;
    p->r = p->vector + k;
    for (size_t t = 0; t < k; t++)
        p->size[t] = p->faithful ? 1
                                 : sqrt(p->gram[t * k + t] /
                                        fmax(p->a[t * k + t], LEAST_A));
    *out = p;
    p = NULL;
out:
    padd_free(p);
    return st;
}

/* ---- Λ ------------------------------------------------------------------- */

kedge_status padd_begin(padd *p, const double *mean, uint64_t documents,
                        kedge_error *err)
{
    const size_t k = p->k;
    const double share = p->faithful ? 1 / (double)documents : 1;
    double size = 0, all = 0, least;

    for (size_t t = 0; mean != NULL && t < k; t++)
        for (size_t l = 0; l <= t; l++) {
            const double e = 0.5 * (mean[t * k + l] + mean[l * k + t]) -
                             p->a[t * k + l];
            double x = p->dual[t * k + l] +
                       p->step * p->size[t] * p->size[l] * e;
            if (p->faithful)
                x = fmax(x, 0);
            p->dual[t * k + l] = p->dual[l * k + t] = x;
        }
    /* s = ΠSΠ, and Πr */
    for (size_t t = 0; t < k; t++) {
        p->r[t] = 0;
        for (size_t l = 0; l < k; l++) {
            const size_t at = t * k + l;
            p->s[at] = p->gram[at] + share * p->dual[at];
            p->r[t] += p->s[at] / (double)k;
        }
    }
    for (size_t t = 0; t < k; t++)
        all += p->r[t] / (double)k;
    for (size_t t = 0; t < k; t++)
        for (size_t l = 0; l < k; l++)
            p->s[t * k + l] -= p->r[t] + p->r[l] - all;
    for (size_t t = 0; t < k; t++)
        p->r[t] -= all;
    for (size_t t = 0; t < k; t++)
        size += p->gram[t * k + t] / (double)k;
    size = size > 0 ? size : 1;
    for (size_t i = 0; i < k * k; i++)
        p->eigen[i] = -p->s[i];
    PASS(blas_eigen_top(p->eigen, k, 1, &least, p->vector, err));
    p->low = least > BEYOND * size ? least + BEYOND * size : 0;
    for (size_t t = 0; t < k; t++)
        p->s[t * k + t] += p->low;
    for (size_t i = 0; i < k * k; i++)
        p->s[i] += size + p->low;
    return KEDGE_OK;
}

/* ---- documents ----------------------------------------------------------- */

void padd_run(const padd *p, const piece *d)
{
    const size_t k = p->k;
    double *const side = d->work, *const before = d->work + k;

    for (size_t m = 0; m < d->count; m++) {
        const double *const q = d->q + m * d->stride;
        double *const w = d->w + m * d->stride;
        double moved = INFINITY;
        for (size_t i = 0; i < TANGENTS && moved >= ENOUGH; i++) {
            for (size_t t = 0; t < k; t++)
                side[t] = q[t] - p->r[t] + p->low * w[t];
            memcpy(before, w, k * sizeof *w);
            squares_solve(d->squares, k, p->s, side, STEPS_A_TOPIC * k, w);
            moved = 0;
            for (size_t t = 0; p->low > 0 && t < k; t++)
                moved += fabs(w[t] - before[t]);
        }
    }
}
