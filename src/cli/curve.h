/* SPDX-License-Identifier: MIT */
#ifndef CLI_CURVE_H
#define CLI_CURVE_H
/* A curve as a few lines of text. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Values over their x, which are printed below as far as there is room: a title
 * and some ten lines in all, as wide as text that flows. Values that are NAN
 * have no point; nothing is printed where fewer than two have one.
 */
void curve_print(FILE *out, const char *title, const uint64_t *x,
                 const double *y, size_t count);

#endif
