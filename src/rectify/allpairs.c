/* SPDX-License-Identifier: MIT */
/*
 * Rectifications that need every entry of a matrix of all pairs of words, 8
 * bytes for each. Results do not depend on the number of threads.
 */
#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "rectify/rounds.h"

typedef struct pairs pairs;

/* Makes other entries of some, `count` in a row, and gives back what is to be
 * added up. */
typedef double pairs_change(const pairs *s, double *c, size_t count);

struct pairs {
    pool *p;
    size_t rows, k;
    double *c;     /* rows x rows */
    double *part;  /* by row: what each added up */
    double *y;     /* rows x k */
    double shift;  /* r */
    const rectify_opts *opts;
    leading outer; /* of what Y is made of */
    /* Douglas-Rachford: */
    double *v;     /* rows x k: of |C2| */
    double total;  /* t */
    double reflect; /* q */
    leading inner; /* of |C2| */
    /* what the tasks do: */
    const double *factor; /* rows x k */
    double beta;
    pairs_change *change;
};

static void compose_group(void *data, size_t group, unsigned worker)
{
    const pairs *const s = data;
    const size_t n = s->rows, k = s->k, from = tall_group(n, group);
    const size_t count = tall_group(n, group + 1) - from;

    (void)worker;
    if (count > 0)
        blas_gemm(false, true, count, n, k, 1, s->factor + from * k, k,
                  s->factor, k, s->beta, s->c + from * n, n);
}

/* c = beta c + YY', y rows x k. */
static void pairs_compose(pairs *s, const double *y, double beta)
{
    s->factor = y;
    s->beta = beta;
    pool_run(s->p, TALL_GROUPS, compose_group, s);
}

static void change_row(void *data, size_t row, unsigned worker)
{
    const pairs *const s = data;

    (void)worker;
    s->part[row] = s->change(s, s->c + row * s->rows, s->rows);
}

/* All entries; the sum of what `change` gave back, in a fixed order. */
static double pairs_each(pairs *s, pairs_change *change)
{
    double sum = 0;

    s->change = change;
    pool_run(s->p, s->rows, change_row, s);
    for (size_t i = 0; i < s->rows; i++)
        sum += s->part[i];
    return sum;
}

/* out = C x, both rows x k. */
static kedge_status pairs_apply(void *data, const double *x, size_t k,
                                double *out, kedge_error *err)
{
    const pairs *const s = data;

    (void)err;
    tall_multiply(s->p, s->rows, s->c, s->rows, x, k, 0, out);
    return KEDGE_OK;
}

static double count_negative(const pairs *s, double *c, size_t count)
{
    size_t negative = 0;

    (void)s;
    for (size_t i = 0; i < count; i++)
        negative += c[i] < 0;
    return (double)negative;
}

/* c = YY', where a round begins. */
static void pairs_begin(pairs *s, rectify_result *out)
{
    pairs_compose(s, s->y, 0);
    if (out->rounds == 0)
        out->negative_share = pairs_each(s, count_negative) /
                              ((double)s->rows * (double)s->rows);
}

static kedge_status pairs_run(pairs *s, rounds_step *step, bool reflecting,
                              const kedge_control *control,
                              rectify_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = s->rows, k = s->k;

    *out = (rectify_result){0};
    TRY_MEM(s->c = mem_new2(n, n, sizeof *s->c));
    TRY_MEM(s->part = mem_new(n, sizeof *s->part));
    TRY(leading_create(&s->outer, s->p, n, k, s->y, err));
    if (reflecting) {
        TRY(leading_create(&s->inner, s->p, n, k, s->y, err));
        TRY_MEM(s->v = mem_new2(n, k, sizeof *s->v));
    }
    TRY(rounds_run(step, s, s->opts, control, out, err));
    leading_normalise(n, k, s->y);
out:
    mem_free_all(s->c, s->part, s->v);
    leading_free(&s->outer);
    leading_free(&s->inner);
    return st;
}

/* ---- alternating projection ---------------------------------------------- */

/*
 * A round takes C_PSD = YY' to C_NOR = C_PSD + r ee', r = (1 - |Y'e|²) / N², to
 * C_NN = max(C_NOR, 0), and Y from the K leading eigenpairs of that. C_PSD of
 * the first round are the eigenpairs of C that came in: C itself is not needed
 * any more.
 *
 * As printed, the algorithm gives back C_NN, of full rank. Here it is Y, one
 * projection later, which is what the rounds converge to as well, and what
 * anchors and topics are found from in K dimensions instead of N; where C_NN is
 * of rank K, there is no difference. Like C_NN it is scaled to a total of one.
 *
 * Memory: 8 N² bytes and four N x K blocks. A round costs N² K products some
 * ten times over: ENN does the same with what is negative alone (enn.c).
 */
