/* SPDX-License-Identifier: MIT */
/*
 * With C = YY' and its row sums d = Y (Y'e), the normalised rows are
 * C̄ = diag(d)^-1 Y Y'. With Y = Q R, each row of C̄ is a row of X =
 * diag(d)^-1 Y R' turned by Q, so distances between rows can be taken in K
 * dimensions. R is the Cholesky factor of Y'Y.
 *
 * Beyond the algorithm as printed:
 *  - anchors are words of at least `min_df` documents: rare rows are noise, and
 *    noise is what sticks out;
 *  - a row whose sum the projections made non-positive is normalised by its
 *    exact sum instead; it is never an anchor;
 *  - p(word) in Bayes' rule is the exact row sum from ingestion;
 *  - A = (B⁺Y)(B⁺Y)' in least squares uses all words. The diagonal recovery
 *    A = D Y_S Y_S' D with D = diag(1 / B_ss) trusts the anchors' rows alone.
 *
 * Where words were weighted, all this is of D C D = B A B' with D = diag(d),
 * and what is wanted is C = (D^-1 B) A (D^-1 B)'. With s the column sums of
 * D^-1 B, its columns become probabilities as D^-1 B S^-1, and the topics'
 * masses go into S A S, scaled to the total that A had, which tells how well
 * D C D was met. D B, columns scaled to one, are the weighted topics again.
 */
#include "topics/law.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define PINV_FLOOR 1e-14 /* eigenvalues of B'B below it count as zero */

typedef struct law_work {
    tall_part own;    /* this rank's rows, of every array with a value by row */
    double *d;        /* rows: Y Y'e */
    double *x;        /* rows x k: X */
    double *root;     /* k x k: R' */
    double *anchors;  /* k x k: X_S, rows */
    double *products; /* k x k: X_S X_S' */
    double *sums;     /* k: of the columns of Y, and of B */
    double *mass;     /* k: of the inverse, or NULL: recover_topics */
    uint64_t *candidate;
    size_t candidates;
} law_work;

void embed_sums(pool *p, size_t rows, size_t k, const double *y,
                double *scratch, double *d)
{
    const size_t own = tall_own(p, rows).count;

    tall_sums(p, rows, y, k, scratch);
    for (size_t i = 0; i < own; i++) {
        d[i] = 0;
        for (size_t c = 0; c < k; c++)
            d[i] += y[i * k + c] * scratch[c];
    }
}

kedge_status embed_factor(double *gram, size_t k, kedge_error *err)
{
    double trace = 0;

    for (size_t c = 0; c < k; c++)
        trace += gram[c * k + c];
    for (size_t c = 0; c < k; c++) /* an empty column of Y stays empty */
        gram[c * k + c] += 1e-15 * trace;
    return blas_cholesky(gram, k, err);
}

kedge_status embed_root(double *gram, size_t k, kedge_error *err)
{
    PASS(embed_factor(gram, k, err));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            gram[i * k + j] = gram[j * k + i];
            gram[j * k + i] = 0;
        }
    return KEDGE_OK;
}

void embed_rows(pool *p, size_t rows, size_t k, const double *y,
                const double *d, const double *sums, const double *root,
                double *x)
{
    const size_t own = tall_own(p, rows).count;

    tall_multiply(p, rows, y, k, root, k, 0, x);
    for (size_t i = 0; i < own; i++) {
        const double sum = d[i] > 0 ? d[i] : sums[i];
        for (size_t c = 0; c < k; c++)
            x[i * k + c] = sum > 0 ? x[i * k + c] / sum : 0;
    }
}

kedge_status law_output_create(size_t rows, size_t k, law_output *o,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(o->b = mem_new2(rows, k, sizeof *o->b));
    TRY_MEM(o->a = mem_new2(k, k, sizeof *o->a));
    TRY_MEM(o->anchor = mem_new(k, sizeof *o->anchor));
    TRY_MEM(o->residual = mem_new(k, sizeof *o->residual));
    TRY_MEM(o->characteristic = mem_new2(k, LAW_CHARACTERISTIC,
                                         sizeof *o->characteristic));
out:
    return st;
}

void law_free(law_output *o)
{
    mem_free_all(o->b, o->a, o->anchor, o->residual, o->characteristic);
    *o = (law_output){0};
}

