/* SPDX-License-Identifier: MIT */
/*
 * ADMM by over-relaxed Douglas-Rachford splitting (paper "Practical Correlated
 * Topic Modeling and Analysis via the Rectified Anchor Word Algorithm",
 * section on SCLS). For a row, with g = GAMMA k / tr(UU') and
 * P = (g UU' + I)^-1:
 *
 *   q <- q + RELAX (P (2y - q + g Uv) - y),  y <- projection of q
 *
 * ADMM finds soon which entries are about to be positive and then takes long to
 * say which of the small ones are, and how much all of them. So every FINISH
 * steps the active set (active.c) is asked to end what is left of a row, from
 * where it is: some rounds of a small linear system, to the exact answer. Rows
 * with many positive entries, whose systems are not small, go on meanwhile.
 *
 * Rows are independent. They are solved in batches of BATCH for the sake of the
 * product with P; a row that has settled leaves its batch, and the product
 * shrinks with it. A row's arithmetic does not depend on its neighbours only if
 * BLAS computes rows of a product alike for every height of it, which it does
 * not promise; batches are therefore fixed cuts of the rows, whatever the
 * number of threads or processes.
 */
#include "topics/simplex.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/octet.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define GAMMA 3.0
#define RELAX 1.9
#define BATCH 256
#define FINISH 12        /* steps between two tries to finish */
#define FINISH_WIDTH 128 /* supports larger than this take their time */

/* ---- batches of rows ----------------------------------------------------- */

/* Solves `count` rows from row `from` on. */
typedef void solve_batch(const void *problem, size_t from, size_t count,
                         double *scratch, simplex_result *out);

typedef struct batches {
    tall_part own;
    solve_batch *solve;
    const void *problem;
    size_t doubles;
    double *scratch;      /* threads x doubles */
    simplex_result *each; /* by batch */
} batches;

static void run_batch(void *data, size_t batch, unsigned worker)
{
    const batches *j = data;
    size_t count;
    const size_t from = tall_tile(&j->own, BATCH, batch, &count);

    j->solve(j->problem, from, count, j->scratch + worker * j->doubles,
             &j->each[batch]);
}

static void add_results(void *data, void *value)
{
    const batches *const j = data;
    simplex_result *const all = value;

    for (size_t b = 0; b < tall_tiles(&j->own, BATCH); b++) {
        const simplex_result *const one = &j->each[b];
        all->steps = one->steps > all->steps ? one->steps : all->steps;
        all->unsettled += one->unsettled;
    }
}

/* All batches of the own rows; the result is that of all processes' rows. */
static kedge_status run_batches(pool *p, size_t rows, solve_batch *solve,
                                const void *problem, size_t doubles,
                                simplex_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    batches j = {.own = tall_own(p, rows), .solve = solve,
                 .problem = problem, .doubles = doubles};
    const size_t count = tall_tiles(&j.own, BATCH);

    *out = (simplex_result){0};
    TRY_MEM(j.scratch = mem_new2(pool_threads(p), doubles,
                                 sizeof *j.scratch));
    TRY_MEM(j.each = mem_new(count, sizeof *j.each));
    pool_run(p, count, run_batch, &j);
    comm_reduce(pool_comm(p), out, sizeof *out, add_results, &j);
out:
    mem_free_all(j.scratch, j.each);
    return st;
}

static void solve_rows(const void *problem, size_t from, size_t count,
                       double *y, simplex_result *out)
{
    const simplex_rows *j = problem;
    const size_t k = j->k;

    for (size_t i = from; i < from + count; i++) {
        double *const products = j->products + i * k;
        const size_t steps = j->solve(j->problem, products, y, y + k);
        memcpy(products, y, k * sizeof *y);
        out->steps = steps > out->steps ? steps : out->steps;
        out->unsettled += steps == 0;
    }
}

kedge_status simplex_by_rows(pool *p, size_t rows, const simplex_rows *r,
                             simplex_result *out, kedge_error *err)
{
    return run_batches(p, rows, solve_rows, r, r->k + r->doubles, out, err);
}

