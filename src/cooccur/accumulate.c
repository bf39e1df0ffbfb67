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

#include "base/fail.h"
#include "base/mem.h"

static_assert(STATISTIC_DAMPED_BITS - STATISTIC_VALUE_BITS <=
                  WINDOW_LIMBS * WINDOW_DAMPED_LIMB_BITS,
              "a damped weight fits its limbs");
static_assert(STATISTIC_JOINT_BITS < WINDOW_LIMBS * WINDOW_LIMB_BITS,
              "a joint weight does");
static_assert(WINDOW_PART_VALUES <= INT16_MAX &&
                  WINDOW_SPLIT_TOKENS <= INT16_MAX,
              "sums of signs fit 16 bits");

static kernel accumulate_choose(void)
{
    kernel list[KERNELS];

    kernel_list(list);
    return list[0];
}

const char *accumulate_kernel(void)
{
    return accumulate_choose().name;
}

kedge_status accumulate_reserve(accumulate_scratch *a, const window *w,
                                kedge_error *err)
{
    a->run = accumulate_choose();
    if (!mem_grow((void **)&a->signs, &a->signs_capacity, w->words,
                  sizeof *a->signs) ||
        !mem_grow((void **)&a->dot, &a->dot_capacity,
                  w->documents * SIGN_TILE, sizeof *a->dot))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (sketch)");
    return KEDGE_OK;
}

void accumulate_free(accumulate_scratch *a)
{
    mem_free(a->signs);
    mem_free(a->dot);
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
