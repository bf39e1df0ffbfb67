/* SPDX-License-Identifier: MIT */
/*
 * A is legal when it can be the second moment of topics' shares: symmetric,
 * none of it negative, semidefinite, all of it one. Estimates miss that by a
 * little: negative entries may add up to SLIGHT, and the sum be off by as much;
 * eigenvalues may be below zero by rounding.
 *
 * The volume of a simplex whose corners have the barycentric coordinates Q in
 * another is |det Q| times that of the other. In the model's own co-occurrence
 * B A B' every row, over its sum, is the mixture Q of the anchors' rows: so
 * ratios of volumes in the space of N words are determinants of K by K.
 */
#include "metrics/measure.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "linalg/blas.h"

#define SLIGHT 0.1
#define ROUNDING 1e-9
#define DRAWS_MOST 1000
#define DRAWS_LEAST 20
#define DRAWS_WORK 2e9 /* multiplications, about */

double shape_specificity(const double *b, size_t rows, size_t k,
                         const double *sums)
{
    double total = 0, sum = 0;

    for (size_t i = 0; i < rows; i++)
        total += fmax(sums[i], 0);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < k; t++) {
            const double p = b[i * k + t];
            if (p > 0 && sums[i] > 0)
                sum += p * log(p / (sums[i] / total));
        }
    return sum / (double)k;
}

double shape_sparsity(const double *b, size_t rows, size_t k)
{
    const double root = sqrt((double)rows);
    double mean = 0;

    for (size_t t = 0; t < k; t++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < rows; i++) {
            sum += fabs(b[i * k + t]);
            squares += b[i * k + t] * b[i * k + t];
        }
        mean += (root - sum / sqrt(squares)) / (root - 1) / (double)k;
    }
    return mean;
}

/* ---- correlations -------------------------------------------------------- */

kedge_status shape_correlations(const double *a, size_t k, correlations *out,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *copy = NULL, *values = NULL, squares = 0, asymmetry = 0;

    *out = (correlations){0};
    TRY_MEM(copy = mem_new2(k, k, sizeof *copy));
    TRY_MEM(values = mem_new(k, sizeof *values));
    for (size_t i = 0; i < k * k; i++) {
        copy[i] = a[i];
        squares += a[i] * a[i];
        out->sum += a[i];
        out->negative += fmin(a[i], 0);
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            asymmetry = fmax(asymmetry, fabs(a[i * k + j] - a[j * k + i]));
    for (size_t t = 0; t < k; t++)
        out->dominancy += a[t * k + t] / (double)k;
    out->relative = squares > 0 ? out->dominancy / sqrt(squares) : NAN;
    TRY(blas_eigen(copy, k, values, err));
    out->least = values[0];
    out->legal = asymmetry <= ROUNDING * sqrt(squares) &&
                 out->negative >= -SLIGHT && fabs(out->sum - 1) <= SLIGHT &&
                 out->least >= -ROUNDING * values[k - 1];
out:
    mem_free_all(copy, values);
    return st;
}

/* ---- volume -------------------------------------------------------------- */

/* ln |det q| of k x k, by elimination; -INFINITY where it is 0. */
static double log_determinant(double *q, size_t k)
{
    double sum = 0;

    for (size_t c = 0; c < k; c++) {
        size_t best = c;
        for (size_t r = c + 1; r < k; r++)
            if (fabs(q[r * k + c]) > fabs(q[best * k + c]))
                best = r;
        if (!(fabs(q[best * k + c]) > 0))
            return -INFINITY;
        for (size_t t = 0; best != c && t < k; t++) {
            const double held = q[c * k + t];
            q[c * k + t] = q[best * k + t];
            q[best * k + t] = held;
        }
        sum += log(fabs(q[c * k + c]));
        for (size_t r = c + 1; r < k; r++) {
            const double times = q[r * k + c] / q[c * k + c];
            for (size_t t = c + 1; t < k && times != 0; t++)
                q[r * k + t] -= times * q[c * k + t];
        }
    }
    return sum;
}

bool shape_topics(const double *b, const double *share, size_t k, double *q)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++)
        sum += q[t] = b[t] * fmax(share[t], 0);
    for (size_t t = 0; t < k && sum > 0; t++)
        q[t] /= sum;
    return sum > 0;
}

/* k different ones of `count` rows, at the front of the list. */
static void draw(uint32_t *row, size_t count, size_t k, uint64_t key)
{
    for (size_t t = 0; t < k; t++) {
        const size_t other = t + hash_stream(key, t) % (count - t);
        const uint32_t held = row[t];
        row[t] = row[other];
        row[other] = held;
    }
}

/* ln of the mean of exp(x), of which the largest is taken out before. */
static double log_mean(const double *x, size_t count)
{
    double most = -INFINITY, sum = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < count && most > -INFINITY; i++)
        sum += exp(x[i] - most) / (double)count;
    return most + (sum > 0 ? log(sum) : 0);
}

kedge_status shape_volume(const double *b, size_t rows, size_t k,
                          const double *share, uint64_t seed, double *out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double fit = DRAWS_WORK / fmax((double)k * (double)k * (double)k, 1);
    const size_t draws =
        (size_t)fmin(fmax(fit, DRAWS_LEAST), DRAWS_MOST);
    double *q = NULL, *found = NULL;
    uint32_t *row = NULL; /* that some topic has */
    size_t count = 0;

    *out = NAN;
    TRY_MEM(q = mem_new2(k, k, sizeof *q));
    TRY_MEM(found = mem_new(draws, sizeof *found));
    TRY_MEM(row = mem_new(rows, sizeof *row));
    for (size_t i = 0; i < rows; i++)
        if (shape_topics(b + i * k, share, k, q))
            row[count++] = (uint32_t)i;
    for (size_t d = 0; d < draws && count >= k; d++) {
        draw(row, count, k, hash_stream(seed, d));
        for (size_t t = 0; t < k; t++)
            shape_topics(b + row[t] * k, share, k, q + t * k);
        found[d] = log_determinant(q, k);
    }
    if (count >= k)
        *out = -log_mean(found, draws);
out:
    mem_free_all(q, found, row);
    return st;
}