/* ---- anchors ------------------------------------------------------------- */

/* The words' rows as points, with R'R = Y'Y, or, of a projection to so many
 * dimensions, what that makes of Y'Y. */
static kedge_status law_points(pool *p, const law_input *in, const double *d,
                               size_t project, double *root, double *x,
                               kedge_error *err)
{
    const size_t k = in->k;

    if (project > 0)
        PASS(farthest_project(p, in->rows, in->y, k, project, in->ways.seed,
                              root, err));
    else
        PASS(tall_cross(p, in->rows, in->y, k, in->y, k, root, err));
    PASS(embed_root(root, k, err));
    embed_rows(p, in->rows, k, in->y, d, in->sums, root, x);
    return KEDGE_OK;
}

static size_t law_given(const law_input *in)
{
    return in->given != NULL ? in->given->topics : 0;
}

static void count_candidates(void *data, void *value)
{
    *(size_t *)value += ((const law_work *)data)->candidates;
}

/* Anchors that are given cannot be rows of zero: nothing could be built on
 * them. */
static kedge_status law_candidates(pool *p, const law_input *in, law_work *w,
                                   law_output *out, kedge_error *err)
{
    const given *const g = in->given;

    for (size_t i = 0; i < w->own.count; i++)
        if (in->df[i] >= in->min_df && w->d[i] > 0 && in->sums[i] > 0 &&
            (in->banned == NULL || !in->banned[i]))
            w->candidate[w->candidates++] = i;
    comm_reduce(pool_comm(p), &out->candidates, sizeof out->candidates,
              count_candidates, w);
    for (size_t t = 0; t < law_given(in); t++)
        for (size_t i = g->begin[t]; i < g->begin[t + 1]; i++)
            if (!(w->d[g->row[i]] > 0 && in->sums[g->row[i]] > 0))
                return kedge_fail(err, KEDGE_ENUMERIC,
                                  "anchor %zu of topic %zu occurs with no "
                                  "other word; choose another",
                                  i - g->begin[t] + 1, t + 1);
    if (out->candidates < in->k - law_given(in))
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "%zu words are in %llu documents or more, too few "
                          "anchors for %zu topics; lower the floor "
                          "(--anchor-min-df) or fit fewer topics",
                          out->candidates, (unsigned long long)in->min_df,
                          in->k);
    return KEDGE_OK;
}

/* The anchors, what stands for their rows, and the rows' products. */
static kedge_status law_anchors(pool *p, const law_input *in, law_work *w,
                                law_output *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, known = law_given(in), project = in->ways.project;
    const given_rows rows = {in->rows, k, in->y, w->x, w->root, w->d};
    const stage now = stage_begin(in->control, "anchors", k, "topics");
    anchors_input find = {.kind = in->ways.anchors, .k = k, .x = w->x,
                          .counted = in->counted, .candidate = w->candidate,
                          .from = w->own.from, .scratch = out->b,
                          .stage = &now};
    double *projected = NULL; /* k x k: a root of the projection's */

    TRY(law_candidates(p, in, w, out, err));
    find.candidates = w->candidates;
    if (project > 0) { /* to points in the room of B */
        if (project < k)
            TRY(kedge_fail(err, KEDGE_EINVAL,
                           "a projection to %zu dimensions has no room for %zu "
                           "anchors: use at least as many dimensions as "
                           "topics", project, k));
        TRY_MEM(projected = mem_new2(k, k, sizeof *projected));
        TRY(law_points(p, in, w->d, project, projected, out->b, err));
        find.x = out->b;
    }
    if (known > 0) {
        for (size_t t = 0; t < known; t++)
            out->anchor[t] = in->given->row[in->given->begin[t]];
        TRY(given_points(in->given, &rows, w->anchors, w->products, err));
        TRY(anchors_complete(p, &find, w->anchors, known, out->anchor,
                             out->residual, err));
    } else {
        TRY(anchors_find(p, &find, out->anchor, out->residual, err));
    }
    TRY(stage_reach(&now, k, err));
    tall_rows(p, in->rows, w->x, k, out->anchor + known, k - known,
              w->anchors + known * k);
    blas_gemm(false, true, k, k - known, k, 1, w->anchors, k,
              w->anchors + known * k, k, 0, w->products + known, k);
    for (size_t a = known; a < k; a++)
        for (size_t b = 0; b < known; b++)
            w->products[a * k + b] = w->products[b * k + a];
out:
    mem_free(projected);
    return st;
}

