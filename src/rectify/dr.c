/* SPDX-License-Identifier: MIT */
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
 * to a total of one (see ap.c).
 */
#include "rectify/dr.h"

#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "rectify/leading.h"
#include "rectify/rounds.h"
#include "rectify/square.h"

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

static double dr_negative(void *data, double *c, size_t count)
{
    size_t negative = 0;

    (void)data;
    for (size_t i = 0; i < count; i++)
        negative += c[i] < 0;
    return (double)negative;
}

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
    kedge_status st = KEDGE_OK;
    const size_t n = s->square.rows, k = s->outer.k;
    const warm_operator a = {.rows = n, .data = &s->square,
                             .apply = square_apply};
    double moved;

    square_each(&s->square, dr_size, s);
    TRY(leading_find(&s->inner, &a, s->opts, &(leading_part){at, 0, 0.5},
                     err));
    TRY(leading_update(&s->inner, s->v, &moved, err));
    square_compose(&s->square, s->y, k, 0);
    s->total = square_each(&s->square, dr_below, s) +
               leading_total(n, k, s->v);
    square_compose(&s->square, s->v, k, 1);
out:
    return st;
}

static kedge_status dr_round(void *data, const rounds *at,
                             rectify_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
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
            square_each(&s->square, dr_negative, NULL) / pairs;
    TRY(dr_third(s, at, err));
    TRY(leading_find(&s->outer, &a, s->opts, &(leading_part){at, 0.5, 1},
                     err));
    TRY(leading_update(&s->outer, s->y, &out->change, err));
out:
    return st;
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
    square_free(&s.square);
    leading_free(&s.outer);
    leading_free(&s.inner);
    mem_free(s.v);
    return st;
}
