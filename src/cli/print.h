/* SPDX-License-Identifier: MIT */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H
/*
 * Output: figures for people, JSON, tables, summaries; and results in any of
 * these formats, by their fields (kedge/fields.h).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- figures: each function fills `out` and returns its text ------------- */

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

/* `one` if n is 1, otherwise `many`: "topic" or "topics". */
const char *figure_noun(uint64_t n, const char *one, const char *many);

/* ---- JSON ---------------------------------------------------------------- */

/*
 * Writes values one after another, with commas and indentation. Strings may
 * have any bytes: control characters are escaped, bytes that are not UTF-8
 * become U+FFFD. Doubles have the fewest digits that read back as the same
 * double; infinities and NAN are null.
 */
typedef struct jsonout {
    FILE *out;
    int lines;   /* levels of nesting with a line per member */
    int depth;
    bool filled; /* this level has a value already */
    bool keyed;  /* a key was written, its value follows */
} jsonout;

void json_begin(jsonout *j, char bracket); /* '{' or '[' */
void json_close(jsonout *j, char bracket);
void json_key(jsonout *j, const char *key);
void json_text(jsonout *j, const char *text);
/* For text with zeros; text[size] must be 0. */
void json_bytes(jsonout *j, const char *text, size_t size);
void json_count(jsonout *j, uint64_t n);
void json_real(jsonout *j, double x);
void json_bool(jsonout *j, bool value);
void json_end(jsonout *j); /* the newline after the document */

/* Members of an object. json_tally writes no space, as there are many. */
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
 * The first column is aligned to the left, the others to the right. In a file
 * or a pipe a table is as wide as needed. On a terminal it fits the line: the
 * first column is shortened, and if that is not enough, the last columns go
 * into a second table below, which repeats the first column.
 */
typedef struct table {
    size_t columns, lines, room;
    int most[TABLE_COLUMNS]; /* widest on a terminal; 0: no limit */
    bool paths;              /* the first column has paths: shorten the start */
    char *(*cells)[TABLE_COLUMNS];
} table;

/* Adds a line: a copy of one text for each column. */
void table_add(table *t, const char *const *texts);
void table_print(const table *t, FILE *out);
void table_free(table *t);

/* Prints a label and a path, whose beginning is shortened. */
void table_path(FILE *out, const char *label, const char *path);

/* Prints "  label       value   note"; the note wraps and may be NULL. */
void summary_line(FILE *out, const char *label, const char *value,
                  const char *note);

/* ---- results, named as in kedge/fields.h: "kedge_fit_result" ------------- */

#define PART(n) (1u << (n)) /* kedge_field.part */
#define ALL_PARTS (~0u)

/* Write a result as members of the open object, as an object (with its key
 * unless that is NULL), and `count` results as an array of objects. */
void json_fields(jsonout *j, const char *result, const void *data,
                 unsigned parts);
void json_object(jsonout *j, const char *key, const char *result,
                 const void *data);
void json_array(jsonout *j, const char *key, const char *result,
                const void *data, uint64_t count);

/* Names and values as columns on standard output, between tabs. */
void tsv_head(const char *result, unsigned parts);
void tsv_fields(const char *result, const void *data, unsigned parts);
void tsv_real(double x); /* NAN: empty */

/* A line of the summary for each field that is shown to people. */
void summary_fields(FILE *out, const char *result, const void *data,
                    unsigned parts);

/* A table with a column for each of these fields, and a last one, `more`,
 * unless that is NULL. */
void table_head(table *t, const char *result, const char *more);
void table_row(table *t, const char *result, const void *data,
               const char *more);
/* Prints an empty line and such a table of an array, on standard output. */
void table_all(const char *result, const void *data, uint64_t count);

#endif
