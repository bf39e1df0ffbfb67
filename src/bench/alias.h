/* SPDX-License-Identifier: MIT */
#ifndef BENCH_ALIAS_H
#define BENCH_ALIAS_H
/*
 * Draws from a finite distribution in constant time: a cell for each item,
 * which gives its own item or one other.
 */
#include <stddef.h>
#include <stdint.h>

#include <kedge/status.h>

typedef struct alias_cell {
    uint32_t own, other;
    uint32_t share; /* of its own, of 2^32 */
} alias_cell;

/* Cells for `count` items (1 or more) by their weights, which are at least 0
 * and not all 0; `weight` is overwritten. */
kedge_status alias_build(const uint32_t *item, double *weight, size_t count,
                         alias_cell *cells, kedge_error *err);

/* An item, from 64 random bits. */
static inline uint32_t alias_draw(const alias_cell *cells, size_t count,
                                  uint64_t bits)
{
    const alias_cell *const c = &cells[((bits >> 32) * count) >> 32];

    return (uint32_t)bits < c->share ? c->own : c->other;
}

#endif
