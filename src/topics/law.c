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

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define PINV_FLOOR 1e-14 /* eigenvalues of B'B below it count as zero */

typedef struct law_work {
    tall_part own;    /* this rank's rows, of every array with a value by row */
    double *d;        /* rows: Y Y'e */
    double *x;        /* rows x k */
    double *gram;     /* k x k */
    double *inner;    /* k x k: X_S X_S' */
    double *anchors;  /* k x k: X_S, rows */
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

/* A Cholesky factor. */
kedge_status embed_root(double *gram, size_t k, kedge_error *err)
{
    double trace = 0;

    for (size_t c = 0; c < k; c++)
        trace += gram[c * k + c];
    for (size_t c = 0; c < k; c++)
        gram[c * k + c] += 1e-15 * trace;
    PASS(blas_cholesky(gram, k, err));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            gram[i * k + j] = gram[j * k + i];
            gram[j * k + i] = 0;
        }
    return KEDGE_OK;
}

void embed_rows(pool *p, const embed_input *in, const double *root, double *x)
{
    const size_t k = in->k, own = tall_own(p, in->rows).count;

    tall_multiply(p, in->rows, in->y, k, root, k, 0, x);
    for (size_t i = 0; i < own; i++) {
        const double sum = in->d[i] > 0 ? in->d[i] : in->sums[i];
        for (size_t c = 0; c < k; c++)
            x[i * k + c] = sum > 0 ? x[i * k + c] / sum : 0;
    }
}

void law_free(law_output *o)
{
    mem_free_all(o->b, o->a, o->anchor, o->residual, o->characteristic);
    *o = (law_output){0};
}

static void law_work_free(law_work *w)
{
    mem_free_all(w->d, w->x, w->gram, w->inner, w->anchors, w->mass,
                 w->candidate);
}

static kedge_status law_create(const law_input *in, law_work *w,
                               law_output *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;

    TRY_MEM(w->d = mem_new(w->own.count, sizeof *w->d));
    TRY_MEM(w->x = mem_new2(w->own.count, k, sizeof *w->x));
    TRY_MEM(w->gram = mem_new2(k, k, sizeof *w->gram));
    TRY_MEM(w->inner = mem_new2(k, k, sizeof *w->inner));
    TRY_MEM(w->anchors = mem_new2(k, k, sizeof *w->anchors));
    TRY_MEM(w->candidate = mem_new(w->own.count, sizeof *w->candidate));
    TRY_MEM(out->b = mem_new2(w->own.count, k, sizeof *out->b));
    TRY_MEM(out->a = mem_new2(k, k, sizeof *out->a));
    TRY_MEM(out->anchor = mem_new(k, sizeof *out->anchor));
    TRY_MEM(out->residual = mem_new(k, sizeof *out->residual));
    TRY_MEM(out->characteristic = mem_new2(k, LAW_CHARACTERISTIC,
                                           sizeof *out->characteristic));
out:
    return st;
}

/* X, with R'R = Y'Y. */
static kedge_status law_embed(pool *p, const law_input *in, law_work *w,
                              kedge_error *err)
{
    const size_t k = in->k;

    PASS(tall_cross(p, in->rows, in->y, k, in->y, k, w->gram, err));
    PASS(embed_root(w->gram, k, err));
    embed_rows(p, &(embed_input){in->rows, k, in->y, w->d, in->sums}, w->gram,
               w->x);
    return KEDGE_OK;
}

/* The rows that anchors are chosen by: X, or in the room of B what a random
 * projection makes of it. */
static kedge_status law_look(pool *p, const law_input *in, law_work *w,
                             law_output *out, const double **x,
                             kedge_error *err)
{

    *x = w->x;
    if (in->ways.project == 0)
        return KEDGE_OK;
    if (in->ways.project < in->k)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a projection to %zu dimensions has no room for %zu "
                          "anchors: as many dimensions as topics are needed",
                          in->ways.project, in->k);
    PASS(farthest_project(p, in->rows, in->y, in->k, in->ways.project,
                          in->ways.seed, w->gram, err));
    PASS(embed_root(w->gram, in->k, err));
    embed_rows(p, &(embed_input){in->rows, in->k, in->y, w->d, in->sums},
               w->gram, out->b);
    *x = out->b;
    return KEDGE_OK;
}

