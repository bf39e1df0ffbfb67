/* SPDX-License-Identifier: MIT */
/*
 * The primal active-set method (as in Lawson and Hanson's for non-negative
 * least squares). The support is a set of entries that may be positive; the
 * others are zero. With the gradient g = UU'y - v and its common value λ on
 * the support (0 where sums are free):
 *
 *   the entry j outside with the smallest g_j joins the support, if g_j < λ;
 *   y goes towards the least-squares solution on the support, until an entry
 *   becomes zero, which leaves it, and again until none does.
 *
 * Each round lowers the objective, so no support comes twice, and when no entry
 * would join, the conditions of Karush, Kuhn and Tucker hold.
 *
 * A sum of at most one is a sum of one with an entry more, the k-th, whose row
 * is zero. With the sum fixed, the support's last entry e is eliminated,
 * y_e = 1 - Σ y_i, which leaves a definite system of products of differences.
 *
 * A row costs some n steps of n³/3 + kn multiply-adds, where n entries of its
 * solution are positive; few of them where it begins near its end.
 */
#include "topics/simplex.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/small.h"

#define SLACK 1e-13 /* of what the gradient is made of: rounding */
#define RIDGE 1e-11 /* of the largest row, where rows depend on each other */

typedef struct active_work {
    const active_problem *p;
    const double *v;
    size_t entries;  /* k, or one more */
    double *y, *z, *g, *a; /* entries each; a: most² */
    size_t *support, n, most; /* n of a support at hand; n <= most */
    bool *passed;    /* by entry: passed over */
    bool *in;        /* by entry: in the support */
} active_work;

size_t active_few_doubles(size_t k, size_t most)
{
    return most * most + 6 * (k + 1);
}

size_t active_doubles(size_t k)
{
    return active_few_doubles(k, k + 1);
}

static active_work active_layout(const active_problem *p, size_t most,
                                 const double *v, double *scratch)
{
    const size_t e = p->k + 1;
    active_work w = {.p = p, .v = v, .y = scratch, .most = most,
                     .entries = p->k + (p->sum == ACTIVE_MOST_ONE)};

    static_assert(sizeof(size_t) <= sizeof(double), "one scratch for all");
    w.z = w.y + e;
    w.g = w.z + e;
    w.a = w.g + e;
    w.support = (size_t *)(w.a + most * most);
    w.passed = (bool *)(w.support + e);
    w.in = w.passed + e;
    return w;
}

static double active_gram(const active_work *w, size_t i, size_t j)
{
    const active_problem *p = w->p;

    return i < p->k && j < p->k ? p->gram[i * p->stride + j] : 0;
}

static double active_product(const active_work *w, size_t i)
{
    return i < w->p->k ? w->v[i] : 0;
}

static void active_enter(active_work *w, size_t entry, double y)
{
    w->support[w->n++] = entry;
    w->in[entry] = true;
    w->y[entry] = y;
}

/* From y; where it is zero but must not be, from the vertex with the lowest
 * objective. */
static void active_begin(active_work *w, const double *y)
{
    double sum = 0, least = INFINITY;
    size_t vertex = 0;

    w->n = 0;
    memset(w->passed, 0, w->entries * sizeof *w->passed);
    memset(w->in, 0, w->entries * sizeof *w->in);
    memset(w->y, 0, w->entries * sizeof *w->y);
    for (size_t c = 0; c < w->p->k; c++) {
        const double f = 0.5 * active_gram(w, c, c) - w->v[c];
        if (f < least) {
            least = f;
            vertex = c;
        }
        if (!(y[c] > 0))
            continue;
        active_enter(w, c, y[c]);
        sum += y[c];
    }
    if (w->p->sum == ACTIVE_MOST_ONE && sum < 1)
        active_enter(w, w->p->k, 1 - sum);
    else if (w->p->sum == ACTIVE_ONE && w->n == 0)
        active_enter(w, vertex, 1);
}

/* The products of the support's rows, or of their differences from the last,
 * and `ridge` on the diagonal; the right side into z. */
static void active_system(active_work *w, size_t n, bool fixed, double ridge)
{
    const size_t *s = w->support, last = s[w->n - 1];
    const double own = fixed ? active_gram(w, last, last) : 0;

    for (size_t i = 0; i < n; i++) {
        const double with = fixed ? active_gram(w, s[i], last) : 0;
        for (size_t j = i; j < n; j++)
            w->a[i * n + j] =
                active_gram(w, s[i], s[j]) + own - with -
                (fixed ? active_gram(w, last, s[j]) : 0);
        w->a[i * n + i] += ridge;
        w->z[i] = active_product(w, s[i]) + own - with -
                  (fixed ? active_product(w, last) : 0);
    }
}

/* Least squares on the support into z, in the support's order. Where rows of
 * the support depend on each other, the shortest of the solutions, about. */
static void active_point(active_work *w)
{
    const bool fixed = w->p->sum != ACTIVE_ANY;
    const size_t n = fixed ? w->n - 1 : w->n;
    double ridge = 0, rest = 1;

    active_system(w, n, fixed, 0);
    for (size_t i = 0; i < n; i++)
        ridge = fmax(ridge, RIDGE * w->a[i * n + i]);
    while (!small_solve_definite(w->a, w->z, n)) {
        active_system(w, n, fixed, ridge);
        ridge = ridge > 0 ? 10 * ridge : 1;
    }
    for (size_t i = 0; i < n; i++)
        rest -= w->z[i];
    if (fixed)
        w->z[n] = rest;
}