/* ---- topics -------------------------------------------------------------- */

/* Where there are no steps, those that law_input has. */
static const struct law_solver {
    simplex_solver *solve;
    size_t steps;
    double tolerance; /* of what the anchors' rows are long, squared */
} law_solvers[] = {
    [KEDGE_SOLVER_ADMM] = {simplex_solve, 0, 0},
    [KEDGE_SOLVER_ACTIVE_SET] = {active_solve, 0, 0},
    [KEDGE_SOLVER_EXPGRAD] = {expgrad_solve, 10000, 1e-8},
};

/* p(topic | word) by least squares on the simplex, from X X_S'. */
static kedge_status law_squares(pool *p, const law_input *in,
                                const law_work *w, const stage *now,
                                double *b, simplex_result *solved,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const struct law_solver *const how = &law_solvers[in->ways.solver];
    const size_t k = in->k;
    double *columns = NULL; /* k x k: X_S' */

    TRY_MEM(columns = mem_new2(k, k, sizeof *columns));
    for (size_t i = 0; i < k * k; i++)
        columns[i % k * k + i / k] = w->anchors[i];
    tall_multiply(p, in->rows, w->x, k, columns, k, 0, b);
    pool_watch(p, now);
    st = how->solve(p, in->rows, k, w->products, b,
                    how->steps > 0 ? how->steps : in->steps,
                    how->steps > 0 ? how->tolerance : in->tolerance, solved,
                    err);
    KEEP_FIRST(st, pool_unwatch(p, err));
out:
    mem_free(columns);
    return st;
}

/* The columns scaled to sums of one, which s (k) had. */
static void law_scale(pool *p, const law_input *in, double *s, double *b)
{
    const size_t k = in->k, own = tall_own(p, in->rows).count;

    tall_sums(p, in->rows, b, k, s);
    for (size_t i = 0; i < own; i++)
        for (size_t c = 0; c < k; c++)
            b[i * k + c] /= s[c];
}

/* p(topic | word), then B by Bayes' rule; or B at once, by the inverse. */
static kedge_status law_topics(pool *p, const law_input *in, law_work *w,
                               law_output *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    const stage now = stage_begin(in->control, "topics", in->rows, "words");
    simplex_result solved = {0};

    switch (in->ways.recover) {
    case KEDGE_RECOVER_INVERSE:
        TRY_MEM(w->mass = mem_new(k, sizeof *w->mass));
        TRY(recover_topics(p, in->rows, k, in->y, out->anchor, out->b,
                           w->mass, err));
        return stage_reach(&now, in->rows, err);
    case KEDGE_RECOVER_KL:
        TRY(kl_solve(p, in, w->d, out->anchor, KL_COLUMNS, &now, out->b,
                     &solved, err));
        break;
    case KEDGE_RECOVER_L2:
    case KEDGE_RECOVER_ANCHOR_FREE: /* anchorfree_fit */
        TRY(law_squares(p, in, w, &now, out->b, &solved, err));
        break;
    }
    out->steps = solved.steps;
    out->unsettled = solved.unsettled;
    TRY(stage_reach(&now, in->rows, err));
    for (size_t a = 0; a < k; a++) {
        const size_t row = (size_t)out->anchor[a] - w->own.from;
        const bool own = out->anchor[a] >= w->own.from && row < w->own.count;
        /* one word, whose topic is all its own */
        const bool single =
            a >= law_given(in) || given_words(in->given, a) == 1;
        for (size_t c = 0; c < k && own && single; c++)
            out->b[row * k + c] = a == c;
    }
    for (size_t i = 0; i < w->own.count * k; i++) /* Bayes' rule */
        out->b[i] *= in->sums[i / k];
    law_scale(p, in, w->sums, out->b);
    for (size_t c = 0; c < k; c++) /* an anchor makes a sum positive */
        if (!(w->sums[c] > 0))
            TRY(kedge_fail(err, KEDGE_ENUMERIC,
                           "no word belongs to the anchors of topic %zu; fit "
                           "fewer topics, or choose other anchors", c + 1));
out:
    return st;
}

