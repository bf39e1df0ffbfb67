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

typedef struct square {
    pool *p;
    size_t rows;
    double *c;     /* rows x rows */
    double *part;  /* by row: what each added up */
} square;

/* Makes other entries of some, `count` in a row, and gives back what is to be
 * added up. */
typedef double square_change(void *data, double *c, size_t count);

/* What is done with all rows. */
typedef struct square_job {
    const square *s;
    const double *y; /* rows x k */
    size_t k;
    double beta;
    square_change *change;
    void *data;
} square_job;

static kedge_status square_create(square *s, pool *p, size_t rows,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *s = (square){.p = p, .rows = rows};
    TRY_MEM(s->c = mem_new2(rows, rows, sizeof *s->c));
    TRY_MEM(s->part = mem_new(rows, sizeof *s->part));
out:
    return st;
}

static void compose_group(void *data, size_t group, unsigned worker)
{
    const square_job *const j = data;
    const size_t n = j->s->rows, from = tall_group(n, group);
    const size_t count = tall_group(n, group + 1) - from;

    (void)worker;
    if (count > 0)
        blas_gemm(false, true, count, n, j->k, 1, j->y + from * j->k, j->k,
                  j->y, j->k, j->beta, j->s->c + from * n, n);
}

/* c = beta c + YY', y rows x k. */
static void square_compose(square *s, const double *y, size_t k, double beta)
{
    square_job j = {.s = s, .y = y, .k = k, .beta = beta};

    pool_run(s->p, TALL_GROUPS, compose_group, &j);
}

static void change_row(void *data, size_t row, unsigned worker)
{
    const square_job *const j = data;

    (void)worker;
    j->s->part[row] =
        j->change(j->data, j->s->c + row * j->s->rows, j->s->rows);
}

/* All entries; the sum of what `change` gave back, in a fixed order. */
static double square_each(square *s, square_change *change, void *data)
{
    square_job j = {.s = s, .change = change, .data = data};
    double sum = 0;

    pool_run(s->p, s->rows, change_row, &j);
    for (size_t i = 0; i < s->rows; i++)
        sum += s->part[i];
    return sum;
}

/* out = C x, both rows x k. */
static kedge_status square_apply(void *data, const double *x, size_t k,
                                 double *out, kedge_error *err)
{
    square *const s = data;

    (void)err;
    tall_multiply(s->p, s->rows, s->c, s->rows, x, k, 0, out);
    return KEDGE_OK;
}

