/* SPDX-License-Identifier: MIT */
#include "rectify/rectify.h"

#define TRIED(name) dr_##name
#define OFF 1e-9
#include "rectify/projecting.h"

enum { PSD, NOR, NN };

/* What lies as far behind a set as x is before it. */
static double *reflected(const double *x, int set, size_t n, size_t k)
{
    double *out = dense_copy(x, n * n);

    if (set == PSD) {
        OWNED double *y = dense_new(n, k);
        leading_of(x, n, k, y);
        free(out);
        out = composed(y, n, k);
    }
    const double shift = (1 - total_of(x, n)) / (double)(n * n);
    for (size_t i = 0; i < n * n; i++) {
        if (set == NOR)
            out[i] = x[i] + shift;
        else if (set == NN)
            out[i] = fmax(x[i], 0);
        out[i] = 2 * out[i] - x[i];
    }
    return out;
}

/* One round as it is printed. */
static void naive_round(double *c, size_t n, size_t k)
{
    static const int first[] = {PSD, NOR, NN}, then[] = {NOR, NN, PSD};

    for (int i = 0; i < 3; i++) {
        OWNED double *once = reflected(c, first[i], n, k);
        OWNED double *twice = reflected(once, then[i], n, k);
        for (size_t j = 0; j < n * n; j++)
            c[j] = 0.5 * (c[j] + twice[j]);
    }
}