/* ---- correlations -------------------------------------------------------- */

/* B⁺ = (B'B)^-1 B' in the eigenbasis of B'B, small directions left out. */
static kedge_status law_squares_a(pool *p, const law_input *in,
                                  const double *b, double *a,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    double *bb = NULL, *by = NULL; /* k x k: B'B, its eigenvectors; B'Y */
    double *turned = NULL, *values = NULL; /* B'Y in the eigenbasis */

    TRY_MEM(values = mem_new(k, sizeof *values));
    TRY_MEM(bb = mem_new2(k, k, sizeof *bb));
    TRY_MEM(by = mem_new2(k, k, sizeof *by));
    TRY_MEM(turned = mem_new2(k, k, sizeof *turned));
    TRY(tall_cross(p, in->rows, b, k, b, k, bb, err));
    TRY(tall_cross(p, in->rows, b, k, in->y, k, by, err));
    TRY(blas_eigen(bb, k, values, err));
    blas_gemm(false, false, k, k, k, 1, bb, k, by, k, 0, turned, k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            turned[i * k + j] *=
                values[i] > PINV_FLOOR * values[k - 1] ? 1 / values[i] : 0;
    blas_gemm(true, false, k, k, k, 1, bb, k, turned, k, 0, by, k);
    blas_gemm(false, true, k, k, k, 1, by, k, by, k, 0, a, k);
out:
    mem_free_all(values, bb, by, turned);
    return st;
}

static kedge_status law_diagonal_a(pool *p, const law_input *in,
                                   const double *mass, const law_output *out,
                                   double *a, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    double *bs = NULL, *ys = NULL; /* k x k: the anchors' rows of B and Y */

    TRY_MEM(bs = mem_new2(k, k, sizeof *bs));
    TRY_MEM(ys = mem_new2(k, k, sizeof *ys));
    tall_rows(p, in->rows, out->b, k, out->anchor, k, bs);
    tall_rows(p, in->rows, in->y, k, out->anchor, k, ys);
    for (size_t s = 0; s < k; s++) {
        const double own = bs[s * k + s];
        if (mass == NULL && !(own > 0)) /* left so by the inverse */
            TRY(kedge_fail(err, KEDGE_ENUMERIC,
                           "an anchor has probability 0 in its topic, so that "
                           "--topic-cooccurrence diagonal is not defined; use "
                           "least-squares"));
        const double scale = mass != NULL ? mass[s] : 1 / own;
        for (size_t c = 0; c < k; c++)
            ys[s * k + c] *= scale;
    }
    blas_gemm(false, true, k, k, k, 1, ys, k, ys, k, 0, a, k);
out:
    mem_free_all(bs, ys);
    return st;
}

/* B and A of D C D become those of C; `s` (k) is scratch. */
static void law_unweigh(pool *p, const law_input *in, double *s, double *b,
                        double *a)
{
    const size_t k = in->k, own = tall_own(p, in->rows).count;
    double before = 0, after = 0;

    for (size_t i = 0; i < own; i++)
        for (size_t c = 0; c < k; c++)
            b[i * k + c] /= in->weight[i];
    law_scale(p, in, s, b);
    for (size_t i = 0; i < k * k; i++) {
        before += a[i];
        after += a[i] *= s[i / k] * s[i % k];
    }
    for (size_t i = 0; i < k * k && after > 0; i++)
        a[i] *= before / after;
}

/* Rows of `width` values each, in place; `spare` has room for all of them. */
static void law_permute_rows(void *rows, size_t k, size_t width,
                             const size_t *order, void *spare)
{
    for (size_t t = 0; t < k; t++)
        memcpy((char *)spare + t * width, (char *)rows + order[t] * width,
               width);
    memcpy(rows, spare, k * width);
}

static void law_permute_columns(double *a, size_t rows, size_t k,
                                const size_t *order, double *spare)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < k; c++)
            spare[c] = a[i * k + order[c]];
        memcpy(a + i * k, spare, k * sizeof *a);
    }
}

