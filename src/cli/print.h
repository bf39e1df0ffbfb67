/* SPDX-License-Identifier: MIT */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H
/*
 * What comes out: figures as people read them, JSON, tables, the lines of a
 * summary; and results in any of these, by what kedge/fields.h knows of them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- figures: each function fills `out` and gives it back ---------------- */

typedef struct figure {
    char text[40];
} figure;

const char *figure_count(figure *out, uint64_t n);  /* 1,234,567 */
const char *figure_bytes(figure *out, uint64_t n);  /* 38.2 MB: decimal */
const char *figure_size(figure *out, uint64_t n);   /* 2G: as --memory reads
                                                       it, exactly */
const char *figure_time(figure *out, double seconds); /* 1:02:03 */
const char *figure_real(figure *out, double x);       /* 0.0431, 1.2e-08 */
const char *figure_date(figure *out, uint64_t when); /* 2024-05-31 12:00: UTC */

/* What stands beside a number of things, such as "topic" or "topics". */
const char *figure_noun(uint64_t n, const char *one, const char *many);

/* ---- JSON ---------------------------------------------------------------- */

/*
 * Values one after another, commas and indentation by itself. Strings may be
 * any bytes: control characters are escaped and bytes that are not UTF-8 become
 * U+FFFD. Doubles are the shortest that read back as the same double; what JSON
 * has no number for is null.
 */
typedef struct jsonout {
    FILE *out;
    int lines;   /* nesting up to here gets a line per member */
    int depth;
    bool filled; /* something stands at this depth already */
    bool keyed;  /* a key was written, its value comes next */
} jsonout;

void json_begin(jsonout *j, char bracket); /* '{' or '[' */
void json_close(jsonout *j, char bracket);
void json_key(jsonout *j, const char *key);
void json_text(jsonout *j, const char *text);
/* Of any bytes, zeros as well; a zero follows them. */
void json_bytes(jsonout *j, const char *text, size_t size);
void json_count(jsonout *j, uint64_t n);
void json_real(jsonout *j, double x);
void json_bool(jsonout *j, bool value);
void json_end(jsonout *j); /* the newline after the document */

/* A member of an object; json_tally writes no space, as there are many. */
void json_tally(jsonout *j, const char *key, size_t size, uint64_t count);
void json_key_begin(jsonout *j, const char *key, char bracket);
void json_key_text(jsonout *j, const char *key, const char *text);
void json_key_bytes(jsonout *j, const char *key, const char *text,
                    size_t size);
void json_key_count(jsonout *j, const char *key, uint64_t n);
void json_key_real(jsonout *j, const char *key, double x);
void json_key_bool(jsonout *j, const char *key, bool value);

/* ---- tables and summaries ------------------------------------------------ */

enum { TABLE_COLUMNS = 10 };

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

/* ---- results, named as in kedge/fields.h: "kedge_fit_result" ------------- */

#define PART(n) (1u << (n)) /* of its fields */
#define ALL_PARTS (~0u)

/* Members of the object that is open; or an object, which is a member of its
 * own where there is a key; or an array of `count` such objects. */
void json_fields(jsonout *j, const char *result, const void *data,
                 unsigned parts);
void json_object(jsonout *j, const char *key, const char *result,
                 const void *data);
void json_array(jsonout *j, const char *key, const char *result,
                const void *data, uint64_t count);

/* Columns on standard output, with tabs between them. */
void tsv_head(const char *result, unsigned parts);
void tsv_fields(const char *result, const void *data, unsigned parts);
void tsv_real(double x); /* empty where it is none */

/* A line of the summary for each field that people are told of. */
void summary_fields(FILE *out, const char *result, const void *data,
                    unsigned parts);

/* A column for each of them, and a last one of its own, unless that is NULL. */
void table_head(table *t, const char *result, const char *more);
void table_row(table *t, const char *result, const void *data,
               const char *more);
/* All of it, of an array on standard output, below an empty line. */
void table_all(const char *result, const void *data, uint64_t count);

#endif