/* ---- the projection ------------------------------------------------------ */

/* The amount t with Σ max(q - t, 0) = 1, by Newton's method: the function is
 * convex and falling, so from the second step on t only rises towards it. */
KERNEL_CLONES
static double simplex_level(const double *restrict q, size_t k, double t)
{
    const size_t whole = k / OCTET * OCTET;
    octet rest;

    octet_rest(q + whole, k - whole, -INFINITY, &rest);
    for (int step = 0; step < 100; step++) {
        octet_mask above = rest > t;
        octet sum = (octet)((octet_mask)rest & above), count;
        double next;
        for (size_t c = 0; c < whole; c += OCTET) {
            const octet_mask over = *octet_at(q + c) > t;
            sum += (octet)((octet_mask)*octet_at(q + c) & over);
            above += over;
        }
        count = __builtin_convertvector(-above, octet);
        if (octet_total(&count) == 0) { /* started too high: all are below */
            t = q[0];
            for (size_t c = 1; c < k; c++)
                t = q[c] < t ? q[c] : t;
            t -= 1;
            continue;
        }
        next = (octet_total(&sum) - 1) / octet_total(&count);
        if (next == t)
            break;
        if (step > 0 && next < t)
            break; /* rounding has the last word */
        t = next;
    }
    return t;
}

void simplex_project(double *y, size_t k, double *level)
{
    *level = simplex_level(y, k, *level);
    for (size_t c = 0; c < k; c++)
        y[c] = y[c] > *level ? y[c] - *level : 0;
}

/* ---- ADMM ---------------------------------------------------------------- */

typedef struct admm {
    size_t k, steps;
    double g, tolerance;
    const double *p; /* (g UU' + I)^-1 */
    const double *gram;
    double *products;
} admm;

/* A batch in the making: BATCH x k each. */
typedef struct simplex_batch {
    double *q, *y, *w, *r;
    double *level;  /* of each row's projection */
    size_t *row;    /* which row of the batch it is */
    double *finish; /* of active_few */
} simplex_batch;

/* Of eight entries: |RELAX (r - y)| and |max(q - t, 0) - y|. */
OCTET_INLINE void simplex_compare(const octet *q, const octet *y,
                                  const octet *r, double t, octet *most)
{
    const octet step = RELAX * (*r - *y);
    const octet moved = (octet)((octet_mask)(*q - t) & (*q > t)) - *y;

    octet_most(most, &step);
    octet_most(most, &moved);
}

KERNEL_CLONES
static double simplex_change(const double *restrict q, const double *restrict y,
                             const double *restrict r, size_t k, double t)
{
    const size_t whole = k / OCTET * OCTET;
    octet most = {0}, last_q, last_y, last_r;

    octet_rest(q + whole, k - whole, t, &last_q);
    octet_rest(y + whole, k - whole, 0, &last_y);
    octet_rest(r + whole, k - whole, 0, &last_r);
    simplex_compare(&last_q, &last_y, &last_r, t, &most);
    for (size_t c = 0; c < whole; c += OCTET)
        simplex_compare(octet_at(q + c), octet_at(y + c), octet_at(r + c), t,
                        &most);
    return octet_largest(&most);
}

/* q moves, y becomes its projection; the largest change of an entry of either:
 * y may rest in a corner of the simplex while q is still on its way out. */
KERNEL_CLONES
static double simplex_move(double *restrict q, double *restrict y,
                           const double *restrict r, size_t k, double *level)
{
    double change, t;

    for (size_t c = 0; c < k; c++)
        q[c] += RELAX * (r[c] - y[c]);
    *level = t = simplex_level(q, k, *level);
    change = simplex_change(q, y, r, k, t);
    for (size_t c = 0; c < k; c++)
        y[c] = q[c] > t ? q[c] - t : 0;
    return change;
}

KERNEL_CLONES
static void simplex_reflect(double *restrict w, const double *restrict y,
                            const double *restrict q,
                            const double *restrict v, size_t k, double g)
{
    for (size_t c = 0; c < k; c++)
        w[c] = 2 * y[c] - q[c] + g * v[c];
}

