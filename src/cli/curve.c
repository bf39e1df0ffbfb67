/* SPDX-License-Identifier: MIT */
#include "curve.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "measures.h"
#include "plaintext.h"

enum { HEIGHT = 8, MARGIN = 12, ROOM_MOST = 128 };

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

/* Where point i stands; points are four places apart, or closer, or several in
 * one. */
static size_t column_of(size_t i, size_t count, size_t room)
{
    const size_t apart = count * 4 <= room ? 4 : room / count;

    return apart > 0 ? i * apart : i * room / count;
}

static void print_axis(FILE *out, const uint64_t *x, size_t count,
                       size_t room)
{
    size_t at = 0;

    fprintf(out, "%*s", MARGIN + 2, "");
    for (size_t i = 0; i < count; i++) {
        const size_t to = column_of(i, count, room);
        char text[24];
        const size_t size =
            (size_t)snprintf(text, sizeof text, "%" PRIu64, x[i]);
        if ((i > 0 && to < at + 1) || to + size > room)
            continue;
        fprintf(out, "%*s%s", (int)(to - at), "", text);
        at = to + size;
    }
    putc('\n', out);
}

void curve_print(FILE *out, const char *title, const uint64_t *x,
                 const double *y, size_t count)
{
    const int columns = text_flow(out) - MARGIN - 2;
    const size_t room = columns < ROOM_MOST ? (size_t)columns : ROOM_MOST;
    double least, most;

    if (!bounds(y, count, &least, &most))
        return;
    fprintf(out, "\n%s\n", title);
    for (int line = HEIGHT - 1; line >= 0; line--) {
        char text[ROOM_MOST + 1];
        size_t end = 0;
        figure f;
        memset(text, ' ', room);
        for (size_t i = 0; i < count; i++) {
            const double share =
                most > least ? (y[i] - least) / (most - least) : 0;
            const size_t at = column_of(i, count, room);
            if (!isfinite(y[i]) || at >= room ||
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
    print_axis(out, x, count, room);
}
