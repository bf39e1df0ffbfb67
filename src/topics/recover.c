/* SPDX-License-Identifier: MIT */
/*
 * Recover (Arora, Ge and Moitra 2012; Algorithm 2 of the paper "A Practical
 * Algorithm for Topic Modeling with Provable Guarantees"), the baseline that
 * later ways are measured by. With Q = C, Q_S the anchors' rows and p_S their
 * sums: solve Q_SS z = p_S, and B' = (Q_SS diag z)^-1 Q_S'.
 *
 * With C = YY' that is Q_SS = Y_S Y_S' and Q_S = Y_S Y', and with W = Y_S^-1
 *
 *   z = W'Y'e,  B = Y W diag(z)^-1
 *
 * whose columns sum to one: the sums of YW are e'YW = z'. Only the anchors'
 * rows take part, so noise in them is noise everywhere, and entries come out
 * negative: as the paper has it, columns are then projected to the simplex.
 * The correlations that go with it, diag(z) Q_SS diag(z), are the diagonal
 * recovery, for B_ss = 1 / z_s before that; noise makes some z negative.
 */
#include "topics/law.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "linalg/small.h"
#include "linalg/tall.h"

#define MASS_FLOOR 1e-12 /* of all topics' */

typedef struct recover_job {
    size_t rows, k;
    double *b;
    double *column; /* rows, for each worker */
} recover_job;

static void recover_column(void *data, size_t c, unsigned worker)
{
    const recover_job *j = data;
    double *const column = j->column + worker * j->rows;
    double level = 0;

    for (size_t i = 0; i < j->rows; i++)
        column[i] = j->b[i * j->k + c];
    simplex_project(column, j->rows, &level);
    for (size_t i = 0; i < j->rows; i++) /* zeros stay zeros, by all means */
        j->b[i * j->k + c] = j->b[i * j->k + c] == 0 ? 0 : column[i];
}

kedge_status recover_topics(pool *p, size_t rows, size_t k, const double *y,
                            const uint64_t *anchor, double *b, double *z,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    recover_job j = {.rows = rows, .k = k, .b = b};
    double *own = NULL, *w = NULL, *sum = NULL; /* Y_S, W, Y'e */
    double all = 0;

    TRY_MEM(own = mem_new2(k, k, sizeof *own));
    TRY_MEM(w = mem_new2(k, k, sizeof *w));
    TRY_MEM(sum = mem_new(k, sizeof *sum));
    TRY_MEM(j.column = mem_new2(pool_threads(p), rows, sizeof *j.column));
    for (size_t t = 0; t < k; t++)
        memcpy(own + t * k, y + anchor[t] * k, k * sizeof *own);
    for (size_t i = 0; i < rows * k; i++)
        sum[i % k] += y[i];
    if (!small_invert(own, w, k))
        TRY(kedge_fail(err, KEDGE_ENUMERIC,
                       "the rows of %zu anchors depend on each other and have "
                       "no inverse; use --recover l2 or kl", k));
    for (size_t c = 0; c < k; c++)
        all += fabs(sum[c]);
    for (size_t c = 0; c < k; c++) { /* W becomes W diag(z)^-1 */
        double size = 0;
        z[c] = 0;
        for (size_t l = 0; l < k; l++) {
            z[c] += w[l * k + c] * sum[l];
            size = fmax(size, fabs(w[l * k + c]));
        }
        if (!(fabs(z[c]) > MASS_FLOOR * size * all))
            TRY(kedge_fail(err, KEDGE_ENUMERIC,
                           "by the inverse, topic %zu of %zu has no mass; use "
                           "--recover l2 or kl", c + 1, k));
        for (size_t l = 0; l < k; l++)
            w[l * k + c] /= z[c];
    }
    tall_multiply(p, rows, y, k, w, k, 0, b);
    for (size_t t = 0; t < k; t++) /* as it is but for rounding */
        for (size_t c = 0; c < k; c++)
            b[anchor[t] * k + c] = c == t ? 1 / z[t] : 0;
    pool_run(p, k, recover_column, &j);
out:
    mem_free_all(own, w, sum, j.column);
    return st;
}
