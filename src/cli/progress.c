/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdbool.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "jsonout.h"

enum { JSON_VERSION = 1 };

typedef struct line {
    char *text;
    int used, columns;
    bool full;
} line;

KEDGE_PRINTF(2, 3)
static void add(line *l, const char *format, ...)
{
    char piece[96];
    const int gap = l->used > 0 ? 2 : 0;
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (l->full || size >= (int)sizeof piece ||
        l->used + gap + size > l->columns) {
        l->full = true;
        return;
    }
    memcpy(l->text + l->used, "  ", (size_t)gap);
    memcpy(l->text + l->used + gap, piece, (size_t)size + 1);
    l->used += gap + size;
}

static uint64_t per_second(uint64_t n, double seconds)
{
    return seconds > 0 ? (uint64_t)((double)n / seconds) : 0;
}

/* Units come in the plural, which for all of them is an s at the end. */
static int unit_size(uint64_t n, const char *unit)
{
    const size_t size = strlen(unit);

    return (int)(n == 1 && size > 0 && unit[size - 1] == 's' ? size - 1
                                                             : size);
}

/* What was done, by its unit: bytes as their speed, others as they are. */
static void add_amount(line *l, const kedge_progress *now, bool timed)
{
    figure a, b;

    if (now->unit[0] == '\0')
        return;
    if (strcmp(now->unit, "bytes") == 0) {
        if (timed)
            add(l, "%s/s",
                figure_bytes(&a, per_second(now->done, now->seconds)));
    } else if (now->total > 0) {
        add(l, "%s of %s %.*s", figure_count(&a, now->done),
            figure_count(&b, now->total), unit_size(now->total, now->unit),
            now->unit);
    } else {
        add(l, "%s %.*s", figure_count(&a, now->done),
            unit_size(now->done, now->unit), now->unit);
    }
}

int progress_line(const kedge_progress *now, int columns,
                  char out[PROGRESS_LINE])
{
    const bool timed = now->seconds >= 0.5; /* else rates mean nothing */
    const double done = (double)now->done, left = progress_left(now);
    line l = {.text = out, .columns = columns < PROGRESS_LINE
                                          ? columns
                                          : PROGRESS_LINE - 1};
    figure f;

    *out = '\0';
    add(&l, "%s", now->stage);
    if (now->total > 0 && now->done <= now->total)
        add(&l, "%3.0f %%", 100 * done / (double)now->total);
    if (now->documents > 0)
        add(&l, "%s %s", figure_count(&f, now->documents),
            figure_noun(now->documents, "document", "documents"));
    if (now->documents > 0 && timed)
        add(&l, "%s/s",
            figure_count(&f, per_second(now->documents, now->seconds)));
    add_amount(&l, now, timed);
    if (timed && left > 0)
        add(&l, "%s left", figure_time(&f, left));
    else if (now->seconds >= 1)
        add(&l, "%s", figure_time(&f, now->seconds));
    return l.used;
}

double progress_left(const kedge_progress *now)
{
    const double done = (double)now->done, total = (double)now->total;

    if (now->done == 0 || now->done > now->total)
        return NAN;
    return now->seconds * (total - done) / done;
}

/* What lies below is noise. NAN stays what it is. */
static double microseconds(double seconds)
{
    if (!(seconds >= 0 && seconds < 1e12))
        return seconds;
    return (double)(uint64_t)(seconds * 1e6 + 0.5) / 1e6;
}

void progress_json(const kedge_progress *now, FILE *out)
{
    jsonout j = {.out = out};

    json_begin(&j, '{');
    json_key_count(&j, "kedge_progress", JSON_VERSION);
    json_key_text(&j, "stage", now->stage);
    json_key_count(&j, "done", now->done);
    json_key_count(&j, "total", now->total);
    json_key_text(&j, "unit", now->unit);
    json_key_count(&j, "documents", now->documents);
    json_key_real(&j, "seconds", microseconds(now->seconds));
    json_key_real(&j, "left", microseconds(progress_left(now)));
    json_close(&j, '}');
    json_end(&j);
}
