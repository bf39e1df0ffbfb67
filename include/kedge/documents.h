/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_DOCUMENTS_H
#define KEDGE_DOCUMENTS_H
/*
 * The documents of a store as it has them: bags of words with their ids. They
 * come one after the other, as they are stored or as they are asked for, and
 * one block of them is in memory at a time.
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

/* A word of a document, and how often it holds it. Texts, here and below, are
 * any bytes and end with a zero that the sizes do not count. */
typedef struct kedge_word_count {
    const char *word;
    size_t size; /* of the word */
    uint64_t count;
} kedge_word_count;

typedef struct kedge_document {
    const char *id; /* its own, or where it has none "SOURCE:POSITION", in
                       which a source whose name an earlier one has is called
                       "SOURCE#2" */
    size_t id_size;
    const char *label; /* "": it has none */
    size_t label_size;
    const char *source; /* as in kedge_source_info */
    const char *batch;
    uint64_t position; /* in its source, from 1 */
    uint64_t tokens;   /* the sum of the counts */
    const kedge_word_count *words;
    uint64_t count;    /* of the words */
    /* The order of the words, where it was stored: of each one its place among
     * `words`, from 1, and KEDGE_APART between two that did not stand side by
     * side in the text. */
    const uint32_t *order;
    uint64_t order_size; /* 0: it was not stored */
} kedge_document;

#define KEDGE_APART 0

/*
 * Begins with the documents `ids[0 .. count)`, in this order, or with all of
 * them in the order of the store where `count` is 0. The texts of `ids` stay
 * with the caller and are needed until the end. What was removed is not there.
 *
 * Until kedge_documents_close the store shows what it held at this moment, and
 * nothing else may be done with the handle. Of `control`, memory and `stop`
 * count.
 * EBUDGET, ECORRUPT, EIO, ENOMEM; *out is NULL then.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_documents_open(kedge_store *store, const char *const *ids, uint64_t count,
                     const kedge_control *control, kedge_documents **out,
                     kedge_error *err);

/*
 * The next document, which lasts until the next call; NULL after the last.
 * ENOTFOUND when there is none of the id whose turn it is: the call after that
 * goes on with the one that follows.
 * ENOTFOUND, ECORRUPT, ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_documents_next(kedge_documents *documents, const kedge_document **out,
                     kedge_error *err);

/* Accepts NULL. */
KEDGE_API void kedge_documents_close(kedge_documents *documents);

#ifdef __cplusplus
}
#endif
#endif
