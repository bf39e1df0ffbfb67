/* SPDX-License-Identifier: MIT */
#ifndef STORE_PLANES_H
#define STORE_PLANES_H
/*
 * Doubles as they are stored: the bytes plane by plane (all first bytes, all
 * second ones, ...), since signs and exponents are alike where fractions are
 * not.
 */
#include "base/bytes.h"

static inline void planes_split(uint8_t *to, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[8];
        put_f64(bytes, value[i]);
        for (size_t b = 0; b < 8; b++)
            to[b * count + i] = bytes[b];
    }
}

static inline void planes_join(const uint8_t *from, double *value,
                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[8];
        for (size_t b = 0; b < 8; b++)
            bytes[b] = from[b * count + i];
        value[i] = get_f64(bytes);
    }
}

#endif
