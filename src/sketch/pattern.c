/* SPDX-License-Identifier: MIT */
#include "sketch/pattern.h"

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"

static size_t pieces_of(size_t words)
{
    return (words + 63) / 64;
}

kedge_status pattern_create(size_t words, pattern *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (pattern){.words = words, .pieces = pieces_of(words)};
    TRY_MEM(out->bit = mem_new2(words, out->pieces, sizeof *out->bit));
    TRY_MEM(out->start = mem_new(words + 1, sizeof *out->start));
out:
    if (st != KEDGE_OK)
        pattern_free(out);
    return st;
}

void pattern_free(pattern *p)
{
    mem_free(p->bit);
    mem_free(p->start);
    *p = (pattern){0};
}

KERNEL_CLONES
static size_t bits_count(const uint64_t *bits, size_t pieces)
{
    size_t count = 0;

    for (size_t b = 0; b < pieces; b++)
        count += (size_t)__builtin_popcountll(bits[b]);
    return count;
}

size_t pattern_count(pattern *p)
{
    for (size_t i = 0; i < p->words; i++)
        p->start[i + 1] =
            p->start[i] + bits_count(pattern_bits(p, i), p->pieces);
    return p->start[p->words];
}

KERNEL_CLONES
static void bits_before(const uint64_t *bits, size_t pieces, uint32_t *before)
{
    uint32_t count = 0;

    for (size_t b = 0; b < pieces; b++) {
        before[b] = count;
        count += (uint32_t)__builtin_popcountll(bits[b]);
    }
}

void pattern_before(const pattern *p, size_t row, uint32_t *before)
{
    bits_before(pattern_bits(p, row), p->pieces, before);
}

size_t pattern_columns(const pattern *p, size_t row, uint32_t *column)
{
    const uint64_t *const bits = pattern_bits(p, row);
    size_t count = 0;

    for (size_t b = 0; b < p->pieces; b++)
        for (uint64_t left = bits[b]; left != 0; left &= left - 1)
            column[count++] =
                (uint32_t)(64 * b + (size_t)__builtin_ctzll(left));
    return count;
}
