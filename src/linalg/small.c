/* SPDX-License-Identifier: MIT */
#include "linalg/small.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/octet.h"

#define DEFINITE 1e-13 /* of what the diagonal was: nothing is left below it */
#define PIVOT_FLOOR 1e-13 /* of the largest entry: no inverse below it */

/* R'R = a, with R in the upper half, its diagonal inverted. Each row is taken
 * out of all that follow, so that no sum waits for another. */
KERNEL_CLONES
static bool small_factor(double *restrict a, size_t n)
{
    for (size_t i = 1; i < n; i++)
        a[i * n] = a[i * n + i]; /* what it was */
    for (size_t c = 0; c < n; c++) {
        double *const restrict row = a + c * n;
        const double scale = 1 / sqrt(row[c]);
        if (!(row[c] > DEFINITE * row[0]))
            return false;
        row[c] = scale;
        for (size_t j = c + 1; j < n; j++)
            row[j] *= scale;
        for (size_t i = c + 1; i < n; i++)
            for (size_t j = i; j < n; j++)
                a[i * n + j] -= row[i] * row[j];
    }
    return true;
}

KERNEL_CLONES
static void small_substitute(const double *restrict r, double *restrict b,
                             size_t n)
{
    for (size_t c = 0; c < n; c++) {
        b[c] *= r[c * n + c];
        for (size_t i = c + 1; i < n; i++)
            b[i] -= r[c * n + i] * b[c];
    }
    for (size_t i = n; i-- > 0;)
        b[i] = r[i * n + i] *
               (b[i] - octet_dot(r + i * n + i + 1, b + i + 1, n - i - 1));
}

bool small_solve_definite(double *a, double *b, size_t n)
{
    if (!small_factor(a, n))
        return false;
    small_substitute(a, b, n);
    return true;
}

static void swap_rows(double *a, size_t k, size_t i, size_t j)
{
    for (size_t c = 0; c < k; c++) {
        const double keep = a[i * k + c];
        a[i * k + c] = a[j * k + c];
        a[j * k + c] = keep;
    }
}

bool small_invert(double *a, double *w, size_t k)
{
    double largest = 0;

    memset(w, 0, k * k * sizeof *w);
    for (size_t i = 0; i < k * k; i++)
        largest = fmax(largest, fabs(a[i]));
    for (size_t i = 0; i < k; i++)
        w[i * k + i] = 1;
    for (size_t c = 0; c < k; c++) {
        size_t best = c;
        for (size_t i = c + 1; i < k; i++)
            if (fabs(a[i * k + c]) > fabs(a[best * k + c]))
                best = i;
        if (!(fabs(a[best * k + c]) > PIVOT_FLOOR * largest))
            return false;
        swap_rows(a, k, c, best);
        swap_rows(w, k, c, best);
        const double scale = 1 / a[c * k + c];
        for (size_t l = 0; l < k; l++) {
            a[c * k + l] *= scale;
            w[c * k + l] *= scale;
        }
        for (size_t i = 0; i < k; i++) {
            const double times = a[i * k + c];
            if (i == c || times == 0)
                continue;
            for (size_t l = 0; l < k; l++) {
                a[i * k + l] -= times * a[c * k + l];
                w[i * k + l] -= times * w[c * k + l];
            }
        }
    }
    return true;
}
