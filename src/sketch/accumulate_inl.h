/* SPDX-License-Identifier: MIT */
/*
 * The two inner loops of the sketch, for one tile of 64 columns. Included once
 * for each width of vector: LANES doubles fill one, NAME(x) names the result,
 * TARGET is its attribute. Plain C with GCC's vectors; accumulate.c has the
 * dispatch, the tests have the naive twin.
 */
typedef double NAME(f64s) __attribute__((vector_size(8 * LANES), aligned(8)));
typedef int64_t NAME(i64s) __attribute__((vector_size(8 * LANES), aligned(8)));
typedef uint64_t NAME(u64s) __attribute__((vector_size(8 * LANES), aligned(8)));
typedef int32_t NAME(i32s) __attribute__((vector_size(4 * LANES), aligned(4)));

typedef int8_t NAME(i8s) __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int16_t NAME(i16s) __attribute__((vector_size(8 * LANES)));

#define SHORTS (4 * LANES) /* columns that a vector of 16 bits holds */

/*
 * s[0..63] = Σ_k value[k] Ω[word[k]], in 16 bits: |s| <= WINDOW_SPLIT_TOKENS.
 */
TARGET static void NAME(dots)(int32_t *restrict s, const int8_t *restrict sign,
                              const uint32_t *word, const int32_t *value,
                              size_t count)
{
    for (size_t c = 0; c < SIGN_TILE; c += 2 * SHORTS) {
        NAME(i16s) low = {0}, high = {0};
        for (size_t k = 0; k < count; k++) {
            const NAME(i8s) *at =
                (const NAME(i8s) *)(sign + (size_t)word[k] * SIGN_TILE + c);
            const int16_t x = (int16_t)value[k];
            low += x * __builtin_convertvector(at[0], NAME(i16s));
            high += x * __builtin_convertvector(at[1], NAME(i16s));
        }
        for (size_t l = 0; l < SHORTS; l++) {
            s[c + l] = low[l];
            s[c + SHORTS + l] = high[l];
        }
    }
}

#undef SHORTS
#define REGISTERS 8               /* sums held at a time, in registers */
#define STEP (REGISTERS * LANES)  /* columns of one walk along the postings */

/*
 * z[0..63] += Σ_k weight[k] (s[document[k]] - Ω): FMA in doubles, all partial
 * sums integers below 2^53 (see accumulate.c), then one conversion.
 */
TARGET static void NAME(row)(int64_t *restrict z, const int32_t *restrict s,
                             const uint32_t *restrict document,
                             const double *restrict weight, size_t count,
                             uint64_t bits)
{
    for (size_t c = 0; c < SIGN_TILE; c += STEP) {
        NAME(f64s) sum[REGISTERS] = {{0}};
        double total = 0;
        for (size_t k = 0; k < count; k++) {
            const int32_t *at = s + (size_t)document[k] * SIGN_TILE + c;
            const int32_t *soon =
                s + (size_t)document[k + PREFETCH] * SIGN_TILE + c;
            const double a = weight[k];
            for (size_t line = 0; line < STEP; line += 16)
                __builtin_prefetch(soon + line);
            total += a;
#pragma GCC unroll 8
            for (size_t j = 0; j < REGISTERS; j++)
                sum[j] += a * __builtin_convertvector(
                                  ((const NAME(i32s) *)at)[j], NAME(f64s));
        }
#pragma GCC unroll 8
        for (size_t j = 0; j < REGISTERS; j++) {
            NAME(u64s) minus, own;
            for (size_t l = 0; l < LANES; l++)
                minus[l] = c + LANES * j + l;
            minus = -((bits >> minus) & 1);
            own = (NAME(u64s)){0} + (uint64_t)total;
            own = (own ^ minus) - minus; /* -total where Ω is 1 */
            ((NAME(i64s) *)(z + c))[j] +=
                __builtin_convertvector(sum[j], NAME(i64s)) + (NAME(i64s))own;
        }
    }
}

#undef REGISTERS
#undef STEP
#undef LANES
#undef NAME
#undef TARGET
