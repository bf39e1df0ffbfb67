/* SPDX-License-Identifier: MIT */
/*
 * Exponentiated gradient (paper "A Practical Algorithm for Topic Modeling with
 * Provable Guarantees", RecoverL2): with the gradient g = UU'y - v,
 *
 *   y_c <- y_c exp(-η g_c) / Σ y_l exp(-η g_l)
 *
 * kept as logarithms, so that an entry which becomes small can come back. The
 * papers leave η to the user. Here a step from y to y' is taken when
 *
 *   (y' - y)'UU'(y' - y) / 2 <= KL(y' || y) / η
 *
 * which is what makes the objective fall; then η doubles for the next, else it
 * is halved. Both sides are computed without differences of large numbers. The
 * objective is convex, so y'g - min g is how far it is from its least at most,
 * and tells when to stop.
 */
#include "topics/expgrad.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/clones.h"

#define NOTHING 1e-20 /* shares below it do not move a sum */
#define SMALL   1e-4  /* logarithms that move by less: see expgrad_apart */

typedef struct expgrad_problem {
    size_t k, steps;
    const double *gram;
    double gap;   /* settled */
    double first; /* the first η */
} expgrad_problem;

/* A point: logarithms up to a constant, shares, and UU'y. */
typedef struct expgrad_point {
    double *log, *y, *gy;
} expgrad_point;

KERNEL_CLONES
static void expgrad_multiply(const double *restrict gram, size_t k,
                             const double *restrict y, double *restrict gy)
{
    memset(gy, 0, k * sizeof *gy);
    for (size_t s = 0; s < k; s++) {
        const double share = y[s];
        if (share < NOTHING)
            continue;
        for (size_t c = 0; c < k; c++)
            gy[c] += share * gram[s * k + c];
    }
}

/* y of its logarithms, whose largest becomes that of its share. */
static void expgrad_share(const expgrad_problem *p, expgrad_point *at)
{
    double most = -INFINITY, sum = 0;

    for (size_t c = 0; c < p->k; c++)
        most = fmax(most, at->log[c]);
    for (size_t c = 0; c < p->k; c++)
        sum += at->y[c] = exp(at->log[c] - most);
    most += log(sum);
    for (size_t c = 0; c < p->k; c++) {
        at->y[c] /= sum;
        at->log[c] -= most;
    }
    expgrad_multiply(p->gram, p->k, at->y, at->gy);
}

/* y'g - min g; *mean is y'g. */
static double expgrad_gap(const expgrad_problem *p, const expgrad_point *at,
                          const double *v, double *mean)
{
    double least = INFINITY;

    *mean = 0;
    for (size_t c = 0; c < p->k; c++) {
        const double g = at->gy[c] - v[c];
        *mean += at->y[c] * g;
        least = fmin(least, g);
    }
    return *mean - least;
}

/* A term of KL(to || from) = Σ to ln(to / from) - to + from, none negative; for
 * small steps by its series, since its parts are then alike. */
static double expgrad_apart(double from, double to, double ratio)
{
    if (fabs(ratio) > SMALL)
        return to * ratio - to + from;
    return to * ratio * ratio * (0.5 - ratio / 6);
}

/* Whether the objective is sure to fall by this step. */
static bool expgrad_falls(const expgrad_problem *p, const expgrad_point *from,
                          const expgrad_point *to, double rate)
{
    double curved = 0, apart = 0;

    for (size_t c = 0; c < p->k; c++) {
        curved += (to->y[c] - from->y[c]) * (to->gy[c] - from->gy[c]);
        apart += expgrad_apart(from->y[c], to->y[c],
                               to->log[c] - from->log[c]);
    }
    return 0.5 * curved * rate <= apart;
}

static size_t expgrad_row(const void *problem, const double *v, double *y,
                          double *scratch)
{
    const expgrad_problem *p = problem;
    const size_t k = p->k;
    expgrad_point at = {scratch, scratch + k, scratch + 2 * k};
    expgrad_point next = {at.gy + k, at.gy + 2 * k, at.gy + 3 * k};
    double rate = p->first, mean;
    size_t step = 1;

    memset(at.log, 0, k * sizeof *at.log);
    expgrad_share(p, &at);
    for (; step <= p->steps; step++) {
        if (expgrad_gap(p, &at, v, &mean) <= p->gap)
            break;
        for (size_t c = 0; c < k; c++)
            next.log[c] = at.log[c] - rate * (at.gy[c] - v[c] - mean);
        expgrad_share(p, &next);
        if (!expgrad_falls(p, &at, &next, rate)) {
            rate *= 0.5;
            continue;
        }
        const expgrad_point keep = at;
        at = next;
        next = keep;
        rate *= 2;
    }
    memcpy(y, at.y, k * sizeof *y);
    return step <= p->steps ? step : 0;
}

kedge_status expgrad_solve(pool *p, size_t rows, size_t k, const double *gram,
                           double *products, size_t steps, double tolerance,
                           simplex_result *out, kedge_error *err)
{
    double trace = 0;

    for (size_t c = 0; c < k; c++)
        trace += gram[c * k + c] / (double)k;
    const expgrad_problem problem = {.k = k, .steps = steps, .gram = gram,
                                     .gap = tolerance * trace,
                                     .first = trace > 0 ? 1 / trace : 1};
    const simplex_way way = {expgrad_row, &problem, 6 * k};

    return simplex_by_rows(p, rows, k, &way, products, out, err);
}
