/* SPDX-License-Identifier: MIT */
/*
 * An active set. P are the weights that may be positive; on these alone the
 * answer is z = a + νb, where G_PP a = q_P, G_PP b = 1 and ν makes the sum one.
 * Where some of z are not positive, w goes towards z as far as it stays
 * feasible and the weight that is zero then leaves P; otherwise w = z, and the
 * weight outside with the least gradient comes in, if that is below that of P,
 * which is ν for all. The objective falls each time that one came in.
 *
 * G_PP = R'R is kept by its Cholesky factor: one that comes in adds a column,
 * one that leaves takes one out, and the rows below are turned (Givens) until R
 * is triangular again. A ridge of RIDGE times the mean of G's diagonal makes G
 * definite, which moves the objective by less than that.
 */
#include "infer/squares.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

#define RIDGE 1e-13
#define SLACK 1e-12 /* of the gradient, relative to G */

struct squares {
    size_t room;
    size_t *in;    /* P, in the order of R's columns */
    bool *is_in;   /* by weight */
    double *r;     /* room x room: column j in row j: R_ij at [j * room + i] */
    double *a, *b; /* R'^-1 q_P and R'^-1 1, kept; */
    double *z;     /* by place in P */
    double *slope; /* by weight */
    double *all;   /* memory of these four */
    /* the problem */
    size_t k, count; /* of P */
    const double *g, *q;
    double size;   /* of G: the mean of its diagonal */
};

void squares_free(squares *s)
{
    if (s == NULL)
        return;
    mem_free_all(s->in, s->is_in, s->r, s->all, s);
}

kedge_status squares_create(size_t k, squares **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    squares *s = NULL;

    *out = NULL;
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->room = k;
    TRY_MEM(s->in = mem_new(k, sizeof *s->in));
    TRY_MEM(s->is_in = mem_new(k, sizeof *s->is_in));
    TRY_MEM(s->r = mem_new2(k, k, sizeof *s->r));
    TRY_MEM(s->all = mem_new2(4, k, sizeof *s->all));
    s->a = s->all;
    s->b = s->a + k;
    s->z = s->b + k;
    s->slope = s->z + k;
    *out = s;
    s = NULL;
out:
    squares_free(s);
    return st;
}

/* ---- the factor ---------------------------------------------------------- */

