/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include "base/bytes.h"

/* Eight bytes at a time, each mixed into the state; the length closes it, so
 * that trailing zero bytes count. */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    uint64_t state = hash_mix(seed + HASH_GOLDEN);
    uint8_t tail[8] = {0};
    size_t left = size;

    for (; left >= 8; left -= 8, p += 8)
        state = hash_mix(state ^ get_u64(p)) + HASH_GOLDEN;
    if (left > 0)
        memcpy(tail, p, left);
    state = hash_mix(state ^ get_u64(tail)) + HASH_GOLDEN;
    return hash_mix(state ^ size);
}
