/* SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
/* The progress line as text. */
#include <kedge/control.h>

enum { PROGRESS_LINE = 256 };

/* Writes the line, of `columns` at most: what does not fit is left out from
 * the end. Gives its columns. */
int progress_line(const kedge_progress *now, int columns,
                  char out[PROGRESS_LINE]);

#endif
