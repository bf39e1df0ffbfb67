/* SPDX-License-Identifier: MIT */
/*
 * Exactness. Every weight is a = round(2^40 h / (n (n - 1))) with h <= n and
 * n >= 2, and |s| <= n, so |a s| <= 2^40 n h / (n (n - 1)) + n / 2 <= 2^41 + n.
 * With n <= WINDOW_SPLIT_TOKENS, CHUNK = 2048 postings add up to less than
 * 2^53: every partial sum is an integer that a double holds, in any order, with
 * or without FMA. Chunks are added up in 64-bit integers, where
 * sketch_add watches that the row's sum, which bounds every entry of the row,
 * stays below 2^62.
 *
 * Cost per non-zero and tile: 64 multiply-adds of bytes (dots) and 64 of
 * doubles (row). The tile's s_m, 256 bytes a document, are what the second
 * loop walks through; they are meant to stay in the L2 and L3 caches.
 */
#include "sketch/accumulate.h"

#include <assert.h>

#include "base/fail.h"
#include "base/mem.h"

#define CHUNK 2048
#define PREFETCH 6

static_assert(PREFETCH < WINDOW_PADDING, "postings are padded for prefetching");

#define LANES 2
#define NAME(x) baseline_##x
#define TARGET
#include "sketch/accumulate_inl.h"

#if defined(__x86_64__)
#define LANES 4
#define NAME(x) avx2_##x
#define TARGET __attribute__((target("avx2,fma")))
#include "sketch/accumulate_inl.h"

#define LANES 8
#define NAME(x) avx512_##x
#define TARGET \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))
#include "sketch/accumulate_inl.h"
#endif

typedef struct kernel {
    const char *name;
    void (*dots)(int32_t *restrict, const int8_t *restrict, const uint32_t *,
                 const int32_t *, size_t);
    void (*row)(int64_t *restrict, const int32_t *restrict,
                const uint32_t *restrict, const double *restrict, size_t,
                uint64_t);
} kernel;

static kernel accumulate_choose(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return (kernel){"avx512", avx512_dots, avx512_row};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (kernel){"avx2", avx2_dots, avx2_row};
#endif
    return (kernel){"baseline", baseline_dots, baseline_row};
}

const char *accumulate_kernel(void)
{
    return accumulate_choose().name;
}

kedge_status accumulate_reserve(accumulate_scratch *a, const window *w,
                                kedge_error *err)
{
    if (!mem_grow((void **)&a->sign, &a->sign_capacity, w->words * SIGN_TILE,
                  sizeof *a->sign) ||
        !mem_grow((void **)&a->dot, &a->dot_capacity,
                  w->documents * SIGN_TILE, sizeof *a->dot))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (sketch)");
    return KEDGE_OK;
}

void accumulate_free(accumulate_scratch *a)
{
    mem_free(a->sign);
    mem_free(a->dot);
    *a = (accumulate_scratch){0};
}

uint64_t accumulate_memusage(uint64_t vocabulary)
{
    const uint64_t words =
        vocabulary < WINDOW_ENTRIES ? vocabulary : WINDOW_ENTRIES;

    return 2 * SIGN_TILE * (words + 4 * (uint64_t)WINDOW_DOCUMENTS);
}

/* Eight signs from eight bits: 1 where the bit is set, else -1. */
static void accumulate_expand(int8_t *restrict sign, uint64_t bits)
{
    for (unsigned byte = 0; byte < 8; byte++)
        for (unsigned l = 0; l < 8; l++)
            sign[8 * byte + l] =
                (int8_t)(2 * (int)((bits >> (8 * byte + l)) & 1) - 1);
}

void accumulate_dots(accumulate_scratch *a, const window *w,
                     const uint64_t *key, size_t tile)
{
    const kernel k = accumulate_choose();

    for (size_t i = 0; i < w->words; i++)
        accumulate_expand(a->sign + i * SIGN_TILE,
                          sign_bits(key[w->id[i]], tile));
    for (size_t m = 0; m < w->documents; m++)
        k.dots(a->dot + m * SIGN_TILE, a->sign, w->local + w->start[m],
               w->value + w->start[m], w->start[m + 1] - w->start[m]);
}

void accumulate_row(const accumulate_scratch *a, const window *w, size_t local,
                    uint64_t bits, int64_t *row)
{
    const kernel k = accumulate_choose();
    const size_t end = w->first[local + 1];

    for (size_t at = w->first[local]; at < end; at += CHUNK)
        k.row(row, a->dot, w->document + at, w->weight + at,
              end - at < CHUNK ? end - at : CHUNK, bits);
}
