/* SPDX-License-Identifier: MIT */
/*
 * Block Krylov iteration. Q_0 spans the leading left singular vectors of the
 * sketch; pass j forms Z_j = C Q_j, whose part outside the space so far,
 * orthonormalised, is Q_{j+1}. After P passes, with B = [Q_0 .. Q_{P-1}]:
 *
 *   T = B' C B = E Λ E'   Rayleigh-Ritz; X = B E leads for k topics
 *   C X = X Λ + F         F = (I - B B') Z_{P-1} E_{P-1}, all else lies in B
 *
 * so that half of another step comes for free: with F = G R orthonormalised,
 * the 2k x 2k matrix [Λ R'; R 0] is C on [X, G] but for the unknown G'CG,
 * which enters in second order. Its leading vectors are the answer.
 *
 * With weights, C is D C D here: a pass multiplies D Q_j by C and the product
 * by D. The first pass has one more column, d, for the row sums D C d.
 *
 * Rows are kept by rank; products are those of product.c. Memory:
 * P + 1 blocks of doubles and one of the power pass.
 */
#include "ops/fit/fit.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define DROP 1e-10 /* squared length, of a direction that adds nothing */

typedef struct krylov_block {
    double *q; /* rows x columns */
    size_t columns, first; /* first: its place in T */
} krylov_block;

struct refine {
    fit *f;
    size_t rows, order; /* order of T */
    krylov_block *block; /* passes of them, fewer when the space is full */
    size_t blocks;
    double *rest;        /* rows x columns of the last: (I - BB') Z */
    double *t;           /* order x order */
    double *sums;        /* rows: of D C D, or NULL */
    double start;
};

void refine_free(refine *r)
{
    if (r == NULL)
        return;
    for (size_t b = 0; r->block != NULL && b < r->blocks; b++)
        mem_free(r->block[b].q);
    mem_free_all(r->block, r->rest, r->t, r->sums, r);
}

static pass_input refine_pass(const refine *r, size_t number)
{
    pass_input pass = fit_pass(r->f, "power iteration");

    pass.number = number;
    pass.passes = r->f->opts->power_iter;
    pass.start = r->start;
    return pass;
}

/* ---- the space ----------------------------------------------------------- */

/* x = x - B (B' x), for all blocks so far; B'x of each lands in T where `t` is
 * wanted. */
static kedge_status refine_project(refine *r, double *x, size_t columns,
                                   size_t at, bool wanted, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *c = NULL;

    for (size_t b = 0; b < r->blocks; b++) {
        const krylov_block *k = &r->block[b];
        TRY_MEM(c = mem_new2(k->columns, columns, sizeof *c));
        TRY(tall_cross(r->f->p, r->rows, k->q, k->columns, x, columns, c,
                       err));
        for (size_t i = 0; wanted && i < k->columns; i++)
            for (size_t j = 0; j < columns; j++)
                r->t[(k->first + i) * r->order + at + j] =
                    c[i * columns + j];
        for (size_t i = 0; i < k->columns * columns; i++)
            c[i] = -c[i];
        tall_multiply(r->f->p, r->rows, k->q, k->columns, c, columns, 1, x);
        mem_free(c);
        c = NULL;
    }
out:
    mem_free(c);
    return st;
}

/* Cholesky-QR, twice; *done is false, and x as it was, where the columns are
 * too nearly dependent for it. */
static kedge_status refine_cholesky(refine *r, double *x, size_t columns,
                                    double *gram, bool *done,
                                    kedge_error *err)
{

    *done = false;
    for (int twice = 0; twice < 2; twice++) {
        double most = 0, least = INFINITY;
        PASS(tall_cross(r->f->p, r->rows, x, columns, x, columns, gram, err));
        if (blas_cholesky(gram, columns, NULL) != KEDGE_OK)
            return KEDGE_OK;
        for (size_t c = 0; c < columns; c++) {
            most = fmax(most, gram[c * columns + c]);
            least = fmin(least, gram[c * columns + c]);
        }
        if (!(least * least > DROP * most * most))
            return KEDGE_OK;
        tall_solve(r->f->p, r->rows, x, columns, gram);
    }
    *done = true;
    return KEDGE_OK;
}

/* An orthonormal basis of x's columns (rows x *columns) in place. Where columns
 * depend on one another, by the eigenvectors of the Gram matrix at unit length,
 * the largest first, twice, without the directions that are nothing against the
 * longest. */
