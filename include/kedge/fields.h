/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_FIELDS_H
#define KEDGE_FIELDS_H
/*
 * What results are made of: of each struct that this library fills in a table
 * of its members, from which programs print it and bindings make an object of
 * it, without a line for each member of each struct.
 *
 * Members are in the order in which JSON has them. Those that are arrays of
 * other structs, or are found by functions, are not in these tables.
 */
#include <stddef.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a member is, in C and to its reader. Values are pinned. */
typedef enum kedge_field_kind {
    KEDGE_FIELD_COUNT = 0,   /* uint64_t: how many */
    KEDGE_FIELD_NUMBER = 1,  /* uint64_t: a name or a version, as a seed is */
    KEDGE_FIELD_TOPIC = 2,   /* uint64_t: a topic, from 0; shown from 1, and
                                KEDGE_NO_TOPIC is none */
    KEDGE_FIELD_BYTES = 3,   /* uint64_t: of files */
    KEDGE_FIELD_MEMORY = 4,  /* uint64_t: bytes of memory */
    KEDGE_FIELD_TIME = 5,    /* uint64_t: seconds since 1970, UTC */
    KEDGE_FIELD_DIGEST = 6,  /* uint64_t, or several that are one: shown as
                                hexadecimal digits, 16 of each */
    KEDGE_FIELD_REAL = 7,    /* double; NAN: not known */
    KEDGE_FIELD_SHARE = 8,   /* double, from 0 to 1 */
    KEDGE_FIELD_SECONDS = 9, /* double */
    KEDGE_FIELD_FLAG = 10,   /* bool */
    KEDGE_FIELD_TEXT = 11,   /* char[]: a zero ends it */
    KEDGE_FIELD_STRING = 12, /* const char *; NULL: none */
    KEDGE_FIELD_CHOICE = 13, /* an enum from 0 on; what its values are called
                                is in `names` */
} kedge_field_kind;

/* Whether people are told of it. */
typedef enum kedge_field_shown {
    KEDGE_SHOWN_NEVER = 0,
    KEDGE_SHOWN_FILLED = 1, /* unless it is 0, false, "" or NAN */
    KEDGE_SHOWN_ALWAYS = 2,
} kedge_field_shown;

typedef struct kedge_field {
    const char *name; /* in JSON, and as a column of TSV */
    kedge_field_kind kind;
    size_t offset, size; /* of the member, in bytes */
    kedge_field_shown shown;
    const char *label; /* to people; NULL where they are not told */
    const char *note;  /* a few words that stand beside its value, or NULL;
                          "day|days": the first beside a count of 1 */
    const char *names; /* of a choice: "none|idf|sqrt"; of a flag, where it is
                          not "no|yes": "behind|current" */
    unsigned part;     /* fields that belong together: a result may have some
                          of its parts alone, and says which */
} kedge_field;

typedef struct kedge_fields {
    const char *result; /* the struct: "kedge_fit_result" */
    size_t size;        /* of it, in bytes */
    const kedge_field *fields;
    size_t count;
} kedge_fields;

/* The table of the struct of that name; NULL where there is none. */
KEDGE_API const kedge_fields *kedge_fields_find(const char *result);

/* All tables, by number; NULL past the end. */
KEDGE_API const kedge_fields *kedge_fields_get(size_t i);

#ifdef __cplusplus
}
#endif

#endif
