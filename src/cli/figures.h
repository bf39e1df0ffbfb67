/* SPDX-License-Identifier: MIT */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H
/* Numbers as people read them. Each function fills `out` and gives it back, so
 * that figures can stand in an argument list. */
#include <stdint.h>

typedef struct figure {
    char text[40];
} figure;

const char *figure_count(figure *out, uint64_t n);  /* 1,234,567 */
const char *figure_bytes(figure *out, uint64_t n);  /* 38.2 MB: decimal */
const char *figure_memory(figure *out, uint64_t n); /* 412.0 MiB: binary, as
                                                       --memory is */
const char *figure_size(figure *out, uint64_t n);   /* 2G: as --memory reads
                                                       it, exactly */
const char *figure_time(figure *out, double seconds); /* 1:02:03 */
const char *figure_real(figure *out, double x);       /* 0.0431, 1.2e-08 */

/* What stands beside a number of things: one word for 1, another for all else.
 * Both are such as "topic", "topics". */
const char *figure_noun(uint64_t n, const char *one, const char *many);

#endif