/* One step of the rows that are left; settled ones write their solution over
 * their products and the last row takes their place. */
static size_t simplex_step(const admm *j, simplex_batch *b,
                           double *products, size_t active, bool finish)
{
    const size_t k = j->k;
    const active_problem problem = {ACTIVE_ONE, k, k, j->gram};

    for (size_t i = 0; i < active; i++)
        simplex_reflect(b->w + i * k, b->y + i * k, b->q + i * k,
                        products + b->row[i] * k, k, j->g);
    blas_gemm(false, false, active, k, k, 1, b->w, k, j->p, k, 0, b->r, k);
    for (size_t i = 0; i < active;) {
        double *y = b->y + i * k;
        const double change =
            simplex_move(b->q + i * k, y, b->r + i * k, k, &b->level[i]);
        const bool finished =
            finish && active_few(&problem, FINISH_WIDTH,
                                 products + b->row[i] * k, y, b->finish) > 0;
        if (!finished && !(change < j->tolerance)) {
            i++;
            continue;
        }
        active--;
        memcpy(products + b->row[i] * k, b->y + i * k, k * sizeof *b->y);
        memcpy(b->q + i * k, b->q + active * k, k * sizeof *b->q);
        memcpy(b->y + i * k, b->y + active * k, k * sizeof *b->y);
        memcpy(b->r + i * k, b->r + active * k, k * sizeof *b->r);
        b->level[i] = b->level[active];
        b->row[i] = b->row[active];
    }
    return active;
}

static void admm_batch(const void *problem, size_t from, size_t active,
                       double *scratch, simplex_result *out)
{
    const admm *j = problem;
    const size_t k = j->k;
    const size_t entries = BATCH * k;
    double *const level = scratch + 4 * entries;
    simplex_batch b = {.q = scratch, .y = scratch + entries,
                       .w = scratch + 2 * entries, .r = scratch + 3 * entries,
                       .level = level, .row = (size_t *)(level + BATCH),
                       .finish = level + 2 * BATCH};
    double *products = j->products + from * k;
    size_t step = 0;

    for (size_t i = 0; i < active; i++) {
        b.row[i] = i;
        b.level[i] = 0;
        for (size_t c = 0; c < k; c++)
            b.q[i * k + c] = b.y[i * k + c] = 1 / (double)k;
    }
    for (; step < j->steps && active > 0; step++)
        active = simplex_step(j, &b, products, active,
                              step % FINISH == FINISH - 1);
    for (size_t i = 0; i < active; i++)
        memcpy(products + b.row[i] * k, b.y + i * k, k * sizeof *b.y);
    *out = (simplex_result){step, active};
}

/* g, and P = (g UU' + I)^-1 in place of a copy of the Gram matrix. */
static kedge_status simplex_resolvent(const double *gram, size_t k, double *p,
                                      double *g, kedge_error *err)
{
    double trace = 0;

    for (size_t c = 0; c < k; c++)
        trace += gram[c * k + c];
    if (!(trace > 0))
        return kedge_fail(err, KEDGE_ENUMERIC, "the anchors' rows are zero");
    *g = GAMMA * (double)k / trace;
    for (size_t i = 0; i < k * k; i++)
        p[i] = *g * gram[i];
    for (size_t c = 0; c < k; c++)
        p[c * k + c] += 1;
    return blas_invert_definite(p, k, err);
}

kedge_status simplex_solve(pool *p, size_t rows, size_t k, const double *gram,
                           double *products, size_t steps, double tolerance,
                           simplex_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *resolvent = NULL;
    admm j = {.k = k, .steps = steps, .tolerance = tolerance, .gram = gram,
              .products = products};

    TRY_MEM(resolvent = mem_new2(k, k, sizeof *resolvent));
    TRY(simplex_resolvent(gram, k, resolvent, &j.g, err));
    j.p = resolvent;
    TRY(run_batches(p, rows, admm_batch, &j,
                    BATCH * (4 * k + 2) + active_few_doubles(k, FINISH_WIDTH),
                    out, err));
out:
    mem_free(resolvent);
    return st;
}
