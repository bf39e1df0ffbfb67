/* SPDX-License-Identifier: MIT */
#include "linalg/small.h"

#include <math.h>

#define DEFINITE 1e-13 /* of what the diagonal was: nothing is left below it */

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
