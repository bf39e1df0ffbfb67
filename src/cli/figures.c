/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *figure_count(figure *out, uint64_t n)
{
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = out->text;

    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out->text;
}

static const char *scaled(figure *out, uint64_t n, double base,
                          const char *const *units)
{
    double x = (double)n;
    int unit = 0;

    while (unit < 4 && x >= base) {
        x /= base;
        unit++;
    }
    snprintf(out->text, sizeof out->text, unit == 0 ? "%.0f %s" : "%.1f %s", x,
             units[unit]);
    return out->text;
}

const char *figure_bytes(figure *out, uint64_t n)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};

    return scaled(out, n, 1000, units);
}

const char *figure_memory(figure *out, uint64_t n)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    return scaled(out, n, 1024, units);
}

const char *figure_size(figure *out, uint64_t n)
{
    static const char suffixes[] = "KMGT";
    int suffix = -1;

    while (n != 0 && n % 1024 == 0 && suffix < 3) {
        n /= 1024;
        suffix++;
    }
    snprintf(out->text, sizeof out->text, "%" PRIu64 "%.*s", n, suffix >= 0,
             suffix >= 0 ? &suffixes[suffix] : "");
    return out->text;
}

const char *figure_time(figure *out, double seconds)
{
    const uint64_t s = seconds > 0 && seconds < 1e9 ? (uint64_t)seconds : 0;

    if (s < 3600)
        snprintf(out->text, sizeof out->text, "%" PRIu64 ":%02" PRIu64, s / 60,
                 s % 60);
    else
        snprintf(out->text, sizeof out->text,
                 "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                 s / 60 % 60, s % 60);
    return out->text;
}

const char *figure_real(figure *out, double x)
{
    const double size = fabs(x);

    if (isfinite(x) && (size >= 1e5 || (size < 1e-4 && x != 0)))
        snprintf(out->text, sizeof out->text, "%.1e", x);
    else
        snprintf(out->text, sizeof out->text, "%.4f", x);
    return out->text;
}

const char *figure_noun(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}
