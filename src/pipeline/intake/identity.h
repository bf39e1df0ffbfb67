/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_IDENTITY_H
#define PIPELINE_INTAKE_IDENTITY_H
/*
 * Documents that the store, or the slot itself, has already by their id: an
 * error, left out, or put in the place of the earlier ones.
 */
#include <kedge/ingest.h>

#include "base/numberset.h"
#include "base/wordmap.h"
#include "pipeline/upkeep/removal.h"

typedef struct identity {
    store *s;
    kedge_on_duplicate rule;
    words ids;          /* of the slot at hand */
    wordmap seen;
    size_t *latest;     /* of each id: the document that has it */
    uint32_t *out;      /* documents to leave out, rising once sorted */
    size_t outs;
    store_place *old;   /* documents that are replaced */
    size_t olds, latest_capacity, out_capacity, old_capacity;
    const char *source; /* that the slot is of; set by the owner */
    const uint32_t *left; /* documents of the batch that are not to be stored
                             in any case, rising; set by the owner */
    size_t lefts;
    bool dedupe;        /* by content, too */
    const digests *digests; /* of all words of the batch, for that */
    numberset contents; /* digests of the documents that there are */
    uint64_t skipped, replaced, same; /* so far */
} identity;

void identity_free(identity *i);

/* Learns the contents of the store's documents. In no transaction. */
kedge_status identity_learn(identity *i, kedge_error *err);

/* Takes out of the batch what is not to be stored, and notes what it replaces.
 * In no transaction. */
kedge_status identity_check(identity *i, docs *batch, kedge_error *err);

/* In the transaction that puts the slot: the replaced documents leave. */
kedge_status identity_replace(identity *i, removal *r, kedge_error *err);

#endif
