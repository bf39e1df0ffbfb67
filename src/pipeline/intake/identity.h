/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_IDENTITY_H
#define PIPELINE_INTAKE_IDENTITY_H
/*
 * Which documents of a slot are stored. Each is looked at as if those before it
 * had been stored already, one by one, so that it does not matter how documents
 * come together in slots:
 *
 * - `replace`: the stored document with its id leaves first. Then a document
 *   without a word is not stored, nor one whose content is there, with dedupe.
 * - `error`, `skip`: a document without a word, or with dedupe of a content
 *   that is there, is not stored, and its id is not asked about. Then one whose
 *   id is there is refused or left out.
 *
 * Before any of that, a document of a directory is left out where one of its id
 * has the same content: the directory was read before.
 *
 * A content is there as long as a document of the store has it, whenever that
 * came. A document that was left out for its content does not come back when
 * the other leaves later.
 */
#include <kedge/ingest.h>

#include "base/numberset.h"
#include "base/wordmap.h"
#include "pipeline/slot.h"
#include "pipeline/intake/removal.h"

/* A document's id, or rather what has it. */
typedef struct known_id {
    bool stored;      /* a document in the store, at: */
    store_place at;
    uint64_t content; /* its digest, where that matters */
    size_t latest;    /* document of the slot; SIZE_MAX: none */
} known_id;

typedef struct identity {
    store *s;
    store_txn *txn;     /* while what it has is looked at */
    kedge_on_duplicate rule;
    words ids;          /* of the slot at hand */
    wordmap seen;
    known_id *known;    /* by place in `ids` */
    uint32_t *of;       /* of each document: its place in `ids` */
    uint32_t *out;      /* documents to leave out, rising */
    size_t outs;
    store_place *old;   /* documents that are replaced */
    size_t olds, known_capacity, of_capacity, out_capacity, old_capacity;
    const slot_part *part; /* sources of the slot; set by the owner */
    size_t parts;
    const uint32_t *left; /* documents of the batch that are not to be stored
                             in any case, rising; set by the owner */
    size_t lefts;
    bool dedupe;        /* by content, too */
    const digests *digests; /* of all words of the batch, for that and for
                               directories */
    numberset contents; /* digests of the documents that there are */
    uint64_t skipped, replaced, emptied, same, unchanged; /* so far */
    /* A document was refused that is not of the first part: those of its part
     * and all after it are left out, and this is why. */
    bool refused;
    size_t refused_part;
    kedge_error why;
} identity;

void identity_free(identity *i);

/* Learns the contents of the store's documents. In no transaction. */
kedge_status identity_learn(identity *i, kedge_error *err);

/* Whether one of the slot's sources is a directory. */
bool identity_has_folder(const identity *i);

/* Finds which documents of the batch are not to be stored, `out`, and which of
 * the store they replace. In no transaction. */
kedge_status identity_check(identity *i, const docs *batch, kedge_error *err);

/* In the transaction that puts the slot: the replaced documents leave. */
kedge_status identity_replace(identity *i, removal *r, kedge_error *err);

#endif
