/* SPDX-License-Identifier: MIT */
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
#include "rectify/ap.h"

#include "base/fail.h"
#include "rectify/leading.h"
#include "rectify/rounds.h"
#include "rectify/square.h"

typedef struct ap_state {
    double *y;
    const rectify_opts *opts;
    double shift;
    square square;
    leading leading;
} ap_state;

static double ap_negative(void *data, double *c, size_t count)
{
    size_t negative = 0;

    (void)data;
    for (size_t i = 0; i < count; i++)
        negative += c[i] < 0;
    return (double)negative;
}

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
    kedge_status st = KEDGE_OK;
    ap_state *s = data;
    const size_t n = s->square.rows, k = s->leading.k;
    const double pairs = (double)n * (double)n;
    const warm_operator a = {.rows = n, .data = &s->square,
                             .apply = square_apply};

    s->shift = (1 - leading_total(n, k, s->y)) / pairs;
    square_compose(&s->square, s->y, k, 0);
    if (out->rounds == 0)
        out->negative_share =
            square_each(&s->square, ap_negative, NULL) / pairs;
    square_each(&s->square, ap_clip, &s->shift);
    TRY(leading_find(&s->leading, &a, s->opts, &(leading_part){at, 0, 1},
                     err));
    TRY(leading_update(&s->leading, s->y, &out->change, err));
out:
    return st;
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
    square_free(&s.square);
    leading_free(&s.leading);
    return st;
}
