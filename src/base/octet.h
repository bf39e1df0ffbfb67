/* SPDX-License-Identifier: MIT */
#ifndef BASE_OCTET_H
#define BASE_OCTET_H
/*
 * Sums and maxima over numbers, eight at a time. As C has it they are taken one
 * after another, which no compiler may change, and last as long as all their
 * roundings in a row. The order here is the same for any width of vectors.
 */
#include <stddef.h>
#include <stdint.h>

#define OCTET 8

typedef double octet __attribute__((vector_size(64), aligned(8)));
typedef int64_t octet_mask __attribute__((vector_size(64), aligned(8)));

#define OCTET_INLINE static inline __attribute__((always_inline))

/* Vectors of this width are no arguments everywhere: hence the addresses. */

OCTET_INLINE const octet *octet_at(const double *x)
{
    return (const octet *)x;
}

/* `count` numbers, fewer than there is room for, and `other` after them. */
OCTET_INLINE void octet_rest(const double *x, size_t count, double other,
                             octet *out)
{
    for (size_t i = 0; i < OCTET; i++)
        (*out)[i] = other;
    for (size_t i = 0; i < count; i++)
        (*out)[i] = x[i];
}

/* By halves. */
OCTET_INLINE double octet_total(const octet *x)
{
    octet a = *x;

    a += __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
    a += __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5);
    return a[0] + a[1];
}

OCTET_INLINE double octet_dot(const double *x, const double *y, size_t count)
{
    const size_t whole = count / OCTET * OCTET;
    octet sum, by;

    octet_rest(x + whole, count - whole, 0, &sum);
    octet_rest(y + whole, count - whole, 0, &by);
    sum *= by;
    for (size_t i = 0; i < whole; i += OCTET)
        sum += *octet_at(x + i) * *octet_at(y + i);
    return octet_total(&sum);
}

/* The same in another order: the rest after the whole eights, and the eight
 * sums one after another. */
static inline double lane_dot(const double *restrict x,
                              const double *restrict y, size_t count)
{
    double lane[OCTET] = {0}, sum = 0;
    size_t i = 0;

    for (; i + OCTET <= count; i += OCTET)
        for (size_t l = 0; l < OCTET; l++)
            lane[l] += x[i + l] * y[i + l];
    for (; i < count; i++)
        sum += x[i] * y[i];
    for (size_t l = 0; l < OCTET; l++)
        sum += lane[l];
    return sum;
}

/* most = the larger of it and |x|, number by number; a loop that compilers
 * know. */
OCTET_INLINE void octet_most(octet *most, const octet *x)
{
    const octet size = (octet)((octet_mask)*x & INT64_MAX);

    for (size_t i = 0; i < OCTET; i++)
        (*most)[i] = size[i] > (*most)[i] ? size[i] : (*most)[i];
}

OCTET_INLINE double octet_largest(const octet *x)
{
    double most = (*x)[0];

    for (size_t i = 1; i < OCTET; i++)
        most = (*x)[i] > most ? (*x)[i] : most;
    return most;
}

#endif
