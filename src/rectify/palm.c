/* SPDX-License-Identifier: MIT */
/*
 * Minimises, over X >= 0 and Y >= 0,
 *
 *   J = |C - XY'|² / 2 + s |X - Y|² / 2
 *
 * by turns: each of the two goes against its gradient, by 1 / L of that, where
 * L bounds how fast the gradient changes, and to zero where it is negative.
 * With A the one that moves, B the other and P = CB,
 *
 *   ∇J = A G - P - sB,   G = B'B + s,   L = |G|
 *
 * and, since J is quadratic in A, no step makes it larger. C is met in the
 * products CY and CX alone, one for each step: it may be an operator that reads
 * the documents. J but for |C|² / 2 is -<A, P> + <A'A, B'B> / 2 + s |A - B|² /
 * 2 and needs no product of its own.
 *
 * The inertial variant (Pock and Sabach, iPALM) takes each step from A + β (A -
 * A before), with β = t / (t + 3) in round t; where that would make J larger,
 * the step is made again from A, and t begins again: so J never rises here
 * either, and as P is the same there is no product more.
 *
 * s is 1e-4, as in the paper's experiments. X and Y begin as V Λ^1/2, which the
 * first step clips; of the two signs of an eigenvector it takes the one that
 * keeps more. In the end Y is scaled to |Y'e| = 1, near which J has brought it.
 *
 * Memory: five N x K blocks, six with inertia.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "rectify/rounds.h"

#define TIE 1e-4 /* s */

typedef struct palm_state {
    pool *p;
    const warm_operator *c;
    bool inertial;
    size_t rows, k;
    double *x, *y;
    double *last[2];  /* inertial: x and y before their last steps */
    double *product;  /* P */
    double *made;     /* the step */
    double *ahead;    /* Z */
    double *gram;     /* k x k: B'B */
    double *own;      /* k x k: A'A */
    double *values;   /* k */
    double objective;
    size_t since;     /* rounds without a restart */
    double first;
} palm_state;

/* L, and G in place of B'B. */
static kedge_status palm_modulus(palm_state *s, const double *b, double *most,
                                 kedge_error *err)
{
    const size_t k = s->k;

    PASS(tall_cross(s->p, s->rows, b, k, b, k, s->gram, err));
    for (size_t c = 0; c < k; c++)
        s->gram[c * k + c] += TIE;
    memcpy(s->own, s->gram, k * k * sizeof *s->own);
    PASS(blas_eigen(s->own, k, s->values, err));
    *most = s->values[k - 1];
    return KEDGE_OK;
}

/* made = max(Z - (Z G - P - sB) / L, 0) with Z = A + β (A - last). */
static void palm_move(palm_state *s, const double *a, const double *last,
                      const double *b, double beta, double most)
{
    const size_t count = s->rows * s->k;
    double *const z = s->ahead;

    for (size_t i = 0; i < count; i++)
        z[i] = a[i] + beta * (a[i] - last[i]);
    tall_multiply(s->p, s->rows, z, s->k, s->gram, s->k, 0, s->made);
    for (size_t i = 0; i < count; i++)
        s->made[i] = fmax(
            z[i] - (s->made[i] - s->product[i] - TIE * b[i]) / most, 0);
}

/* J of a and b, with G of b in `gram` and P. */
static kedge_status palm_objective(palm_state *s, const double *a,
                                   const double *b, double *out,
                                   kedge_error *err)
{
    const size_t k = s->k;
    double along = 0, apart = 0, both = 0;

    PASS(tall_cross(s->p, s->rows, a, k, a, k, s->own, err));
    for (size_t i = 0; i < s->rows * k; i++) {
        along += a[i] * s->product[i];
        apart += (a[i] - b[i]) * (a[i] - b[i]);
    }
    for (size_t i = 0; i < k * k; i++)
        both += s->own[i] * (s->gram[i] - (i % (k + 1) == 0 ? TIE : 0));
    *out = 0.5 * both - along + 0.5 * TIE * apart;
    return KEDGE_OK;
}

