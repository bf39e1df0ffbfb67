/* SPDX-License-Identifier: MIT */
/*
 * Up to its length p is the answer x of a linear program, and that of its dual
 * is v:
 *
 *   most (B'x)_k  such that |x_i| <= 1 and (B'x)_l = 0 for l other than k,
 *   least Σ_i |(Bv)_i|  such that v_k = 1.
 *
 * p = x / (B'x)_k has 1 / (B'x)_k as its largest entry, and no other has less
 * than 1 / Σ|Bv|, whatever v: the two show how near to the least it is. A bias
 * is K more rows, θI, below B: then B'p + θs = e_k, and the entries of s are as
 * small as those of p.
 *
 * The dual is a regression by least absolute values, with words as its cases.
 * These are many and topics few, which is what an interior-point method is good
 * at: some 20 to 40 steps, whatever there are of either, of which each is a sum
 * B'DB and the solution of K - 1 equations. A simplex would walk through some
 * thousands of vertices, with a look at all words for each. This one is the
 * predictor-corrector of Mehrotra in the form that Portnoy and Koenker
 * (Statistical Science 1997) gave it for regressions. With r = Bv, s = 1 - x,
 * t = 1 + x and multipliers z and w, all positive but r, it ends where r is
 * z - w and zs = wt = 0. Newton's step to products a and b in place of these is
 *
 *   dx = D (r - a / s + b / t + B dv),   1 / D = z / s + w / t,
 *   (B'D B dv)_l = -(B'x + B'D (r - a / s + b / t))_l   for l other than k,
 *
 * first with a = b = 0, which shows how far the products can fall, and then
 * with a μ of that size and what the step was wrong by. It begins with x = 0,
 * which is feasible, and v by least squares.
 *
 * B'DB is taken in tiles of rows, or row by row where a word has few topics, as
 * most have in models of many; the equations are scaled to a diagonal of
 * ones, and pivots are not smaller than rounding is, so that columns that are
 * the same do no harm where k is none of them. At the end p is moved to where
 * B'p is e_k, by least squares over what is not near its bounds, if rounding
 * made it miss that: so both ends of the gap are certain.
 */
#include "infer/tli.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define PIECE 256     /* rows */
#define SPARSE 3      /* as many topics as a row has are fewer than K */
#define STEPS 200     /* at most */
#define GAP 1e-9      /* is near enough */
#define GAP_MOST 1e-6 /* where rounding lets it come no nearer */
#define IDLE 10       /* steps that bring nothing: it is rounding */
#define BACK 0.9995   /* of the way to a bound */
#define PIVOT 1e-16   /* at least, relative to ones */
#define OFF 1e-9      /* B'p from e_k, on top of the bias */
#define MENDS 10      /* until it is no more */

/* By row of B, and of θI below it. */
typedef struct cases {
    double *x, *s, *t, *z, *w;
    double *r;    /* Bv */
    double *aim;  /* dx of the predictor, or 0 */
    double *move; /* dx */
    double *turn; /* B dv */
} cases;

struct inverse {
    const double *b;
    const kedge_control *control; /* or NULL */
    size_t rows, k, topic;
    size_t count; /* of cases: rows, and with a bias k more */
    cases c;
    double *all;   /* their memory */
    double *best;  /* x that was nearest, later p */
    double *ridge; /* k x k: θI */
    double *tile;  /* PIECE x k */
    double *gram;  /* k x k: B'DB, then its factor */
    size_t *in;    /* k: topics of a row */
    double *scale; /* k: of its diagonal, by equation */
    double *v, *dv, *side; /* k */
};

void inverse_free(inverse *s)
{
    if (s == NULL)
        return;
    mem_free_all(s->all, s->best, s->ridge, s->tile, s->gram, s->in, s->scale,
                 s->v, s->dv, s->side, s);
}

