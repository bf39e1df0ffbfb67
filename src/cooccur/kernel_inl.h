/* SPDX-License-Identifier: MIT */
/*
 * One version of the kernel, included once for each: BYTES in a vector (32 or
 * 64), NAME(x) names what is made, TARGET is its attribute, MADD(sum, x, y)
 * adds to each of the sums of 32 bits the products of two neighbours of 16.
 * Neighbours are two documents: unpacking a vector of each interleaves their
 * columns, but only within 16 bytes, so that the columns would leave in another
 * order than they came. NAME(order) is that order's inverse, by fours.
 */
#if BYTES == 64
#define VECTOR __m512i
#define OP(x) _mm512_##x
#define LOAD(at) _mm512_loadu_si512(at)
#define STORE(at, x) _mm512_storeu_si512(at, x)
#define ZERO _mm512_setzero_si512()
/* sum + x in the columns whose bit is set */
#define ADD_WHERE(sum, bits, x) \
    _mm512_mask_add_epi16(sum, (__mmask32)(bits), sum, x)
#else
#define VECTOR __m256i
#define OP(x) _mm256_##x
#define LOAD(at) _mm256_loadu_si256((const __m256i *)(at))
#define STORE(at, x) _mm256_storeu_si256((__m256i *)(at), x)
#define ZERO _mm256_setzero_si256()
#define LANE                                                                 \
    _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, \
                      8192, 16384, -32768)
#define ADD_WHERE(sum, bits, x)                                             \
    _mm256_add_epi16(                                                       \
        sum, _mm256_and_si256(                                              \
                 x, _mm256_cmpeq_epi16(                                     \
                        _mm256_and_si256(                                   \
                            _mm256_set1_epi16((int16_t)(uint16_t)(bits)),   \
                            LANE),                                          \
                        LANE)))
#endif

#define SHORTS (BYTES / 2)                 /* columns in a vector */
#define VECTORS (KERNEL_COLUMNS / SHORTS)  /* of a document */

static uint64_t NAME(order)(uint64_t signs)
{
#if BYTES == 64
    signs = swap_middle(signs, 8, UINT64_C(0x0000ff000000ff00));
#endif
    return swap_middle(signs, 4, UINT64_C(0x00f000f000f000f0));
}

/* The signs that are set are added up; their double less the sum of all is the
 * sum of ±1. None leaves 16 bits: |s| is at most the document's length, which
 * is WINDOW_SPLIT_TOKENS or WINDOW_PART_VALUES at most. What is added up on the
 * way may leave them and comes back, for it is taken modulo 2^16. */
TARGET static int NAME(dots)(int16_t *restrict s, const window *w,
                             const uint64_t *signs)
{
    int16_t most[SHORTS];
    VECTOR top = ZERO;
    int largest = 0;

    for (size_t m = 0; m < w->documents; m++, s += KERNEL_COLUMNS) {
        VECTOR sum[VECTORS];
        const VECTOR all = OP(set1_epi16)((int16_t)w->length[m]);
#pragma GCC unroll 8
        for (size_t v = 0; v < VECTORS; v++)
            sum[v] = ZERO;
        for (size_t k = w->start[m]; k < w->start[m + 1]; k++) {
            const uint64_t bits = signs[w->local[k]];
            const VECTOR x = OP(set1_epi16)(w->value[k]);
#pragma GCC unroll 8
            for (size_t v = 0; v < VECTORS; v++)
                sum[v] = ADD_WHERE(sum[v], bits >> (SHORTS * v), x);
        }
#pragma GCC unroll 8
        for (size_t v = 0; v < VECTORS; v++) {
            const VECTOR y =
                OP(sub_epi16)(OP(add_epi16)(sum[v], sum[v]), all);
            top = OP(max_epi16)(top, OP(abs_epi16)(y));
            STORE(s + SHORTS * v, y);
        }
    }
    STORE(most, top);
    for (size_t c = 0; c < SHORTS; c++)
        largest = most[c] > largest ? most[c] : largest;
    return largest;
}

/* Two vectors of columns along `count` pairs of postings, in registers. */
TARGET static inline void NAME(walk)(int64_t *restrict z,
                                     const int16_t *restrict s,
                                     const window_pair *pair, size_t count,
                                     unsigned bits, int64_t own,
                                     uint64_t signs)
{
    int32_t total[WINDOW_LIMBS][2 * SHORTS];
    VECTOR sum[WINDOW_LIMBS][4];

#pragma GCC unroll 8
    for (size_t i = 0; i < WINDOW_LIMBS; i++)
        sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = ZERO;
    for (size_t k = 0; k < count; k++) {
        const int16_t *a = s + (size_t)pair[k].document[0] * KERNEL_COLUMNS;
        const int16_t *b = s + (size_t)pair[k].document[1] * KERNEL_COLUMNS;
        const uint32_t *soon = pair[k + PREFETCH].document;
        for (size_t line = 0; line < 2 * SHORTS; line += 32) {
            __builtin_prefetch(s + (size_t)soon[0] * KERNEL_COLUMNS + line);
            __builtin_prefetch(s + (size_t)soon[1] * KERNEL_COLUMNS + line);
        }
#pragma GCC unroll 8
        for (size_t v = 0; v < 2; v++) {
            const VECTOR x = LOAD(a + SHORTS * v), y = LOAD(b + SHORTS * v);
            const VECTOR low = OP(unpacklo_epi16)(x, y);
            const VECTOR high = OP(unpackhi_epi16)(x, y);
#pragma GCC unroll 8
            for (size_t i = 0; i < WINDOW_LIMBS; i++) {
                const VECTOR limb = OP(set1_epi32)((int)pair[k].limb[i]);
                sum[i][2 * v] = MADD(sum[i][2 * v], low, limb);
                sum[i][2 * v + 1] = MADD(sum[i][2 * v + 1], high, limb);
            }
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < WINDOW_LIMBS; i++)
#pragma GCC unroll 8
        for (size_t v = 0; v < 4; v++)
            STORE(total[i] + SHORTS / 2 * v, sum[i][v]);
    kernel_finish(z, total[0], 2 * SHORTS, bits, own, signs);
}

TARGET static void NAME(row)(int64_t *restrict z, const int16_t *restrict s,
                             const kernel_row *r)
{
    int64_t own = r->own;

    for (size_t at = 0; at < r->count; at += r->chunk) {
        const size_t left = r->count - at;
        const size_t n = left < r->chunk ? left : r->chunk;
        for (size_t c = 0; c < KERNEL_COLUMNS; c += 2 * SHORTS)
            NAME(walk)(z + c, s + c, r->pair + at, n, r->limb_bits, own,
                       r->signs >> c);
        own = 0;
    }
}

#undef VECTOR
#undef OP
#undef LOAD
#undef STORE
#undef ZERO
#undef LANE
#undef ADD_WHERE
#undef SHORTS
#undef VECTORS
#undef BYTES
#undef NAME
#undef TARGET
#undef MADD
