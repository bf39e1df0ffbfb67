/* SPDX-License-Identifier: MIT */
#include "linalg/small.h"

#include <math.h>
#include <string.h>

#define DEFINITE 1e-13 /* of what the diagonal was: nothing is left below it */
#define PIVOT_FLOOR 1e-13 /* of the largest entry: no inverse below it */

bool small_solve_definite(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (size_t l = 0; l < j; l++)
                sum -= a[i * n + l] * a[j * n + l];
            if (i == j && !(sum > DEFINITE * a[i * n + i]))
                return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
        for (size_t l = 0; l < i; l++)
            b[i] -= a[i * n + l] * b[l];
        b[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t l = i + 1; l < n; l++)
            b[i] -= a[l * n + i] * b[l];
        b[i] /= a[i * n + i];
    }
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