kedge_status inverse_create(const double *b, size_t rows, size_t k,
                            const kedge_control *control, inverse **out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = rows + k;
    inverse *s = NULL;
    cases *c;

    *out = NULL;
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->b = b;
    s->control = control;
    s->rows = rows;
    s->k = k;
    TRY_MEM(s->all = mem_new2(n, 9, sizeof *s->all));
    TRY_MEM(s->best = mem_new(n, sizeof *s->best));
    TRY_MEM(s->ridge = mem_new2(k, k, sizeof *s->ridge));
    TRY_MEM(s->tile = mem_new2(PIECE, k, sizeof *s->tile));
    TRY_MEM(s->gram = mem_new2(k, k, sizeof *s->gram));
    TRY_MEM(s->in = mem_new(k, sizeof *s->in));
    TRY_MEM(s->scale = mem_new(k, sizeof *s->scale));
    TRY_MEM(s->v = mem_new(k, sizeof *s->v));
    TRY_MEM(s->dv = mem_new(k, sizeof *s->dv));
    TRY_MEM(s->side = mem_new(k, sizeof *s->side));
    c = &s->c;
    double **const part[] = {&c->x, &c->s, &c->t, &c->z, &c->w,
                             &c->r, &c->aim, &c->move, &c->turn};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        *part[i] = s->all + i * n;
    *out = s;
    s = NULL;
out:
    inverse_free(s);
    return st;
}

/* ---- products ------------------------------------------------------------ */

/* The rows from a case on, in *rows; they are B's or those of θI. */
static const double *inverse_piece(const inverse *s, size_t at, size_t *rows)
{
    const bool below = at >= s->rows;
    const size_t left = (below ? s->count : s->rows) - at;

    *rows = left < PIECE ? left : PIECE;
    return below ? s->ridge + (at - s->rows) * s->k : s->b + at * s->k;
}

/* out = Bu */
static void inverse_times(const inverse *s, const double *u, double *out)
{
    memset(out, 0, s->count * sizeof *out);
    for (size_t at = 0, n; at < s->count; at += n) {
        const double *const rows = inverse_piece(s, at, &n);
        blas_gemv(false, n, s->k, rows, s->k, u, out + at);
    }
}

/* `side` = B'x for the first `count` cases. */
static void inverse_turn(inverse *s, const double *x, size_t count)
{
    memset(s->side, 0, s->k * sizeof *s->side);
    for (size_t at = 0, n; at < count; at += n) {
        const double *const rows = inverse_piece(s, at, &n);
        blas_gemv(true, n, s->k, rows, s->k, x + at, s->side);
    }
}

/* Adds √d times a row to the tile, or if it has few topics d times its square
 * to the Gram matrix. Gives how many rows the tile has. */
static size_t inverse_square(inverse *s, const double *row, double d,
                             size_t tiled)
{
    const size_t k = s->k;
    size_t count = 0;

    for (size_t l = 0; l < k; l++) {
        s->in[count] = l;
        count += row[l] > 0;
    }
    if (SPARSE * count > k) {
        for (size_t l = 0; l < k; l++)
            s->tile[tiled * k + l] = sqrt(d) * row[l];
        return tiled + 1;
    }
    for (size_t j = 0; j < count; j++) {
        double *const to = s->gram + s->in[j] * k;
        const double times = d * row[s->in[j]];
        for (size_t l = j; l < count; l++)
            to[s->in[l]] += times * row[s->in[l]];
    }
    return tiled;
}

/* Its upper half; and B'x of `move`, as it is at hand. */
static void inverse_gram(inverse *s)
{
    const size_t k = s->k;
    const cases *const c = &s->c;

    memset(s->gram, 0, k * k * sizeof *s->gram);
    memset(s->side, 0, k * sizeof *s->side);
    for (size_t at = 0, n, tiled; at < s->count; at += n) {
        const double *const rows = inverse_piece(s, at, &n);

        tiled = 0;
        for (size_t i = at; i < at + n; i++)
            tiled = inverse_square(s, rows + (i - at) * k,
                                   1 / (c->z[i] / c->s[i] + c->w[i] / c->t[i]),
                                   tiled);
        blas_square(k, tiled, s->tile, k, 1, s->gram, k);
        blas_gemv(true, n, k, rows, k, c->move + at, s->side);
    }
}