static double count_negative(void *data, double *c, size_t count)
{
    size_t negative = 0;

    (void)data;
    for (size_t i = 0; i < count; i++)
        negative += c[i] < 0;
    return (double)negative;
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
typedef struct ap_state {
    double *y;
    const rectify_opts *opts;
    double shift;
    square square;
    leading leading;
} ap_state;

static double ap_clip(void *data, double *c, size_t count)
{
    const double shift = *(const double *)data;

    for (size_t i = 0; i < count; i++) {
        const double x = c[i] + shift;
        c[i] = x > 0 ? x : 0;
    }
    return 0;
}

static kedge_status ap_round(void *data, const rounds *at,
                             rectify_result *out, kedge_error *err)
{
    ap_state *s = data;
    const size_t n = s->square.rows, k = s->leading.k;
    const double pairs = (double)n * (double)n;
    const warm_operator a = {.rows = n, .data = &s->square,
                             .apply = square_apply};

    s->shift = (1 - leading_total(n, k, s->y)) / pairs;
    square_compose(&s->square, s->y, k, 0);
    if (out->rounds == 0)
        out->negative_share =
            square_each(&s->square, count_negative, NULL) / pairs;
    square_each(&s->square, ap_clip, &s->shift);
    PASS(leading_find(&s->leading, &a, s->opts, &(leading_part){at, 0, 1},
                      err));
    return leading_update(&s->leading, s->y, &out->change, err);
}

kedge_status ap_rectify(pool *p, size_t rows, size_t k, double *y,
                        const rectify_opts *opts, const kedge_control *control,
                        rectify_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ap_state s = {.y = y, .opts = opts};

    *out = (rectify_result){0};
    TRY(square_create(&s.square, p, rows, err));
    TRY(leading_create(&s.leading, p, rows, k, err));
    leading_guess(&s.leading, y);
    TRY(rounds_run(ap_round, &s, opts, control, out, err));
    leading_normalise(rows, k, y);
out:
    mem_free_all(s.square.c, s.square.part);
    leading_free(&s.leading);
    return st;
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
typedef struct dr_state {
    double *y;
    double *v;     /* rows x k: of |C2| */
    double total;  /* t */
    double shift;  /* r */
    double turn;   /* q */
    const rectify_opts *opts;
    square square;
    leading outer; /* of C3 */
    leading inner; /* of |C2| */
} dr_state;

/* C2 of an entry of U. */
static inline double dr_second(const dr_state *s, double u)
{
    return fmax(u + s->shift + s->turn, -s->turn);
}

/* |C2| */
static double dr_size(void *data, double *c, size_t count)
{
    const dr_state *const s = data;

    for (size_t i = 0; i < count; i++)
        c[i] = fabs(dr_second(s, c[i]));
    return 0;
}

/* min(C2, 0) */
static double dr_below(void *data, double *c, size_t count)
{
    const dr_state *const s = data;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += c[i] = fmin(dr_second(s, c[i]), 0);
    return sum;
}

/* C3, from U and the projection of |C2|. */
static kedge_status dr_third(dr_state *s, const rounds *at, kedge_error *err)
{
    const size_t n = s->square.rows, k = s->outer.k;
    const warm_operator a = {.rows = n, .data = &s->square,
                             .apply = square_apply};
    double moved;

    square_each(&s->square, dr_size, s);
    PASS(leading_find(&s->inner, &a, s->opts, &(leading_part){at, 0, 0.5},
                      err));
    PASS(leading_update(&s->inner, s->v, &moved, err));
    square_compose(&s->square, s->y, k, 0);
    s->total = square_each(&s->square, dr_below, s) +
               leading_total(n, k, s->v);
    square_compose(&s->square, s->v, k, 1);
    return KEDGE_OK;
}

static kedge_status dr_round(void *data, const rounds *at,
                             rectify_result *out, kedge_error *err)
{
    dr_state *s = data;
    const size_t n = s->square.rows, k = s->outer.k;
    const double pairs = (double)n * (double)n;
    const double sum = leading_total(n, k, s->y);
    const warm_operator a = {.rows = n, .data = &s->square,
                             .apply = square_apply};

    s->shift = (1 - (2 * sum - s->total)) / pairs;
    s->turn = (1 - sum) / pairs - s->shift;
    square_compose(&s->square, s->y, k, 0);
    if (out->rounds == 0)
        out->negative_share =
            square_each(&s->square, count_negative, NULL) / pairs;
    PASS(dr_third(s, at, err));
    PASS(leading_find(&s->outer, &a, s->opts, &(leading_part){at, 0.5, 1},
                      err));
    return leading_update(&s->outer, s->y, &out->change, err);
}

kedge_status dr_rectify(pool *p, size_t rows, size_t k, double *y,
                        const rectify_opts *opts, const kedge_control *control,
                        rectify_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    dr_state s = {.y = y, .total = 1, .opts = opts};

    *out = (rectify_result){0};
    TRY(square_create(&s.square, p, rows, err));
    TRY(leading_create(&s.outer, p, rows, k, err));
    TRY(leading_create(&s.inner, p, rows, k, err));
    TRY_MEM(s.v = mem_new2(rows, k, sizeof *s.v));
    leading_guess(&s.outer, y);
    leading_guess(&s.inner, y);
    TRY(rounds_run(dr_round, &s, opts, control, out, err));
    leading_normalise(rows, k, y);
out:
    mem_free_all(s.square.c, s.square.part);
    leading_free(&s.outer);
    leading_free(&s.inner);
    mem_free(s.v);
    return st;
}
