/* SPDX-License-Identifier: MIT */
#include "curve.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "measures.h"
#include "table.h"

enum { HEIGHT = 8, MARGIN = 12, ROOM = TABLE_WIDTH - MARGIN - 2 };

/* The least and the largest; false where there are not two points. */
static int bounds(const double *y, size_t count, double *least, double *most)
{
    size_t points = 0;

    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(y[i])) {
            *least = y[i] < *least ? y[i] : *least;
            *most = y[i] > *most ? y[i] : *most;
            points++;
        }
    return points >= 2;
}

/* Where point i stands; points are four places apart, or closer. */
static size_t column_of(size_t i, size_t count)
{
    const size_t apart = count * 4 <= ROOM ? 4 : ROOM / count;

    return i * (apart > 0 ? apart : 1);
}

static void print_axis(FILE *out, const uint64_t *x, size_t count)
{
    size_t at = 0;

    fprintf(out, "%*s", MARGIN + 2, "");
    for (size_t i = 0; i < count; i++) {
        const size_t to = column_of(i, count);
        char text[24];
        const size_t size =
            (size_t)snprintf(text, sizeof text, "%" PRIu64, x[i]);
        if ((i > 0 && to < at + 1) || to + size > ROOM)
            continue;
        fprintf(out, "%*s%s", (int)(to - at), "", text);
        at = to + size;
    }
    putc('\n', out);
}

void curve_print(FILE *out, const char *title, const uint64_t *x,
                 const double *y, size_t count)
{
    double least, most;

    if (!bounds(y, count, &least, &most))
        return;
    fprintf(out, "\n%s\n", title);
    for (int line = HEIGHT - 1; line >= 0; line--) {
        char text[ROOM + 1];
        size_t end = 0;
        figure f;
        memset(text, ' ', ROOM);
        for (size_t i = 0; i < count; i++) {
            const double share =
                most > least ? (y[i] - least) / (most - least) : 0;
            const size_t at = column_of(i, count);
            if (!isfinite(y[i]) || at >= ROOM ||
                (int)(share * (HEIGHT - 1) + 0.5) != line)
                continue;
            text[at] = '*';
            end = at + 1;
        }
        text[end] = '\0';
        fprintf(out, "%*s |%s\n", MARGIN,
                line == HEIGHT - 1 ? measure_figure(&f, most)
                : line == 0        ? measure_figure(&f, least)
                                   : "",
                text);
    }
    print_axis(out, x, count);
}
