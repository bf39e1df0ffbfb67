/* SPDX-License-Identifier: MIT */
/* R is a Cholesky factor. */
#include "topics/embed.h"

#include "base/fail.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

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

kedge_status embed_root(double *gram, size_t k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double trace = 0;

    for (size_t c = 0; c < k; c++)
        trace += gram[c * k + c];
    for (size_t c = 0; c < k; c++)
        gram[c * k + c] += 1e-15 * trace;
    TRY(blas_cholesky(gram, k, err));
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            gram[i * k + j] = gram[j * k + i];
            gram[j * k + i] = 0;
        }
out:
    return st;
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
