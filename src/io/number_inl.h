/* SPDX-License-Identifier: MIT */
#ifndef IO_NUMBER_INL_H
#define IO_NUMBER_INL_H
/*
 * Decimal numbers of up to seven digits, eight bytes at a time and without
 * branches: numbers in these files have all lengths, and a loop over digits
 * would mispredict its end on every other one.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * The digits at `p`, where eight bytes can be read. Returns how many there
 * are; 8 stands for eight or more, of which *value then holds nothing useful.
 */
static inline unsigned number_take(const char *p, uint32_t *value)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t v = get_u64((const uint8_t *)p) ^ UINT64_C(0x3030303030303030);
    /* A digit is now 0 to 9: what is above has bit 7 set, by itself or by the
     * sum. Carries disturb later bytes only, the first non-digit is right. */
    const uint64_t others = ((v + UINT64_C(0x7676767676767676)) | v) & high;
    const unsigned digits =
        others == 0 ? 8 : (unsigned)__builtin_ctzll(others) >> 3;

    /* The digits go to the end, zeros before them; pairs, then fours, then
     * all eight are joined. No digits at all leave v as it is, and its value
     * unused. */
    v <<= (64 - 8 * digits) & 63;
    v = (v * (1 + (10 << 8)) >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * (1 + (100 << 16)) >> 16) & UINT64_C(0x0000ffff0000ffff);
    v = v * (1 + (UINT64_C(10000) << 32)) >> 32;
    *value = (uint32_t)v;
    return digits;
}

#endif
