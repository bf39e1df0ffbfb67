/* SPDX-License-Identifier: MIT */
/*
 * Exactness. A joint weight is a = round(2^40 h / (n (n - 1))) with h <= n and
 * n >= 2, so a <= 2^40, three limbs of 14 bits. |s| <= n <= WINDOW_SPLIT_TOKENS
 * holds in 16 bits.
 *
 * A damped weight is a = round(2^32 x / Σ x²), at most 2^32 / x. With all its
 * value bits x >= 2^5, so a <= 2^27, three limbs of 9 bits. With fewer, which
 * are for documents whose Σ x was above 4 * 32767 with one bit more, Σ x² >=
 * Σ x >= 32767 still, for no x becomes less than a quarter; and x / max(x²,
 * 32767) is at most 2^-7.4, so a < 2^25. |s| <= Σ x <= WINDOW_PART_VALUES of a
 * part holds in 16 bits.
 *
 * Where documents have degrees, weights are times factors of 1 at most.
 *
 * A limb times s is at most 2^28, and no more of them are added up in 32 bits
 * than the largest |s| of the tile allows; that is some hundreds, for s is a
 * sum of random signs and far from its bound. What goes to the row are 64-bit
 * integers: sketch_begin watches that the row's sum, which bounds every entry
 * of the row, stays below 2^62. The sums of one window are far from that: a
 * word's share of a document of k words is at most 2^32 √k.
 */
#include "cooccur/kernel.h"

#include <assert.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/fail.h"
#include "base/mem.h"

#define PREFETCH 6 /* pairs of postings */

static_assert(STATISTIC_DAMPED_BITS - STATISTIC_VALUE_BITS <=
                  WINDOW_LIMBS * WINDOW_DAMPED_LIMB_BITS,
              "a damped weight fits its limbs");
static_assert(STATISTIC_JOINT_BITS < WINDOW_LIMBS * WINDOW_LIMB_BITS,
              "a joint weight does");
static_assert(WINDOW_PART_VALUES <= INT16_MAX &&
                  WINDOW_SPLIT_TOKENS <= INT16_MAX,
              "sums of signs fit 16 bits");
static_assert(PREFETCH < WINDOW_PADDING, "postings are padded for prefetching");

/* A pair adds 2 |limb| |s| at most to a sum of 32 bits. */
size_t kernel_chunk(int largest, unsigned limb_bits)
{
    const int64_t pair = ((int64_t)1 << (limb_bits + 1)) * largest;

    return (size_t)(largest == 0 ? INT32_MAX : INT32_MAX / pair);
}

/* x 2^bits, of either sign. */
static inline int64_t kernel_shift(int64_t x, unsigned bits)
{
    return (int64_t)((uint64_t)x << bits);
}

/* Sums of each limb's products, `columns` of each, and the row's own term, into
 * the row. */
static inline __attribute__((always_inline)) void
kernel_finish(int64_t *restrict z, const int32_t *restrict sum, size_t columns,
              unsigned bits, int64_t own, uint64_t signs)
{
    const int32_t *const middle = sum + columns, *const high = middle + columns;

    for (size_t c = 0; c < columns; c++) {
        const int64_t minus = -(int64_t)((signs >> c) & 1);
        z[c] += sum[c] +
                kernel_shift(middle[c] + kernel_shift(high[c], bits), bits) +
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
                      const kernel_row *r)
{
    const window_pair *pair = r->pair;
    size_t count = r->count;
    int64_t own = r->own;

    while (count > 0) {
        const size_t n = count < r->chunk ? count : r->chunk;
        int32_t sum[WINDOW_LIMBS][KERNEL_COLUMNS] = {{0}};
        for (size_t k = 0; k < n; k++) {
            const int16_t *a = s + (size_t)pair[k].document[0] * KERNEL_COLUMNS;
            const int16_t *b = s + (size_t)pair[k].document[1] * KERNEL_COLUMNS;
            for (size_t i = 0; i < WINDOW_LIMBS; i++)
                for (size_t c = 0; c < KERNEL_COLUMNS; c++)
                    sum[i][c] += (int16_t)pair[k].limb[i] * a[c] +
                                 (int16_t)(pair[k].limb[i] >> 16) * b[c];
        }
        kernel_finish(z, sum[0], KERNEL_COLUMNS, r->limb_bits, own, r->signs);
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
#include "cooccur/kernel_inl.h"

#define BYTES 64
#define NAME(x) avx512_##x
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define MADD(sum, x, y) _mm512_add_epi32(sum, _mm512_madd_epi16(x, y))
#include "cooccur/kernel_inl.h"

#define BYTES 64
#define NAME(x) vnni_##x
#define TARGET \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni")))
#define MADD(sum, x, y) _mm512_dpwssd_epi32(sum, x, y)
#include "cooccur/kernel_inl.h"

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

/* ---- a window into a tile ------------------------------------------------ */

kedge_status accumulate_reserve(accumulate_scratch *a, const window *w,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kernel list[KERNELS];

    kernel_list(list);
    a->run = list[0];
    TRY_GROW(a->signs, a->signs_capacity, w->words);
    TRY_GROW(a->dot, a->dot_capacity, w->documents * SIGN_TILE);
out:
    return st;
}

void accumulate_free(accumulate_scratch *a)
{
    mem_free_all(a->signs, a->dot);
    *a = (accumulate_scratch){0};
}

void accumulate_dots(accumulate_scratch *a, const window *w,
                     const uint64_t *key, size_t tile)
{
    for (size_t i = 0; i < w->words; i++)
        a->signs[i] = a->run.order(sign_bits(key[w->id[i]], tile));
    a->chunk = kernel_chunk(a->run.dots(a->dot, w, a->signs), w->limb_bits);
}

void accumulate_row(const accumulate_scratch *a, const window *w, size_t local,
                    uint64_t signs, int64_t *row)
{
    const size_t from = w->first[local];
    const kernel_row r = {
        .pair = w->pair + from,
        .count = w->first[local + 1] - from,
        .chunk = a->chunk,
        .limb_bits = w->limb_bits,
        .own = w->own[local],
        .signs = signs,
    };

    a->run.row(row, a->dot, &r);
}
