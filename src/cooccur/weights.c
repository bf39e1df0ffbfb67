/* SPDX-License-Identifier: MIT */
/*
 * The row sums of D C D are d_i (C d)_i, and C d is not among what a pass over
 * documents counts: it counts C e and C Ω. But (C d)_i = c_i E_i, where c = C e
 * is exact and E_i, the mean weight of the words that occur with word i, hardly
 * differs from word to word. With α = Σ c_j d_j / Σ c_j, the mean of all,
 *
 *   D C d = α D C e + D C D (e - α D^-1 e)
 *
 * of which the first part is exact and by far the larger one. The eigenpairs
 * V Λ V' of D C D give the second, and E_i stays between the smallest weight
 * and the largest. On text, the sums are then known to within 2 to 4 % of their
 * total at 20 pairs, where V Λ V'e alone is off by 5 to 7 %. A pass over the
 * documents knows them exactly (ops/fit/refine.c).
 */
#include "cooccur/weights.h"

#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/tall.h"

void weights_idf(const uint64_t *df, size_t rows, uint64_t documents,
                 double *weight)
{
    for (size_t i = 0; i < rows; i++) {
        const double holds = df[i] > 0 ? (double)df[i] : 1;

        weight[i] = fmax(log((double)documents / holds), WEIGHTS_IDF_LEAST);
    }
}

void weights_root(const double *sums, size_t rows, double *weight)
{
    double least = INFINITY;

    for (size_t i = 0; i < rows; i++)
        if (sums[i] > 0)
            least = fmin(least, sums[i]);
    if (isinf(least))
        least = 1;
    for (size_t i = 0; i < rows; i++)
        weight[i] = 1 / sqrt(sums[i] > 0 ? sums[i] : least);
}

/* V' (e - α D^-1 e): what the own rows add. */
typedef struct projection {
    tall_part own;
    const double *weight;
    double mean; /* α */
    const weights_pairs *known;
} projection;

static void project(void *data, void *value)
{
    const projection *const j = data;
    const size_t k = j->known->k;
    double *const along = value;

    for (size_t i = 0; i < j->own.count; i++) {
        const double rest = 1 - j->mean / j->weight[j->own.from + i];
        for (size_t c = 0; c < k; c++)
            along[c] += j->known->vectors[i * k + c] * rest;
    }
}

kedge_status weights_sums(pool *p, const double *weight, const double *sums,
                          const weights_pairs *known, double *out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = known->k;
    projection j = {tall_own(p, known->rows), weight, 1, known};
    double *along = NULL, least = INFINITY, most = 0, sum = 0, total = 0;

    TRY_MEM(along = mem_new(k, sizeof *along));
    for (size_t i = 0; i < known->rows; i++) {
        sum += sums[i];
        total += sums[i] * weight[i];
        least = fmin(least, weight[i]);
        most = fmax(most, weight[i]);
    }
    if (sum > 0)
        j.mean = total / sum;
    comm_reduce(pool_comm(p), along, k * sizeof *along, project, &j);
    for (size_t c = 0; c < k; c++)
        along[c] *= known->values[c];
    for (size_t i = 0; i < j.own.count; i++) {
        const size_t row = j.own.from + i;
        const double own = weight[row] * sums[row];
        sum = j.mean * own;
        for (size_t c = 0; c < k; c++)
            sum += known->vectors[i * k + c] * along[c];
        out[row] = fmin(fmax(sum, least * own), most * own);
    }
    tall_collect(p, known->rows, out + j.own.from, 1, out);
out:
    mem_free(along);
    return st;
}

double weights_normalise(const double *weight, double *sums, size_t rows,
                         double *out)
{
    double total = 0;

    for (size_t i = 0; i < rows; i++)
        total += sums[i];
    for (size_t i = 0; i < rows; i++) {
        sums[i] /= total;
        out[i] = weight[i] / sqrt(total);
    }
    return total;
}
