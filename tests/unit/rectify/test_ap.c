/* SPDX-License-Identifier: MIT */
#include "rectify/rectify.h"

#define TRIED(name) ap_##name
#define OFF 1e-9
#include "rectify/projecting.h"

/* One round as it is printed. */
static void naive_round(double *c, size_t n, size_t k)
{
    OWNED double *y = dense_new(n, k), *psd = NULL;
    double shift;

    leading_of(c, n, k, y);
    psd = composed(y, n, k);
    shift = (1 - total_of(psd, n)) / (double)(n * n);
    for (size_t i = 0; i < n * n; i++)
        c[i] = fmax(psd[i] + shift, 0);
}