/* ---- equations ----------------------------------------------------------- */

/* Without what is of the topic itself. */
static void inverse_drop(const inverse *s, double *x)
{
    for (size_t l = s->topic; l + 1 < s->k; l++)
        x[l] = x[l + 1];
}

/* Cholesky, R'R: row j of R is that of the Gram matrix. */
static void inverse_factor(inverse *s)
{
    const size_t k = s->k, m = k - 1;

    for (size_t j = 0; j < m; j++) {
        double *const row = s->gram + j * k;
        if (j >= s->topic)
            memcpy(row, row + k, k * sizeof *row);
        inverse_drop(s, row);
        s->scale[j] = 1 / sqrt(fmax(s->gram[j * k + j], 1e-300));
    }
    for (size_t j = 0; j < m; j++)
        for (size_t l = j; l < m; l++)
            s->gram[j * k + l] *= s->scale[j] * s->scale[l];
    for (size_t j = 0; j < m; j++) {
        double *const row = s->gram + j * k;
        const double pivot = sqrt(fmax(row[j], PIVOT));
        row[j] = pivot;
        for (size_t l = j + 1; l < m; l++)
            row[l] /= pivot;
        for (size_t i = j + 1; i < m; i++)
            for (size_t l = i; l < m; l++)
                s->gram[i * k + l] -= row[i] * row[l];
    }
}

/* dv, which is 0 of the topic itself, of right sides that are -side. */
static void inverse_equate(inverse *s)
{
    const size_t k = s->k, m = k - 1;
    double *const u = s->dv;

    inverse_drop(s, s->side);
    for (size_t j = 0; j < m; j++)
        u[j] = -s->side[j] * s->scale[j];
    for (size_t j = 0; j < m; j++) {
        u[j] /= s->gram[j * k + j];
        for (size_t l = j + 1; l < m; l++)
            u[l] -= s->gram[j * k + l] * u[j];
    }
    for (size_t j = m; j-- > 0;) {
        for (size_t l = j + 1; l < m; l++)
            u[j] -= s->gram[j * k + l] * u[l];
        u[j] /= s->gram[j * k + j];
    }
    for (size_t j = 0; j < m; j++)
        u[j] *= s->scale[j];
    for (size_t j = m; j > s->topic; j--)
        u[j] = u[j - 1];
    u[s->topic] = 0;
}

/* ---- a step -------------------------------------------------------------- */

/* The products that zs and wt are to have, less what they have, by s and t. */
typedef struct wanted {
    double z, w;
} wanted;

static inline wanted inverse_want(const cases *c, size_t i, double mu)
{
    const double dz = c->aim[i] * c->z[i] / c->s[i] - c->z[i];
    const double dw = -c->aim[i] * c->w[i] / c->t[i] - c->w[i];

    return (wanted){(mu + dz * c->aim[i]) / c->s[i],
                    (mu - dw * c->aim[i]) / c->t[i]};
}

/* Of a case: D times (r - a / s + b / t + B dv). */
static inline double inverse_go(const cases *c, size_t i, double mu)
{
    const wanted a = inverse_want(c, i, mu);

    return (c->r[i] - a.z + a.w + c->turn[i]) /
           (c->z[i] / c->s[i] + c->w[i] / c->t[i]);
}

/* What z and w change by, given dx. */
static inline wanted inverse_change(const cases *c, size_t i, double mu)
{
    const wanted a = inverse_want(c, i, mu);
    const double dx = c->move[i];

    return (wanted){a.z - c->z[i] + c->z[i] / c->s[i] * dx,
                    a.w - c->w[i] - c->w[i] / c->t[i] * dx};
}

/* `move` is what the right sides are made of. */
static void inverse_right(inverse *s, double mu)
{
    cases *const c = &s->c;

    memset(c->turn, 0, s->count * sizeof *c->turn);
    for (size_t i = 0; i < s->count; i++)
        c->move[i] = c->x[i] + inverse_go(c, i, mu);
}

