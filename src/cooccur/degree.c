/* SPDX-License-Identifier: MIT */
/*
 * The normalised cut (Shi and Malik 2000) of the graph whose nodes are the
 * documents and whose edges are their similarities, as it weighs documents
 * before a factorisation (Xu, Liu and Gong 2003; Huang, Fu and Sidiropoulos
 * 2016). With the words' weights d_i on the diagonal of D,
 *
 *   y_m = D x_m / |D x_m|    a document: at unit length in a damped statistic,
 *                            adding up to one in the joint one, as it has them
 *   δ_m = y_m' Σ_j y_j       its degree, the sum of its similarities
 *
 * and w_m / δ_m takes the place of w_m in C = Σ_m w_m (x_m x_m' less its
 * diagonal).
 *
 * Documents are scaled once more where words have weights, for D x_m is longer
 * the rarer its words are, and so, as a rule, the smaller its group: degrees of
 * sqrt(w_m) D x_m instead depend on that length as much as on groups. In a
 * corpus of three groups of 500, 120 and 25 documents (tests/cli/test_ncut.py)
 * the smallest has 5 % of the statistics without the cut. With it these are
 * 7 %, with word weights or without; and 5 % by the other degrees, with idf.
 *
 * The sum runs over all documents, m itself too, as theirs does: a document
 * that resembles no other has a degree above 0, and Σ_m δ_m = |Σ_j y_j|² gives
 * the mean degree without another pass. That square alone is no bound, though.
 * One over it is some hundred times the weight of a usual document, and a
 * handful of odd ones would be a topic. As in regularised spectral clustering
 * (Chaudhuri, Chung and Tsiatas 2012; Qin and Rohe 2013) the bound is a share
 * of the mean degree: below it all documents weigh alike. Half of it: a quarter
 * makes topics of odd documents on the kos corpus (NPMI of 20 topics, by log
 * and idf: .29 instead of .35), all of it leaves the small groups above at 5 %.
 *
 * Only ratios matter, so a factor is the least degree over the document's own,
 * 1 at most. Weights a_im become smaller by it and stay in the range that
 * kernel.c and power.c prove; they are rounded once, as before.
 *
 * Exactness. x_im are integers that add up to 2^17 in a document at most, or
 * are all 1 and up to 2^32 of them (window.h); those of the joint statistic add
 * up to 10^4. So with norm_i = round(2^28 d_i²), Σ_i x_i² norm_i is an integer
 * below 2^63 and |D x| its root; in the joint statistic, norm_i = round(2^28
 * d_i) and |D x| is Σ_i x_i norm_i. norm_i is 1 at least, and d_i is then what
 * norm_i says, so that no y_im is above 1; 2^32 y_im is rounded to an integer,
 * and 2^30 documents stay below 2^63. δ_m is Σ_i x_im pull_i over the length,
 * with pull_i = round(d_i Σ_j y_ij) scaled to 2^31 at most: an integer below
 * 2^63 as well. Sums of integers do not care about order; all else is done once
 * for each document or word, or in the order of the words' bytes.
 *
 * Pieces of long documents are documents here as they are in the joint
 * statistic. Parts are not: a damped document has one degree.
 */
#include "cooccur/degree.h"

#include <assert.h>
#include <math.h>

#include "base/fail.h"
#include "base/mem.h"

#define LEAST_SHARE 0.5 /* of the mean degree */
#define NORM_BITS 28
#define SUM_BITS 32
#define PULL_BITS 31
#define DOCUMENTS_MOST (UINT64_C(1) << 30)

kedge_status degrees_open(degrees *g, size_t words, size_t rows,
                          const uint32_t *order, const double *weight,
                          uint32_t kind, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double most = 0;

    *g = (degrees){.words = words, .rows = rows,
                   .damped = statistic_damped(kind)};
    TRY_MEM(g->weight = mem_new(g->words, sizeof *g->weight));
    TRY_MEM(g->norm = mem_new(g->words, sizeof *g->norm));
    TRY_MEM(g->sum = mem_new(g->words, sizeof *g->sum));
    TRY_MEM(g->pull = mem_new(g->words, sizeof *g->pull));
    for (size_t r = 0; r < g->rows; r++)
        most = fmax(most, weight != NULL ? weight[r] : 1);
    for (size_t r = 0; r < g->rows; r++) {
        const uint32_t id = order[r];
        const double d = (weight != NULL ? weight[r] : 1) / most;
        const double norm = ldexp(g->damped ? d * d : d, NORM_BITS);
        g->norm[id] = (uint32_t)fmax(1, rint(norm));
        g->weight[id] = ldexp(g->norm[id], -NORM_BITS);
        if (g->damped)
            g->weight[id] = sqrt(g->weight[id]);
    }
out:
    if (st != KEDGE_OK)
        degrees_close(g);
    return st;
}

void degrees_close(degrees *g)
{
    mem_free_all(g->weight, g->norm, g->sum, g->pull);
    *g = (degrees){0};
}

/* |D x| of the document that begins with m; `id`: of the window's words, NULL:
 * entries have ids. */
static double degrees_length(const degrees *g, const window *w, size_t m,
                             const uint32_t *id)
{
    const size_t end = w->start[m + w->parts[m]];
    uint64_t sum = 0;

    for (size_t k = w->start[m]; k < end;) {
        uint32_t word;
        const uint64_t x = (uint64_t)window_word(w, &k, end, &word);
        sum += (g->damped ? x * x : x) *
               g->norm[id != NULL ? id[word] : word];
    }
    return g->damped ? ldexp(sqrt((double)sum), -NORM_BITS / 2)
                     : ldexp((double)sum, -NORM_BITS);
}

kedge_status degrees_add(degrees *g, const window *w, kedge_error *err)
{
    assert(w->degrees == NULL && !w->negative);
    if (g->documents + w->documents > DOCUMENTS_MOST)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "there are too many documents for the 64-bit sums "
                          "of a normalised cut");
    for (size_t m = 0; m < w->documents; m += w->parts[m]) {
        const size_t end = w->start[m + w->parts[m]];
        const double unit =
            ldexp(1, SUM_BITS) / degrees_length(g, w, m, w->id);
        for (size_t k = w->start[m]; k < end;) {
            uint32_t word;
            const double x = (double)window_word(w, &k, end, &word);
            const uint32_t id = w->id[word];
            g->sum[id] += (uint64_t)rint(unit * (g->weight[id] * x));
        }
        g->documents++;
    }
    return KEDGE_OK;
}

void degrees_finish(degrees *g, const uint32_t *order)
{
    double most = 0, total = 0, unit;

    for (size_t id = 0; id < g->words; id++)
        most = fmax(most, g->weight[id] * (double)g->sum[id]);
    unit = most > 0 ? ldexp(1, PULL_BITS) / most : 0;
    for (size_t r = 0; r < g->rows; r++) {
        const uint32_t id = order[r];
        const double sum = (double)g->sum[id];
        g->pull[id] = (uint32_t)rint(unit * (g->weight[id] * sum));
        total += sum * sum;
    }
    g->least = most > 0 ? LEAST_SHARE * unit * ldexp(total, -SUM_BITS) /
                              (double)g->documents
                        : 1;
}

double degrees_factor(const degrees *g, const window *w, size_t m)
{
    const size_t end = w->start[m + w->parts[m]];
    uint64_t pull = 0;

    for (size_t k = w->start[m]; k < end; k++)
        pull += (uint64_t)w->value[k] * g->pull[w->local[k]];
    return g->least /
           fmax((double)pull / degrees_length(g, w, m, NULL), g->least);
}
