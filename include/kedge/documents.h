/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_DOCUMENTS_H
#define KEDGE_DOCUMENTS_H
/*
 * The documents of a store: bags of words with ids, in the order of the store
 * or by id. One block of documents is in memory at a time.
 *
 *   kedge_documents_open(store, NULL, 0, &control, &documents, &err);
 *   while (kedge_documents_next(documents, &d, &err) == KEDGE_OK && d != NULL)
 *       puts(d->id);
 *   kedge_documents_close(documents);
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_documents kedge_documents;

/* A word of a document. Strings in this header may have any bytes; they end
 * with a zero that is not counted in their sizes. */
typedef struct kedge_word_count {
    const char *word;
    size_t size;    /* bytes of the word */
    uint64_t count; /* occurrences in the document */
} kedge_word_count;

typedef struct kedge_document {
    const char *id; /* its own, otherwise "SOURCE:POSITION", or
                       "SOURCE#2:POSITION" for the second source of that name */
    size_t id_size;
    const char *label; /* "": none */
    size_t label_size;
    const char *source; /* as in kedge_source_info */
    const char *batch;  /* the same */
    uint64_t position; /* in its source, from 1 */
    uint64_t tokens;   /* sum of the counts */
    const kedge_word_count *words; /* each word once */
    uint64_t count;    /* length of `words` */
    /* The text as a sequence of positions in `words`, from 1, with KEDGE_APART
     * between words that were not side by side. */
    const uint32_t *order;
    uint64_t order_size; /* length of `order`; 0: the order was not stored */
} kedge_document;

#define KEDGE_APART 0

/*
 * Opens the documents with the `count` ids, in this order, or with `count` 0
 * all documents in the order of the store. Sees the store as it is at this
 * moment. Uses `memory` and `stop` of `control`.
 *
 * The result belongs to the caller (kedge_documents_close). Until then the
 * store handle must not be used for anything else, and `ids` and `control` must
 * stay valid.
 * EBUDGET, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_documents_open(kedge_store *store, const char *const *ids, uint64_t count,
                     const kedge_control *control, kedge_documents **out,
                     kedge_error *err);

/*
 * The next document, valid until the next call; NULL after the last.
 * ENOTFOUND (no document has the next id; the call after that continues with
 * the id that follows), ECORRUPT, ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_documents_next(kedge_documents *documents, const kedge_document **out,
                     kedge_error *err);

/* Frees; accepts NULL. */
KEDGE_API void kedge_documents_close(kedge_documents *documents);

#ifdef __cplusplus
}
#endif
#endif
