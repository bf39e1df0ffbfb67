/* SPDX-License-Identifier: MIT */
/*
 * Alternates three projections of C = YY': non-negative where it matters (the
 * |I| = 10 K + 1000 rows of largest norm; by Cauchy-Schwarz the rest can hide
 * only small negative entries), total of one, positive semidefinite of rank K.
 * The first two leave Y Y' + E + r ee' with E sparse and
 *
 *   r = (1 - |Y'e|² - Σ E) / N²
 *
 * of which the third takes the K leading eigenpairs, starting from those of the
 * round before. Symbols: rows N, k K, y Y, x the eigenvectors, shift r.
 * Memory: five N x K blocks and E; nothing grows with the documents.
 */
#include "base/fail.h"
#include "base/mem.h"
#include "rectify/negatives.h"
#include "rectify/rounds.h"

#define FOUND 0.2 /* of a round: when its negatives are known */

typedef struct enn_state {
    size_t rows, k;
    double *y;
    double *sum; /* k: Y'e */
    double shift;
    const rectify_opts *opts;
    pool *p;
    negatives *e;
    leading leading;
} enn_state;

static kedge_status enn_apply(void *data, const double *x, size_t k,
                              double *out, kedge_error *err)
{
    enn_state *s = data;

    (void)k;
    return negatives_apply(s->e, s->shift, x, out, err);
}

static kedge_status enn_round(void *data, const rounds *at,
                              rectify_result *out, kedge_error *err)
{
    enn_state *s = data;
    const double n = (double)s->rows;
    negatives_found found;
    double total;

    PASS(negatives_find(s->e, s->y, &found, err));
    if (out->rounds == 0)
        out->negative_share = found.share;
    tall_sums(s->p, s->rows, s->y, s->k, s->sum);
    total = found.sum;
    for (size_t c = 0; c < s->k; c++)
        total += s->sum[c] * s->sum[c];
    s->shift = (1 - total) / n / n;
    PASS(rounds_within(at, FOUND, err));
    const warm_operator a = {.rows = s->rows, .noise = found.noise, .data = s,
                             .apply = enn_apply};
    PASS(leading_project(&s->leading, &a, s->opts,
                         &(leading_part){at, FOUND, 1}, s->y, &out->change,
                         err));
    out->products = s->leading.products;
    return KEDGE_OK;
}

kedge_status enn_rectify(pool *p, size_t rows, size_t k, double *y,
                         const rectify_opts *opts,
                         const kedge_control *control, rectify_result *out,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    enn_state s = {.rows = rows, .k = k, .y = y, .opts = opts, .p = p};

    *out = (rectify_result){0};
    TRY(leading_create(&s.leading, p, rows, k, y, err));
    TRY_MEM(s.sum = mem_new(k, sizeof *s.sum));
    TRY(negatives_create(p, rows, k, negatives_rows(rows, k), opts->budget,
                         &s.e, err));
    TRY(rounds_run(enn_round, &s, opts, control, out, err));
out:
    negatives_free(s.e);
    mem_free(s.sum);
    leading_free(&s.leading);
    return st;
}
