/* SPDX-License-Identifier: MIT */
#ifndef CLI_JSONOUT_H
#define CLI_JSONOUT_H
/*
 * Writes JSON: values one after another, commas and indentation by itself.
 *
 * Strings may be any bytes: control characters are escaped and bytes that are
 * not UTF-8 become U+FFFD. Doubles are the shortest that read back as the same
 * double; what JSON has no number for is null.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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
void json_key_text(jsonout *j, const char *key, const char *text);
void json_key_count(jsonout *j, const char *key, uint64_t n);
void json_key_real(jsonout *j, const char *key, double x);
void json_key_bool(jsonout *j, const char *key, bool value);

#endif
