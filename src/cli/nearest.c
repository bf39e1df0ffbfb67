/* SPDX-License-Identifier: MIT */
/*
 * Edit distance with exchanged neighbours (optimal string alignment), by
 * dynamic programming over three rows.
 */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 32 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t a_size, const char *b)
{
    size_t rows[3][LONGEST + 1];
    const size_t b_size = strlen(b);

    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i - 1) % 3];
        const size_t *before = rows[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least_of(now[j], least_of(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least_of(now[j], before[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

void nearest_begin(nearest *n, const char *typed, size_t size)
{
    *n = (nearest){.typed = typed, .size = size, .distance = SIZE_MAX};
}

void nearest_offer(nearest *n, const char *name)
{
    const size_t size = strlen(name);
    size_t d;

    if (n->size > LONGEST || size > LONGEST || n->size == 0)
        return;
    d = distance(n->typed, n->size, name);
    if (n->size >= 2 && strncmp(n->typed, name, n->size) == 0)
        d = 1; /* the beginning of a name */
    if (d < n->distance && d <= (size + 2) / 3) {
        n->distance = d;
        n->name = name;
    }
}