/* dv and `move`, of right sides that are -side. */
static void inverse_direct(inverse *s, double mu)
{
    cases *const c = &s->c;

    inverse_equate(s);
    inverse_times(s, s->dv, c->turn);
    for (size_t i = 0; i < s->count; i++)
        c->move[i] = inverse_go(c, i, mu);
}

typedef struct lengths {
    double primal, dual;
} lengths;

static double shorter(double length, double from, double by)
{
    return from + length * by < 0 ? -from / by : length;
}

/* How far it can go before something is negative: 1 at most. */
static lengths inverse_reach(const inverse *s, double mu)
{
    const cases *const c = &s->c;
    lengths g = {1, 1};

    for (size_t i = 0; i < s->count; i++) {
        const wanted d = inverse_change(c, i, mu);
        g.primal = shorter(g.primal, c->s[i], -c->move[i]);
        g.primal = shorter(g.primal, c->t[i], c->move[i]);
        g.dual = shorter(g.dual, c->z[i], d.z);
        g.dual = shorter(g.dual, c->w[i], d.w);
    }
    return g;
}

/* The mean of the products zs and wt, after a step so long. */
static double inverse_mu(const inverse *s, double mu, lengths g)
{
    const cases *const c = &s->c;
    double sum = 0;

    for (size_t i = 0; i < s->count; i++) {
        const wanted d = inverse_change(c, i, mu);
        sum += (c->z[i] + g.dual * d.z) * (c->s[i] - g.primal * c->move[i]) +
               (c->w[i] + g.dual * d.w) * (c->t[i] + g.primal * c->move[i]);
    }
    return sum / (2 * (double)s->count);
}

static void inverse_walk(inverse *s, double mu, lengths g)
{
    cases *const c = &s->c;

    for (size_t i = 0; i < s->count; i++) {
        const wanted d = inverse_change(c, i, mu);
        const double dx = g.primal * c->move[i];
        c->z[i] += g.dual * d.z;
        c->w[i] += g.dual * d.w;
        c->x[i] += dx;
        c->s[i] -= dx;
        c->t[i] += dx;
        c->r[i] += g.dual * c->turn[i];
    }
    for (size_t l = 0; l < s->k; l++)
        s->v[l] += g.dual * s->dv[l];
}

static void inverse_step(inverse *s)
{
    cases *const c = &s->c;
    const double mu = inverse_mu(s, 0, (lengths){0, 0});
    double *const keep = c->aim;
    double share, next;
    lengths g;

    memset(c->aim, 0, s->count * sizeof *c->aim);
    inverse_right(s, 0);
    inverse_gram(s);
    inverse_factor(s);
    inverse_direct(s, 0);
    g = inverse_reach(s, 0);
    share = inverse_mu(s, 0, g) / mu;
    next = share * share * share * mu;
    c->aim = c->move;
    c->move = keep;
    inverse_right(s, next);
    inverse_turn(s, c->move, s->count);
    inverse_direct(s, next);
    g = inverse_reach(s, next);
    inverse_walk(s, next, (lengths){fmin(1, BACK * g.primal),
                                    fmin(1, BACK * g.dual)});
}

/* ---- from beginning to end ----------------------------------------------- */

static void inverse_begin(inverse *s, size_t topic, double theta)
{
    cases *const c = &s->c;
    const size_t k = s->k;
    double mean = 0;

    s->topic = topic;
    s->count = s->rows + (theta > 0 ? k : 0);
    for (size_t l = 0; l < k; l++)
        s->ridge[l * k + l] = theta;
    memset(s->all, 0, 9 * (s->rows + k) * sizeof *s->all);
    for (size_t i = 0; i < s->count; i++) {
        c->s[i] = c->t[i] = 1;
        c->z[i] = c->w[i] = 0.5;
    }
    memset(s->v, 0, k * sizeof *s->v);
    s->v[topic] = 1;
    inverse_times(s, s->v, c->move);
    inverse_gram(s);
    inverse_factor(s);
    inverse_equate(s);
    for (size_t l = 0; l < k; l++)
        s->v[l] += s->dv[l];
    inverse_times(s, s->v, c->r);
    for (size_t i = 0; i < s->count; i++)
        mean += fabs(c->r[i]) / (double)s->count;
    for (size_t i = 0; i < s->count; i++) {
        c->z[i] = fmax(c->r[i], 0) + mean;
        c->w[i] = fmax(-c->r[i], 0) + mean;
    }
}