kedge_status law_permute(size_t rows, size_t k, const size_t *order,
                         law_output *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t list = LAW_CHARACTERISTIC * sizeof *out->characteristic;
    double *spare = NULL;

    static_assert(sizeof *spare == sizeof *out->characteristic, "one spare");
    TRY_MEM(spare = mem_new2(k, k + LAW_CHARACTERISTIC, sizeof *spare));
    law_permute_columns(out->b, rows, k, order, spare);
    law_permute_columns(out->a, k, k, order, spare);
    law_permute_rows(out->a, k, k * sizeof *out->a, order, spare);
    law_permute_rows(out->anchor, k, sizeof *out->anchor, order, spare);
    law_permute_rows(out->residual, k, sizeof *out->residual, order, spare);
    law_permute_rows(out->characteristic, k, list, order, spare);
out:
    mem_free(spare);
    return st;
}

/* A symmetric, and topics by falling share. */
static kedge_status law_sort(size_t rows, size_t k, law_output *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *share = NULL;
    size_t *order = NULL;

    TRY_MEM(share = mem_new(k, sizeof *share));
    TRY_MEM(order = mem_new(k, sizeof *order));
    for (size_t i = 0; i < k; i++) {
        size_t at = i;
        for (size_t j = 0; j < k; j++)
            share[i] += out->a[i * k + j];
        for (; at > 0 && share[order[at - 1]] < share[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j <= i; j++)
            out->a[i * k + j] = out->a[j * k + i] =
                0.5 * (out->a[i * k + j] + out->a[j * k + i]);
    TRY(law_permute(rows, k, order, out, err));
out:
    mem_free_all(share, order);
    return st;
}

static void law_figures(law_output *out, size_t k)
{
    out->sum = out->negative = 0;
    for (size_t i = 0; i < k * k; i++) {
        out->sum += out->a[i];
        out->negative += fmin(out->a[i], 0);
    }
}

/* A, from B and Y, and with it the order of topics; `sums` (k) is scratch. */
static kedge_status law_recover(pool *p, const law_input *in,
                                const double *mass, double *sums,
                                law_output *out, kedge_error *err)
{
    const size_t k = in->k;

    if (in->diagonal)
        PASS(law_diagonal_a(p, in, mass, out, out->a, err));
    else
        PASS(law_squares_a(p, in, out->b, out->a, err));
    if (in->weight != NULL)
        law_unweigh(p, in, sums, out->b, out->a);
    if (in->ways.legal) {
        law_figures(out, k);
        legal_project(out->a, k);
    }
    PASS(law_sort(tall_own(p, in->rows).count, k, out, err));
    if (!in->ways.legal)
        law_figures(out, k);
    return KEDGE_OK;
}

/* ---- characteristic words ------------------------------------------------ */

typedef struct list_job {
    tall_part own;
    size_t k, keep;
    const double *values;
} list_job;

/* Puts the own rows into the topics' lists. */
static void list_rows(void *data, void *value)
{
    const list_job *const j = data;

    for (size_t i = 0; i < j->own.count * j->k; i++)
        scored_keep((scored_row *)value + i % j->k * LAW_CHARACTERISTIC,
                    j->keep, j->keep, j->values[i],
                    j->own.from + i / j->k);
}

kedge_status law_list(pool *p, size_t rows, size_t k, const double *values,
                      law_output *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t count = k * LAW_CHARACTERISTIC;
    list_job j = {tall_own(p, rows), k,
                  rows < LAW_CHARACTERISTIC ? rows : LAW_CHARACTERISTIC,
                  values};
    scored_row *lists = NULL;

    out->characteristic_count = j.keep;
    TRY_MEM(lists = mem_new(count, sizeof *lists));
    for (size_t i = 0; i < count; i++)
        lists[i].value = -INFINITY;
    comm_reduce(pool_comm(p), lists, count * sizeof *lists, list_rows, &j);
    for (size_t i = 0; i < count; i++)
        out->characteristic[i] = lists[i].row;
out:
    mem_free(lists);
    return st;
}

/* The rows of largest p(word | anchor) ∝ Y_s·Y_i. Where several words were
 * given for a topic Y_s is the sum of their rows, each as if they were equally
 * frequent. X has served and makes room for the products. */
static kedge_status law_characteristic(pool *p, const law_input *in,
                                       const law_work *w, law_output *out,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const given *const g = in->given;
    const size_t k = in->k;
    double *ys = NULL, *columns = NULL; /* k x k: Y_S, and turned */

    TRY_MEM(ys = mem_new2(k, k, sizeof *ys));
    TRY_MEM(columns = mem_new2(k, k, sizeof *columns));
    tall_rows(p, in->rows, in->y, k, out->anchor, k, ys);
    for (size_t t = 0; t < k; t++) {
        const size_t from = given_tandem(g, out->anchor[t]);
        if (from != GIVEN_NONE)
            memset(ys + t * k, 0, k * sizeof *ys);
        for (size_t i = from != GIVEN_NONE ? g->begin[from] : 0;
             from != GIVEN_NONE && i < g->begin[from + 1]; i++)
            for (size_t c = 0; c < k; c++)
                ys[t * k + c] +=
                    in->y[g->row[i] * k + c] / w->d[g->row[i]];
        for (size_t c = 0; c < k; c++)
            columns[c * k + t] = ys[t * k + c];
    }
    tall_multiply(p, in->rows, in->y, k, columns, k, 0, w->x);
    TRY(law_list(p, in->rows, k, w->x, out, err));
out:
    mem_free_all(ys, columns);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

kedge_status law_fit(pool *p, const law_input *in, law_output *out,
                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const law_ways *const ways = &in->ways;
    const size_t k = in->k;
    law_work w = {.own = tall_own(p, in->rows)};

    *out = (law_output){0};
    if (pool_comm(p) != NULL &&
        (in->given != NULL || ways->anchors != KEDGE_ANCHORS_QR ||
         ways->project > 0 || ways->recover != KEDGE_RECOVER_L2))
        return kedge_fail(err, KEDGE_EINVAL,
                          "several processes fit only with --anchors qr and "
                          "--recover l2: leave out other choices, or fit in "
                          "one process");
    if (ways->recover == KEDGE_RECOVER_ANCHOR_FREE)
        return anchorfree_fit(p, in, out, err);
    TRY_MEM(w.d = mem_new(w.own.count, sizeof *w.d));
    TRY_MEM(w.x = mem_new2(w.own.count, k, sizeof *w.x));
    TRY_MEM(w.root = mem_new2(k, k, sizeof *w.root));
    TRY_MEM(w.anchors = mem_new2(k, k, sizeof *w.anchors));
    TRY_MEM(w.products = mem_new2(k, k, sizeof *w.products));
    TRY_MEM(w.sums = mem_new(k, sizeof *w.sums));
    TRY_MEM(w.candidate = mem_new(w.own.count, sizeof *w.candidate));
    TRY(law_output_create(w.own.count, k, out, err));
    embed_sums(p, in->rows, k, in->y, w.sums, w.d);
    TRY(law_points(p, in, w.d, 0, w.root, w.x, err));
    TRY(law_anchors(p, in, &w, out, err));
    TRY(law_topics(p, in, &w, out, err));
    TRY(law_recover(p, in, w.mass, w.sums, out, err));
    TRY(law_characteristic(p, in, &w, out, err));
out:
    mem_free_all(w.d, w.x, w.root, w.anchors, w.products, w.sums, w.mass,
                 w.candidate);
    if (st != KEDGE_OK)
        law_free(out);
    return st;
}

kedge_status law_correlate(pool *p, const law_input *in, law_output *out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, own = tall_own(p, in->rows).count;
    double *sums = NULL;

    TRY_MEM(sums = mem_new(k, sizeof *sums));
    if (in->weight != NULL) { /* B becomes that of D C D again */
        for (size_t i = 0; i < own * k; i++)
            out->b[i] *= in->weight[i / k];
        law_scale(p, in, sums, out->b);
    }
    TRY(law_recover(p, in, NULL, sums, out, err));
out:
    mem_free(sums);
    return st;
}

uint64_t law_default_min_df(const uint64_t *df, size_t rows,
                            uint64_t documents, size_t k)
{
    uint64_t floor = documents / 3000;

    floor = floor < 30 ? 30 : floor > 100 ? 100 : floor;
    for (; floor > 2; floor--) {
        size_t count = 0;
        for (size_t i = 0; i < rows; i++)
            count += df[i] >= floor;
        if (count >= 20 * k)
            break;
    }
    return floor;
}
