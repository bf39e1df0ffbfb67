/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_FIELDS_H
#define KEDGE_FIELDS_H
/*
 * Descriptions of the result structs: a table of members for each, so that
 * programs can print them and bindings can convert them in a loop.
 *
 *   const kedge_fields *t = kedge_fields_find("kedge_fit_result");
 *   for (size_t i = 0; i < t->count; i++)
 *       puts(t->fields[i].name);
 *
 * Members are in the order of the program's JSON. Members that are arrays of
 * structs are left out.
 */
#include <stddef.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The C type of a member and its meaning. Values never change. */
typedef enum kedge_field_kind {
    KEDGE_FIELD_COUNT = 0,   /* uint64_t: a number of things */
    KEDGE_FIELD_NUMBER = 1,  /* uint64_t: an identifier, version or seed */
    KEDGE_FIELD_TOPIC = 2,   /* uint64_t: a topic, from 0, shown from 1;
                                KEDGE_NO_TOPIC: none */
    KEDGE_FIELD_BYTES = 3,   /* uint64_t: bytes in files */
    KEDGE_FIELD_MEMORY = 4,  /* uint64_t: bytes of memory */
    KEDGE_FIELD_TIME = 5,    /* uint64_t: seconds since 1970, UTC */
    KEDGE_FIELD_DIGEST = 6,  /* uint64_t or an array of them, shown as 16
                                hexadecimal digits each */
    KEDGE_FIELD_REAL = 7,    /* double; NAN: unknown */
    KEDGE_FIELD_SHARE = 8,   /* double, from 0 to 1 */
    KEDGE_FIELD_SECONDS = 9, /* double */
    KEDGE_FIELD_FLAG = 10,   /* bool */
    KEDGE_FIELD_TEXT = 11,   /* char[], zero-terminated */
    KEDGE_FIELD_STRING = 12, /* const char *; NULL: none */
    KEDGE_FIELD_CHOICE = 13, /* an enum from 0; `names` has its values */
} kedge_field_kind;

/* Whether the program's tables for people show a member. */
typedef enum kedge_field_shown {
    KEDGE_SHOWN_NEVER = 0,
    KEDGE_SHOWN_FILLED = 1, /* if it is not 0, false, "" or NAN */
    KEDGE_SHOWN_ALWAYS = 2,
} kedge_field_shown;

typedef struct kedge_field {
    const char *name; /* key in JSON, column in TSV */
    kedge_field_kind kind;
    size_t offset, size; /* of the member, in bytes */
    kedge_field_shown shown;
    const char *label; /* name for people; NULL if it is never shown */
    const char *note;  /* a few words to print after the value, or NULL;
                          "day|days": the first for a count of 1 */
    const char *names; /* values of a choice: "none|idf|sqrt"; of a flag, if not
                          "no|yes": "behind|current" */
    unsigned part;     /* group of the member, from 0. The program prints only
                          the groups of a result that apply */
} kedge_field;

typedef struct kedge_fields {
    const char *result; /* name of the struct: "kedge_fit_result" */
    size_t size;        /* of the struct, in bytes */
    const kedge_field *fields;
    size_t count;
} kedge_fields;

/* The table of a struct by its name, never freed; NULL: there is none. */
KEDGE_API const kedge_fields *kedge_fields_find(const char *result);

/* The i-th of all tables, from 0; NULL past the end. */
KEDGE_API const kedge_fields *kedge_fields_get(size_t i);

#ifdef __cplusplus
}
#endif

#endif
