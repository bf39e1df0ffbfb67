/* SPDX-License-Identifier: MIT */
#ifndef INFER_LANES_INL_H
#define INFER_LANES_INL_H
/*
 * Loops over LANES floats at a time, whatever width of vectors there is: sums
 * are taken in the same order for any. Arrays are aligned to LANES floats and
 * have `blocks` times as many.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/linear.h"

#define LANES 16

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t lanes_mask __attribute__((vector_size(4 * LANES)));

static_assert(LANES == PRIOR_LANES, "what is padded for them");

#define LANES_INLINE static inline __attribute__((always_inline))

/* The larger of each pair; a loop that compilers know. */
LANES_INLINE void lanes_most(const lanes *x, const lanes *y, lanes *out)
{
    for (size_t l = 0; l < LANES; l++)
        (*out)[l] = (*x)[l] > (*y)[l] ? (*x)[l] : (*y)[l];
}

/* By halves. */
LANES_INLINE float lanes_total(const lanes *x)
{
    lanes a = *x;

    a += __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2,
                                 3, 4, 5, 6, 7);
    a += __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15,
                                 8, 9, 10, 11);
    a += __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9,
                                 14, 15, 12, 13);
    return a[0] + a[1];
}

/* Numbers of x and then y at these places, added to those `by` places on. */
#define LANES_ADD(x, y, by, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)   \
    (__builtin_shufflevector(x, y, a, b, c, d, e, f, g, h, i, j, k, l, m, n, \
                             o, p) +                                        \
     __builtin_shufflevector(x, y, a + by, b + by, c + by, d + by, e + by,  \
                             f + by, g + by, h + by, i + by, j + by, k + by, \
                             l + by, m + by, n + by, o + by, p + by))

/* The totals of LANES vectors, whose numbers change places in four turns. */
LANES_INLINE void lanes_totals(const lanes *x, lanes *out)
{
    lanes a[8], b[4], c[2];

    for (size_t i = 0; i < 8; i++)
        a[i] = LANES_ADD(x[2 * i], x[2 * i + 1], 2, 0, 16, 1, 17, 4, 20, 5, 21,
                         8, 24, 9, 25, 12, 28, 13, 29);
    for (size_t i = 0; i < 4; i++)
        b[i] = LANES_ADD(a[2 * i], a[2 * i + 1], 2, 0, 1, 16, 17, 4, 5, 20, 21,
                         8, 9, 24, 25, 12, 13, 28, 29);
    for (size_t i = 0; i < 2; i++)
        c[i] = LANES_ADD(b[2 * i], b[2 * i + 1], 8, 0, 1, 2, 3, 4, 5, 6, 7, 16,
                         17, 18, 19, 20, 21, 22, 23);
    *out = LANES_ADD(c[0], c[1], 4, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19,
                     24, 25, 26, 27);
}

/* Few blocks are copied, to where nothing that is written could be: these stay
 * in registers. */
#define LANES_FEW 4

LANES_INLINE const lanes *lanes_near(const lanes *x, size_t blocks,
                                     lanes *copy)
{
    if (blocks > LANES_FEW)
        return x;
    for (size_t b = 0; b < blocks; b++)
        copy[b] = x[b];
    return copy;
}

/* What all words of a document share. */
typedef struct lanes_prior {
    const lanes *base, *own, *floor;
} lanes_prior;

/* gamma = row ∘ max(base - scale own ∘ gamma, floor); its sum, by lanes. */
LANES_INLINE void lanes_expect(const lanes *row, const lanes_prior *p,
                               float scale, size_t blocks, lanes *gamma,
                               lanes *sum)
{
    lanes all = {0};

    for (size_t b = 0; b < blocks; b++) {
        const lanes left = p->base[b] - scale * p->own[b] * gamma[b];
        lanes most;

        lanes_most(&left, &p->floor[b], &most);
        all += gamma[b] = row[b] * most;
    }
    *sum = all;
}

LANES_INLINE float lanes_product(const lanes *x, const lanes *y, size_t blocks,
                                 lanes *out)
{
    lanes sum = {0};

    for (size_t b = 0; b < blocks; b++)
        sum += out[b] = x[b] * y[b];
    return lanes_total(&sum);
}

/* Σ_e times_e x_e of LANES words, whose x are `blocks` apart. */
LANES_INLINE void lanes_sum(const float *times, const lanes *x, size_t blocks,
                            lanes *sum)
{
    lanes even = {0}, odd = {0};

    for (size_t e = 0; e < LANES; e += 2) {
        even += times[e] * x[e * blocks];
        odd += times[e + 1] * x[(e + 1) * blocks];
    }
    *sum = even + odd;
}

/* out += Σ_j scale_j x_j row_j for `rows` rows of a matrix; COUNT blocks of
 * them from `at` on. Rows in turn are summed apart: a sum waits for its last
 * addition. */
#define LANES_GATHER(COUNT)                                             \
    do {                                                                \
        lanes sum[2][COUNT] = {{{0}}};                                  \
        size_t j = 0;                                                   \
        for (; j + 2 <= rows; j += 2)                                   \
            for (size_t b = 0; b < 2 * (COUNT); b++)                    \
                sum[b / (COUNT)][b % (COUNT)] +=                        \
                    x[j + b / (COUNT)] *                                \
                    matrix[(j + b / (COUNT)) * blocks + at + b % (COUNT)]; \
        for (size_t b = 0; b < COUNT; b++) {                            \
            if (j < rows)                                               \
                sum[0][b] += x[j] * matrix[j * blocks + at + b];        \
            out[at + b] += sum[0][b] + sum[1][b];                       \
        }                                                               \
        at += COUNT;                                                    \
    } while (0)

LANES_INLINE void lanes_multiply(const lanes *matrix, size_t rows,
                                 size_t blocks, const float *x, lanes *out)
{
    size_t at = 0;

    while (at + 4 <= blocks)
        LANES_GATHER(4);
    while (at < blocks)
        LANES_GATHER(1);
}

#endif
