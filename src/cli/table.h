/* SPDX-License-Identifier: MIT */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H
/* Aligned columns, and the lines of a summary. */
#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 8 };

/*
 * The first column is text, the others are aligned to the right. A table is as
 * wide as it has to be in a file or a pipe. On a terminal it fits the line: the
 * first column gives way, and where that is not enough the last columns stand
 * in a second table below, after the first column again.
 */
typedef struct table {
    size_t columns, lines, room;
    int most[TABLE_COLUMNS]; /* columns of a column on a terminal; 0: all */
    bool paths;              /* the first column's: their ends say more */
    char *(*cells)[TABLE_COLUMNS];
} table;

/* A line: as many texts as the table has columns, copied. */
void table_add(table *t, const char *const *texts);
void table_print(const table *t, FILE *out);
void table_free(table *t);

/* A line that ends in a path, of which the beginning gives way. */
void table_path(FILE *out, const char *label, const char *path);

/* "  label       value   note": the note wraps, and may be NULL. */
void summary_line(FILE *out, const char *label, const char *value,
                  const char *note);

#endif
