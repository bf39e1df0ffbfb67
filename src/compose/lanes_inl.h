/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_LANES_INL_H
#define COMPOSE_LANES_INL_H
/*
 * The loops of linear.c over LANES floats at a time, whatever width of vectors
 * there is: sums are taken in the same order for any. Arrays are aligned to
 * LANES floats and have `blocks` times as many.
 */
#include <stddef.h>
#include <stdint.h>

#define LANES 16

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t lanes_mask __attribute__((vector_size(4 * LANES)));

static_assert(LANES == PRIOR_LANES, "what is padded for them");

#define LANES_INLINE static inline __attribute__((always_inline))

/* The larger of each pair. No function: vectors are given and taken by some of
 * the machines that this is compiled for alone. */
#define LANES_MOST(a, b)                              \
    ((lanes)(((lanes_mask)(a) & (lanes_mask)((a) > (b))) | \
             ((lanes_mask)(b) & ~(lanes_mask)((a) > (b)))))

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

/* gamma = row ∘ max(base - scale own ∘ gamma, floor); its sum. */
LANES_INLINE float lanes_expect(const lanes *row, const lanes *base,
                                const lanes *own, const lanes *floor,
                                float scale, size_t blocks, lanes *gamma)
{
    lanes sum = {0};

    for (size_t b = 0; b < blocks; b++) {
        const lanes left = base[b] - scale * own[b] * gamma[b];
        sum += gamma[b] = row[b] * LANES_MOST(left, floor[b]);
    }
    return lanes_total(&sum);
}

LANES_INLINE float lanes_product(const lanes *x, const lanes *y, size_t blocks,
                                 lanes *out)
{
    lanes sum = {0};

    for (size_t b = 0; b < blocks; b++)
        sum += out[b] = x[b] * y[b];
    return lanes_total(&sum);
}

/* sum += Σ_e times_e x_e for `count` vectors x one after the other. */
LANES_INLINE void lanes_add(const float *times, const lanes *x, size_t count,
                            size_t blocks, lanes *sum)
{
    for (size_t b = 0; b < blocks; b++) {
        lanes all = sum[b];
        for (size_t e = 0; e < count; e++)
            all += times[e] * x[e * blocks + b];
        sum[b] = all;
    }
}

/* out += Σ_j scale_j x_j row_j for `rows` rows of a matrix; COUNT blocks of
 * them from `at` on. */
#define LANES_GATHER(COUNT)                                              \
    do {                                                                 \
        lanes sum[COUNT];                                                \
        for (size_t b = 0; b < COUNT; b++)                               \
            sum[b] = out[at + b];                                        \
        for (size_t j = 0; j < rows; j++)                                \
            for (size_t b = 0; b < COUNT; b++)                           \
                sum[b] += scale[j] * x[j] * matrix[j * blocks + at + b]; \
        for (size_t b = 0; b < COUNT; b++)                               \
            out[at + b] = sum[b];                                        \
        at += COUNT;                                                     \
    } while (0)

LANES_INLINE void lanes_multiply(const lanes *matrix, size_t rows,
                                 size_t blocks, const float *scale,
                                 const float *x, lanes *out)
{
    size_t at = 0;

    while (at + 4 <= blocks)
        LANES_GATHER(4);
    while (at < blocks)
        LANES_GATHER(1);
}

#endif