static double ap_clip(const pairs *s, double *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double x = c[i] + s->shift;
        c[i] = x > 0 ? x : 0;
    }
    return 0;
}

static kedge_status ap_round(void *data, const rounds *at,
                             rectify_result *out, kedge_error *err)
{
    pairs *const s = data;
    const warm_operator a = {.rows = s->rows, .data = s, .apply = pairs_apply};
    const double count = (double)s->rows * (double)s->rows;

    s->shift = (1 - leading_total(s->rows, s->k, s->y)) / count;
    pairs_begin(s, out);
    pairs_each(s, ap_clip);
    return leading_project(&s->outer, &a, s->opts, &(leading_part){at, 0, 1},
                           s->y, &out->change, err);
}

kedge_status ap_rectify(pool *p, size_t rows, size_t k, double *y,
                        const rectify_opts *opts, const kedge_control *control,
                        rectify_result *out, kedge_error *err)
{
    pairs s = {.p = p, .rows = rows, .k = k, .y = y, .opts = opts};

    return pairs_run(&s, ap_round, false, control, out, err);
}

/* ---- Douglas-Rachford ---------------------------------------------------- */

/*
 * A round goes around the three sets, each step the mean of where it is and of
 * its reflection in two of them, one after the other. With U = P_PSD(C3) = YY',
 * with the sum t of C3, the sum u of U, and reflections R = 2 P - 1,
 *
 *   C1 = (C3 + R_NOR R_PSD C3) / 2 = U + r ee',      r = (1 - (2 u - t)) / N²
 *   C2 = (C1 + R_NN R_NOR C1) / 2 = max(C1 + q, -q), q = (1 - u - r N²) / N²
 *   C3 = (C2 + R_PSD R_NN C2) / 2 = min(C2, 0) + P_PSD(|C2|)
 *
 * for R_NN X = |X| and R_NOR X adds the same to all entries. So C1 and C2 are
 * functions of Y, and C3 is one of Y and of the VV' that |C2| is projected to:
 * one square holds what the two projections of a round are of, which makes it
 * twice as long as one of AP. C itself is not needed but for its eigenpairs and
 * its sum, one.
 *
 * As printed, the algorithm gives back C3; here it is Y, its projection, scaled
 * to a total of one (see above).
 */
/* C2 of an entry of U. */
static inline double dr_second(const pairs *s, double u)
{
    return fmax(u + s->shift + s->reflect, -s->reflect);
}

/* |C2| */
static double dr_size(const pairs *s, double *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        c[i] = fabs(dr_second(s, c[i]));
    return 0;
}

/* min(C2, 0) */
static double dr_below(const pairs *s, double *c, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += c[i] = fmin(dr_second(s, c[i]), 0);
    return sum;
}

static kedge_status dr_round(void *data, const rounds *at,
                             rectify_result *out, kedge_error *err)
{
    pairs *const s = data;
    const warm_operator a = {.rows = s->rows, .data = s, .apply = pairs_apply};
    const double count = (double)s->rows * (double)s->rows;
    const double sum = leading_total(s->rows, s->k, s->y);
    double moved;

    s->shift = (1 - (2 * sum - s->total)) / count;
    s->reflect = (1 - sum) / count - s->shift;
    pairs_begin(s, out);
    pairs_each(s, dr_size);
    PASS(leading_project(&s->inner, &a, s->opts, &(leading_part){at, 0, 0.5},
                         s->v, &moved, err));
    /* C3, from U and the projection of |C2| */
    pairs_compose(s, s->y, 0);
    s->total = pairs_each(s, dr_below) + leading_total(s->rows, s->k, s->v);
    pairs_compose(s, s->v, 1);
    return leading_project(&s->outer, &a, s->opts, &(leading_part){at, 0.5, 1},
                           s->y, &out->change, err);
}

kedge_status dr_rectify(pool *p, size_t rows, size_t k, double *y,
                        const rectify_opts *opts, const kedge_control *control,
                        rectify_result *out, kedge_error *err)
{
    pairs s = {.p = p, .rows = rows, .k = k, .y = y, .total = 1, .opts = opts};

    return pairs_run(&s, dr_round, true, control, out, err);
}
