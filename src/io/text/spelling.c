/* SPDX-License-Identifier: MIT */
/*
 * Optimal string alignment by dynamic programming over three rows. A row whose
 * least entry is above what is looked for ends it.
 */
#include "io/text/spelling.h"

#include "io/text/letters.h"

#define NO_CHARACTER 0x80000000U /* a byte that is none, beyond Unicode */

bool spelling_of(span word, spelling *out)
{
    const char *at = word.bytes, *const end = at + word.size;

    for (out->size = 0; at < end; out->size++) {
        uint32_t point = 0;
        const unsigned size = utf8_take(at, end, &point);

        if (out->size == SPELLING_LONGEST)
            return false;
        out->letter[out->size] =
            size > 0 ? point : NO_CHARACTER | (unsigned char)*at;
        at += size > 0 ? size : 1;
    }
    return true;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

typedef size_t spelling_row[SPELLING_LONGEST + 1];

/* Row i of the table, from the two before it; its least entry. */
static size_t spelling_fill(const spelling *a, const spelling *b, size_t i,
                            spelling_row rows[3])
{
    size_t *const now = rows[i % 3];
    const size_t *const last = rows[(i + 2) % 3];
    const size_t *const before = rows[(i + 1) % 3];
    size_t least = i;

    now[0] = i;
    for (size_t j = 1; j <= b->size; j++) {
        now[j] = last[j - 1] + (a->letter[i - 1] != b->letter[j - 1]);
        now[j] = least_of(now[j], least_of(last[j], now[j - 1]) + 1);
        if (i > 1 && j > 1 && a->letter[i - 1] == b->letter[j - 2] &&
            a->letter[i - 2] == b->letter[j - 1])
            now[j] = least_of(now[j], before[j - 2] + 1);
        least = least_of(least, now[j]);
    }
    return least;
}

size_t spelling_distance(const spelling *a, const spelling *b, size_t most)
{
    spelling_row rows[3];
    size_t least = 0;

    if (a->size > b->size + most || b->size > a->size + most)
        return most + 1;
    for (size_t j = 0; j <= b->size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a->size; i++) {
        const size_t one = spelling_fill(a, b, i, rows);

        if (one > most && least > most) /* an exchange spans two rows */
            return most + 1;
        least = one;
    }
    return least_of(rows[a->size % 3][b->size], most + 1);
}
