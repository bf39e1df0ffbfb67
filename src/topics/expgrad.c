/* SPDX-License-Identifier: MIT */
/*
 * Exponentiated gradient (paper "A Practical Algorithm for Topic Modeling with
 * Provable Guarantees", RecoverL2): with the gradient g = UU'y - v,
 *
 *   y_c <- y_c exp(-η g_c) / Σ y_l exp(-η g_l)
 *
 * kept as logarithms, so that an entry which becomes small can come back; LEAST
 * is as small as it gets. The papers leave η to the user. Here a step from y to
 * y' is taken when
 *
 *   (y' - y)'UU'(y' - y) / 2 <= KL(y' || y) / η
 *
 * which is what makes the objective fall; then η grows for the next, else it
 * shrinks, to one over the largest entry of UU' at least: with that the step is
 * sure to fall, by Pinsker's inequality, where rounding may say otherwise. Both
 * sides are computed without differences of large numbers. The
 * objective is convex, so y'g - min g is how far it is from its least at most,
 * and tells when to stop.
 *
 * Anchors' rows are alike, and such steps alone take ten thousands: η is what
 * the steepest direction bears, where they swing from side to side, and too
 * little for the flattest. So a step begins ahead of the last point, as far on
 * in logarithms as the last one went, times (t - 1) / t' with Nesterov's t; and
 * t begins again where the step leads back (O'Donoghue and Candes 2015). This
 * takes hundreds.
 */
#include "topics/simplex.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/clones.h"

#define NOTHING 1e-20 /* shares below it do not move a sum */
#define SMALL   1e-4  /* logarithms that move by less: see expgrad_falls */
#define LEAST   (-60.0) /* of logarithms */
#define GROW    1.05  /* of η, after a step that was taken, */
#define SHRINK  0.7   /* and after one that was not */

typedef struct expgrad_problem {
    size_t k, steps;
    const double *gram;
    double gap;   /* settled */
    double first; /* the first η, */
    double sure;  /* and one that any step may have */
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

/* Whether the objective is sure to fall by this step. KL(to || from) is
 * Σ to ln(to / from) - to + from, of which no term is negative; for small steps
 * they come by their series, since their parts are then alike. */
static bool expgrad_falls(const expgrad_problem *p, const expgrad_point *from,
                          const expgrad_point *to, double rate)
{
    double curved = 0, apart = 0;

    for (size_t c = 0; c < p->k; c++) {
        const double ratio = to->log[c] - from->log[c];
        curved += (to->y[c] - from->y[c]) * (to->gy[c] - from->gy[c]);
        apart += fabs(ratio) > SMALL
                     ? to->y[c] * ratio - to->y[c] + from->y[c]
                     : to->y[c] * ratio * ratio * (0.5 - ratio / 6);
    }
    return 0.5 * curved * rate <= apart;
}

/* What a row works with: its point, the one it steps from, and the next. */
typedef struct expgrad_path {
    expgrad_point at, ahead, next;
    double *before; /* k: logarithms of the point before */
    double mean;    /* y'g of the point ahead */
    double t;
} expgrad_path;

static expgrad_path expgrad_layout(double *scratch, size_t k)
{
    expgrad_path w = {.before = scratch, .t = 1};
    expgrad_point *const point[] = {&w.at, &w.ahead, &w.next};

    for (size_t i = 0; i < 3; i++)
        *point[i] = (expgrad_point){scratch + (3 * i + 1) * k,
                                    scratch + (3 * i + 2) * k,
                                    scratch + (3 * i + 3) * k};
    return w;
}

/* The point ahead, and the next from there. */
static void expgrad_reach(const expgrad_problem *p, expgrad_path *w,
                          const double *v, double rate)
{
    const double on = 2 * (w->t - 1) / (1 + sqrt(1 + 4 * w->t * w->t));

    for (size_t c = 0; c < p->k; c++)
        w->ahead.log[c] =
            fmax(w->at.log[c] + on * (w->at.log[c] - w->before[c]), LEAST);
    expgrad_share(p, &w->ahead);
    expgrad_gap(p, &w->ahead, v, &w->mean);
    for (size_t c = 0; c < p->k; c++)
        w->next.log[c] =
            fmax(w->ahead.log[c] - rate * (w->ahead.gy[c] - v[c] - w->mean),
                 LEAST);
    expgrad_share(p, &w->next);
}

static size_t expgrad_row(const void *problem, const double *v, double *y,
                          double *scratch)
{
    const expgrad_problem *p = problem;
    const size_t k = p->k;
    expgrad_path w = expgrad_layout(scratch, k);
    double rate = p->first, mean;
    size_t step = 1;

    memset(w.at.log, 0, k * sizeof *y);
    expgrad_share(p, &w.at);
    memcpy(w.before, w.at.log, k * sizeof *y);
    for (; step <= p->steps; step++) {
        double up = 0; /* from the point to the next */
        if (expgrad_gap(p, &w.at, v, &mean) <= p->gap)
            break;
        expgrad_reach(p, &w, v, rate);
        if (rate > p->sure && !expgrad_falls(p, &w.ahead, &w.next, rate)) {
            rate = fmax(rate * SHRINK, p->sure);
            continue;
        }
        /* by the gradient of the point ahead, less its mean: shares sum to one
         * but for rounding */
        for (size_t c = 0; c < k; c++)
            up += (w.ahead.gy[c] - v[c] - w.mean) * (w.next.y[c] - w.at.y[c]);
        if (w.t > 1 && up > 0) {
            w.t = 1;
            continue;
        }
        const expgrad_point keep = w.at;
        memcpy(w.before, w.at.log, k * sizeof *y);
        w.at = w.next;
        w.next = keep;
        w.t = (1 + sqrt(1 + 4 * w.t * w.t)) / 2;
        rate *= GROW;
    }
    memcpy(y, w.at.y, k * sizeof *y);
    return step <= p->steps ? step : 0;
}

kedge_status expgrad_solve(pool *p, size_t rows, size_t k, const double *gram,
                           double *products, size_t steps, double tolerance,
                           simplex_result *out, kedge_error *err)
{
    double trace = 0, most = 0;

    for (size_t c = 0; c < k; c++) {
        trace += gram[c * k + c] / (double)k;
        most = fmax(most, gram[c * k + c]);
    }
    const expgrad_problem problem = {.k = k, .steps = steps, .gram = gram,
                                     .gap = tolerance * trace,
                                     .first = trace > 0 ? 1 / trace : 1,
                                     .sure = most > 0 ? 1 / most : 1};

    return simplex_by_rows(p, rows, &(simplex_rows){expgrad_row, &problem,
                                                    10 * k, k, products},
                           out, err);
}