/* Σ|Bv|; and below it (B'x)_k = v'B'x, as v_k is 1 and other entries of B'x
 * are 0, by the largest of x. */
static double inverse_bounds(const inverse *s, double *below)
{
    double most = 0, sum = 0, above = 0;

    for (size_t i = 0; i < s->count; i++) {
        above += fabs(s->c.r[i]);
        sum += s->c.r[i] * s->c.x[i];
        most = fmax(most, fabs(s->c.x[i]));
    }
    *below = most > 0 ? sum / most : 0;
    return above;
}

/* p of x, which comes and goes in `best`. */
static void inverse_measure(inverse *s, inverse_found *found)
{
    double length;

    inverse_turn(s, s->best, s->count);
    length = s->side[s->topic];
    found->largest = found->bias = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->best[i] /= length;
        found->largest = fmax(found->largest, fabs(s->best[i]));
    }
    inverse_turn(s, s->best, s->rows);
    s->side[s->topic] -= 1;
    for (size_t l = 0; l < s->k; l++)
        found->bias = fmax(found->bias, fabs(s->side[l]));
}

/* What is left of B'x by rounding is taken out, of x that are not near their
 * bounds: D becomes st / 2, for that of the last steps is so uneven that
 * rounding would put more into B'x than there was. */
static void inverse_mend(inverse *s)
{
    cases *const c = &s->c;

    for (size_t i = 0; i < s->count; i++)
        c->z[i] = c->w[i] = 1;
    memcpy(c->move, s->best, s->count * sizeof *c->move);
    inverse_gram(s);
    inverse_factor(s);
    inverse_equate(s);
    inverse_times(s, s->dv, c->turn);
    for (size_t i = 0; i < s->count; i++)
        s->best[i] += c->turn[i] /
                      (c->z[i] / c->s[i] + c->w[i] / c->t[i]);
}

static bool inverse_finish(inverse *s, double theta, double above,
                           inverse_found *found)
{
    inverse_measure(s, found);
    for (int i = 0; i < MENDS && found->bias > theta * found->largest + OFF;
         i++) {
        inverse_mend(s);
        inverse_measure(s, found);
    }
    found->gap = fmax(found->largest * above - 1, 0);
    return found->gap <= GAP_MOST &&
           found->bias <= theta * found->largest + OFF;
}

static bool inverse_stopped(const inverse *s)
{
    const kedge_control *const c = s->control;

    return c != NULL && c->stop != NULL && c->stop(c->data) != 0;
}

bool inverse_solve(inverse *s, size_t topic, double theta, double most,
                   inverse_found *found)
{
    double above = INFINITY, below = 0, now;
    size_t idle = 0;

    *found = (inverse_found){.gap = INFINITY, .row = s->best};
    if (inverse_stopped(s))
        return false;
    inverse_begin(s, topic, theta);
    for (; found->steps < STEPS && idle < IDLE; found->steps++, idle++) {
        if (inverse_stopped(s))
            return false;
        above = fmin(above, inverse_bounds(s, &now));
        if (above * most < 1)
            return false;
        if (now > below) {
            below = now;
            memcpy(s->best, s->c.x, s->count * sizeof *s->best);
        }
        if (below > 0 && above / below - 1 < found->gap) {
            found->gap = fmax(above / below - 1, 0);
            idle = 0;
        }
        if (found->gap <= GAP)
            break;
        inverse_step(s);
    }
    return found->gap <= GAP_MOST && inverse_finish(s, theta, above, found);
}
