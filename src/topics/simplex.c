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

typedef struct simplex_job {
    tall_part own;
    size_t k, steps;
    double g, tolerance;
    const double *p; /* (g UU' + I)^-1 */
    const double *gram;
    double *products;
    double *scratch; /* for each worker */
    size_t *taken;   /* by batch: steps */
    size_t *left;    /* by batch: rows unsettled */
} simplex_job;

/* A batch in the making: BATCH x k each. */
typedef struct simplex_batch {
    double *q, *y, *w, *r;
    double *level;  /* of each row's projection */
    size_t *row;    /* which row of the batch it is */
    double *finish; /* of active_few */
} simplex_batch;

static double simplex_least(const double *q, size_t k)
{
    double least = q[0];

    for (size_t c = 1; c < k; c++)
        least = q[c] < least ? q[c] : least;
    return least;
}

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
            t = simplex_least(q, k) - 1;
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

static size_t simplex_doubles(size_t k)
{
    return BATCH * (4 * k + 2) + active_few_doubles(k, FINISH_WIDTH);
}

static simplex_batch simplex_layout(double *scratch, size_t k)
{
    simplex_batch b = {.q = scratch};

    b.y = b.q + BATCH * k;
    b.w = b.y + BATCH * k;
    b.r = b.w + BATCH * k;
    b.level = b.r + BATCH * k;
    b.row = (size_t *)(b.level + BATCH);
    b.finish = b.level + 2 * BATCH;
    return b;
}

static bool simplex_finish(const simplex_job *j, const double *v, double *y,
                           double *scratch)
{
    const active_problem problem = {ACTIVE_ONE, j->k, j->k, j->gram};

    return active_few(&problem, FINISH_WIDTH, v, y, scratch) > 0;
}

/* One step of the rows that are left; settled ones write their solution over
 * their products and the last row takes their place. */
static size_t simplex_step(const simplex_job *j, simplex_batch *b,
                           double *products, size_t active, bool finish)
{
    const size_t k = j->k;

    for (size_t i = 0; i < active; i++)
        simplex_reflect(b->w + i * k, b->y + i * k, b->q + i * k,
                        products + b->row[i] * k, k, j->g);
    blas_gemm(false, false, active, k, k, 1, b->w, k, j->p, k, 0, b->r, k);
    for (size_t i = 0; i < active;) {
        double *y = b->y + i * k;
        const bool settled =
            simplex_move(b->q + i * k, y, b->r + i * k, k, &b->level[i]) <
            j->tolerance;
        if (!(finish && simplex_finish(j, products + b->row[i] * k, y,
                                       b->finish)) &&
            !settled) {
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

static void simplex_task(void *data, size_t batch, unsigned worker)
{
    const simplex_job *j = data;
    const size_t k = j->k;
    simplex_batch b =
        simplex_layout(j->scratch + worker * simplex_doubles(k), k);
    size_t active, step = 0;
    const size_t from = tall_tile(&j->own, BATCH, batch, &active);
    double *products = j->products + from * k;

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
    j->taken[batch] = step;
    j->left[batch] = active;
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

typedef struct told_job {
    size_t batches;
    const size_t *taken, *left;
} told_job;

static void tell_batches(void *data, void *value)
{
    const told_job *const j = data;
    simplex_result *const out = value;

    for (size_t b = 0; b < j->batches; b++) {
        out->steps = j->taken[b] > out->steps ? j->taken[b] : out->steps;
        out->unsettled += j->left[b];
    }
}

/* By all batches, everybody's. */
static void simplex_tell(pool *p, size_t batches, const size_t *taken,
                         const size_t *left, simplex_result *out)
{
    told_job j = {batches, taken, left};

    comm_reduce(pool_comm(p), out, sizeof *out, tell_batches, &j);
}

kedge_status simplex_solve(pool *p, size_t rows, size_t k, const double *gram,
                           double *products, size_t steps, double tolerance,
                           simplex_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *resolvent = NULL;
    simplex_job j = {.own = tall_own(p, rows), .k = k, .steps = steps,
                     .tolerance = tolerance, .products = products};
    const size_t batches = tall_tiles(&j.own, BATCH);

    *out = (simplex_result){0};
    TRY_MEM(resolvent = mem_new2(k, k, sizeof *resolvent));
    TRY(simplex_resolvent(gram, k, resolvent, &j.g, err));
    j.p = resolvent;
    j.gram = gram;
    TRY_MEM(j.scratch = mem_new2(pool_threads(p), simplex_doubles(k),
                                 sizeof *j.scratch));
    TRY_MEM(j.taken = mem_new(batches, sizeof *j.taken));
    TRY_MEM(j.left = mem_new(batches, sizeof *j.left));
    pool_run(p, batches, simplex_task, &j);
    simplex_tell(p, batches, j.taken, j.left, out);
out:
    mem_free_all(resolvent, j.scratch, j.taken, j.left);
    return st;
}

/* ---- a row at a time ----------------------------------------------------- */

typedef struct rows_job {
    tall_part own;
    size_t k;
    const simplex_way *way;
    double *products;
    double *scratch; /* for each worker: a solution, and what the way needs */
    size_t *taken;   /* by batch: steps */
    size_t *left;    /* by batch: rows unsettled */
} rows_job;

static void rows_batch(void *data, size_t batch, unsigned worker)
{
    const rows_job *j = data;
    const size_t k = j->k;
    double *const y = j->scratch + worker * (k + j->way->doubles);
    size_t count;
    const size_t from = tall_tile(&j->own, BATCH, batch, &count);

    for (size_t i = from; i < from + count; i++) {
        double *const products = j->products + i * k;
        const size_t steps =
            j->way->solve(j->way->problem, products, y, y + k);
        memcpy(products, y, k * sizeof *y);
        j->taken[batch] = steps > j->taken[batch] ? steps : j->taken[batch];
        j->left[batch] += steps == 0;
    }
}

kedge_status simplex_by_rows(pool *p, size_t rows, size_t k,
                             const simplex_way *way, double *products,
                             simplex_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    rows_job j = {.own = tall_own(p, rows), .k = k, .way = way,
                  .products = products};
    const size_t batches = tall_tiles(&j.own, BATCH);

    *out = (simplex_result){0};
    TRY_MEM(j.scratch = mem_new2(pool_threads(p), k + way->doubles,
                                 sizeof *j.scratch));
    TRY_MEM(j.taken = mem_new(batches, sizeof *j.taken));
    TRY_MEM(j.left = mem_new(batches, sizeof *j.left));
    pool_run(p, batches, rows_batch, &j);
    simplex_tell(p, batches, j.taken, j.left, out);
out:
    mem_free_all(j.scratch, j.taken, j.left);
    return st;
}
