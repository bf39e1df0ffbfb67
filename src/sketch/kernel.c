/* SPDX-License-Identifier: MIT */
#include "sketch/kernel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PREFETCH 6 /* pairs of postings */

static_assert(PREFETCH < WINDOW_PADDING, "postings are padded for prefetching");

/* A pair adds 2 |limb| |s| at most to a sum of 32 bits. */
size_t kernel_chunk(int largest)
{
    const int64_t pair = ((int64_t)1 << (WINDOW_LIMB_BITS + 1)) * largest;

    return (size_t)(largest == 0 ? INT32_MAX : INT32_MAX / pair);
}

/* Sums of each limb's products, and the row's own term, into the row. */
static inline __attribute__((always_inline)) void
kernel_finish(int64_t *restrict z, const int32_t *restrict low,
              const int32_t *restrict middle, const int32_t *restrict high,
              size_t columns, int64_t own, uint64_t signs)
{
    for (size_t c = 0; c < columns; c++) {
        const int64_t minus = -(int64_t)((signs >> c) & 1);
        z[c] += low[c] + middle[c] * (INT64_C(1) << WINDOW_LIMB_BITS) +
                high[c] * (INT64_C(1) << 2 * WINDOW_LIMB_BITS) +
                ((own ^ minus) - minus);
    }
}

/* ---- any machine --------------------------------------------------------- */

static uint64_t plain_order(uint64_t signs)
{
    return signs;
}

static int plain_dots(int16_t *restrict s, const window *w,
                      const uint64_t *signs)
{
    int largest = 0;

    for (size_t m = 0; m < w->documents; m++, s += KERNEL_COLUMNS) {
        int sum[KERNEL_COLUMNS] = {0};
        for (size_t k = w->start[m]; k < w->start[m + 1]; k++)
            for (size_t c = 0; c < KERNEL_COLUMNS; c++)
                sum[c] += w->value[k] *
                          (2 * (int)((signs[w->local[k]] >> c) & 1) - 1);
        for (size_t c = 0; c < KERNEL_COLUMNS; c++) {
            largest = abs(sum[c]) > largest ? abs(sum[c]) : largest;
            s[c] = (int16_t)sum[c];
        }
    }
    return largest;
}

static void plain_row(int64_t *restrict z, const int16_t *restrict s,
                      const window_pair *pair, size_t count, size_t chunk,
                      int64_t own, uint64_t signs)
{
    while (count > 0) {
        const size_t n = count < chunk ? count : chunk;
        int32_t sum[WINDOW_LIMBS][KERNEL_COLUMNS] = {{0}};
        for (size_t k = 0; k < n; k++) {
            const int16_t *a = s + (size_t)pair[k].document[0] * KERNEL_COLUMNS;
            const int16_t *b = s + (size_t)pair[k].document[1] * KERNEL_COLUMNS;
            for (size_t i = 0; i < WINDOW_LIMBS; i++)
                for (size_t c = 0; c < KERNEL_COLUMNS; c++)
                    sum[i][c] += (int16_t)pair[k].limb[i] * a[c] +
                                 (int16_t)(pair[k].limb[i] >> 16) * b[c];
        }
        kernel_finish(z, sum[0], sum[1], sum[2], KERNEL_COLUMNS, own, signs);
        own = 0;
        pair += n;
        count -= n;
    }
}

/* ---- x86: vectors of 32 and 64 bytes ------------------------------------- */

#if defined(__x86_64__)

/* The middle halves of every 2^bits change places. */
static inline uint64_t swap_middle(uint64_t x, unsigned shift, uint64_t mask)
{
    const uint64_t moved = (x ^ x >> shift) & mask;

    return x ^ moved ^ moved << shift;
}

#define BYTES 32
#define NAME(x) avx2_##x
#define TARGET __attribute__((target("avx2,fma")))
#define MADD(sum, x, y) _mm256_add_epi32(sum, _mm256_madd_epi16(x, y))
#include "sketch/kernel_inl.h"

#define BYTES 64
#define NAME(x) avx512_##x
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define MADD(sum, x, y) _mm512_add_epi32(sum, _mm512_madd_epi16(x, y))
#include "sketch/kernel_inl.h"

#define BYTES 64
#define NAME(x) vnni_##x
#define TARGET \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni")))
#define MADD(sum, x, y) _mm512_dpwssd_epi32(sum, x, y)
#include "sketch/kernel_inl.h"

#endif

size_t kernel_list(kernel list[KERNELS])
{
    size_t n = 0;

#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        if (__builtin_cpu_supports("avx512vnni"))
            list[n++] = (kernel){"avx512 vnni", vnni_order, vnni_dots,
                                 vnni_row};
        list[n++] = (kernel){"avx512", avx512_order, avx512_dots, avx512_row};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[n++] = (kernel){"avx2", avx2_order, avx2_dots, avx2_row};
#endif
    list[n++] = (kernel){"plain", plain_order, plain_dots, plain_row};
    return n;
}