static kedge_status refine_orthonormalise(refine *r, double *x,
                                          size_t *columns, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t most = *columns;
    double *gram = NULL, *values = NULL, *made = NULL, *basis = NULL;
    bool done;

    TRY_MEM(gram = mem_new2(most, most, sizeof *gram));
    TRY(refine_cholesky(r, x, most, gram, &done, err));
    if (done)
        goto out;
    TRY_MEM(values = mem_new(most, sizeof *values));
    TRY_MEM(made = mem_new2(r->rows, most, sizeof *made));
    TRY_MEM(basis = mem_new2(most, most, sizeof *basis));
    for (int twice = 0; twice < 2; twice++) {
        const size_t k = *columns;
        size_t kept = 0;
        TRY(tall_cross(r->f->p, r->rows, x, k, x, k, gram, err));
        TRY(blas_eigen(gram, k, values, err));
        while (kept < k && values[k - 1 - kept] > DROP * values[k - 1])
            kept++;
        for (size_t i = 0; i < k; i++)
            for (size_t c = 0; c < kept; c++)
                basis[i * kept + c] =
                    gram[(k - 1 - c) * k + i] / sqrt(values[k - 1 - c]);
        tall_multiply(r->f->p, r->rows, x, k, basis, kept, 0, made);
        memcpy(x, made, r->rows * kept * sizeof *x);
        *columns = kept;
    }
out:
    mem_free_all(gram, values, made, basis);
    return st;
}

/* Pass `number` from the block that was added last, by whose columns T grows;
 * its remainder is the next one's start. q without weights is rounded to what
 * the product is exact for. */
static kedge_status refine_step(refine *r, size_t number, kedge_error *err)
{
    krylov_block *const last = &r->block[r->blocks - 1];
    const double *const weight = r->f->z.rows.weight;
    const size_t before = r->order, order = before + last->columns;
    const pass_input pass = refine_pass(r, number);
    double *t;

    PASS_MEM(t = mem_new2(order, order, sizeof *t));
    for (size_t i = 0; i < before; i++)
        memcpy(t + i * order, r->t + i * before, before * sizeof *t);
    mem_free(r->t);
    r->t = t;
    r->order = order;
    last->first = before;
    mem_free(r->rest);
    PASS_MEM(r->rest = mem_new2(r->rows, last->columns, sizeof *r->rest));
    if (weight != NULL && number == 0)
        PASS_MEM(r->sums = mem_new(r->rows, sizeof *r->sums));
    PASS(product_run(r->f, &pass, weight, last->q,
                     weight == NULL ? last->q : NULL, last->columns, r->rest,
                     number == 0 ? r->sums : NULL, err));
    PASS(refine_project(r, r->rest, last->columns, before, true, err));
    for (size_t i = 0; i < before; i++) /* by symmetry */
        for (size_t j = before; j < order; j++)
            t[j * order + i] = t[i * order + j];
    return refine_project(r, r->rest, last->columns, 0, false, err);
}

/* The remainder, orthonormalised, becomes the next block; false in *more when
 * nothing is left of it. */
static kedge_status refine_extend(refine *r, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    krylov_block next = {.columns = r->block[r->blocks - 1].columns};
    const size_t room = r->rows - r->order;

    *more = false;
    if (room == 0)
        return KEDGE_OK;
    TRY_MEM(next.q = mem_new2(r->rows, next.columns, sizeof *next.q));
    memcpy(next.q, r->rest, r->rows * next.columns * sizeof *next.q);
    TRY(refine_orthonormalise(r, next.q, &next.columns, err));
    TRY(refine_project(r, next.q, next.columns, 0, false, err));
    TRY(refine_orthonormalise(r, next.q, &next.columns, err));
    *more = next.columns > 0 && next.columns <= room;
    if (*more) {
        r->block[r->blocks++] = next;
        next.q = NULL;
    }
out:
    mem_free(next.q);
    return st;
}

kedge_status refine_create(fit *f, refine **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t passes = f->opts->power_iter;
    refine *r = NULL;
    krylov_block *first;
    bool more = true;
    pass_input all;

    *out = NULL;
    TRY_MEM(r = mem_new(1, sizeof *r));
    r->f = f;
    r->rows = f->z.rows.rows;
    r->start = clock_seconds();
    TRY_MEM(r->block = first = mem_new(passes, sizeof *r->block));
    /* Q_0: the leading left singular vectors of the sketch */
    first->columns = f->plan.block;
    TRY_MEM(first->q = mem_new2(r->rows, first->columns, sizeof(double)));
    r->blocks = 1;
    TRY(spectrum_range_vectors(&f->spectrum, &f->z.rows, &first->columns, f->p,
                               first->q, err));
    TRY(refine_orthonormalise(r, first->q, &first->columns, err));
    for (size_t n = 0; n < passes && more; n++) {
        TRY(refine_step(r, n, err));
        if (n + 1 < passes)
            TRY(refine_extend(r, &more, err));
    }
    all = refine_pass(r, r->blocks);
    TRY(pass_finish(&all, err));
    for (size_t i = 0; i < r->order; i++)
        for (size_t j = 0; j < i; j++)
            r->t[i * r->order + j] = r->t[j * r->order + i] =
                0.5 * (r->t[i * r->order + j] + r->t[j * r->order + i]);
    *out = r;
    r = NULL;
out:
    refine_free(r);
    return st;
}

