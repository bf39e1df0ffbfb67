/* SPDX-License-Identifier: MIT */
#ifndef IO_RECORDS_H
#define IO_RECORDS_H
/*
 * Records of any format as batches of documents: what reader_next does for all
 * formats but UCI. A document's position is its record's number, so that it
 * stays the same whatever is skipped.
 */
#include "io/assemble.h"
#include "io/reader.h"

typedef struct records records;

/* What messages of malformed records, and of files, end with where these could
 * be skipped. */
#define RECORDS_SKIP      "; --skip-bad counts such records and goes on"
#define RECORDS_SKIP_FILE "; --skip-bad counts such files and goes on"

/* Where records come from. */
typedef struct record_source {
    void *state;
    kedge_status (*next)(void *state, record *out, bool *more,
                         kedge_error *err);
    /* Whether there is one to be had within so many seconds; NULL: always. */
    bool (*ready)(void *waits, double seconds);
    void *waits; /* of which `ready` and `skippable` are asked */
    const char *name; /* for messages; not owned */
    /* Whether more may come after what was malformed last, or else the source
     * broke off; messages then say that it could be skipped. NULL: they do
     * not. */
    bool (*skippable)(const void *waits);
    bool names_files; /* records are files in it, by their ids: one that is
                         malformed, or cannot be read, is a file not read */
} record_source;

/* The source is not owned. */
kedge_status records_open(const record_source *from, const reader_opts *opts,
                          records **out, kedge_error *err);
void records_close(records *r); /* accepts NULL */

/* Whether texts that come next keep the order of their words. */
void records_set_order(records *r, bool order);

/* As reader_next. */
kedge_status records_next(records *r, const reader_limits *limits, docs *batch,
                          bool *more, kedge_error *err);

void records_get_counts(const records *r, reader_counts *out);

#endif