/* One step of a, with b as it is. */
static kedge_status palm_step(palm_state *s, double *a, double *last,
                              const double *b, kedge_error *err)
{
    const size_t count = s->rows * s->k;
    const double t = (double)s->since;
    double most, now, then = 0;

    PASS(s->c->apply(s->c->data, b, s->k, s->product, err));
    PASS(palm_modulus(s, b, &most, err));
    if (s->inertial && s->since > 0) {
        PASS(palm_objective(s, a, b, &then, err));
        palm_move(s, a, last, b, t / (t + 3), most);
        PASS(palm_objective(s, s->made, b, &now, err));
        if (now > then)
            s->since = 0;
    }
    if (!s->inertial || s->since == 0)
        palm_move(s, a, a, b, 0, most);
    PASS(palm_objective(s, s->made, b, &s->objective, err));
    memcpy(last, a, count * sizeof *last);
    memcpy(a, s->made, count * sizeof *a);
    return KEDGE_OK;
}

/* |YY' - old YY'| over |old YY'|. */
static kedge_status palm_change(palm_state *s, double *change,
                                kedge_error *err)
{
    const size_t k = s->k;
    const double *const old = s->last[1];
    double sum[3] = {0}; /* |old|², |new|², and both */

    for (int which = 0; which < 3; which++) {
        const double *const a = which == 1 ? s->y : old;
        const double *const b = which == 0 ? old : s->y;
        PASS(tall_cross(s->p, s->rows, a, k, b, k, s->own, err));
        for (size_t i = 0; i < k * k; i++)
            sum[which] += s->own[i] * s->own[i];
    }
    *change = sqrt(fmax(sum[0] + sum[1] - 2 * sum[2], 0) /
                   fmax(sum[0], 1e-300));
    return KEDGE_OK;
}

static kedge_status palm_round(void *data, const rounds *at,
                               rectify_result *out, kedge_error *err)
{
    palm_state *s = data;

    PASS(palm_step(s, s->x, s->last[0], s->y, err));
    PASS(rounds_within(at, 0.5, err));
    PASS(palm_step(s, s->y, s->last[1], s->x, err));
    s->since++;
    PASS(palm_change(s, &out->change, err));
    if (out->rounds == 0)
        s->first = s->objective;
    return KEDGE_OK;
}

static kedge_status palm_run(palm_state *s, const rectify_opts *opts,
                             const kedge_control *control, rectify_result *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = s->k, count = s->rows * k;
    double **const block[] = {&s->x, &s->last[0], &s->last[1], &s->product,
                              &s->made, &s->ahead};
    size_t negative = 0; /* entries that the first step clips */

    *out = (rectify_result){0};
    s->c = opts->c;
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        TRY_MEM(*block[i] = mem_new2(s->rows, k, sizeof(double)));
    TRY_MEM(s->gram = mem_new2(k, k, sizeof *s->gram));
    TRY_MEM(s->own = mem_new2(k, k, sizeof *s->own));
    TRY_MEM(s->values = mem_new(k, sizeof *s->values));
    /* columns whose negative part is the longer one change their sign */
    for (size_t c = 0; c < k; c++) {
        double above = 0, below = 0;
        for (size_t i = c; i < count; i += k)
            *(s->y[i] > 0 ? &above : &below) += s->y[i] * s->y[i];
        for (size_t i = c; below > above && i < count; i += k)
            s->y[i] = -s->y[i];
    }
    for (size_t i = 0; i < count; i++)
        negative += s->y[i] < 0;
    memcpy(s->x, s->y, count * sizeof *s->y);
    TRY(rounds_run(palm_round, s, opts, control, out, err));
    out->negative_share = (double)negative / (double)count;
    out->first = s->first;
    out->last = s->objective;
    leading_normalise(s->rows, s->k, s->y);
out:
    mem_free_all(s->x, s->last[0], s->last[1], s->product, s->made, s->ahead,
                 s->gram, s->own, s->values);
    return st;
}

kedge_status palm_rectify(pool *p, size_t rows, size_t k, double *y,
                          const rectify_opts *opts,
                          const kedge_control *control, rectify_result *out,
                          kedge_error *err)
{
    return palm_run(&(palm_state){.p = p, .rows = rows, .k = k, .y = y}, opts,
                    control, out, err);
}

kedge_status ipalm_rectify(pool *p, size_t rows, size_t k, double *y,
                           const rectify_opts *opts,
                           const kedge_control *control, rectify_result *out,
                           kedge_error *err)
{
    return palm_run(&(palm_state){.p = p, .rows = rows, .k = k, .y = y,
                                  .inertial = true}, opts, control, out, err);
}
