/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include "base/bytes.h"

/* Fewer than eight bytes, zeros behind them. */
static inline uint64_t hash_tail(const uint8_t *p, size_t n)
{
    if (n >= 4)
        return get_u32(p) | (uint64_t)get_u32(p + n - 4) << 8 * (n - 4);
    if (n == 0)
        return 0;
    return p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) |
           (uint64_t)p[n - 1] << 8 * (n - 1);
}

/* Eight bytes at a time, each mixed into the state; the length closes it, so
 * that trailing zero bytes count. */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    uint64_t state = hash_mix(seed + HASH_GOLDEN);
    size_t left = size;

    for (; left >= 8; left -= 8, p += 8)
        state = hash_mix(state ^ get_u64(p)) + HASH_GOLDEN;
    state = hash_mix(state ^ hash_tail(p, left)) + HASH_GOLDEN;
    return hash_mix(state ^ size);
}
