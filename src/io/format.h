/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMAT_H
#define IO_FORMAT_H
/*
 * One document as a format finds it, before its words are numbered: text that
 * is to be cut into words, or a bag of words, or a bag of numbers of words in a
 * vocabulary that came along. A format is a module that gives records:
 *
 *   open → next until *more is false → close
 *
 * Everything in a record is valid until the next call.
 */
#include <kedge/ingest.h>

#include "base/span.h"
#include "io/lines.h"

typedef enum record_kind {
    RECORD_TEXT,    /* text */
    RECORD_WORDS,   /* word[], tally[] */
    RECORD_NUMBERS, /* number[], tally[] */
} record_kind;

typedef struct record {
    span id, label; /* size 0: none */
    uint64_t line;  /* where it begins; 0: it is not of lines */
    record_kind kind;
    span text;
    size_t count;           /* of the bag; a word may come twice */
    const span *word;
    const uint32_t *number; /* from 0, below opts.words */
    const uint32_t *tally;  /* at least 1 */
} record;

#define RECORD_ID_MAX 255 /* bytes */

typedef struct record_opts {
    /* NULL: the usual ones; "none" for id and label: there are none */
    const char *text_field, *id_field, *label_field;
    uint64_t words; /* in the vocabulary that goes with the source, 0: none */
    size_t entries; /* of a bag at most; 0: BAG_ENTRIES_MAX */
} record_opts;

static inline bool record_field_none(const char *name)
{
    return name != NULL && strcmp(name, "none") == 0;
}

typedef struct record_format {
    const char *name; /* as --from has it */
    /* Whether the source looks like this format, by its first lines; nothing
     * is passed over. Fields that are asked for tell of it, where it has them.
     * NULL: only when asked for. */
    kedge_status (*recognise)(lines *in, const record_opts *opts, bool *yes,
                              kedge_error *err);
    /* The lines are not owned, the options' strings outlive the state. */
    kedge_status (*open)(lines *in, const record_opts *opts, void **state,
                         kedge_error *err);
    /* *more false: the source has ended, and there is no record. EFORMAT for a
     * malformed record, which has been passed over: the text says "file:line:
     * what is wrong: what was expected", and the next call goes on behind it
     * (unless lines_ended). Other failures are final. */
    kedge_status (*next)(void *state, record *out, bool *more,
                         kedge_error *err);
    void (*close)(void *state); /* accepts NULL */
} record_format;

#endif