static void law_candidates(const law_input *in, law_work *w)
{
    for (size_t i = 0; i < w->own.count; i++)
        if (in->df[i] >= in->min_df && w->d[i] > 0 && in->sums[i] > 0 &&
            (in->banned == NULL || !in->banned[i]))
            w->candidate[w->candidates++] = i;
}

static void count_candidates(void *data, void *value)
{
    *(size_t *)value += ((const law_work *)data)->candidates;
}

/* Rows of zero are nothing to build on. */
static kedge_status law_check_given(const law_input *in, const law_work *w,
                                    kedge_error *err)
{
    const given *const g = in->given;

    for (size_t t = 0; g != NULL && t < g->topics; t++)
        for (size_t i = g->begin[t]; i < g->begin[t + 1]; i++)
            if (!(w->d[g->row[i]] > 0 && in->sums[g->row[i]] > 0))
                return kedge_fail(err, KEDGE_ENUMERIC,
                                  "anchor %zu of topic %zu occurs with no "
                                  "other word; take another",
                                  i - g->begin[t] + 1, t + 1);
    return KEDGE_OK;
}

/* inner (k x k), but for the first `known` of both, which are there. */
static void law_products(law_work *w, size_t k, size_t known)
{
    blas_gemm(false, true, k, k - known, k, 1, w->anchors, k,
              w->anchors + known * k, k, 0, w->inner + known, k);
    for (size_t a = known; a < k; a++)
        for (size_t b = 0; b < known; b++)
            w->inner[a * k + b] = w->inner[b * k + a];
}

/* Those that were given, and the others by pivoted QR. */
static kedge_status law_complete(pool *p, const anchors_input *find,
                                 const law_input *in, law_work *w,
                                 law_output *out, kedge_error *err)
{
    const given_rows r = {in->rows, in->k, in->y, w->x, w->gram, w->d};

    for (size_t t = 0; t < in->given->topics; t++)
        out->anchor[t] = in->given->row[in->given->begin[t]];
    PASS(given_points(in->given, &r, w->anchors, w->inner, err));
    return anchors_complete(p, find, w->anchors, in->given->topics, out->anchor,
                            out->residual, err);
}

static size_t law_given(const law_input *in)
{
    return in->given != NULL ? in->given->topics : 0;
}

/* The anchors, what stands for their rows, and the rows' products. */
static kedge_status law_anchors(pool *p, const law_input *in, law_work *w,
                                law_output *out, kedge_error *err)
{
    const size_t k = in->k, known = law_given(in);
    anchors_input find = {.kind = in->ways.anchors, .k = k,
                          .counted = in->counted, .candidate = w->candidate,
                          .scratch = out->b};
    const stage told = stage_begin(in->control, "anchors", k, "topics");

    find.told = &told;
    find.from = w->own.from;
    law_candidates(in, w);
    find.candidates = w->candidates;
    comm_reduce(pool_comm(p), &out->candidates, sizeof out->candidates,
                count_candidates, w);
    PASS(law_check_given(in, w, err));
    if (out->candidates < k - known)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "%zu words are in %llu documents or more, too few "
                          "anchors for %zu topics; lower the floor "
                          "(--anchor-min-df) or fit fewer topics",
                          out->candidates, (unsigned long long)in->min_df, k);
    PASS(law_look(p, in, w, out, &find.x, err));
    if (known > 0)
        PASS(law_complete(p, &find, in, w, out, err));
    else
        PASS(anchors_find(p, &find, out->anchor, out->residual, err));
    PASS(stage_reach(&told, k, err));
    tall_rows(p, in->rows, w->x, k, out->anchor + known, k - known,
              w->anchors + known * k);
    law_products(w, k, known);
    return KEDGE_OK;
}

/* p(word | topic) of p(topic | word); `sum` (k) is scratch. An anchor makes a
 * column's sum positive. */
static kedge_status law_bayes(pool *p, const law_input *in, double *sum,
                              double *b, kedge_error *err)
{
    const size_t k = in->k, own = tall_own(p, in->rows).count;

    for (size_t i = 0; i < own; i++)
        for (size_t c = 0; c < k; c++)
            b[i * k + c] *= in->sums[i];
    tall_sums(p, in->rows, b, k, sum);
    for (size_t c = 0; c < k; c++)
        if (!(sum[c] > 0))
            return kedge_fail(err, KEDGE_ENUMERIC,
                              "no word belongs to the anchors of topic %zu; "
                              "fit fewer topics, or other anchors", c + 1);
    for (size_t i = 0; i < own; i++)
        for (size_t c = 0; c < k; c++)
            b[i * k + c] /= sum[c];
    return KEDGE_OK;
}

