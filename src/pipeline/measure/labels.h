/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_MEASURE_LABELS_H
#define PIPELINE_MEASURE_LABELS_H
/*
 * The classes of documents, numbered as they are met: those that documents came
 * with, or those of a file that has a class a line for the documents in the
 * store's order, or an id, a tab and a class.
 */
#include <kedge/status.h>

#include <stdbool.h>

#include "base/span.h"
#include "base/wordmap.h"

#define LABELS_NONE UINT32_MAX

typedef struct labels {
    words classes;
    wordmap found; /* of these */
    bool filed;    /* there is a file: */
    bool by_id;
    words ids;     /* by id: of each line, */
    wordmap named; /* of these, */
    uint32_t *class; /* and of each line its class */
    size_t count;  /* lines */
    size_t next;   /* document, in the order of the store */
    bool *met;     /* by id: of each line, whether some document has it */
    size_t unmet;  /* lines that none has, so far */
} labels;

/* `path` NULL: those that documents came with. EFORMAT where a file is of lines
 * and these are not as many as the `documents` of the store, or where an id has
 * two lines. */
kedge_status labels_open(labels *l, const char *path, uint64_t documents,
                         kedge_error *err);
void labels_close(labels *l);

/* Of each of the store's documents in its order, by its id and the label that
 * it came with: its class, or LABELS_NONE. */
kedge_status labels_next(labels *l, span id, span label, uint32_t *class,
                         kedge_error *err);

/* What they hold, with the tables that find them. */
uint64_t labels_bytes(const labels *l);

#endif
