/* SPDX-License-Identifier: MIT */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H
/* Aligned columns, and the lines of a summary. */
#include <stdio.h>

enum { TABLE_COLUMNS = 8, TABLE_WIDTH = 80 };

/* The first column is text and gives way where the line is too wide; the others
 * are aligned to the right. */
typedef struct table {
    size_t columns, lines, room;
    char *(*cells)[TABLE_COLUMNS];
} table;

/* A line: as many texts as the table has columns, copied. */
void table_add(table *t, const char *const *texts);
void table_print(const table *t, FILE *out);
void table_free(table *t);

/* "  label       value   note": the note wraps, and may be NULL. */
void summary_line(FILE *out, const char *label, const char *value,
                  const char *note);

#endif
