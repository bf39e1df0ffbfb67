/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include <math.h>

size_t elbow_largest(const double *y, size_t count)
{
    size_t best = ELBOW_NONE;

    for (size_t i = 0; i < count; i++)
        if (!isnan(y[i]) && (best == ELBOW_NONE || y[i] > y[best]))
            best = i;
    return best;
}

/* The first that there is a value of. */
static size_t first_there(const double *y, size_t count)
{
    size_t i = 0;

    while (i < count && isnan(y[i]))
        i++;
    return i;
}

size_t elbow_bend(const uint64_t *x, const double *y, size_t count,
                  double least)
{
    const size_t from = first_there(y, count);
    size_t best = ELBOW_NONE, to = count;

    while (to > 0 && isnan(y[to - 1]))
        to--;
    if (from == count || --to <= from + 1 || !(y[from] > y[to]))
        return ELBOW_NONE;
    for (size_t i = from + 1; i < to; i++) {
        const double across =
            (double)(x[i] - x[from]) / (double)(x[to] - x[from]);
        const double down = (y[from] - y[i]) / (y[from] - y[to]);
        if (down - across > least) {
            least = down - across;
            best = i;
        }
    }
    return best;
}

size_t elbow_plateau(const double *y, size_t count, double share)
{
    const size_t from = first_there(y, count), best = elbow_largest(y, count);

    if (best == ELBOW_NONE || best == from)
        return ELBOW_NONE;
    for (size_t i = from; i < best; i++)
        if (!isnan(y[i]) && y[i] - y[from] >= share * (y[best] - y[from]))
            return i;
    return best;
}