/* Where there are no steps, those that law_input has. */
typedef struct law_solver {
    simplex_solver *solve;
    size_t steps;
    double tolerance; /* of what the anchors' rows are long, squared */
} law_solver;

static const law_solver law_solvers[] = {
    [KEDGE_SOLVER_ADMM] = {simplex_solve, 0, 0},
    [KEDGE_SOLVER_ACTIVE_SET] = {active_solve, 0, 0},
    [KEDGE_SOLVER_EXPGRAD] = {expgrad_solve, 10000, 1e-8},
};

/* ---- ways to topics ------------------------------------------------------ */

/* Into out->b: B̆, p(topic given word), or with w->mass at once B. */
typedef kedge_status law_recovery(pool *p, const law_input *in, law_work *w,
                                  const stage *told, law_output *out,
                                  kedge_error *err);

/* By least squares on the simplex: X X_S' becomes the shares. */
static kedge_status law_squares(pool *p, const law_input *in, law_work *w,
                                const stage *told, law_output *out,
                                kedge_error *err)
{
    const law_solver *const how = &law_solvers[in->ways.solver];
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    simplex_result solved = {0};

    for (size_t i = 0; i < k; i++) /* X_S' */
        for (size_t j = 0; j < i; j++) {
            const double keep = w->anchors[i * k + j];
            w->anchors[i * k + j] = w->anchors[j * k + i];
            w->anchors[j * k + i] = keep;
        }
    tall_multiply(p, in->rows, w->x, k, w->anchors, k, 0, out->b);
    pool_watch(p, told);
    st = how->solve(p, in->rows, k, w->inner, out->b,
                    how->steps > 0 ? how->steps : in->steps,
                    how->steps > 0 ? how->tolerance : in->tolerance, &solved,
                    err);
    KEEP_FIRST(st, pool_unwatch(p, err));
    out->steps = solved.steps;
    out->unsettled = solved.unsettled;
    return st;
}

static kedge_status law_likely(pool *p, const law_input *in, law_work *w,
                               const stage *told, law_output *out,
                               kedge_error *err)
{
    const kl_input kl = {in->rows, in->k, in->y, in->sums, w->d, out->anchor,
                         in->given, KL_COLUMNS, told};
    simplex_result solved = {0};
    const kedge_status st = kl_solve(p, &kl, out->b, &solved, err);

    out->steps = solved.steps;
    out->unsettled = solved.unsettled;
    return st;
}

static kedge_status law_invert(pool *p, const law_input *in, law_work *w,
                               const stage *told, law_output *out,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    (void)told;
    TRY_MEM(w->mass = mem_new(in->k, sizeof *w->mass));
    TRY(recover_topics(p, in->rows, in->k, in->y, out->anchor, out->b,
                       w->mass, err));
out:
    return st;
}

/* The one without anchors has a function for all of it. */
static law_recovery *const law_recoveries[] = {
    [KEDGE_RECOVER_L2] = law_squares,
    [KEDGE_RECOVER_KL] = law_likely,
    [KEDGE_RECOVER_INVERSE] = law_invert,
};

/* B̆, then B by Bayes' rule; or B at once, by the inverse. */
static kedge_status law_topics(pool *p, const law_input *in, law_work *w,
                               law_output *out, kedge_error *err)
{
    const size_t k = in->k;
    const stage told = stage_begin(in->control, "topics", in->rows, "words");

    PASS(law_recoveries[in->ways.recover](p, in, w, &told, out, err));
    PASS(stage_reach(&told, in->rows, err));
    if (w->mass != NULL)
        return KEDGE_OK;
    for (size_t a = 0; a < k; a++) {
        const size_t row = (size_t)out->anchor[a] - w->own.from;
        const bool own = out->anchor[a] >= w->own.from && row < w->own.count;
        /* one word, whose topic is all its own */
        const bool single =
            a >= law_given(in) || given_words(in->given, a) == 1;
        for (size_t c = 0; c < k && own && single; c++)
            out->b[row * k + c] = a == c;
    }
    return law_bayes(p, in, w->gram, out->b, err);
}