static double squares_dot(const double *x, const double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Weight c comes into P. The right sides a and b grow along. */
static void squares_enter(squares *s, size_t c)
{
    const size_t n = s->count;
    double *const column = s->r + n * s->room;
    double pivot;

    for (size_t i = 0; i < n; i++) {
        const double *const other = s->r + i * s->room;
        column[i] = (s->g[s->in[i] * s->k + c] -
                     squares_dot(other, column, i)) / other[i];
    }
    pivot = s->g[c * s->k + c] - squares_dot(column, column, n);
    column[n] = sqrt(fmax(pivot, 0) + RIDGE * s->size);
    s->a[n] = (s->q[c] - squares_dot(column, s->a, n)) / column[n];
    s->b[n] = (1 - squares_dot(column, s->b, n)) / column[n];
    s->in[n] = c;
    s->is_in[c] = true;
    s->count++;
}

static void turn(double cosine, double sine, double *x, double *y)
{
    const double keep = *x;

    *x = cosine * keep + sine * *y;
    *y = cosine * *y - sine * keep;
}

/* The weight at a place of P leaves. */
static void squares_leave(squares *s, size_t at)
{
    const size_t n = --s->count;

    s->is_in[s->in[at]] = false;
    for (size_t j = at; j < n; j++) {
        s->in[j] = s->in[j + 1];
        memcpy(s->r + j * s->room, s->r + (j + 1) * s->room,
               (j + 2) * sizeof *s->r);
    }
    for (size_t j = at; j < n; j++) {
        double *const column = s->r + j * s->room;
        const double length = hypot(column[j], column[j + 1]);
        const double cosine = column[j] / length, sine = column[j + 1] / length;

        for (size_t l = j; l < n; l++)
            turn(cosine, sine, s->r + l * s->room + j,
                 s->r + l * s->room + j + 1);
        turn(cosine, sine, &s->a[j], &s->a[j + 1]);
        turn(cosine, sine, &s->b[j], &s->b[j + 1]);
    }
}

/* ---- steps --------------------------------------------------------------- */

/* z, the answer on P; gives ν. */
static double squares_aim(squares *s)
{
    const size_t n = s->count;
    const double nu = (1 - squares_dot(s->a, s->b, n)) /
                      squares_dot(s->b, s->b, n);

    for (size_t i = 0; i < n; i++)
        s->z[i] = s->a[i] + nu * s->b[i];
    for (size_t i = n; i-- > 0;) { /* z = R^-1 of that */
        const double *const column = s->r + i * s->room;
        s->z[i] /= column[i];
        for (size_t j = 0; j < i; j++)
            s->z[j] -= column[j] * s->z[i];
    }
    return nu;
}

/* w goes towards z; false: it is there. Otherwise one has left P. */
static bool squares_go(squares *s, double *w)
{
    double step = 1;
    size_t least = s->count;

    for (size_t i = 0; i < s->count; i++) {
        const double from = w[s->in[i]];
        if (s->z[i] <= 0 && from <= step * (from - s->z[i])) {
            step = from - s->z[i] > 0 ? from / (from - s->z[i]) : 0;
            least = i;
        }
    }
    for (size_t i = 0; i < s->count; i++)
        w[s->in[i]] += step * (s->z[i] - w[s->in[i]]);
    if (least == s->count)
        return false;
    w[s->in[least]] = 0;
    squares_leave(s, least);
    return true;
}

/* The weight that should come in, or k. */
static size_t squares_worst(squares *s, const double *w, double nu)
{
    double least = nu - SLACK * s->size;
    size_t worst = s->k;

    for (size_t c = 0; c < s->k; c++)
        s->slope[c] = -s->q[c];
    for (size_t i = 0; i < s->count; i++) {
        const double *const row = s->g + s->in[i] * s->k;
        const double x = w[s->in[i]];
        for (size_t c = 0; c < s->k; c++)
            s->slope[c] += x * row[c];
    }
    for (size_t c = 0; c < s->k; c++)
        if (!s->is_in[c] && s->slope[c] < least) {
            least = s->slope[c];
            worst = c;
        }
    return worst;
}

/* P is what is positive, or the best one alone. */
static void squares_begin(squares *s, double *w)
{
    double sum = 0, least = INFINITY;
    size_t best = 0;

    s->count = 0;
    memset(s->is_in, 0, s->k * sizeof *s->is_in);
    for (size_t c = 0; c < s->k; c++) {
        const double alone = s->g[c * s->k + c] - 2 * s->q[c];
        w[c] = w[c] > 0 ? w[c] : 0;
        sum += w[c];
        best = alone < least ? c : best;
        least = fmin(least, alone);
    }
    if (!(sum > 0))
        w[best] = sum = 1;
    for (size_t c = 0; c < s->k; c++) {
        w[c] /= sum;
        if (w[c] > 0)
            squares_enter(s, c);
    }
}

size_t squares_solve(squares *s, size_t k, const double *g, const double *q,
                     size_t most, double *w)
{
    size_t steps = 0, worst;
    double nu;

    s->k = k;
    s->g = g;
    s->q = q;
    s->size = 0;
    for (size_t c = 0; c < k; c++)
        s->size += g[c * k + c] / (double)k;
    squares_begin(s, w);
    nu = squares_aim(s);
    for (;;) {
        while (squares_go(s, w)) {
            nu = squares_aim(s);
            steps++;
        }
        worst = squares_worst(s, w, nu);
        if (worst == k)
            return steps + 1;
        if (steps++ >= most)
            return 0;
        squares_enter(s, worst);
        nu = squares_aim(s);
        if (s->z[s->count - 1] <= 0) /* it is rounding that let it in */
            return steps;
    }
}