/* From y towards z until an entry of the support is zero, which leaves; false
 * when it arrived with all of them. */
static bool active_shorten(active_work *w)
{
    double part = 1;
    size_t first = w->n;

    for (size_t i = 0; i < w->n; i++) {
        const double y = w->y[w->support[i]];
        if (w->z[i] > 0)
            continue;
        const double until = y > 0 ? y / (y - w->z[i]) : 0;
        if (first == w->n || until < part) {
            part = until;
            first = i;
        }
    }
    for (size_t i = 0; i < w->n; i++) {
        double *const y = w->y + w->support[i];
        *y = part == 1 ? w->z[i] : *y + part * (w->z[i] - *y);
    }
    if (first == w->n)
        return false;
    w->in[w->support[first]] = false;
    w->y[w->support[first]] = 0;
    w->n--;
    memmove(w->support + first, w->support + first + 1,
            (w->n - first) * sizeof *w->support);
    return true;
}

/* y becomes the best on the support, or on what is left of it. */
static void active_settle(active_work *w)
{
    do {
        if (w->n == 0)
            return;
        active_point(w);
    } while (active_shorten(w));
}

/* The entry that would lower the objective most, or `entries`. */
static size_t active_next(active_work *w)
{
    const size_t e = w->entries;
    double common = 0, scale = 0, least;
    size_t best = e;

    for (size_t c = 0; c < e; c++) {
        w->g[c] = -active_product(w, c);
        scale = fmax(scale, fabs(w->g[c]));
    }
    for (size_t i = 0; i < w->n; i++) {
        const size_t s = w->support[i];
        for (size_t c = 0; s < w->p->k && c < w->p->k; c++)
            w->g[c] += w->p->gram[s * w->p->stride + c] * w->y[s];
    }
    for (size_t i = 0; i < w->n; i++) {
        common += w->y[w->support[i]] * w->g[w->support[i]];
        scale = fmax(scale, active_gram(w, w->support[i], w->support[i]));
    }
    if (w->p->sum == ACTIVE_ANY)
        common = 0;
    least = common - SLACK * scale;
    for (size_t c = 0; c < e; c++)
        if (!w->in[c] && !w->passed[c] && w->g[c] < least) {
            least = w->g[c];
            best = c;
        }
    return best;
}

/* A place to begin: all entries that would become negative leave at once, and
 * again until none does. One at least stays, for the sum is one. */
static void active_prune(active_work *w)
{
    size_t left = 0;

    while (left != w->n) {
        active_point(w);
        left = w->n;
        w->n = 0;
        for (size_t i = 0; i < left; i++) {
            const size_t entry = w->support[i];
            w->y[entry] = fmax(w->z[i], 0);
            w->in[entry] = w->z[i] > 0;
            if (w->in[entry])
                w->support[w->n++] = entry;
        }
    }
}

/* How many steps it took; 0 when they or the support were not enough. */
static size_t active_run(active_work *w)
{
    const size_t end = 10 * w->p->k + 50;

    for (size_t steps = 1; steps <= end; steps++) {
        const size_t entry = active_next(w);
        if (entry == w->entries)
            return steps;
        if (w->n == w->most)
            break;
        active_enter(w, entry, w->y[entry]);
        active_settle(w);
        if (w->in[entry])
            memset(w->passed, 0, w->entries * sizeof *w->passed);
        else /* it left at once: others first */
            w->passed[entry] = true;
    }
    return 0;
}

size_t active_row(const active_problem *p, const double *v, double *y,
                  double *scratch)
{
    active_work w = active_layout(p, p->k + 1, v, scratch);
    size_t steps;

    active_begin(&w, y);
    active_settle(&w);
    steps = active_run(&w);
    memcpy(y, w.y, p->k * sizeof *y);
    return steps;
}

size_t active_few(const active_problem *p, size_t most, const double *v,
                  double *y, double *scratch)
{
    active_work w = active_layout(p, most, v, scratch);
    size_t positive = 0, steps;

    assert(p->sum == ACTIVE_ONE);
    for (size_t c = 0; c < p->k; c++)
        positive += y[c] > 0;
    if (positive > most)
        return 0;
    active_begin(&w, y);
    active_prune(&w);
    steps = active_run(&w);
    if (steps > 0)
        memcpy(y, w.y, p->k * sizeof *y);
    return steps;
}

static size_t active_solve_row(const void *problem, const double *v, double *y,
                               double *scratch)
{
    const active_problem *p = problem;

    memset(y, 0, p->k * sizeof *y);
    return active_row(p, v, y, scratch);
}

kedge_status active_solve(pool *p, size_t rows, size_t k, const double *gram,
                          double *products, size_t steps, double tolerance,
                          simplex_result *out, kedge_error *err)
{
    const active_problem problem = {ACTIVE_ONE, k, k, gram};
    const simplex_rows all = {active_solve_row, &problem, active_doubles(k),
                              k, products};

    (void)steps;
    (void)tolerance;
    return simplex_by_rows(p, rows, &all, out, err);
}