/* ---- correlations -------------------------------------------------------- */

/* B⁺ = (B'B)^-1 B' in the eigenbasis of B'B, small directions left out. */
static kedge_status law_correlations(pool *p, const law_input *in, law_work *w,
                                     const double *b, double *a,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    double *values = NULL, *by = NULL;

    TRY_MEM(values = mem_new(k, sizeof *values));
    TRY_MEM(by = mem_new2(k, k, sizeof *by));
    TRY(tall_cross(p, in->rows, b, k, b, k, w->gram, err));
    TRY(tall_cross(p, in->rows, b, k, in->y, k, by, err));
    TRY(blas_eigen(w->gram, k, values, err));
    blas_gemm(false, false, k, k, k, 1, w->gram, k, by, k, 0, w->inner, k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            w->inner[i * k + j] *=
                values[i] > PINV_FLOOR * values[k - 1] ? 1 / values[i] : 0;
    blas_gemm(true, false, k, k, k, 1, w->gram, k, w->inner, k, 0, by, k);
    blas_gemm(false, true, k, k, k, 1, by, k, by, k, 0, a, k);
out:
    mem_free_all(values, by);
    return st;
}

static kedge_status law_diagonal(pool *p, const law_input *in,
                                 const law_output *out, law_work *w, double *a,
                                 kedge_error *err)
{
    const size_t k = in->k;

    tall_rows(p, in->rows, out->b, k, out->anchor, k, w->gram);
    tall_rows(p, in->rows, in->y, k, out->anchor, k, w->anchors);
    for (size_t s = 0; s < k; s++) {
        const double own = w->gram[s * k + s];
        if (w->mass == NULL && !(own > 0)) /* left so by the inverse */
            return kedge_fail(err, KEDGE_ENUMERIC,
                              "an anchor has no part in its topic, and tells "
                              "nothing of correlations: --correlations ls does "
                              "without");
        const double scale = w->mass != NULL ? w->mass[s] : 1 / own;
        for (size_t c = 0; c < k; c++)
            w->anchors[s * k + c] *= scale;
    }
    blas_gemm(false, true, k, k, k, 1, w->anchors, k, w->anchors, k, 0, a, k);
    return KEDGE_OK;
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

/* Topics by falling share. */
static kedge_status law_sort(const law_input *in, const law_work *w,
                             law_output *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
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
    TRY(law_permute(w->own.count, k, order, out, err));
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

/* A, from B and Y, and with it the order of topics. */
static kedge_status law_recover(pool *p, const law_input *in, law_work *w,
                                law_output *out, kedge_error *err)
{
    const size_t k = in->k;

    if (in->diagonal)
        PASS(law_diagonal(p, in, out, w, out->a, err));
    else
        PASS(law_correlations(p, in, w, out->b, out->a, err));
    if (in->weight != NULL)
        law_unweigh(p, in, w->gram, out->b, out->a);
    if (in->ways.legal) {
        law_figures(out, k);
        legal_project(out->a, k);
    }
    PASS(law_sort(in, w, out, err));
    if (!in->ways.legal)
        law_figures(out, k);
    return KEDGE_OK;
}

/* A word that co-occurs with an anchor. */
typedef struct telling {
    double value;
    uint64_t row;
} telling;

typedef struct telling_job {
    const law_input *in;
    const law_work *w; /* x has served and holds the products */
    size_t keep;
} telling_job;

/* Keeps `row` in a topic's list, longest first, if its value is among the
 * largest; earlier rows win ties. */
static void law_keep(telling *list, size_t keep, uint64_t row, double v)
{
    size_t at = keep - 1;

    if (!(v > list[at].value))
        return;
    for (; at > 0 && list[at - 1].value < v; at--)
        list[at] = list[at - 1];
    list[at] = (telling){v, row};
}

/* The lists, with the own rows in them. */
static void law_keep_all(void *data, void *value)
{
    const telling_job *const j = data;
    const size_t k = j->in->k;
    telling *const lists = value;

    for (size_t i = 0; i < j->w->own.count; i++)
        for (size_t t = 0; t < k; t++)
            law_keep(lists + t * LAW_CHARACTERISTIC, j->keep,
                     j->w->own.from + i, j->w->x[i * k + t]);
}

/* Columns of w->anchors: Y_s, or where several words were given for a topic the
 * sum of their rows, each as if they were equally frequent. */
static void law_anchor_rows(pool *p, const law_input *in, law_work *w,
                            const law_output *out)
{
    const size_t k = in->k;

    tall_rows(p, in->rows, in->y, k, out->anchor, k, w->gram);
    for (size_t t = 0; t < k; t++) {
        const size_t from =
            in->given != NULL ? given_find(in->given, out->anchor[t]) : 0;
        const bool several =
            from < law_given(in) && given_words(in->given, from) > 1;
        for (size_t c = 0; c < k; c++)
            w->anchors[c * k + t] = several ? 0 : w->gram[t * k + c];
        for (size_t i = several ? in->given->begin[from] : 0;
             several && i < in->given->begin[from + 1]; i++)
            for (size_t c = 0; c < k; c++)
                w->anchors[c * k + t] += in->y[in->given->row[i] * k + c] /
                                         w->d[in->given->row[i]];
    }
}

/* The rows of largest p(word | anchor) ∝ Y_s·Y_i; X has served and makes room
 * for the products. */
static kedge_status law_characteristic(pool *p, const law_input *in,
                                       law_work *w, law_output *out,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, count = k * LAW_CHARACTERISTIC;
    const size_t keep =
        in->rows < LAW_CHARACTERISTIC ? in->rows : LAW_CHARACTERISTIC;
    telling_job j = {in, w, keep};
    telling *lists = NULL;

    out->characteristic_count = keep;
    TRY_MEM(lists = mem_new(count, sizeof *lists));
    for (size_t i = 0; i < count; i++)
        lists[i].value = -INFINITY;
    law_anchor_rows(p, in, w, out);
    tall_multiply(p, in->rows, in->y, k, w->anchors, k, 0, w->x);
    comm_reduce(pool_comm(p), lists, count * sizeof *lists, law_keep_all, &j);
    for (size_t i = 0; i < count; i++)
        out->characteristic[i] = lists[i].row;
out:
    mem_free(lists);
    return st;
}

/* What several processes cannot do yet, each with some of the rows. */
static kedge_status law_check_alone(pool *p, const law_input *in,
                                    kedge_error *err)
{
    const law_ways *const w = &in->ways;

    if (pool_comm(p) == NULL ||
        (in->given == NULL && w->anchors == KEDGE_ANCHORS_QR &&
         w->project == 0 && w->recover == KEDGE_RECOVER_L2))
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "several processes together find anchors by pivoted QR "
                      "of all their rows, and topics by l2: leave out what "
                      "asks for other ways, or let one process do it");
}

kedge_status law_fit(pool *p, const law_input *in, law_output *out,
                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    law_work w = {.own = tall_own(p, in->rows)};

    *out = (law_output){0};
    TRY(law_check_alone(p, in, err));
    if (in->ways.recover == KEDGE_RECOVER_ANCHOR_FREE)
        return anchorfree_fit(p, in, in->control, out, err);
    TRY(law_create(in, &w, out, err));
    embed_sums(p, in->rows, in->k, in->y, w.gram, w.d);
    TRY(law_embed(p, in, &w, err));
    TRY(law_anchors(p, in, &w, out, err));
    TRY(law_topics(p, in, &w, out, err));
    TRY(law_recover(p, in, &w, out, err));
    TRY(law_characteristic(p, in, &w, out, err));
out:
    law_work_free(&w);
    if (st != KEDGE_OK)
        law_free(out);
    return st;
}

kedge_status law_correlate(pool *p, const law_input *in, law_output *out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k;
    law_work w = {.own = tall_own(p, in->rows)};

    if (in->weight != NULL) /* B becomes that of D C D again */
        for (size_t i = 0; i < w.own.count * k; i++)
            out->b[i] *= in->weight[i / k];
    TRY_MEM(w.gram = mem_new2(k, k, sizeof *w.gram));
    TRY_MEM(w.inner = mem_new2(k, k, sizeof *w.inner));
    TRY_MEM(w.anchors = mem_new2(k, k, sizeof *w.anchors));
    if (in->weight != NULL)
        law_scale(p, in, w.gram, out->b);
    TRY(law_recover(p, in, &w, out, err));
out:
    law_work_free(&w);
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