/* ---- eigenpairs ---------------------------------------------------------- */

/* x = B E', where rows of `pick` (k x order) are E's columns. */
static kedge_status refine_assemble(const refine *r, const double *pick,
                                    size_t k, double *x, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *turn = NULL;

    for (size_t b = 0; b < r->blocks; b++) {
        const krylov_block *q = &r->block[b];
        TRY_MEM(turn = mem_new2(q->columns, k, sizeof *turn));
        for (size_t i = 0; i < q->columns; i++)
            for (size_t c = 0; c < k; c++)
                turn[i * k + c] = pick[c * r->order + q->first + i];
        tall_multiply(r->f->p, r->rows, q->q, q->columns, turn, k, b > 0, x);
        mem_free(turn);
        turn = NULL;
    }
out:
    mem_free(turn);
    return st;
}

/* F = rest E_last, and R with F = G R by Cholesky; *usable is false when F is
 * nothing, which is when X is exact already. */
static kedge_status refine_residual(const refine *r, const double *pick,
                                    size_t k, double scale, double *g,
                                    double *root, bool *usable,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const krylov_block *last = &r->block[r->blocks - 1];
    double *turn = NULL, trace = 0;

    *usable = false;
    TRY_MEM(turn = mem_new2(last->columns, k, sizeof *turn));
    for (size_t i = 0; i < last->columns; i++)
        for (size_t c = 0; c < k; c++)
            turn[i * k + c] = pick[c * r->order + last->first + i];
    tall_multiply(r->f->p, r->rows, r->rest, last->columns, turn, k, 0, g);
    TRY(tall_cross(r->f->p, r->rows, g, k, g, k, root, err));
    for (size_t c = 0; c < k; c++)
        trace += root[c * k + c];
    *usable = sqrt(trace) > 1e-14 * scale;
    if (*usable) {
        for (size_t c = 0; c < k; c++) /* dependent columns stay harmless */
            root[c * k + c] += 1e-13 * trace;
        TRY(blas_cholesky(root, k, err));
        tall_solve(r->f->p, r->rows, g, k, root);
    }
out:
    mem_free(turn);
    return st;
}

/* x = x E1 + g E2 from the leading vectors of [Λ R'; R 0]. */
static kedge_status refine_correct(const refine *r, size_t k,
                                   const double *root, const double *g,
                                   double *x, double *values,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *s = NULL, *pick = NULL, *m = NULL, *n = NULL;

    TRY_MEM(s = mem_new2(2 * k, 2 * k, sizeof *s));
    TRY_MEM(pick = mem_new2(k, 2 * k, sizeof *pick));
    TRY_MEM(m = mem_new2(k, k, sizeof *m));
    TRY_MEM(n = mem_new2(k, k, sizeof *n));
    for (size_t i = 0; i < k; i++) {
        s[i * 2 * k + i] = values[i];
        for (size_t j = 0; j < k; j++)
            s[(k + i) * 2 * k + j] = s[j * 2 * k + k + i] = root[i * k + j];
    }
    TRY(blas_eigen_top(s, 2 * k, k, values, pick, err));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            m[i * k + j] = pick[j * 2 * k + i];
            n[i * k + j] = pick[j * 2 * k + k + i];
        }
    TRY(tall_combine(r->f->p, r->rows, x, k, m, g, n, err));
out:
    mem_free_all(s, pick, m, n);
    return st;
}

size_t refine_dimensions(const refine *r)
{
    return r->order;
}

kedge_status refine_vectors(refine *r, size_t k, double *vectors,
                            double *values, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *t = NULL, *pick = NULL, *g = NULL, *root = NULL;
    bool usable = false;

    if (k > r->order)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%zu topics are too many for --power-iter, which has "
                          "%zu dimensions",
                          k, r->order);
    TRY_MEM(t = mem_new2(r->order, r->order, sizeof *t));
    TRY_MEM(pick = mem_new2(k, r->order, sizeof *pick));
    TRY_MEM(g = mem_new2(r->rows, k, sizeof *g));
    TRY_MEM(root = mem_new2(k, k, sizeof *root));
    memcpy(t, r->t, r->order * r->order * sizeof *t);
    TRY(blas_eigen_top(t, r->order, k, values, pick, err));
    TRY(refine_assemble(r, pick, k, vectors, err));
    TRY(refine_residual(r, pick, k, values[0], g, root, &usable, err));
    if (usable)
        TRY(refine_correct(r, k, root, g, vectors, values, err));
out:
    mem_free_all(t, pick, g, root);
    return st;
}

const double *refine_sums(const refine *r)
{
    return r->sums;
}
