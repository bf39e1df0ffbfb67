/* SPDX-License-Identifier: MIT */
/*
 * The normalised cut (Shi and Malik 2000) of the graph whose nodes are the
 * documents and whose edges are their similarities, as it weighs documents
 * before a factorisation (Xu, Liu and Gong 2003; Huang, Fu and Sidiropoulos
 * 2016). A document is the vector whose square the statistic sums up, with the
 * words' weights d_i on the diagonal of D,
 *
 *   y_m = sqrt(w_m) D x_m    D C D = Σ_m (y_m y_m' less its diagonal)
 *   δ_m = y_m' Σ_j y_j       its degree, the sum of its similarities
 *
 * and the cut puts w_m / δ_m in place of w_m.
 *
 * The sum runs over all documents, m itself too, as theirs does: a document
 * that resembles no other has the degree |y_m|² and not 0, and Σ_m δ_m =
 * |Σ_j y_j|² gives the mean degree without another pass. The square alone is no
 * bound, though. One over it is some hundred times the weight of a usual
 * document, and a handful of odd ones would be a topic. As in regularised
 * spectral clustering (Chaudhuri, Chung and Tsiatas 2012; Qin and Rohe 2013)
 * the bound is a share of the mean degree: below it all documents weigh alike.
 *
 * Only ratios matter, so a factor is the least degree over the document's own,
 * 1 at most. Weights a_im become smaller by it and stay in the range that
 * accumulate.c and power.c prove; they are rounded once, as before.
 *
 * Exactness. With x_im as integers and w_m = 1/square, sqrt(w_m) x_im is at
 * most sqrt(2): a document adds at most 1.5 2^32 to a word's sum, rounded to an
 * integer, and 2^30 documents stay below 2^63. δ_m is sqrt(w_m) times Σ_i x_im
 * pull_i, a sum of integers as well: x_im adds up to 2^32 at most, for a
 * document of a damped statistic has few value bits where it is long, or values
 * of 1 (window.h), and pull_i = round(d_i² Σ_j y_ij) is scaled to 2^31 at most.
 * Sums of integers do not care about order; all else is done once for each
 * document, or in the order of the words' bytes.
 *
 * Pieces of long documents are documents here as they are in the joint
 * statistic. Parts are not: a damped document has one degree.
 */
#include "sketch/degree.h"

#include <assert.h>

#include "base/fail.h"
#include "base/mem.h"

#define LEAST_SHARE 0.25 /* of the mean degree */
#define SUM_BITS 32
#define PULL_BITS 31
#define DOCUMENTS_MOST (UINT64_C(1) << 30)

kedge_status degrees_open(degrees *g, size_t words, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *g = (degrees){.words = words};
    TRY_MEM(g->sum = mem_new(words, sizeof *g->sum));
    TRY_MEM(g->pull = mem_new(words, sizeof *g->pull));
out:
    if (st != KEDGE_OK)
        degrees_close(g);
    return st;
}

void degrees_close(degrees *g)
{
    mem_free(g->sum);
    mem_free(g->pull);
    *g = (degrees){0};
}

/* The whole of each word is rounded, whatever parts have of it. */
static void degrees_add_document(degrees *g, const window *w, size_t m)
{
    const double unit = ldexp(1, SUM_BITS) / sqrt(window_square(w, m));
    const size_t end = w->start[m + w->parts[m]];

    for (size_t k = w->start[m]; k < end;) {
        const uint32_t local = w->local[k];
        int64_t x = 0;
        for (; k < end && w->local[k] == local; k++)
            x += w->value[k];
        g->sum[w->id[local]] += (uint64_t)rint(unit * (double)x);
    }
}

kedge_status degrees_add(degrees *g, const window *w, kedge_error *err)
{
    assert(w->degrees == NULL && !w->negative);
    if (g->documents + w->documents > DOCUMENTS_MOST)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "there are too many documents for the 64-bit sums "
                          "of a normalised cut");
    for (size_t m = 0; m < w->documents; m += w->parts[m]) {
        degrees_add_document(g, w, m);
        g->documents++;
    }
    return KEDGE_OK;
}

void degrees_finish(degrees *g, const uint32_t *order, const double *weight)
{
    double most = 0, total = 0;

    for (size_t r = 0; r < g->words; r++) {
        const double d = weight != NULL ? weight[r] : 1;
        most = fmax(most, d * d * (double)g->sum[order[r]]);
    }
    for (size_t r = 0; r < g->words; r++) {
        const double d = weight != NULL ? weight[r] : 1;
        const double sum = (double)g->sum[order[r]];
        const double pull = most > 0 ? d * d * sum / most : 0;
        g->pull[order[r]] = (uint32_t)rint(ldexp(pull, PULL_BITS));
        total += g->pull[order[r]] * sum;
    }
    g->least = LEAST_SHARE * ldexp(total, -SUM_BITS) / (double)g->documents;
    if (!(g->least > 0)) /* of nothing at all */
        g->least = 1;
}

uint64_t degrees_memusage(uint64_t words)
{
    return words * (8 + 4);
}
