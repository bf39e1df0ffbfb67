/* SPDX-License-Identifier: MIT */
#ifndef IO_JSON_H
#define IO_JSON_H
/*
 * JSON as RFC 8259 has it, no more and no less, read in one pass that takes no
 * memory: values are found right and given as the bytes that they are made of.
 *
 *   json_open → json_enter → json_member or json_element until false
 *             → json_ended, or json_wrong and json_explain
 *
 * A value that was given holds nothing wrong and may be opened in its turn.
 * Bytes of strings that are not UTF-8 are passed through.
 */
#include <stdbool.h>

#include "base/span.h"

#define JSON_DEPTH 64 /* arrays and objects within one another, at most */

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} json_kind;

typedef struct json_value {
    json_kind kind;
    bool escaped; /* a string that is to be decoded */
    span raw;     /* as it stands there, a string without its quotes */
} json_value;

typedef struct json {
    const char *begin, *at, *end;
    unsigned depth;
    bool first;           /* nothing stands after the bracket before `at` */
    const char *wrong;    /* what is, NULL: there is what `at` shows */
    const char *expected; /* NULL: nothing is wrong so far */
} json;

void json_open(json *j, span text);

/* Passes over the bracket that opens an object or an array, which must come
 * next; false when it does not. */
bool json_enter(json *j, char bracket);

/* The next member or element; false when there are no more, and their bracket
 * was passed over, and when something is wrong. */
bool json_member(json *j, json_value *name, json_value *value);
bool json_element(json *j, json_value *value);

/* Whether only blanks are left; else that is what is wrong. */
bool json_ended(json *j);

static inline bool json_wrong(const json *j)
{
    return j->expected != NULL;
}

/* "column 17: there is "x": a comma or "}" was expected". */
void json_explain(const json *j, char *text, size_t room);

/* The column of a byte of the text in its line, from 1, in characters. */
size_t json_column(const json *j, const char *byte);

/* What a string says, to `to`, which has room for raw.size bytes; returns how
 * many there are. Half a surrogate pair is U+FFFD. */
size_t json_decode(const json_value *string, char *to);

/* Whether a string says this. */
bool json_says(const json_value *string, span text);

/* "a number", "null" */
const char *json_kind_text(json_kind kind);

#endif
