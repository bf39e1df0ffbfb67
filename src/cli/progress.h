/* SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
/* How far work is, as a line for people and as one for programs. */
#include <stdio.h>

#include <kedge/control.h>

enum { PROGRESS_LINE = 256 };

/* Writes the line, of `columns` at most: what does not fit is left out from
 * the end. Gives its columns. */
int progress_line(const kedge_progress *now, int columns,
                  char out[PROGRESS_LINE]);

/* The seconds that remain; NAN where that cannot be told. */
double progress_left(const kedge_progress *now);

/* A line of JSON, as 'kedge help progress' has it. */
void progress_json(const kedge_progress *now, FILE *out);

#endif
