/* SPDX-License-Identifier: MIT */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H
/*
 * Numbers as bytes: little-endian in records, big-endian in keys (so that
 * LMDB's order of bytes is the order of numbers), LEB128 where most are small.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VARINT_MAX 10 /* bytes of the longest 64-bit LEB128 */

static inline void put_u32(uint8_t *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> (8 * i));
}

static inline uint32_t get_u32(const uint8_t *from)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)from[i] << (8 * i);
    return v;
}

static inline void put_u64(uint8_t *to, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t get_u64(const uint8_t *from)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)from[i] << (8 * i);
    return v;
}

static inline void put_f64(uint8_t *to, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_u64(to, bits);
}

static inline double get_f64(const uint8_t *from)
{
    const uint64_t bits = get_u64(from);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline void put_be32(uint8_t *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> (24 - 8 * i));
}

static inline uint32_t get_be32(const uint8_t *from)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 8 | from[i];
    return v;
}

static inline void put_be64(uint8_t *to, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(v >> (56 - 8 * i));
}

static inline uint64_t get_be64(const uint8_t *from)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | from[i];
    return v;
}

/* Writes v at `to` (room for VARINT_MAX), returns the byte after it. */
static inline uint8_t *put_varint(uint8_t *to, uint64_t v)
{
    while (v >= 0x80) {
        *to++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *to++ = (uint8_t)v;
    return to;
}

/* get_varint of any length. */
static inline bool get_long_varint(const uint8_t **from, const uint8_t *end,
                                   uint64_t *v)
{
    const uint8_t *p = *from;
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
        const uint8_t byte = *p++;
        if (shift == 63 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *from = p;
            *v = value;
            return true;
        }
    }
    return false;
}

/* Reads a varint from *from, which moves on; false when the bytes end before
 * it does, or when it does not fit 64 bits. Nearly all are a byte. */
static inline bool get_varint(const uint8_t **from, const uint8_t *end,
                              uint64_t *v)
{
    if (*from < end && **from < 0x80) {
        *v = *(*from)++;
        return true;
    }
    return get_long_varint(from, end, v);
}

#endif
