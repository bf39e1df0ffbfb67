/* SPDX-License-Identifier: MIT */
#ifndef OPS_INGEST_DEDUPE_H
#define OPS_INGEST_DEDUPE_H
/*
 * Deduplication: which documents of a batch are stored. Each is looked at as if
 * those before it had been stored already, one by one, so that it does not
 * matter how documents come together in batches:
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
#include "ops/batch.h"
#include "ops/ingest/removal.h"

/* A document's id, or rather what has it. */
typedef struct known_id {
    bool stored;      /* a document in the store, at: */
    store_place at;
    uint64_t content; /* its digest, where that matters */
    size_t latest;    /* document of the batch; SIZE_MAX: none */
} known_id;

typedef struct dedupe {
    store *s;
    store_txn *txn;     /* while what it has is looked at */
    kedge_on_duplicate rule;
    const doc_batch *batch; /* that is looked at */
    words ids;          /* of it */
    wordmap seen;
    known_id *known;    /* by place in `ids` */
    uint32_t *of;       /* of each document: its place in `ids` */
    bool *leaves;       /* of each document: it is left out */
    uint32_t *out;      /* these, rising */
    size_t outs;
    store_place *old;   /* documents that are replaced */
    size_t olds, known_capacity, of_capacity, leave_capacity, out_capacity,
        old_capacity;
    bool by_content;
    const digests *digests; /* of all words of the batch, for that and for
                               directories */
    numberset contents; /* digests of the documents that there are */
    uint64_t skipped, replaced, emptied, same, unchanged; /* so far */
    /* A document was refused that is not of the first part: those of its part
     * and all after it are left out, and this is why. */
    bool refused;
    size_t refused_part;
    kedge_error why;
} dedupe;

void dedupe_free(dedupe *d);

/* Learns the contents of the store's documents. In no transaction. */
kedge_status dedupe_learn(dedupe *d, kedge_error *err);

/* Whether one of the batch's sources is a directory. */
bool dedupe_has_folder(const doc_batch *b);

/* Finds which documents of the batch are not to be stored, `out`, and which of
 * the store they replace. In no transaction. */
kedge_status dedupe_check(dedupe *d, const doc_batch *b, kedge_error *err);

/* In the transaction that puts the batch: the replaced documents leave. */
kedge_status dedupe_replace(dedupe *d, removal *r, kedge_error *err);

#endif
